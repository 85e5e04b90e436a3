"""Compare two runs on the same inputs: what the second gains, and what it loses.

Both tests are about the choice of inputs, as all intervals in this package are: would the
difference be seen again on other inputs like these? They say nothing about alpha.

`mcnemar_test` compares certified accuracy at one radius, `average_radius_change` the average
certified radius, and `match_inputs` puts the inputs of both runs in the same order.
"""

from dataclasses import dataclass

import numpy as np

from simplicert.errors import require
from simplicert.metrics.averages import Mean, average_radius, certified_accuracy
from simplicert.metrics.intervals import CONFIDENCE, Rate
from simplicert.types import Bools, Certificates, Floats, Ints

RESAMPLES = 10_000  # of the bootstrap
BLOCK = 2**22  # draws held in memory at once


@dataclass(frozen=True, eq=False)
class AccuracyChange:
    """Certified accuracy of two runs at one radius, and the inputs on which they disagree.

    >>> import simplicert as sc
    >>> first = sc.certify(sc.bound(sc.Tally([[40, 35, 25]] * 6, sigma=0.5, labels=[0] * 6)))
    >>> second = sc.certify(sc.bound(sc.Tally([[90, 8, 2]] * 6, sigma=0.5, labels=[0] * 6)))
    >>> change = sc.metrics.mcnemar_test(first, second, radius=0.1)
    >>> change.first.hits, change.second.hits, change.difference
    (0, 6, 1.0)
    """

    at: float
    first: Rate
    second: Rate
    gained: Ints  # inputs that the second certifies and the first does not
    lost: Ints  # the other way round
    p: float  # McNemar's exact test, two-sided

    @property
    def difference(self) -> float:
        """Second minus first, as a share of the inputs."""
        return (self.gained.size - self.lost.size) / self.first.total


@dataclass(frozen=True, eq=False)
class AverageRadiusChange:
    """The average certified radius of two runs, and a bootstrap interval of their difference.

    >>> import simplicert as sc
    >>> first = sc.certify(sc.bound(sc.Tally([[900, 80, 20], [400, 350, 250]], 0.5, labels=[0, 0])))
    >>> second = sc.certify(sc.bound(sc.Tally([[990, 8, 2], [600, 250, 150]], 0.5, labels=[0, 0])))
    >>> change = sc.metrics.average_radius_change(first, second, resamples=100)
    >>> round(change.difference, 3), change.gained
    (0.287, array([0, 1]))
    """

    first: Mean
    second: Mean
    difference: float  # second minus first
    low: float
    high: float
    gained: Ints  # inputs whose certified radius is larger in the second; a wrong class counts as 0
    lost: Ints  # the other way round
    resamples: int
    seed: int


def mcnemar_test(
    first: Certificates,
    second: Certificates,
    radius: float,
    column: str = "radius",
    *,
    inclusive: bool = False,
) -> AccuracyChange:
    """McNemar's exact test of certified accuracy at one radius.

    Only inputs that one run certifies and the other does not can tell the two apart. If the runs do
    not differ, either is as likely to be the one, so their number is binomial with 1/2.

    >>> import simplicert as sc
    >>> first = sc.certify(sc.bound(sc.Tally([[40, 35, 25]] * 6, sigma=0.5, labels=[0] * 6)))
    >>> second = sc.certify(sc.bound(sc.Tally([[90, 8, 2]] * 6, sigma=0.5, labels=[0] * 6)))
    >>> change = sc.metrics.mcnemar_test(first, second, radius=0.1)
    >>> change.gained, change.p
    (array([0, 1, 2, 3, 4, 5]), 0.03125)
    """
    index, mine, its = match_inputs(first, second)
    one, two = (
        certified_accuracy(side, radius, column, inclusive=inclusive) for side in (first, second)
    )
    hit, hit_too = (
        mark_certified_inputs(side, radius, column, inclusive=inclusive)[order]
        for side, order in ((first, mine), (second, its))
    )
    gained, lost = index[hit_too & ~hit], index[hit & ~hit_too]
    return AccuracyChange(
        float(radius), one, two, gained, lost, mcnemar_p_value(gained.size, lost.size)
    )


