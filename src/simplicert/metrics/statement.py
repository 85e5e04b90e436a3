"""State in one sentence, with a valid lower bound, how often the classifier is right.

Let inputs be drawn independently, and call one a hit if it is certified as the class of its label
with a radius that reaches r. A hit may be a false certificate, with probability at most the
scheme's level for every input; otherwise the smoothed classifier is right everywhere within r. So

    P(right within r) >= P(hit) - level,

and P(hit) is bounded from below by Clopper and Pearson's limit for the hits among the inputs that
were tested: one binomial, as inputs and their noise are independent. The limit may fail with
probability 1 - confidence.
"""

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from simplicert.bounds import binomial
from simplicert.errors import require
from simplicert.metrics.numbers import (
    format_down,
    format_exactly,
    format_percent_exactly,
)
from simplicert.noises.certainty import CERTAINTY
from simplicert.noises.words import describe_reach
from simplicert.types import Bools, Certificates

CONFIDENCE = 0.99  # of the statement; the intervals of metrics have 0.95


@dataclass(frozen=True)
class Statement:
    """A lower bound on how often the classifier is right on inputs drawn like these.

    >>> import simplicert as sc
    >>> tally = sc.Tally([[990, 8, 2]] * 100, sigma=0.5, labels=[0] * 100)
    >>> statement = sc.metrics.make_statement(sc.certify(sc.bound(tally)), radius=0.5)
    >>> statement.hits, statement.inputs, round(statement.share, 3)
    (100, 100, 0.954)
    """

    radius: float  # r, in units of the input
    confidence: float
    hits: int  # inputs certified as their label with a larger radius
    inputs: int
    level: float  # probability that a certificate is issued and wrong
    share: float  # lower bound on the share of all inputs like these that are right within r
    norm: str
    sensitivity: float = 1.0  # of a stage before the noise; distances are measured before it
    imported: bool = False  # the level is what an imported log says of itself
    closed: bool = False  # changes that are exactly as large are covered too

    @property
    def sentence(self) -> str:
        """The statement as it may be quoted, its number rounded down."""
        stage = ""
        if self.sensitivity != 1:
            constant = format_exactly(self.sensitivity)
            stage = f" of what goes into a first stage of sensitivity {constant}"
        where = describe_reach(self.norm, format_exactly(self.radius), closed=self.closed)
        return (
            f"With {format_percent_exactly(self.confidence)} % confidence at least "
            f"{format_down(100 * self.share, 1)} % "
            "of inputs drawn like these are classified correctly by the smoothed classifier "
            f"{where}{stage} ({self.hits} of {self.inputs} "
            f"tested inputs are certified, {self._surety}"
            f"{' by the own account of the log' if self.imported else ''})."
        )

    @property
    def _surety(self) -> str:
        """How surely one input's certificate holds, in words."""
        if self.level == 0:
            return f"and every certificate {CERTAINTY}"
        return f"each wrongly with probability at most {self.level:.15g}"

    def record(self) -> dict[str, Any]:
        """Return the statement as values that JSON can hold; `closed` only where it is."""
        held = asdict(self)
        if not self.closed:
            del held["closed"]
        return {**held, "sentence": self.sentence}


def make_statement(
    certificates: Certificates, radius: float, confidence: float = CONFIDENCE
) -> Statement:
    """Make the statement for certificates by the settings that the run declared.

    >>> import simplicert as sc
    >>> tally = sc.Tally([[990, 8, 2]] * 100, sigma=0.5, labels=[0] * 100)
    >>> statement = sc.metrics.make_statement(sc.certify(sc.bound(tally)), radius=0.5)
    >>> statement.sentence
    'With 99 % confidence at least 95.3 % of inputs drawn like these are classified ...'
    """
    require(
        not certificates.exploratory,
        "certificates must be by the settings declared before the draws, and these are not: no "
        "statement can be made of settings chosen after the counts were seen",
    )
    require(certificates.known.labels is not None, "labels are needed to say what is correct")
    require(np.isfinite(radius) and radius >= 0, f"radius must not be negative, got {radius!r}")
    hit = certificates.correct & certificates.reaches(radius)
    known = certificates.known
    statement = statement_from_hits(hit, radius, confidence, known.level, known.norm)
    return replace(
        statement,
        sensitivity=certificates.sensitivity,
        imported=known.scheme == "imported",
        closed=certificates.closed,
    )


def statement_from_hits(
    hit: Bools, radius: float, confidence: float, level: float, norm: str
) -> Statement:
    """Make the statement for one group of inputs, or all, from which of them are hits."""
    require(0 < confidence < 1, f"confidence must lie strictly between 0 and 1, got {confidence!r}")
    hits, inputs = int(hit.sum()), len(hit)
    low, _ = binomial.clopper_pearson_lower(
        np.array(hits), np.array(inputs), np.array(1 - confidence)
    )
    share = max(float(np.nextafter(float(low) - level, 0.0)), 0.0)
    return Statement(float(radius), confidence, hits, inputs, level, share, norm)
