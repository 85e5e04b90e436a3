"""Load a folder laid out as on the Hugging Face Hub, without the datasets library.

    data/test-00000-of-00001.parquet, test.parquet, test/0000.parquet    pictures, or a table
    test.csv, data/test.csv                                              a table
    test/CLASS/*.png, data/test/CLASS/*.png                              pictures

Pictures in Parquet files stay there and are decoded when they are used; a few groups of rows are in
memory at a time. A picture that is only a path or an address is refused: a table from someone else
must not make us open other files.
"""

from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from simplicert.data.dataset import Source, number_texts
from simplicert.data.folder import FORMATS, SUFFIXES, hub_caches, lazy_images, load_folder
from simplicert.data.options import PICTURE_OPTIONS, DataOptions
from simplicert.data.tables import LABEL, load_csv, read_parquet_frame, table_source
from simplicert.errors import DamagedRun, InvalidInput, require
from simplicert.files import open_file, parse_json
from simplicert.importing import import_library, require_inside
from simplicert.parquet import GroupReader

DEFAULT = "test"
SAVED = ("dataset_dict.json", "state.json", "dataset_info.json")  # what save_to_disk writes
GROUPS = 4  # groups of rows in memory
KEPT = "huggingface"  # where a Parquet file says what its columns are


def is_saved(folder: Path) -> bool:
    """Return whether a folder was written by save_to_disk."""
    return any((folder / name).exists() for name in SAVED)


def load_hub_folder(folder: Path, split: str | None, options: DataOptions) -> Source:
    """Load one split, `test` by default."""
    split = split or DEFAULT
    if shards := _find_tables(folder, split, ".parquet"):
        return _load_shards(folder, shards, options)
    if tables := _find_tables(folder, split, ".csv"):
        require(len(tables) == 1, f"hf:{folder.name} must have one {split}.csv, got {len(tables)}")
        return load_csv(str(tables[0]), options)
    for place in (folder / split, folder / "data" / split):
        if place.is_dir():
            return load_folder(str(place), options)
    found = sorted({path.suffix for path in folder.iterdir()} & {*SUFFIXES, ".parquet", ".csv"})
    hint = f", got only files {', '.join(found)} of other names" if found else ""
    raise InvalidInput(
        f"hf: must name a folder written by save_to_disk, a data set in the local cache, or a "
        f"folder with the split {split!r} as on the Hub (data/{split}-*.parquet, {split}.csv, "
        f"{split}/CLASS/*.png), got {str(folder)!r}{hint}"
    )


def _find_tables(folder: Path, split: str, suffix: str) -> list[Path]:
    """Return the files of a split in their order, from the first place that has any."""
    for place in (folder, folder / "data"):
        if place.is_dir():
            named = [
                path
                for path in sorted(place.glob(f"{split}*{suffix}"))
                if path.stem == split or path.stem.startswith(f"{split}-")
            ]
            if found := named or sorted((place / split).glob(f"*{suffix}")):
                return [require_inside(path, folder, *hub_caches()) for path in found]
    return []


class _Features(NamedTuple):
    """What a Parquet file says about its columns."""

    pictures: list[str]
    classes: dict[str, tuple[str, ...]]  # of the columns of class labels


def _load_shards(folder: Path, shards: list[Path], options: DataOptions) -> Source:
    """Load pictures, or a table where there are none."""
    features = _read_features(shards[0])
    require(
        len(features.pictures) < 2,  # noqa: PLR2004
        f"hf:{folder.name} must have one column of images, got {features.pictures}",
    )
    if not features.pictures:
        return _load_table(folder, shards, options, features)
    options.require_only("pictures of a known column", *PICTURE_OPTIONS, "label_column")
    table = _Groups(shards)
    pillow = import_library("PIL.Image", "torch", "data 'hf:'")
    column = features.pictures[0]

    def open_picture(position: int) -> Any:
        content = table.cell(column, position)["bytes"]
        require(
            content is not None,
            "the table holds a path or an address instead, and neither is followed: save the data "
            "set with the images in it",
        )
        return pillow.open(BytesIO(content), formats=FORMATS)

    inputs = lazy_images(
        len(table), open_picture, lambda position: f"hf:{folder.name} image {position}", options
    )
    label = options.label_column
    if label is None:
        label = next(iter(features.classes), LABEL if LABEL in table.names else "")
    if label == "":
        return Source(inputs)
    require(label in table.names, f"hf:{folder.name} has no column {label}, got {table.names}")
    values = table.column(label)
    if all(isinstance(value, str) for value in values):
        return Source(inputs, *number_texts(values))
    require(
        None not in values, f"column {label} of hf:{folder.name} must have a label in every row"
    )
    return Source(inputs, np.asarray(values), features.classes.get(label))


