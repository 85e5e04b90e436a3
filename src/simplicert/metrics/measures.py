"""The numbers that a gate requires and a history follows: their values, intervals and words.

`parse_measure` reads accuracy@0.25 or average_radius, MEASURES computes each of them from
`CertificateRows`, and `find_interval` says where the number may lie among all inputs like these.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simplicert.errors import InvalidInput, choose, require
from simplicert.metrics.intervals import CONFIDENCE, rate_limits
from simplicert.metrics.numbers import format_exactly
from simplicert.metrics.statement import statement_from_hits
from simplicert.metrics.study import Study
from simplicert.noises import NOISES
from simplicert.noises.words import describe_units
from simplicert.types import Bools, Certificates, Floats, Ints
from simplicert.types.certificates import covers_radius

NORMAL = 1.96  # 95 % of a normal distribution lie within this many standard errors
MEASURE_PATTERN = re.compile(r"\s*([a-z_]+)(?:@([0-9.eE+-]+))?\s*")


class CertificateRows(NamedTuple):
    """The columns that requirements are about, for some inputs of a run."""

    correct: Bools
    radius: Floats
    abstained: Bools
    level: float
    norm: str
    closed: bool = False  # radii cover changes that are exactly as large

    def certified_at(self, radius: float) -> Bools:
        """(N,) where the label is certified for every change of this size."""
        return self.correct & covers_radius(self.radius, radius, closed=self.closed)

    def chosen(self, which: Bools | Ints) -> "CertificateRows":
        """Return some of the rows, or all of them in another order."""
        return self._replace(
            correct=self.correct[which], radius=self.radius[which], abstained=self.abstained[which]
        )


Measure = Callable[[CertificateRows, float, float], float]  # rows, radius, confidence

# name -> (whether a radius must follow after @, the function that measures it)
MEASURES: dict[str, tuple[bool, Measure]] = {
    "accuracy": (True, lambda rows, at, _: float(rows.certified_at(at).mean())),
    "statement": (
        True,
        lambda rows, at, confidence: (
            statement_from_hits(rows.certified_at(at), at, confidence, rows.level, rows.norm).share
        ),
    ),
    "average_radius": (False, lambda rows, *_: float((rows.correct * rows.radius).mean())),
    "median_radius": (False, lambda rows, *_: float(np.median(rows.radius))),
    "abstained": (False, lambda rows, *_: float(rows.abstained.mean())),
}


Interval = tuple[float | None, float | None]

# name -> its 95 % interval over the choice of inputs; a statement is a lower limit already.
INTERVALS: dict[str, Callable[[CertificateRows, float], Interval]] = {
    "accuracy": lambda rows, at: _share_interval(rows.certified_at(at)),
    "statement": lambda *_: (None, None),
    "average_radius": lambda rows, _: _mean_interval(rows.correct * rows.radius),
    "median_radius": lambda rows, _: _median_interval(rows.radius),
    "abstained": lambda rows, _: _share_interval(rows.abstained),
}


@dataclass(frozen=True)
class NamedMeasure:
    """A measure such as accuracy@0.25, with the radius that it is taken at, if it has one."""

    name: str
    at: float | None = None

    @property
    def text(self) -> str:
        """The measure as a user writes it."""
        return f"{self.name}{'' if self.at is None else f'@{format_exactly(self.at)}'}"


def parse_measure(text: str) -> NamedMeasure:
    """Read MEASURE or MEASURE@RADIUS.

    >>> parse_measure("accuracy@0.25")
    NamedMeasure(name='accuracy', at=0.25)
    """
    match = MEASURE_PATTERN.fullmatch(text)
    if match is None:
        raise InvalidInput(
            f"measure must be like accuracy@0.5, with one of {', '.join(MEASURES)}, got {text!r}"
        )
    name, at = match.groups()
    wants, _ = choose("measure", name, MEASURES)
    return NamedMeasure(name, read_radius("measure", text, name, at, wants=wants))


def read_radius(option: str, text: str, name: str, at: str | None, *, wants: bool) -> float | None:
    """Read the radius after @, which some measures must have and others must not."""
    require(
        wants == (at is not None),
        f"{option} must name a radius after {name}@, got {text!r}"
        if wants
        else f"{option} must not name a radius after {name}, got {text!r}",
    )
    if at is None:
        return None
    try:
        radius = float(at)
    except ValueError:
        raise InvalidInput(f"{option} must hold numbers, got {text!r}") from None
    require(0 <= radius < np.inf, f"{option} must have a radius >= 0, got {text!r}")
    return radius


def check_radius(option: str, text: str, at: float | None, study: Study) -> None:
    """Refuse a radius that this run's radii never have: half a feature cannot be changed."""
    require(
        at is None or not NOISES[study.noise.name].whole or float(at).is_integer(),
        f"{option} must have a whole number after @, got {text!r}: the radii of {study.name} are "
        f"{describe_units(study.measured_in)}",
    )


def certificate_rows(certificates: Certificates) -> CertificateRows:
    """Return the rows of all inputs."""
    known = certificates.known
    return CertificateRows(
        np.asarray(certificates.correct),
        certificates.column("radius"),
        np.asarray(certificates.abstained),
        known.level,
        known.norm,
        certificates.closed,
    )


def find_interval(name: str, rows: CertificateRows, at: float | None) -> Interval:
    """Return where a measure lies with 95 % confidence among all inputs like these.

    None where there is no such limit: of a statement, and of a mean or median of too few inputs.
    """
    return INTERVALS[name](rows, at or 0.0)


def _share_interval(hit: Bools) -> Interval:
    """Return Clopper and Pearson's two limits of a share."""
    low, high = rate_limits(np.array(int(hit.sum())), len(hit), CONFIDENCE)
    return float(low), float(high)


def _mean_interval(values: Floats) -> Interval:
    """Return the normal limits of a mean, which are approximate; a mean radius is at least 0."""
    if len(values) < 2:  # noqa: PLR2004
        return None, None
    mean, error = float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))
    return max(mean - NORMAL * error, 0.0), mean + NORMAL * error


def _median_interval(values: Floats) -> Interval:
    """Return two order statistics around the median: a sign test, exact for every distribution."""
    from scipy.special import bdtr

    total, tail = len(values), (1 - CONFIDENCE) / 2
    ranks = np.arange(total // 2 + 1)
    # P(Bin(total, 1/2) <= rank - 1): how often the median lies below the value of this rank.
    outside = np.concatenate([[0.0], bdtr(ranks[1:] - 1, total, 0.5)])
    rank = int(np.flatnonzero(outside <= tail)[-1])
    if rank == 0:
        return None, None
    ordered = np.sort(values)
    return float(ordered[rank - 1]), float(ordered[total - rank])
