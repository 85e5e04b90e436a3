"""Load `csv:FILE` and `parquet:FILE`: one input a row, one number a column, perhaps a label.

The label is the column `label`, or the one that `label_column` names; "" says that there is none.
Labels are class numbers, or texts: these are numbered from 0 in their sorted order, as scikit-learn
numbers classes, and name the classes. All other columns (or those that `columns` lists, in their
order) are the features of an input, and their names are recorded.

A feature must be a number, because noise is added to it. A column of texts or of true and false is
a category: no noise of ours has a meaning for it, so it is refused and never encoded silently.

table_source    a data set from a pandas table, for every file that holds one
"""

import csv
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from simplicert.data.dataset import Singles, Source, number_texts
from simplicert.data.options import AS_IT_IS, TABLE_OPTIONS, DataOptions
from simplicert.errors import DamagedRun, InvalidInput, require
from simplicert.files import MOST_LOG, read_file, read_text
from simplicert.machine import require_memory
from simplicert.parquet import MOST_FILE, read_parquet

LABEL = "label"  # the column of labels, unless another is named
SEPARATORS = ",;\t"
MEMORY = 16  # bytes for each byte of the file, at most: the text, a table of objects, the numbers
MOST_ROWS = 10**8
MOST_COLUMNS = 20_000
MOST_LISTED = 8  # columns that an error lists


def load_csv(spec: str, options: DataOptions = AS_IT_IS) -> Source:
    """Load a text file whose first line names the columns, separated by commas, ; or tabs."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    path = Path(spec)
    require(path.is_file(), f"data must name a file that exists, got {path}")
    require_memory(path.name, MEMORY * path.stat().st_size)
    text = read_text(path, MOST_LOG, encoding="utf-8-sig")
    first, _, rest = text.partition("\n")
    require(bool(first.strip()), f"{path.name} must begin with the names of its columns, got none")
    separator = max(SEPARATORS, key=first.count)
    names = next(csv.reader([first.rstrip("\r")], delimiter=separator))
    require(
        not any(_is_number(name) for name in names),
        f"{path.name} must begin with the names of its columns, got {first!r:.60}",
    )
    _refuse_equal_names(path.name, names)
    require(bool(rest.strip()), f"{path.name} must hold at least one row, got none")
    try:
        table = arrow_csv.read_csv(
            BytesIO(rest.encode()),
            arrow_csv.ReadOptions(use_threads=False, column_names=names),
            arrow_csv.ParseOptions(delimiter=separator),
        )
    except pa.ArrowException as error:
        words = " ".join(str(error).split())
        raise InvalidInput(
            f"{path.name} must have a cell for each column in every line: {words:.200}"
        ) from None
    return table_source(path.name, table.to_pandas(), options)


def load_parquet(spec: str, options: DataOptions = AS_IT_IS) -> Source:
    """Load a Parquet file of plain columns."""
    path = Path(spec)
    require(path.is_file(), f"data must name a file that exists, got {path}")
    return table_source(path.name, read_parquet_frame(path), options)


def read_parquet_frame(path: Path) -> Any:
    """Read a Parquet file into a pandas table, within limits."""
    import pyarrow as pa

    try:
        content = read_file(path, MOST_FILE)
        table = read_parquet(content, MOST_ROWS, texts=True, most_columns=MOST_COLUMNS)
    except (DamagedRun, pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, InvalidInput):
            raise
        words = " ".join(str(error).split())
        raise InvalidInput(
            f"{path.name} must be a Parquet table that can be read: {words}"
        ) from None
    _refuse_equal_names(path.name, table.column_names)
    return table.replace_schema_metadata(None).to_pandas()


def table_source(
    name: str, frame: Any, options: DataOptions, classes: tuple[str, ...] | None = None
) -> Source:
    """Return features, labels and names of a pandas table; `classes` name whole-number labels."""
    options.require_only(name, *TABLE_OPTIONS)
    held = [str(column) for column in frame.columns]
    require(len(frame) > 0, f"{name} must hold at least one row, got none")
    label = _choose_label(name, held, options.label_column)
    features = [column for column in held if column != label]
    if options.columns is not None:
        features = list(options.columns)
        _refuse_equal_names(name, features)
        for column in features:
            require(
                column in held and column != label,
                f"columns must be columns of {name} other than its label, got {column!r:.60}",
            )
    require(bool(features), f"{name} must have a column besides its label {label!r}, got none")
    inputs: Singles = np.empty((len(frame), len(features)), dtype=np.float32)
    for place, column in enumerate(features):
        inputs[:, place] = _read_feature(name, column, frame[column])
    inputs.setflags(write=False)
    labels = None
    if label is not None:
        labels, texts = _read_labels(name, label, frame[label])
        classes = classes if texts is None else texts
    return Source(inputs, labels, None if label is None else classes, tuple(features))


def _choose_label(name: str, held: list[str], given: str | None) -> str | None:
    """Return the column of labels, None if the user says that there is none."""
    if given == "":
        return None
    label = LABEL if given is None else given
    if label in held:
        return label
    shown = ", ".join(held[:MOST_LISTED]) + (", ..." if len(held) > MOST_LISTED else "")
    raise InvalidInput(
        f"{name} has no column {label}: --label-column says which of its columns is the label "
        f"({shown}), and --label-column '' that none is"
    )


def _read_feature(name: str, column: str, values: Any) -> Singles:
    """Return a column as numbers; refuse one without a name, a category and an empty cell."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    require(
        bool(column.strip()),
        f"every column of {name} must have a name, got one without: if it numbers the rows, "
        "leave it out (--columns lists the columns to take)",
    )
    if is_bool_dtype(values.dtype) or not is_numeric_dtype(values.dtype):
        seen = "no values" if values.isna().all() else repr(values.dropna().iloc[0])
        raise InvalidInput(
            f"column {column} of {name} must hold numbers, got {seen:.40}: noise has no meaning "
            "for a category; leave the column out (--columns lists the columns to take), or write "
            "it as numbers between which distances mean something"
        )
    empty = values.isna().to_numpy()
    if empty.any():
        raise InvalidInput(
            f"column {column} of {name} must have a number in every row, got none in row "
            f"{int(empty.argmax())} (the first is 0)"
        )
    with np.errstate(over="ignore"):  # an infinity is refused when the values are read
        numbers: Singles = values.to_numpy(dtype=np.float64).astype(np.float32)
    return numbers


