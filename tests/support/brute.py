"""The joint limit by brute force: every outcome of n draws listed, every p of a fine grid tried.

Nothing is shared with the package: limits by scipy.stats, probabilities by adding up multinomial
ones, the supremum over a grid of the boundary. A grid misses some p, so this limit is never below
the true one: a certified radius above it is false.
"""

import numpy as np
from scipy.special import gammaln
from scipy.stats import beta, norm

SHARE = 0.1  # of a, for the region


def lower_limit(count, n, tail):
    return np.where(count == 0, 0.0, beta.ppf(tail, np.maximum(count, 1), n - count + 1))


def upper_limit(count, n, tail):
    return np.where(count == n, 1.0, beta.isf(tail, count + 1, np.maximum(n - count, 1)))


def listed(n):
    """All (N_A, N_j) of n draws."""
    top, rival = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    inside = top + rival <= n
    return top[inside], rival[inside]


def pair_radius(top, rival, n, tail):
    """T of the specification, its clip included."""
    e0 = lower_limit(top, n, tail)
    e1 = np.minimum(upper_limit(rival, n, tail), 1 - e0)
    with np.errstate(divide="ignore"):
        return (norm.ppf(e0) - norm.ppf(e1)) / 2


def at_least_as_good(wins, rival, n, tail):
    """(N_A, N_j) with T at least that of (wins, rival), itself among them."""
    k, b = listed(n)
    seen = pair_radius(np.array(wins), np.array(rival), n, tail)
    inside = pair_radius(k, b, n, tail) >= seen - 1e-11 * (1 + abs(seen))
    return k[inside], b[inside]


def mass(k, b, n, p_top, p_rival):
    """(P,) probability of a set of outcomes at each of many p."""
    ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(b + 1) - gammaln(n - k - b + 1)
    rest = np.maximum(1 - p_top - p_rival, 1e-300)
    logs = np.multiply.outer(np.log(p_top), k) + np.multiply.outer(np.log(p_rival), b)
    logs += np.multiply.outer(np.log(rest), n - k - b)
    return np.exp(logs + ways).sum(axis=1)


def limit(wins, rival, n, a, share=SHARE, points=300, steps=40):
    """An upper bound on Buehler's limit at level a: 0 where no positive radius is rejected."""
    spared = share * a
    level = a - spared
    k, b = at_least_as_good(wins, rival, n, level / 2)
    low = norm.ppf(lower_limit(np.array(wins), n, spared / 2))
    high = norm.ppf(upper_limit(np.array(rival), n, spared / 2))

    def accepted(r):
        start, stop = low - 2 * r, min(high, -r)
        if start > stop:
            return False
        p_rival = norm.cdf(np.linspace(start, stop, points))
        p_top = np.minimum(norm.cdf(np.linspace(start, stop, points) + 2 * r), 1 - p_rival)
        return bool((mass(k, b, n, p_top, p_rival) > level).any())

    safe, unsafe = 0.0, 6.0
    if accepted(1e-12):
        return 0.0
    for _ in range(steps):
        middle = (safe + unsafe) / 2
        safe, unsafe = (safe, middle) if accepted(middle) else (middle, unsafe)
    return unsafe
