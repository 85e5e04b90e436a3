"""One log on the board: its rows as certificates, its settings, and what the audit found.

`Entry` holds one row per input: where rows repeat an input, the one that claims least. Everything
that a page shows is computed from it: `accuracy_at` common radii, `reached` for the comparison.
"""

from dataclasses import dataclass, replace

import numpy as np

from simplicert.board.claims import LogSettings
from simplicert.board.sources import Source, checksum_of
from simplicert.errors import require
from simplicert.logs.row_checks import DISPROVING_CODES, AuditFinding
from simplicert.metrics.intervals import CONFIDENCE, RateCurve, count_above, rate_curve
from simplicert.types import Bools, Certificates, Floats, Ints

RADII = np.arange(17) / 4  # 0, .25, ..., 4: where every log is compared

# Codes of findings that say no more than that digits or rows are few.
REMARKS = frozenset(
    {
        *("note", "rounding", "draws_unknown", "left_out", "inferred", "skipped", "negative"),
        "numbering",
    }
)


@dataclass(frozen=True, eq=False)
class Entry:
    """A log that was read. Radii are in units of the input, 0 where nothing is certified."""

    source: Source
    sha256: str
    settings: LogSettings
    index: Ints  # (N,) sorted, each once
    radius: Floats  # (N,)
    abstained: Bools  # (N,)
    correct: Bools  # (N,) certified as its label
    rows: int  # of the log
    label: Ints | None = None  # (N,) None where the log names no labels
    e0: Floats | None = None  # (N,) NaN where abstained
    e1: Floats | None = None  # (N,) only where both were measured
    closed: bool = False  # radii cover changes as large as themselves
    inferred: tuple[tuple[int, float], ...] = ()  # (draws, alpha) of the cap
    recertified: bool = False  # from counts, at the board's alpha
    findings: tuple[AuditFinding, ...] = ()
    numbering: str = ""  # logs with the same one have the same labels wherever they share inputs

    def __len__(self) -> int:
        """N, the number of inputs."""
        return len(self.index)

    @property
    def verdict(self) -> str:
        """What the audit says in one word: disproved, doubtful, remarks or clean."""
        codes = {finding.code for finding in self.findings}
        if codes & DISPROVING_CODES:
            return "disproved"
        if codes - REMARKS:
            return "doubtful"
        return "remarks" if codes else "clean"

    def accuracy_at(self, radii: Floats) -> RateCurve:
        """Certified accuracy at each radius, with Clopper-Pearson limits over inputs."""
        live = self.correct & ~self.abstained
        return rate_curve(self.radius[live], radii, len(self), CONFIDENCE, inclusive=self.closed)

    def hits_at(self, radii: Floats) -> Ints:
        """Count the inputs certified as their label at each radius."""
        live = self.correct & ~self.abstained
        return count_above(self.radius[live], radii, inclusive=self.closed)

    @property
    def reached(self) -> Ints:
        """How many of RADII each input reaches; 0 where it is not certified as its label."""
        reached = np.searchsorted(RADII, self.radius, side="right" if self.closed else "left")
        return np.where(self.correct & ~self.abstained, reached, 0)

    def with_findings(self, *more: AuditFinding) -> "Entry":
        """Return it with more findings."""
        return replace(self, findings=(*self.findings, *more))


def keep_one_row(entry: Entry) -> Entry:
    """Return an entry in the order of its inputs, each once, by the row that claims least."""
    require(len(entry) > 0, f"{entry.source.name} must hold at least one row, got none")
    claimed = np.where(entry.correct & ~entry.abstained, entry.radius, -1.0)
    order = np.lexsort((claimed, entry.index))
    first = np.ones(len(order), bool)
    first[1:] = entry.index[order][1:] != entry.index[order][:-1]
    kept = order[first]

    def pick(values: Floats | None) -> Floats | None:
        return None if values is None else values[kept]

    return replace(
        entry,
        index=entry.index[kept],
        radius=entry.radius[kept],
        abstained=entry.abstained[kept],
        correct=entry.correct[kept],
        label=None if entry.label is None else entry.label[kept],
        e0=pick(entry.e0),
        e1=pick(entry.e1),
    )


def entry_of_certificates(source: Source, settings: LogSettings, made: Certificates) -> Entry:
    """Make an entry of certificates, with both expectations where both were measured."""
    known = made.known
    pair = known.has_pair and known.scheme != "imported"
    labelled = known.labels is not None
    return Entry(
        source=source,
        sha256=checksum_of(source),
        settings=settings.with_values("log", sigma=known.sigma, norm=known.norm),
        index=known.index,
        radius=made.radius,
        abstained=made.abstained,
        correct=made.correct if labelled else np.zeros(len(made), bool),
        rows=len(made),
        label=known.labels,
        e0=known.e0 if known.has_pair else None,
        e1=known.e1 if pair else None,
        closed=made.closed,
    )
