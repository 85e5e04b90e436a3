"""From a log to Expectations: what its radii, or its counts, still say of E0.

E1 is 1 - E0, for the log counts no other class; so only `cohen` and `two_sided` have anything to
say, and they say the same.
"""

import numpy as np
from scipy.special import ndtr

from simplicert.bounds.limits import clopper_pearson
from simplicert.errors import require
from simplicert.runs.known import SCHEME
from simplicert.runs.logs.log import Log, Stated
from simplicert.types import Expectations, Floats, Ints

# scipy's ndtr errs by some units in the last place, relative to the smaller tail; we allow this.
SLACK = 256 * np.finfo(float).eps


def expectations(log: Log, stated: Stated) -> Expectations:
    """E0 from the count where the log has one, else from the radius; refused rows are NaN."""
    e0 = from_counts(log, stated) if log.count is not None else from_radii(log, stated.sigma)
    known = log.live & (e0 > 1 - e0)
    reasons = np.select(
        [known, log.live, log.predicted < -1], ["certified", "overlap", "skipped"], "abstained"
    )
    return Expectations(
        top=np.maximum(log.predicted, 0),  # a row without a class is refused: its top says nothing
        e0=np.where(known, e0, np.nan),
        e1=np.where(known, 1 - e0, np.nan),
        sigma=stated.sigma,
        alpha=stated.alpha,
        scheme=SCHEME,
        method="radius" if log.count is None else "count",
        level=stated.alpha,
        labels=log.label,
        index=log.index,
        draws=draws_of(log, stated),
        reason=reasons,
    )


def from_radii(log: Log, sigma: float) -> Floats:
    """Phi(r / sigma) for the smallest r that prints as the log's radius, rounded down."""
    return cdf_rounded_down(np.nextafter(log.radius.lower / sigma, -np.inf))


def from_counts(log: Log, stated: Stated) -> Floats:
    """Clopper and Pearson's lower limit at alpha, one-sided: other draws chose the class."""
    draws = draws_of(log, stated)
    assert log.count is not None and draws is not None  # the importer asked for --draws
    worst = int((log.count - draws).argmax())
    require(
        bool((log.count >= 0).all() and (log.count <= draws).all()),
        f"draws must be at least every raw_count, got {draws[worst]} draws for a count of "
        f"{log.count[worst]} at index {log.index[worst]}",
    )
    return clopper_pearson.lower(log.count, draws, np.full(len(log), stated.alpha))[0]


def draws_of(log: Log, stated: Stated) -> Ints | None:
    """(N,) the draws that the log says, else those stated, else None."""
    if log.draws is not None or stated.draws is None:
        return log.draws
    return np.full(len(log), stated.draws)


def cdf_rounded_down(z: Floats) -> Floats:
    """Phi(z), never above it and never 1; near 1 it is 1 less the other tail, rounded up."""
    tail = ndtr(-np.abs(z))
    high = np.nextafter(1 - tail * (1 + SLACK), 0.0)
    return np.asarray(np.where(z >= 0, high, tail * (1 - SLACK)))
