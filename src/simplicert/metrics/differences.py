"""The difference of two runs at many radii at once, and a test of their average radii.

Both are about the choice of inputs, as all intervals of this room are, and both are paired: an
input stands for itself in either run. They take the inputs as drawn independently, and say nothing
about alpha.

`difference_curve` has a band around the whole curve, not one interval at a time. At each radius it
is Agresti and Min's interval for matched proportions (2005): half an input is added to each of the
four ways in which two runs can answer, so that it has a width where the runs never disagree. Its
half-width is not 1.96 standard errors but so many that the largest deviation over all radii stays
inside with the stated probability. That number is a quantile of the maximum of Gaussian variables
with the correlations that the inputs show (Montiel Olea and Plagborg-Moller 2019: sup-t). It is
right for many inputs; `tests/metrics/test_differences.py` counts how often it holds for few.
"""

from dataclasses import dataclass

import numpy as np

from simplicert.errors import require
from simplicert.metrics.intervals import CONFIDENCE
from simplicert.metrics.pairing import mcnemar_p_value
from simplicert.types import Bools, Floats, Ints

GAUSSIAN_DRAWS = 10_000  # of the maximum over all radii
SWAPS = 9_999  # random swaps of the two runs
BLOCK = 2**22  # numbers held in memory at once
ROUNDING = 1e-12  # of a sum of radii: sums that differ by less are equal


@dataclass(frozen=True, eq=False)
class DifferenceCurve:
    """Second minus first share of `total` inputs at each of R radii, and a band around it.

    `low` to `high` holds at all radii together; each `p` is McNemar's exact test at its own radius.

    >>> import simplicert as sc
    >>> first = sc.certify(sc.bound(sc.Tally([[40, 35, 25]] * 6, sigma=0.5, labels=[0] * 6)))
    >>> second = sc.certify(sc.bound(sc.Tally([[90, 8, 2]] * 6, sigma=0.5, labels=[0] * 6)))
    >>> curve = sc.compare(first, second, radii=[0, 0.25]).difference
    >>> curve.value[:2], curve.gained[:2], curve.lost[:2], curve.p[:2], curve.low[:2].round(2)
    (array([1., 1.]), array([6, 6]), array([0, 0]), array([0.03125, 0.03125]), array([0.36, 0.36]))
    """

    at: Floats  # (R,)
    value: Floats  # (R,)
    low: Floats  # (R,)
    high: Floats  # (R,)
    gained: Ints  # (R,) inputs that the second alone has
    lost: Ints  # (R,) inputs that the first alone has
    p: Floats  # (R,) two-sided, at each radius by itself
    total: int
    confidence: float
    errors: float  # standard errors on either side


def difference_curve(
    at: Floats, first: Bools, second: Bools, confidence: float = CONFIDENCE, seed: int = 0
) -> DifferenceCurve:
    """Return the curve from (N, R) which inputs count at each radius, in either run."""
    require(0 < confidence < 1, f"confidence must lie strictly between 0 and 1, got {confidence}")
    total = len(first)
    gained, lost = (second & ~first).sum(axis=0), (first & ~second).sum(axis=0)
    net, larger = gained - lost, total + 2
    spread = np.sqrt(np.maximum(gained + lost + 1 - net**2 / larger, 0)) / larger
    errors = _band_errors(first, second, confidence, seed)
    value = net / total
    return DifferenceCurve(
        at=at,
        value=value,
        low=np.clip(np.minimum(net / larger - errors * spread, value), -1, 1),
        high=np.clip(np.maximum(net / larger + errors * spread, value), -1, 1),
        gained=gained,
        lost=lost,
        p=np.array([mcnemar_p_value(*both) for both in zip(gained, lost, strict=True)]),
        total=total,
        confidence=confidence,
        errors=errors,
    )


def _band_errors(first: Bools, second: Bools, confidence: float, seed: int) -> float:
    """Return how many standard errors the largest deviation over all radii stays within."""
    from scipy.special import ndtri

    alone = float(ndtri((1 + confidence) / 2))
    changes = second.astype(float) - first
    changes -= changes.mean(axis=0)
    spread = np.sqrt((changes**2).mean(axis=0))
    live = np.flatnonzero(spread > 0)
    if live.size == 0:
        return alone
    changes = changes[:, live] / spread[live]
    share, axes = np.linalg.eigh(changes.T @ changes / len(changes))
    root = (axes * np.sqrt(np.maximum(share, 0))).T
    normal = np.random.default_rng(seed).standard_normal((GAUSSIAN_DRAWS, live.size))
    largest = np.abs(normal @ root).max(axis=1)
    return max(alone, float(np.quantile(largest, confidence, method="higher")))


def swap_means_p_value(changes: Floats, seed: int = 0) -> float:
    """Return how often random swaps of two runs, input by input, change the mean as much.

    Two-sided. Exact where each input's change is as likely to be positive as negative; for the
    question whether the mean change is 0 it is right for many inputs.

    >>> swap_means_p_value(np.array([0.5, 0.25, 0.125, 0.5, 0.25, 0.5, 0.125, 0.5]))
    0.0072
    >>> swap_means_p_value(np.array([0.5, -0.5]))
    1.0
    """
    random, total = np.random.default_rng(seed), len(changes)
    seen, whole = abs(float(changes.sum())), float(changes.sum())
    slack = ROUNDING * float(np.abs(changes).sum())
    rows, as_much = max(1, BLOCK // total), 0
    for done in range(0, SWAPS, rows):
        swapped = random.integers(2, size=(min(rows, SWAPS - done), total), dtype=np.int8)
        as_much += int(
            (np.abs(whole - 2 * (swapped.astype(float) @ changes)) >= seen - slack).sum()
        )
    return (1 + as_much) / (1 + SWAPS)
