"""Confidence limits for the mean of scores in [0, 1] by betting, from two stored sums.

A gambler who holds that the mean is above m stakes a fixed share c of the wealth on every draw, at
odds that are fair if the mean is m: a score x multiplies the wealth by 1 - c + c x / m. If m is the
mean, the wealth keeps its expectation of 1, so that it reaches 1 / tail with probability at most
`tail` (Markov). It falls with m, and the limit is the largest m at which it reaches 1 / tail.
Eight gamblers with different shares begin with an eighth each; only n and the tail decide which.
After Waudby-Smith and Ramdas (2024), "Estimating means of bounded random variables by betting".

The sum S and the sum of squares Q are enough: of all scores with these two, the wealth is least if
every score is 0 or Q / S. docs/softmax.md, section 1, has the proofs.
"""

import numpy as np

from simplicert.bounds.means import UNIT, squared_deviations
from simplicert.search import find_last_below
from simplicert.types import FIXED_POINT, Bools, Floats, Ints

GAMBLERS = 8  # their shares grow by a constant factor

BOLDEST, TIMID = 0.99, 0.5  # the largest share, and the most that the smallest one may be

DRAW_ERROR = 2.0**-45  # by which the logarithm of one factor may be off: 128 units of rounding

SUM_ERROR = 1e-12  # by which that of the gamblers' sum, and that of 1 / tail, may be off


def betting_lower(at_least: Ints, squares: Ints, draws: Ints, tail: Floats) -> Floats:
    """Compute a lower limit, 0 or more, from sums at most and squares at least the true ones."""
    some = at_least > 0

    def loss(mean: Floats) -> Floats:
        return -_log_wealth(mean, np.where(some, at_least, 1), squares, draws, tail)

    high = np.where(some, at_least, 1) / (draws * UNIT)  # at the sample mean nothing is won
    low = find_last_below(loss, -_goal(draws, tail), np.zeros(high.shape), high)
    return np.where(some, low, 0.0)


def betting_upper(
    at_least: Ints, at_most: Ints, squares: Ints, draws: Ints, tail: Floats
) -> Floats:
    """Compute an upper limit from sums on both sides of the true one, and squares at least it."""
    low = betting_lower(*_complement(at_least, at_most, squares, draws), draws, tail)
    return np.asarray(np.minimum(np.nextafter(1 - low, 2.0), 1.0))


def betting_upper_is_at_most(
    level: Floats, at_least: Ints, at_most: Ints, squares: Ints, draws: Ints, tail: Floats
) -> Bools:
    """Tell whether the upper limit is at most `level`, which is far quicker than computing it."""
    mean = np.nextafter(1 - level, 2.0)
    sums, squares = _complement(at_least, at_most, squares, draws)
    enough = _log_wealth(mean, np.maximum(sums, 1), squares, draws, tail) >= _goal(draws, tail)
    return np.asarray((enough & (sums > 0)) | (level >= 1))


def _complement(at_least: Ints, at_most: Ints, squares: Ints, draws: Ints) -> tuple[Ints, Ints]:
    """Return the sum of 1 - score, at most the true one, and of its square, at least it."""
    whole = draws << FIXED_POINT
    return np.maximum(whole - at_most, 0), (whole - at_least) + (squares - at_least)


def _goal(draws: Ints, tail: Floats) -> Floats:
    """Return log(1 / tail), and on top of it what rounding may have added to the wealth."""
    return np.asarray(-np.log(tail) + DRAW_ERROR * draws + SUM_ERROR)


def _log_wealth(mean: Floats, sums: Ints, squares: Ints, draws: Ints, tail: Floats) -> Floats:
    """Return a lower bound on the logarithm of all gamblers' wealth, at odds fair for `mean`."""
    squares = np.maximum(squares, 1)
    zeros = np.minimum(squared_deviations(sums, squares, draws) * (UNIT / squares), 1.0)
    gain = squares / sums / np.maximum(mean, np.finfo(float).tiny) - 1
    timid = np.minimum(np.sqrt(-np.log(tail) / draws), TIMID)
    wealth = np.full(np.broadcast_shapes(np.shape(gain), np.shape(zeros)), -np.inf)
    for place in np.linspace(0, 1, GAMBLERS):
        share = timid ** (1 - place) * BOLDEST**place
        own = zeros * np.log1p(-share) + (1 - zeros) * np.log1p(share * gain)
        wealth = np.logaddexp(wealth, draws * own)
    return np.asarray(wealth - np.log(GAMBLERS))
