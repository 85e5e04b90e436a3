"""Options of a request that are more than a word: lists, fractions, a file of shares."""

import math
from io import BytesIO
from pathlib import Path

import numpy as np

from simplicert.data.arrays import read_array
from simplicert.errors import InvalidInput, require
from simplicert.runs.atomic import write_whole
from simplicert.runs.folder import SCALE
from simplicert.types.plan import MOST_RESERVED


def numbers(name: str, text: str | None) -> list[float] | None:
    """Comma-separated numbers."""
    if text is None:
        return None
    try:
        return [float(word) for word in text.split(",")]
    except ValueError:
        raise InvalidInput(f"{name} must be numbers separated by commas, got {text!r}") from None


def fraction(text: str) -> float:
    """A step such as 1/255 or 0.01."""
    above, _, below = text.partition("/")  # not Fraction: it would write out 1e1000000000
    try:
        value = float(above) / float(below or "1")
    except (ValueError, ZeroDivisionError):
        value = math.nan
    require(
        math.isfinite(value) and value > 0, f"grid must be a step such as 1/255, got {text[:80]!r}"
    )
    return value


def reserve_share(text: str) -> float:
    """A share of alpha such as 0.1 or 10%."""
    word = text.strip()
    try:
        value = float(word.removesuffix("%")) / (100 if word.endswith("%") else 1)
    except ValueError:
        value = math.nan
    require(
        0 <= value <= MOST_RESERVED,
        f"reserve must be a share of alpha in 0..{MOST_RESERVED}, such as 0.1 or 10%, "
        f"got {text[:80]!r}",
    )
    return value


def keep_scale(folder: Path, scale: np.ndarray) -> None:
    """Keep the shares in the run: its radii are in the norm that they define."""
    sink = BytesIO()
    np.save(sink, scale)
    write_whole(folder / SCALE, sink.getvalue(), only_if_new=True)


def read_scale(path: Path) -> np.ndarray:
    """Each feature's share of sigma, from an npy file."""
    try:
        return np.asarray(read_array(path), dtype=float)
    except (ValueError, InvalidInput) as error:
        raise InvalidInput(f"noise_scale must be an npy file of numbers: {error}") from None
