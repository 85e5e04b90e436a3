"""Read all sources, and write the site: the whole job of `simplicert board`."""

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from simplicert.board.claims import Claim, LogSettings, find_claims, read_claims, settings_of
from simplicert.board.entry import Entry
from simplicert.board.numbering import number_inputs
from simplicert.board.reading import read_entry
from simplicert.board.sources import Source, find_sources
from simplicert.errors import SimplicertError, require
from simplicert.files import refuse_existing_folder
from simplicert.logs.row_checks import AuditFinding


@dataclass(frozen=True)
class Refusal:
    """A source that is not listed, and why."""

    source: Source
    reason: str


@dataclass(frozen=True, eq=False)
class Board:
    r"""What was read, what was refused, and how many files are no logs at all.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log = Path(folder, "sigma_0.5.tsv")
    ...     _ = log.write_text("idx\tlabel\tpredict\tradius\tcorrect\n0\t3\t3\t0.41\t1\n")
    ...     board = read_board([log])
    >>> len(board.entries), board.entries[0].verdict, board.entries[0].radius.round(3)
    (1, 'remarks', array([0.405]))
    """

    entries: tuple[Entry, ...]
    refusals: tuple[Refusal, ...]
    others: int
    alpha: float

    def count_findings(self) -> Counter[str]:
        """Return in how many logs each code of the audit occurs."""
        return Counter(
            code for entry in self.entries for code in {one.code for one in entry.findings}
        )


def read_board(
    paths: Sequence[Path | str],
    *,
    alpha: float = 0.001,
    claims: Path | str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Board:
    r"""Read every log below the paths; `claims` is a file whose patterns begin with their names.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "notes.txt").write_text("nothing to see\n")
    ...     board = read_board([folder])
    >>> board.refusals[0].reason
    "no header of a known format: 'nothing to see'"
    """
    require(0 < alpha < 1, f"alpha must lie strictly between 0 and 1, got {alpha}")
    sources = find_sources([Path(path) for path in paths])
    logs = [source for source in sources if source.format != "other"]
    given = {
        root: read_claims(Path(claims), root.parent) if claims is not None else []
        for root in {source.root for source in logs}
    }
    entries: list[Entry] = []
    refusals: list[Refusal] = []
    for done, source in enumerate(logs):
        if progress is not None:
            progress(done, len(logs))
        try:
            entries.append(_read_source(source, given[source.root], alpha))
        except (SimplicertError, OSError) as error:
            refusals.append(Refusal(source, say_refusal(source, error)))
    entries = [_flag_repetitions(entry) for entry in number_inputs(entries)]
    return Board(tuple(entries), tuple(refusals), len(sources) - len(logs), alpha)


def make_board(
    paths: Sequence[Path | str],
    out: Path | str,
    *,
    alpha: float = 0.001,
    claims: Path | str | None = None,
    pages: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Board:
    r"""Read every log and write the site into `out`, a new folder.

    `pages=False` writes the table alone, without a page for each log and without comparisons.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log = Path(folder, "sigma_0.5.tsv")
    ...     _ = log.write_text("idx\tlabel\tpredict\tradius\tcorrect\n0\t3\t3\t0.41\t1\n")
    ...     board = make_board([log], Path(folder, "board"))
    ...     Path(folder, "board", "index.html").is_file()
    True
    """
    from simplicert.board.site import write_site

    refuse_existing_folder(Path(out))
    board = read_board(paths, alpha=alpha, claims=claims, progress=progress)
    write_site(board, Path(out), pages=pages)
    return board


def _read_source(source: Source, given: Sequence[Claim], alpha: float) -> Entry:
    """Read one source with the claims that apply to it."""
    require(not source.reason, source.reason)
    entry = read_entry(source, settings_of_source(source, given), alpha)
    denied = [AuditFinding("claim", says) for says in entry.settings.contradicted]
    return entry.with_findings(*denied)


def settings_of_source(source: Source, given: Sequence[Claim]) -> LogSettings:
    """Return what the path, the claims beside a source and those given by hand say of it."""
    claims = [*find_claims(source.path, source.root), *given]
    return settings_of(source.path, source.root, claims)


def say_refusal(source: Source, error: Exception) -> str:
    """Return the reason without the folders of this machine: it stands on a page for others."""
    if isinstance(error, OSError):
        return f"cannot be opened: {error.strerror or error}"
    told = str(error).replace(str(source.path), source.path.name)
    return told.replace(f"{source.root.parent}{os.sep}", "")


def _flag_repetitions(entry: Entry) -> Entry:
    """Say what this board does where rows repeat inputs."""
    if entry.rows == len(entry):
        return entry
    says = "on this board each input counts once, by the row that claims least"
    return entry.with_findings(AuditFinding("note", says))
