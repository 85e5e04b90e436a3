"""List and read the parts of a run while other processes write, merge and remove some.

A merged part is in the folder, durably, before any part that it holds is removed. So whoever lists
the folder twice and sees the same names has seen every draw at least once, and a part that is gone
when it is to be read is in a part that the next list shows.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from simplicert.store.parts import VanishedPart

TRIES = 12  # readings of a folder in which parts vanish, before it counts as damaged

FIRST_PAUSE, LONGEST_PAUSE = 0.005, 0.2  # seconds before the folder is listed again

Result = TypeVar("Result")
Watch = Callable[[int, int], None]  # gets how many parts are read, and of how many


def watch_nothing(done: int, count: int) -> None:
    """Ignore how far the reading is."""


def list_parts(folder: Path) -> list[Path]:
    """List the parts, in the order of their names, once two lists in a row agree.

    A single list is not enough: while files come and go, it may lack both a new file and an old
    one that was removed after the new one came.
    """
    before, names = None, _list_names(folder)
    for _ in range(TRIES):
        if names == before:
            break
        before, names = names, _list_names(folder)
    return [folder / name for name in names]


def _list_names(folder: Path) -> list[str]:
    """List the names of parts once; a folder that is not there holds none."""
    try:
        return sorted(path.name for path in folder.iterdir() if path.suffix == ".parquet")
    except (FileNotFoundError, NotADirectoryError):
        return []


def read_settled(
    paths: Callable[[], list[Path]],
    read: Callable[[Path], Result],
    watch: Watch = watch_nothing,
) -> dict[Path, Result]:
    """Read every part; where one has vanished, list the parts again. None is read twice."""
    known: dict[Path, Result] = {}
    number = 0
    while True:
        listed = paths()
        try:
            for path in listed:
                if path not in known:
                    known[path] = read(path)
                    watch(len(known), len(listed))
            return {path: known[path] for path in listed}
        except VanishedPart:
            number += 1
            if number == TRIES:
                raise
            time.sleep(min(FIRST_PAUSE * 2**number, LONGEST_PAUSE))
