"""Radii that hold at every number of draws at once: the rivals of looks with shares of alpha.

Each maps counts (N, K) to (top class, radius at sigma 1), 0 where nothing is certified. With
probability 1 - alpha no radius of any moment is too large, so that any rule may stop the draws.

  three_cells  top class, one rival, all others. The mixture of the likelihood over Dirichlet(1/2,
               1/2, 1/2), divided by its largest value where the two-sided radius is at most r, is
               an e-process for that hypothesis: it is at most the mixture over the likelihood of
               the truth, a martingale of mean 1. The radius is the largest r at which it is at
               least 1 / a. The true radius is that against one rival, and the smallest over the
               rivals is at most the one against it: no correction for K.
               The class is the present leader, if a gate is passed: for its draws against those of
               each other class the mixture over shares above 1/2 is at least K / b. A class that is
               not the top class passes with probability b / K at some moment, so that all of them
               together do with b. a = .95 alpha, b = .05 alpha. (The sign test at a fixed level
               would not do: it is passed by a tie at some moment with probability 1.)
  one_number   Voracek (2024, arXiv 2406.17830): the lower end of a confidence sequence for one
               class's probability by the same mixture (Krichevsky and Trofimov's bets), Cohen's
               radius. The class comes from a separate pilot.
  spent_looks  the same paper's other sequence: Clopper and Pearson's limit at looks that grow by a
               tenth, the k-th at 5 alpha / ((k + 4) (k + 5)).

Written from the papers' descriptions. Searches over r keep the end that was seen to be rejected.
"""

import numpy as np
from scipy.special import betaincc, betaln, gammaln, ndtr, ndtri, xlog1py, xlogy

from simplicert.bounds import binomial

GATE = 0.05  # share of alpha
HALVINGS = 20  # of the interval of radii
POINTS, ZOOMS = 17, 6  # of the search along the edge of a hypothesis
LARGEST = 8.0  # standard deviations: beyond every quantile that is met here


def log_dirichlet(cells):
    """Log of the mean likelihood of cells (N, M) under Dirichlet(1/2, ..., 1/2)."""
    half = np.full(cells.shape[-1], 0.5)
    whole = gammaln(half.sum()) - gammaln(half).sum()
    return whole + gammaln(cells + 0.5).sum(axis=-1) - gammaln(cells.sum(axis=-1) + half.sum())


def largest_likelihood(cells, radius):
    """(N,) log of the largest likelihood of (top, rival, rest) at which R is `radius`.

    R(p) = (Phi^-1(pA) - Phi^-1(pB)) / 2. Likelihood is log-concave and the radii up to r are a
    convex set, so its largest value there is on this edge if the shares seen lie outside.
    """
    top, rival, rest = (cells[:, [at]] for at in range(3))
    low = np.full((len(cells), 1), -LARGEST) - 2 * radius[:, None]
    end = -radius[:, None]
    high, steps = end, np.linspace(0, 1, POINTS)
    for _ in range(ZOOMS):
        at = low + (high - low) * steps
        a, b = ndtr(2 * radius[:, None] + at), ndtr(at)
        others = np.where(at >= end, 0.0, np.maximum(ndtr(-at) - a, 0.0))
        values = xlogy(top, a) + xlogy(rival, b) + xlogy(rest, others)
        best = values.argmax(axis=1)[:, None]
        left, right = np.maximum(best - 1, 0), np.minimum(best + 1, POINTS - 1)
        low, high = (np.take_along_axis(at, place, axis=1) for place in (left, right))
    return values.max(axis=1)


def search_radius(rejected, most):
    """(N,) the largest radius up to `most` that was seen to be rejected; 0 where 0 is not."""
    low, high = np.zeros(len(most)), np.clip(most, 0, LARGEST)
    alive = rejected(low)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        out = rejected(middle)
        low, high = np.where(out, middle, low), np.where(out, high, middle)
    return np.where(alive, low, 0.0)


def pass_gate(counts, top, level):
    """Whether the leader beats every other class: mixture over shares above 1/2 of their draws."""
    first = counts[np.arange(len(counts)), top].astype(float)
    second = np.partition(counts, -2, axis=1)[:, -2].astype(float)
    n = first + second
    with np.errstate(divide="ignore"):  # log 0: no evidence
        above = np.log(betaincc(first + 0.5, second + 0.5, 0.5))
    evidence = np.log(2) + above + betaln(first + 0.5, second + 0.5) - betaln(0.5, 0.5)
    return evidence + n * np.log(2) >= np.log(counts.shape[1] / level)


def seen_radius(cells):
    """(N,) the radius of the shares seen; infinite without a rival, 0 if it is not behind."""
    n = np.maximum(cells.sum(axis=1), 1)
    ahead = cells[:, 0] > cells[:, 1]
    top, rival = np.where(ahead, cells[:, 0] / n, 0.5), np.where(ahead, cells[:, 1] / n, 0.5)
    with np.errstate(divide="ignore"):
        return (ndtri(top) - ndtri(rival)) / 2


def reject_radius(cells, radius, level):
    """(N,) whether the e-process for "the radius is at most this" has reached 1 / level."""
    enough = largest_likelihood(cells, radius) <= log_dirichlet(cells) + np.log(level)
    return (radius < seen_radius(cells)) & enough


def bound_rival(top, rival, rest, level):
    """(N,) the radius against one rival, whose class and the top class are given."""
    cells = np.column_stack([top, rival, rest]).astype(float)
    return search_radius(lambda radius: reject_radius(cells, radius, level), seen_radius(cells))


def three_cells(counts, alpha):
    """The e-process on three cells, gated; the runner-up is the rival that counts."""
    top, rows = counts.argmax(axis=1), np.arange(len(counts))
    rival = np.partition(counts, -2, axis=1)[:, -2]
    own = counts[rows, top]
    radius = bound_rival(own, rival, counts.sum(axis=1) - own - rival, (1 - GATE) * alpha)
    return top, np.where(pass_gate(counts, top, GATE * alpha), radius, 0.0)


def lower_end(successes, draws, alpha):
    """(N,) the lower end of the confidence sequence of one probability, one-sided."""
    x, n = successes.astype(float), draws.astype(float)
    mixed = log_dirichlet(np.column_stack([x, n - x])) + np.log(alpha)
    low, high = np.zeros(len(x)), x / np.maximum(n, 1)
    for _ in range(50):
        middle = (low + high) / 2
        out = xlogy(x, middle) + xlog1py(n - x, -middle) <= mixed
        low, high = np.where(out, middle, low), np.where(out, high, middle)
    return low


def one_number(counts, pilot, alpha):
    """Voracek's betting sequence; the pilot's draws are not among `counts`."""
    top = pilot.argmax(axis=1)
    own = counts[np.arange(len(counts)), top]
    return top, np.maximum(ndtri(lower_end(own, counts.sum(axis=1), alpha)), 0.0)


def spend_look(look):
    """Share of alpha of the look with this number, from 1: they sum to 1 over all looks."""
    return 5 / ((look + 4) * (look + 5))


def spent_looks(counts, pilot, alpha, look):
    """Clopper and Pearson's limit at the look with this number."""
    top = pilot.argmax(axis=1)
    own, tail = counts[np.arange(len(counts)), top], np.array(alpha * spend_look(look))
    limit, _ = binomial.clopper_pearson_lower(own, counts.sum(axis=1), tail)
    return top, np.maximum(ndtri(limit), 0.0)
