"""Inputs that a run had to give up: one small file each, until they are tried again."""

from collections.abc import Iterable
from pathlib import Path

from simplicert.errors import DamagedRun
from simplicert.files import read_run_file
from simplicert.runs.atomic import make_folder, write_whole

FAILED = "failed"
MOST = 2**20  # bytes of what one input's error says


def record(folder: Path, item: int, error: str) -> None:
    """Note that this input failed, and how."""
    write_whole(make_folder(folder / FAILED) / f"{item:08d}.txt", f"{error}\n".encode())


def read_failures(folder: Path) -> dict[int, str]:
    """The inputs noted, each with its error."""
    if (folder / FAILED).is_symlink():  # what lies elsewhere is no part of a run
        raise DamagedRun(f"{folder / FAILED} must be a folder, got a link")
    found = {}
    for path in sorted((folder / FAILED).glob("*.txt")):
        if path.stem.isascii() and path.stem.isdecimal():
            found[int(path.stem)] = read_run_file(path, MOST).decode(errors="replace").strip()
    return found


def forget(folder: Path, items: Iterable[int]) -> None:
    """These inputs are about to be tried again, or done."""
    noted = read_failures(folder)
    for item in {int(i) for i in items} & noted.keys() if noted else ():
        (folder / FAILED / f"{item:08d}.txt").unlink(missing_ok=True)
