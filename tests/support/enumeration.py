"""Exact probabilities: every outcome of n draws over a few cells, at given class probabilities."""

import numpy as np
from scipy.special import gammaln

from simplicert import Tally, bound


def outcomes(n, cells):
    """All (cells,)-tuples of counts that sum to n."""
    if cells == 2:
        x = np.arange(n + 1)
        return np.column_stack([x, n - x])
    first, second = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    keep = first + second <= n
    a, b = first[keep], second[keep]
    return np.column_stack([a, b, n - a - b])


def mass(counts, p):
    """Multinomial probability of each row of counts."""
    ways = gammaln(counts[0].sum() + 1) - gammaln(counts + 1).sum(axis=1)
    return np.exp(ways + counts @ np.log(np.maximum(p, 1e-300)))


def wrong(known, p):
    """Issued, and not both p_top >= E_0 and p_j <= E_1 for every other class j."""
    p = np.asarray(p)
    rivals = np.array([np.delete(p, top).max() for top in range(len(p))])
    box_holds = (p[known.top] >= known.e0) & (rivals[known.top] <= known.e1)
    return ~known.abstained & ~box_holds


def worst_level(counts, known, points):
    """The largest probability, over the points, of a certificate that is issued and wrong.

    A point may have more cells than classes: the cells past the last class are invalid draws.
    """
    classes = known.top.max() + 1
    ways = gammaln(counts[0].sum() + 1) - gammaln(counts + 1).sum(axis=1)
    issued = ~known.abstained  # the others cannot be wrong, and are most of the outcomes
    counts, ways = counts[issued], ways[issued]
    top, e0, e1 = known.top[issued], known.e0[issued], known.e1[issued]
    worst = 0.0
    for p in np.asarray(points):
        rivals = np.array([np.delete(p[:classes], j).max() for j in range(classes)])
        broken = (p[top] < e0) | (rivals[top] > e1)
        log = ways[broken] + counts[broken] @ np.log(np.maximum(p, 1e-300))
        worst = max(worst, np.exp(log).sum())
    return worst


def tricky_points(known, count, cells, random):
    """Class probabilities just outside boxes that the scheme issues, where errors are likeliest."""
    issued = np.flatnonzero(~known.abstained)
    out = []
    for row in random.choice(issued, min(count, len(issued)), replace=False):
        e0, e1 = known.e0[row] - 1e-9, known.e1[row]
        rest = 1 - e0 - e1
        if cells == 2:
            out.append([e0, 1 - e0])
        elif rest >= 0:
            out += [[e0, e1, rest], [e0, e1 + 1e-9, max(rest - 1e-9, 0.0)]]
        out[-1] = list(np.array(out[-1]) / sum(out[-1])) if out else out
    return out


def scheme_levels(n, cells, alpha, points, **settings):
    """The worst level of a scheme over all outcomes of n draws, at these points and tricky ones."""
    counts = outcomes(n, cells)
    known = bound(Tally(counts, sigma=1.0), alpha, **settings)
    more = tricky_points(known, 100, cells, np.random.default_rng(0))
    return worst_level(counts, known, [*points, *more])
