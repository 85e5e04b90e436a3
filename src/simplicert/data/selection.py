"""Which inputs of a data set: every step-th of a range, or those that a file lists."""

from pathlib import Path

import numpy as np

from simplicert.errors import InvalidInput, require
from simplicert.files import read_text
from simplicert.types import Ints


def chosen(count: int, *, start: int, stop: int | None, step: int, index_file: Path | None) -> Ints:
    """Positions among `count` inputs, each once; `stop` may lie past the end, as in a slice."""
    if index_file is not None:
        require(
            (start, stop, step) == (0, None, 1),
            f"index_file ({index_file.name}) and start, stop, step cannot be given together",
        )
        return listed(count, index_file)
    require(0 <= start < count, f"start must lie in 0..{count - 1}, got {start}")
    require(step >= 1, f"step must be at least 1, got {step}")
    require(stop is None or stop > start, f"stop must exceed start = {start}, got {stop}")
    return np.arange(start, count if stop is None else min(stop, count), step, dtype=np.int64)


def listed(count: int, path: Path) -> Ints:
    """The numbers in a text file, separated by white space; what follows a # is a comment."""
    try:
        lines = read_text(path).splitlines()
        numbers = [int(word) for line in lines for word in line.partition("#")[0].split()]
    except (OSError, ValueError) as error:  # ValueError: no number, or no text at all
        raise InvalidInput(f"index_file {path} must hold whole numbers: {error}") from None
    require(bool(numbers), f"index_file {path} must list at least one input, got none")
    seen: set[int] = set()
    for number in numbers:
        require(
            0 <= number < count,
            f"index_file {path} must list inputs in 0..{count - 1}, got {number}",
        )
        require(number not in seen, f"index_file {path} must list each input once, got {number}")
        seen.add(number)
    return np.array(numbers, dtype=np.int64)