def _read_labels(name: str, column: str, values: Any) -> tuple[Any, tuple[str, ...] | None]:
    """Return labels as numbers, and the class names where they are texts."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    empty = values.isna().to_numpy() | (values.astype(str).str.strip() == "").to_numpy()
    if empty.any():
        raise InvalidInput(
            f"column {column} of {name} must have a label in every row, got none in row "
            f"{int(empty.argmax())} (the first is 0)"
        )
    if not is_numeric_dtype(values.dtype) or is_bool_dtype(values.dtype):
        return number_texts([str(value) for value in values])
    numbers = values.to_numpy()
    if numbers.dtype.kind == "f":
        broken = numbers != np.floor(numbers)
        require(
            not broken.any(),
            f"column {column} of {name} must hold classes (texts or whole numbers), got "
            f"{numbers[int(broken.argmax())]}",
        )
    require(
        abs(float(numbers.min())) < MOST_ROWS and abs(float(numbers.max())) < MOST_ROWS,
        f"column {column} of {name} must hold class numbers, got {numbers.max()}",
    )
    return numbers.astype(np.int64), None


def _refuse_equal_names(name: str, columns: list[str]) -> None:
    """Refuse two columns of one name: which of them is meant is unknown."""
    seen: set[str] = set()
    for column in columns:
        require(column not in seen, f"columns of {name} must differ in name, got {column!r:.60}")
        seen.add(column)


def _is_number(text: str) -> bool:
    """Return whether a text is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