def average_radius_change(
    first: Certificates,
    second: Certificates,
    column: str = "radius",
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    confidence: float = CONFIDENCE,
) -> AverageRadiusChange:
    """Return the change of the average certified radius, with a paired bootstrap interval.

    The interval is by percentiles. Inputs are resampled with replacement, in both runs together.

    >>> import simplicert as sc
    >>> first = sc.certify(sc.bound(sc.Tally([[900, 80, 20], [400, 350, 250]], 0.5, labels=[0, 0])))
    >>> second = sc.certify(sc.bound(sc.Tally([[990, 8, 2], [600, 250, 150]], 0.5, labels=[0, 0])))
    >>> change = sc.metrics.average_radius_change(first, second)
    >>> round(change.low, 2), round(change.difference, 2), round(change.high, 2)
    (0.16, 0.29, 0.41)
    """
    index, mine, its = match_inputs(first, second)
    gain = correct_radii(second, column)[its] - correct_radii(first, column)[mine]
    low, high = bootstrap_mean_interval(gain, resamples, seed, confidence)
    return AverageRadiusChange(
        average_radius(first, column),
        average_radius(second, column),
        float(gain.mean()),
        low,
        high,
        index[gain > 0],
        index[gain < 0],
        resamples,
        seed,
    )


def match_inputs(first: Certificates, second: Certificates) -> tuple[Ints, Ints, Ints]:
    """Return the inputs of both in rising order, and where each of them stands in either."""
    mine, its = first.known.index, second.known.index
    assert mine is not None and its is not None
    orders = np.argsort(mine), np.argsort(its)
    same = np.array_equal(mine[orders[0]], its[orders[1]]) and np.unique(mine).size == mine.size
    require(same, "certificates must be of the same inputs, each once, to be paired")
    labels = first.known.labels, second.known.labels
    require(
        labels[0] is None
        or labels[1] is None
        or np.array_equal(labels[0][orders[0]], labels[1][orders[1]]),
        "certificates must have the same labels to be paired",
    )
    return mine[orders[0]], *orders


def mcnemar_p_value(gained: int, lost: int) -> float:
    """min(1, 2 P(Bin(gained + lost, 1/2) <= the smaller of the two)); 1 where both are 0."""
    from scipy.special import bdtr

    fewer, both = min(gained, lost), gained + lost
    return 1.0 if both == 0 else min(1.0, 2 * float(bdtr(fewer, both, 0.5)))


def bootstrap_mean_interval(
    values: Floats, resamples: int, seed: int, confidence: float
) -> tuple[float, float]:
    """Return percentile bootstrap limits of a mean."""
    require(resamples >= 1, f"resamples must be at least 1, got {resamples}")
    require(0 < confidence < 1, f"confidence must lie strictly between 0 and 1, got {confidence}")
    random, total = np.random.default_rng(seed), len(values)
    rows = max(1, BLOCK // total)
    means = np.concatenate(
        [
            values[random.integers(total, size=(min(rows, resamples - done), total))].mean(axis=1)
            for done in range(0, resamples, rows)
        ]
    )
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def mark_certified_inputs(
    certificates: Certificates, radius: float, column: str, *, inclusive: bool
) -> Bools:
    """(N,) whether an input is certified as its label beyond the radius: `certified_accuracy`."""
    reached = certificates.reaches(radius, column, inclusive=inclusive)
    return np.asarray(certificates.correct & reached)


def correct_radii(certificates: Certificates, column: str) -> Floats:
    """(N,) the radii that `average_radius` averages: 0 where the class is wrong."""
    return np.where(certificates.correct, certificates.column(column), 0.0)
