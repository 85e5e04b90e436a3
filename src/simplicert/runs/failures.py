"""Inputs that a run had to give up: one small file each, until they are tried again."""

from collections.abc import Iterable
from pathlib import Path

from simplicert.runs.atomic import write_whole

FAILED = "failed"


def record(folder: Path, item: int, error: str) -> None:
    """Note that this input failed, and how."""
    (folder / FAILED).mkdir(exist_ok=True)
    write_whole(folder / FAILED / f"{item:08d}.txt", f"{error}\n".encode())


def read_failures(folder: Path) -> dict[int, str]:
    """The inputs noted, each with its error."""
    found = {}
    for path in sorted((folder / FAILED).glob("*.txt")):
        if path.stem.isdigit():
            found[int(path.stem)] = path.read_text(encoding="utf-8", errors="replace").strip()
    return found


def forget(folder: Path, items: Iterable[int]) -> None:
    """These inputs are about to be tried again, or done."""
    noted = read_failures(folder)
    for item in {int(i) for i in items} & noted.keys() if noted else ():
        (folder / FAILED / f"{item:08d}.txt").unlink(missing_ok=True)
