"""A lower confidence limit for the mean of bounded values, by bets that are fixed beforehand.

Let X_1..X_n be values of at least `least`, whose mean over the population is mu. For a bet b > 0
with b (m - least) < 1 the product

    W(m) = prod_i (1 + b (X_i - m))

has non-negative factors and falls as m rises. At m = mu its expectation is at most 1, so that by
Markov's inequality W(mu) >= 1 / tail with probability at most tail, and the largest m with
W(m) >= 1 / tail is a lower limit for mu. The same holds for an average of such products with
weights that sum to 1. The bets may depend on nothing that was seen in X.

The expectation is at most 1 in each of three cases. Inputs drawn independently: the factors are
independent with mean 1. Inputs drawn at random without replacement from a list of L, each with its
own mean mu_l: the expectation is the mean of prod (1 + b (mu_l - m)) over all subsets of n, which
by Maclaurin's inequality for elementary symmetric means is at most (1 + b (mu - m))^n. All inputs
of a list, so that only the noise is random: the same with n = L. The order does not matter, so that
counts of equal values are enough.

The idea of betting on a mean is that of Waudby-Smith and Ramdas (2024, "Estimating means of bounded
random variables by betting"); their bets follow the data, and then each case needs its own proof.
"""

import numpy as np

from simplicert.search import find_last_below
from simplicert.types import Floats

SHRINK = 1 - 1e-9  # share of the tail that is spent
ROUNDING = 1e-12  # error of one logarithm and its share of a sum; factors are at least 0.1
LARGEST_BET = 0.9  # times the range of the values: so that no factor is below 0.1
SPREAD = (0.5, 1.0, 2.0)  # bets, as multiples of the one that would be best
WEIGHTS = (0.1, 0.8, 0.1)  # and the share of the first capital that each gets


def choose_bets(variance: float, inputs: int, tail: float, value_range: float) -> Floats:
    """Choose bets for values that are thought to have this variance."""
    most = LARGEST_BET / (value_range or 1.0)  # equal values: any bet will do
    best = np.sqrt(-2 * np.log(tail) / (inputs * variance)) if variance > 0 else most
    return np.asarray(np.minimum(np.array(SPREAD) * best, most))


def betting_lower(values: Floats, counts: Floats, bets: Floats, tail: float) -> float:
    """Return a lower limit for the mean of values that occurred so often, not below the least.

    Counts need not be whole: with expected counts it is about the limit to expect.
    """
    least, total = values.min(), float(counts.sum())
    needed = -np.log(SHRINK * tail) * (1 + 1e-12) + ROUNDING * total

    def lost(at: Floats) -> Floats:
        """Return minus the logarithm of the capital, which rises with `at`."""
        growth = np.log1p(bets[:, None] * (values - at)) @ counts
        return np.asarray(-np.logaddexp.reduce(growth + np.log(WEIGHTS)))

    found = find_last_below(lost, np.asarray(-needed), np.asarray(least), np.asarray(values.max()))
    return float(found)
