"""Parse settings of a drawing from texts as the command line gives them, such as "1/255"."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from simplicert.data.arrays import read_array
from simplicert.errors import InvalidInput, require
from simplicert.types.plan import MOST_RESERVED

MOST_DIGITS = 18  # of a share's number: it fits in 64 bits


def parse_numbers(name: str, given: str | Sequence[float]) -> tuple[float, ...]:
    """Parse comma-separated numbers."""
    words = given.split(",") if isinstance(given, str) else given
    try:
        return tuple(float(word) for word in words)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} must be numbers separated by commas, got {given!r}") from None


def parse_grid_step(given: str | float) -> float:
    """Parse a step such as 1/255 or 0.01."""
    above, _, below = str(given).partition("/")  # not Fraction: it would write out 1e1000000000
    try:
        value = float(above) / float(below or "1")
    except (ValueError, ZeroDivisionError):
        value = math.nan
    require(
        math.isfinite(value) and value > 0,
        f"grid must be a step such as 1/255, got {str(given)[:80]!r}",
    )
    return value


def parse_reserve(given: str | float) -> float:
    """Parse a share of alpha such as 0.1 or 10%."""
    word = str(given).strip()
    try:
        value = float(word.removesuffix("%")) / (100 if word.endswith("%") else 1)
    except ValueError:
        value = math.nan
    require(
        0 <= value <= MOST_RESERVED,
        f"reserve must be a share of alpha in 0..{MOST_RESERVED}, such as 0.1 or 10%, "
        f"got {word[:80]!r}",
    )
    return value


def parse_shard(given: str | tuple[int, int]) -> tuple[int, int]:
    """Parse "2/4", the second of four shares of the inputs."""
    text = given if isinstance(given, str) else "/".join(map(str, given))
    first, _, last = text.partition("/")
    good = all(word.isdecimal() and len(word) <= MOST_DIGITS for word in (first, last))
    good = good and 1 <= int(first) <= int(last)
    require(good, f"shard must be i/k with 1 <= i <= k, such as 1/4, got {text!r}")
    return int(first), int(last)


def read_noise_scale(given: str | Path | Any) -> np.ndarray:
    """Read each feature's share of sigma from an npy file, or take an array of them."""
    try:
        named = isinstance(given, str | Path)
        return np.asarray(read_array(Path(given)) if named else given, dtype=float)
    except (TypeError, ValueError, InvalidInput) as error:
        raise InvalidInput(f"noise_scale must be an npy file of numbers: {error}") from None


def parse_columns(given: str | Sequence[str]) -> tuple[str, ...]:
    """Parse comma-separated names of columns; a list is taken as it is."""
    if not isinstance(given, str):
        return tuple(given)
    return tuple(name.strip() for name in given.split(","))


PARSERS: dict[str, Callable[[Any], Any]] = {
    "out": Path,
    "index_file": Path,
    "reserve": parse_reserve,
    "shard": parse_shard,
    "grid": parse_grid_step,
    "noise_scale": read_noise_scale,
    "device": str,
    "columns": parse_columns,
    "mean": lambda given: parse_numbers("mean", given),
    "std": lambda given: parse_numbers("std", given),
}
