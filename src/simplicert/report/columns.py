"""Pack a table of certificates for the page, column by column, much smaller than its CSV text.

A column of few different texts is sent as these texts and a number for each row, one that repeats
an earlier column as its name, and any other as numbers. Bytes of one significance stand together,
as that compresses well, and all columns are compressed as one. Up to MOST_EXACT rows on a page the
script can write the CSV file back, byte for byte. Beyond, numbers are of single precision, rounded
to the safe side: radii and E_0 down, E_1 up.
"""

import base64
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from simplicert.types import Floats, Ints

if TYPE_CHECKING:
    import pandas as pd

MOST_EXACT = 40_000  # rows of a page, over all its tables

FEW = 2**16  # different texts of a column that goes as texts

UPWARDS = ("e1",)  # columns that are upper bounds

EMPTY = -(2**31)  # stands for an empty cell among whole numbers


def pack_table(frame: "pd.DataFrame", rank: Ints, *, exact: bool) -> dict[str, Any]:
    """Return the columns of a table, and after them the rank of each row, as JSON can hold it."""
    described: list[dict[str, Any]] = []
    pieces: list[bytes] = []
    seen: dict[bytes, str] = {}
    for name in frame.columns:
        column, data = _pack_column(frame, name, exact)
        twin = seen.setdefault(repr(column).encode() + data, name)
        if twin == name:
            described.append({"name": name, **column})
            pieces.append(data)
        else:
            described.append({"name": name, "as": "copy", "of": twin})
    described.append({"name": "risk", "as": "int"})
    pieces.append(_difference_bytes(rank))
    squeezed = zlib.compress(b"".join(pieces), 9)
    return {
        "rows": len(frame),
        "exact": exact,
        "columns": described,
        "packed": base64.b64encode(squeezed).decode("ascii"),
    }


def _pack_column(frame: "pd.DataFrame", name: str, exact: bool) -> tuple[dict[str, Any], bytes]:
    """Return how a column is written, and its bytes."""
    import pandas as pd

    column = frame[name]
    codes, values = pd.factorize(column, use_na_sentinel=False)
    few = len(values) <= min(1 + len(frame) // 8, FEW)
    if few or column.dtype.kind not in "fiu":
        texts = [_cell_text(value) for value in values]
        width = 1 if len(values) <= 2**8 else 2 if len(values) <= FEW else 4
        places = _shuffle_bytes(codes.astype(f"<u{width}"))
        return {"as": "words", "words": texts, "width": width}, places
    if column.dtype.kind == "f":
        numbers = np.asarray(column, dtype=float)
        kept = numbers.astype("<f8") if exact else round_single(numbers, up=name in UPWARDS)
        return {"as": "float", "width": kept.itemsize}, _shuffle_bytes(kept)
    filled = column.fillna(EMPTY) if column.isna().any() else column
    numbers = np.asarray(filled, dtype=np.int64)
    if numbers.size and (numbers.max() >= -EMPTY or numbers.min() < EMPTY):
        kept = numbers.astype("<f8")  # numbers of inputs beyond 2^31; exact up to 2^53
        return {"as": "float", "width": 8, "whole": True}, _shuffle_bytes(kept)
    return {"as": "int"}, _difference_bytes(numbers)


def _difference_bytes(numbers: Ints) -> bytes:
    """Return whole numbers as differences of neighbours, which are small in sorted columns."""
    return _shuffle_bytes(np.diff(numbers, prepend=0).astype("<i4"))


def round_single(numbers: Floats, *, up: bool) -> NDArray[np.float32]:
    """Round to single precision, never above the number, or never below it; NaN stays."""
    near = numbers.astype("<f4")
    back = near.astype(float)
    wrong = back < numbers if up else back > numbers
    toward = np.float32(np.inf if up else -np.inf)
    return np.where(wrong, np.nextafter(near, toward), near).astype("<f4")


def _shuffle_bytes(numbers: NDArray[Any]) -> bytes:
    """Return the bytes of numbers, those of one significance together."""
    flat = np.ascontiguousarray(numbers)
    return flat.view(np.uint8).reshape(len(flat), flat.itemsize).T.tobytes()


def _cell_text(value: Any) -> str:
    """Return a cell as the CSV file has it."""
    import pandas as pd

    return "" if pd.isna(value) else repr(float(value)) if isinstance(value, float) else str(value)