def _load_table(
    folder: Path, shards: list[Path], options: DataOptions, features: _Features
) -> Source:
    """Load rows of numbers from all the files."""
    import pandas as pd

    frame = pd.concat([read_parquet_frame(path) for path in shards], ignore_index=True)
    if options.label_column is None and len(features.classes) == 1:
        options = DataOptions(label_column=next(iter(features.classes)), columns=options.columns)
    named = features.classes.get(options.label_column or LABEL)
    return table_source(f"hf:{folder.name}", frame, options, named)


def _read_features(path: Path) -> _Features:
    """Read which columns hold pictures and which class labels: as the file says, or by their type.

    A picture without a word about it is a column of two fields, `bytes` and `path`.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with open_file(path) as file:
            schema = pq.read_schema(file)
        kept = parse_json(
            "what it says of itself", (schema.metadata or {}).get(KEPT.encode(), b"{}")
        )
        said = kept.get("info", {}).get("features", {})
        kinds = {name: said.get(name, {}) for name in schema.names}
        classes = {
            name: tuple(str(one) for one in kind["names"])
            for name, kind in kinds.items()
            if isinstance(kind, dict) and kind.get("_type") == "ClassLabel"
        }
    except (pa.ArrowException, OSError, ValueError, AttributeError, KeyError, TypeError) as error:
        raise InvalidInput(f"{path.name} must be a Parquet table: {error}") from None
    pictures = [
        field.name
        for field in schema
        if pa.types.is_struct(field.type) and {one.name for one in field.type} == {"bytes", "path"}
    ]
    return _Features(pictures, classes)


class _Groups:
    """The rows of Parquet files, read by groups of rows when they are needed."""

    def __init__(self, shards: list[Path]) -> None:
        """Count the rows of every group."""
        self.places: list[tuple[Path, GroupReader, int]] = []
        self.starts = [0]
        self.names: list[str] = []
        for path in shards:
            with _explain(path):
                reader = GroupReader(partial(open_file, path))
            require(
                self.names in ([], reader.names),
                f"{path.name} must have the columns of {shards[0].name}, got {reader.names}",
            )
            self.names = reader.names
            for number, count in enumerate(reader.rows):
                self.places.append((path, reader, number))
                self.starts.append(self.starts[-1] + count)
        self._read = lru_cache(GROUPS)(self._read_group)

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.starts[-1]

    def cell(self, column: str, position: int) -> Any:
        """Return one value of a column."""
        group = bisect_right(self.starts, position) - 1
        return self._read(column, group)[position - self.starts[group]].as_py()

    def column(self, name: str) -> list[Any]:
        """Return all values of a column."""
        return [
            value
            for group in range(len(self.places))
            for value in self._read(name, group).to_pylist()
        ]

    def _read_group(self, column: str, group: int) -> Any:
        path, reader, number = self.places[group]
        with _explain(path):
            return reader.read(number, column)


@contextmanager
def _explain(path: Path) -> Iterator[None]:
    """Turn what a damaged or hostile file makes pyarrow raise into one sentence."""
    import pyarrow as pa

    try:
        yield
    except (DamagedRun, pa.ArrowException, OSError, LookupError) as error:
        words = " ".join(str(error).split())
        raise InvalidInput(f"{path.name} must be a Parquet table: {words}") from None
