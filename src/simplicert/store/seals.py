"""The text of a seal: which files a run has, how long they are, and their SHA-256.

A seal is a plain text, `seal.txt` in the run folder, signed by whoever vouches for the run
(`simplicert seal`, `verification/seals.py`):

    simplicert seal 1
    run 0c9220aba937b812
    time 2026-11-18T15:41:00+00:00
    key 3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29
    3f0e... 1234 run.toml
    91ab... 5678 parts/00000000-df67bdc09a4339deadf65c0af71cf304.parquet
    signature 6d1c...

Its lines are one way to write what they say, to the last byte, and the signature is over all lines
above it. RUN.csv stands for the certificates beside the run, whatever the folder is called now.
"""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from simplicert.errors import DamagedRun, InvalidInput, SimplicertError
from simplicert.files import MOST_LOG, read_file, read_run_file
from simplicert.parquet import MOST_FILE
from simplicert.store.certificates import SUFFIXES
from simplicert.store.imported import ImportedRun
from simplicert.store.manifest import NAME
from simplicert.store.neighbours import neighbours_path
from simplicert.store.run import PARTS, SCALE, Run

SEAL = "seal.txt"
FIRST = "simplicert seal 1"  # what is signed begins with what it is
BESIDE = "RUN"  # the run folder's own name, which may change
MOST_SEAL = 2**26  # bytes, of more than 400,000 files

_FILE = re.compile(r"([0-9a-f]{64}) (0|[1-9][0-9]{0,14}) (\S{1,200})")
_FORMS = tuple(  # of run, time, key and signature
    map(re.compile, ("[0-9A-Za-z-]{1,64}", "[0-9T:+-]{25}", "[0-9a-f]{64}", "[0-9a-f]{128}"))
)


class SealedFile(NamedTuple):
    """One file of a run, as a line of the seal has it."""

    sha256: str
    size: int
    name: str

    @property
    def optional(self) -> bool:
        """Whether it may be made after the seal: it is neither draws nor settings."""
        return not (self.name in (NAME, SCALE) or self.name.startswith((f"{PARTS}/", "known-")))


@dataclass(frozen=True)
class Seal:
    """What a seal says; `signature` is empty until it is signed."""

    run: str
    time: str
    key: str  # the public key, 32 bytes in hexadecimal digits
    files: tuple[SealedFile, ...]
    signature: str = ""

    @property
    def signed_text(self) -> bytes:
        """The bytes that are signed: every line but the last."""
        head = [FIRST, f"run {self.run}", f"time {self.time}", f"key {self.key}"]
        rows = [f"{one.sha256} {one.size} {one.name}" for one in self.files]
        return "".join(f"{line}\n" for line in (*head, *rows)).encode()

    @property
    def text(self) -> bytes:
        """The whole file."""
        return self.signed_text + f"signature {self.signature}\n".encode()

    def with_signature(self, signature: bytes) -> "Seal":
        """Return it signed."""
        return replace(self, signature=signature.hex())


def parse_seal(content: bytes) -> Seal:
    """Parse a seal; a text that says the same in another way is none."""
    try:
        _, run, time, key, *rows, last = content.decode("ascii").split("\n")[:-1]
        heads = [line.partition(" ")[2] for line in (run, time, key)]
        files = tuple(
            SealedFile(found[1], int(found[2]), found[3]) for found in map(_match_row, rows)
        )
        seal = Seal(heads[0], heads[1], heads[2], files, last.partition(" ")[2])
    except ValueError:
        seal = None
    if seal is None or seal.text != content or not _is_well_formed(seal):
        raise InvalidInput(f"{SEAL} is no seal that simplicert wrote, or was altered")
    return seal


def _match_row(row: str) -> re.Match[str]:
    """Match the line of a file; a ValueError if it is none."""
    if (found := _FILE.fullmatch(row)) is None:
        raise ValueError(row)
    return found


def _is_well_formed(seal: Seal) -> bool:
    """Whether every word has its form, and every file one line, in their order."""
    words = (seal.run, seal.time, seal.key, seal.signature)
    names = [one.name for one in seal.files]
    return names == sorted(set(names)) and all(
        form.fullmatch(word) for form, word in zip(_FORMS, words, strict=True)
    )


def read_seal(folder: Path) -> Seal:
    """Read the seal of a run; a FileNotFoundError if there is none."""
    return parse_seal(read_run_file(folder / SEAL, MOST_SEAL))


def list_sealed_files(run: Run | ImportedRun) -> list[SealedFile]:
    """Read every file that a seal covers, and return its line, in the order of the names."""
    return sorted(_list_files(run), key=lambda one: one.name)


def _list_files(run: Run | ImportedRun) -> Iterator[SealedFile]:
    folder = run.folder
    inside = [folder / NAME, *folder.glob("known-*.parquet"), *folder.glob("attack*.csv")]
    inside += [path for path in (neighbours_path(folder),) if os.path.lexists(path)]
    inside += [path for path in (folder / SCALE,) if path.is_file()]
    inside += [path for s in SUFFIXES if (path := folder / f"certificates{s}").is_file()]
    for path in inside:
        yield _seal_file(path, path.name)
    for path in run.paths() if isinstance(run, Run) else ():
        yield _seal_file(path, f"{PARTS}/{path.name}")
    for suffix in SUFFIXES:
        beside = _find_beside(folder, suffix)
        if beside.is_file():
            yield _seal_file(beside, f"{BESIDE}{suffix}")


def _find_beside(folder: Path, suffix: str) -> Path:
    """Return where certificates lie beside a run, by the folder's own name and not a link's."""
    own = folder.resolve()
    return own.with_name(own.name + suffix)


def list_uncovered(folder: Path, seal: Seal, paths: Iterable[Path]) -> list[Path]:
    """Return those of these files whose size and SHA-256 stand in no line of the seal.

    A file that lies where a seal looks for one is left out: it is compared by its name.
    """
    places = {_find_beside(folder, suffix) for suffix in SUFFIXES}
    places |= {folder.resolve() / f"certificates{suffix}" for suffix in SUFFIXES}
    held = {(one.sha256, one.size) for one in seal.files}
    return [path for path in paths if _own_place(path) not in places and _digest(path) not in held]


def _own_place(path: Path) -> Path:
    """Return where a file itself lies; a link to a file elsewhere lies where the link does."""
    return path.parent.resolve() / path.name


def _digest(path: Path) -> tuple[str, int] | None:
    """Return the SHA-256 and the size of a file that its reader named; None if it is unreadable."""
    try:
        content = read_file(path, max(MOST_FILE, MOST_LOG))
    except (SimplicertError, OSError):
        return None
    return hashlib.sha256(content).hexdigest(), len(content)


def _seal_file(path: Path, name: str) -> SealedFile:
    """Read one file, no link."""
    if not re.fullmatch(r"\S{1,200}", name) or not name.isascii():
        raise DamagedRun(f"{path} must have a plain name")
    content = read_run_file(path, max(MOST_FILE, MOST_LOG))
    return SealedFile(hashlib.sha256(content).hexdigest(), len(content), name)
