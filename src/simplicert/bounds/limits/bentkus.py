"""Bentkus' limits for the mean of scores in [0, 1]: Clopper-Pearson at tail / e, at whole sums.

Bentkus (2004, "On Hoeffding's inequalities", Annals of Probability 32): the sum S of n independent
scores in [0, 1] with mean mu has P(S >= k) <= e P(Bin(n, mu) >= k) for whole k. So the limits of a
binomial at tail / e serve every score; a sum between whole numbers counts as the safe one of them.
"""

import numpy as np

from simplicert.bounds.limits import clopper_pearson
from simplicert.types import FIXED_POINT, Floats, Ints


def lower(at_least: Ints, draws: Ints, tail: Floats) -> Floats:
    """A lower limit from fixed-point sums that are at most the true ones."""
    return clopper_pearson.lower(np.minimum(at_least >> FIXED_POINT, draws), draws, tail / np.e)[0]


def upper(at_most: Ints, draws: Ints, tail: Floats) -> Floats:
    """An upper limit from fixed-point sums that are at least the true ones."""
    whole = np.minimum(-(-at_most >> FIXED_POINT), draws)
    return clopper_pearson.upper(whole, draws, tail / np.e)
