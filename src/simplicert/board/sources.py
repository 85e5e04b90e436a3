"""Find every log below the given files and folders, and tell its format by its content.

`find_sources` returns a `Source` for every file: a log of some format, or one that is refused and
why. A run folder and a folder of arrays are one source each. Files whose suffix says that they are
code, pictures or weights are not logs, and are only counted. Logs and runs that are given by
themselves are named, and find their claims, from the folder that holds them all.
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from simplicert.errors import require
from simplicert.files import MOST_LOG, open_file, read_file
from simplicert.logs.cohen import INDEX
from simplicert.store.manifest import NAME as RUN

ARRAYS = ("preds.npy", "labels.npy")  # of a folder of arrays
DERANDOMISED = "predicted_labels.npy"  # beside them: all draws of splitting noise were made
SEPARATORS = "\t,;|"
MOST_DEPTH = 100  # folders inside one another; deeper ones were made against their reader
HEAD = 4096  # bytes that tell the format
PREDICTIONS = "predictions without radii: nothing is certified"
NO_HEADER = "no header of a known format"

# Suffixes and names of what is certainly no log.
OTHER_SUFFIXES = frozenset(
    f".{name}"
    for name in (
        *("py", "pyc", "ipynb", "sh", "c", "cpp", "cu", "h", "js", "css", "html", "tex", "bib"),
        *("md", "pdf", "png", "jpg", "jpeg", "gif", "svg", "toml", "yml", "yaml", "cfg", "ini"),
        *("pkl", "pt", "pth", "torch", "npy", "tar", "gz", "zip", "lock"),
    )
)
OTHER_NAMES = frozenset({"license", "license.txt", "readme", "makefile", ".gitignore",
                         ".gitattributes", ".gitkeep", "experiments.md"})  # fmt: skip


@dataclass(frozen=True)
class Source:
    """A file or folder: where it is, what it is called here, its format or why it has none."""

    path: Path
    root: Path  # the folder that was given, or that holds all files that were given
    format: str  # "" if refused, "other" if certainly no log
    reason: str = ""

    @property
    def name(self) -> str:
        """Its path as the board writes it: from the given folder on."""
        inside = self.path.relative_to(self.root).as_posix()
        return _printable(f"{self.root.name}/{inside}")

    @property
    def id(self) -> str:
        """A short name of its pages."""
        return sha256(self.name.encode()).hexdigest()[:12]


def find_sources(paths: Sequence[Path]) -> list[Source]:
    """Find the sources below each path, in the order of their names."""
    require(len(paths) > 0, "paths must name at least one file or folder, got none")
    found: dict[Path, Source] = {}
    for given in paths:
        require(given.exists(), f"path must be a file or folder that exists, got {str(given)!r}")
    roots = _choose_roots([given.resolve() for given in paths])
    for path, root in roots.items():
        for source in sorted(_walk(path, root), key=lambda one: one.name):
            found.setdefault(source.path, source)
    times = Counter(source.name for source in found.values())
    twice = [name for name, count in times.items() if count > 1]
    require(not twice, f"paths must have different names, got {''.join(twice[:1])!r} twice")
    return list(found.values())


def _choose_roots(paths: Sequence[Path]) -> dict[Path, Path]:
    """Return the root of each path: a folder is its own, files and runs share one above them."""
    alone = [path for path in paths if not path.is_dir() or _is_source(path)]
    shared = Path(os.path.commonpath([path.parent for path in alone])) if alone else Path()
    return {path: shared if path in alone else path for path in paths}


def _is_source(folder: Path) -> bool:
    """Whether a folder is one source: a run, or the arrays of one certification."""
    return (folder / RUN).is_file() or holds_arrays(folder)


def holds_arrays(folder: Path) -> bool:
    """Whether a folder holds the arrays of one certification."""
    return all((folder / name).is_file() for name in ARRAYS)


def checksum_of(source: Source) -> str:
    """Return the SHA-256 of a file, or of all files of a folder one after another, by name."""
    digest = sha256()
    if source.path.is_file():
        digest.update(read_file(source.path, MOST_LOG))
    else:
        for file in _list_files(source.path):
            if file.suffix in (".npy", ".toml", ".parquet"):
                digest.update(read_file(file, MOST_LOG, follow=False))
    return digest.hexdigest()


def _list_files(folder: Path) -> list[Path]:
    """List the files of a folder and of all below it; folders that are links are not entered."""
    files, waiting = [], [(folder, 0)]
    while waiting:
        here, depth = waiting.pop()
        require(
            depth <= MOST_DEPTH,
            f"{folder.name} must have at most {MOST_DEPTH} folders inside one another, got more",
        )
        for path in here.iterdir():
            if path.is_dir() and not path.is_symlink():
                waiting.append((path, depth + 1))
            elif path.is_file():
                files.append(path)
    return sorted(files)


def _walk(given: Path, root: Path) -> Iterator[Source]:
    """Yield the sources of a file, or of a folder and all below it."""
    waiting = [(given, 0)]  # and how many folders lie between
    while waiting:
        path, depth = waiting.pop()
        if path.is_symlink():
            yield Source(path, root, "", "a link, which is not followed")
        elif path.is_file():
            yield _judge_file(path, root)
        elif not path.is_dir():
            yield Source(path, root, "", "neither a plain file nor a folder")
        elif depth > MOST_DEPTH:
            says = f"inside more than {MOST_DEPTH} folders of the one given, and not opened"
            yield Source(path, root, "", says)
        elif (path / RUN).is_file():
            yield Source(path, root, "run")
        else:
            held = set()
            if holds_arrays(path):
                kind = "splitting" if (path / DERANDOMISED).is_file() else "rs4a"
                yield Source(path, root, kind)
                held = {file.name for file in path.glob("*.npy")}
            try:
                children = sorted(path.iterdir())
            except OSError as error:
                yield Source(path, root, "", f"cannot be opened: {error.strerror or error}")
                continue
            left = [child for child in children if child.name not in held and child.name != ".git"]
            waiting += [(child, depth + 1) for child in left]


def _judge_file(path: Path, root: Path) -> Source:
    """Tell the format of a file from its name and its first lines."""
    if path.suffix.lower() in OTHER_SUFFIXES or path.name.lower() in OTHER_NAMES:
        return Source(path, root, "other", f"{path.suffix or path.name}: no log")
    if path.suffix == ".npz":
        return Source(path, root, "counts")
    try:
        with open_file(path) as file:
            head = file.read(HEAD)
    except OSError as error:
        return Source(path, root, "", f"cannot be opened: {error.strerror or error}")
    if not head.strip():
        return Source(path, root, "", "an empty file")
    try:
        lines = head[: head.rfind(b"\n") + 1 or None].decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        return Source(path, root, "", "neither text nor a known binary format")
    lines = [line for line in lines if line.strip()]
    found, reason = _judge_lines(path, lines, len(head) < HEAD)
    return Source(path, root, found, reason)


def _judge_lines(path: Path, lines: list[str], whole: bool) -> tuple[str, str]:
    """Return the format that the first lines show, or "" and the reason for refusing them."""
    separator = next((mark for mark in SEPARATORS if mark in lines[0]), None)
    names = [cell.strip().lower() for cell in lines[0].lstrip("#").split(separator)]
    if any(name in INDEX for name in names):
        return _judge_header(names, only=whole and len(lines) == 1)
    cells = lines[0].split()
    if cells[0] == "x" and len(cells) == 3:  # noqa: PLR2004
        return "dsrs-bounds", ""
    if cells[0] == "o":
        return "", "samples without settings, or of no certificate: lines x are missing"
    if "[" in lines[0] and "\t" in lines[0]:
        return "counts", ""
    numbers = [_is_number(cell) for cell in lines[0].replace(",", " ").split()]
    if not all(numbers):
        return "", f"{NO_HEADER}: {lines[0].strip()!r:.60}"
    return _judge_numbers(path, lines[0].replace(",", " ").split())


def _judge_header(names: list[str], only: bool) -> tuple[str, str]:
    """Judge a table whose header names an index."""
    if only:
        return "", "a header without rows"
    if "samplesize" in names:
        return "iss", ""
    if "raw_count" in names:
        return "second-order", ""
    if not any("radius" in name or name == "proved" for name in names):
        return "", PREDICTIONS if "predict" in names else f"{NO_HEADER}: {', '.join(names)[:60]}"
    if "predict" not in names:
        return "", "radii without classes: a column predict is missing"
    return "cohen", ""


def _judge_numbers(path: Path, cells: list[str]) -> tuple[str, str]:
    """Judge rows of numbers without a header."""
    whole = [cell.lstrip("+-").isdigit() for cell in cells]
    if all(whole) and len(cells) > 2:  # noqa: PLR2004
        return "counts", ""
    if path.name.startswith("time-"):
        return "", "seconds of each input: no certificates"
    if "rad-" in path.name and whole[0]:
        return "dsrs-radii", ""
    if len(cells) == 2 and not whole[1]:  # noqa: PLR2004
        return "", "averages at each radius: no inputs to audit or to compare"
    return "", f"rows of {len(cells)} numbers without a header"


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _printable(name: str) -> str:
    """Return a name as text that a page can hold, whatever its bytes are."""
    return name.encode("utf-8", "backslashreplace").decode()
