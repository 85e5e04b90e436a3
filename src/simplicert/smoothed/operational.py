"""Compute the operational radius: how far `predict`, with few draws, keeps its class.

A certificate is about endless draws: within its radius the class's expectation stays above every
other's. `predict` draws n times and must tell them apart. Let the class have at least a = E_0 and
every other at most b = E_1. At a distance d where the noise is added they become at least
Phi(Phi^-1(a) - d / sigma) and at most Phi(Phi^-1(b) + d / sigma) under Gaussian noise, and what
`Threat.least` and `Threat.largest` say under another; call these a and b. Then `predict` fails to
return the class with probability at most

    alpha (1 - w) + min over s of  P(Bin(n, a) < t(s)) + (1 - a) / b P(Bin(n, b) > s),

w the last look's share of alpha. The first term is for looks before the last, which stop at
another class with at most their shares. At the last look the class is returned if it has at least
t(s) votes and no other class has more than s, where t(s) is the fewest that pass the test against
s. Of the others, P(Bin(n, p) > s) <= p / b P(Bin(n, b) > s) for p <= b <= s / (n - 1), because up
to there the density of the beta distribution rises; and their p sum to at most 1 - a.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import betainc

from simplicert.bounds import binomial
from simplicert.certification import drawn_sigma, radius_scale
from simplicert.errors import require
from simplicert.mechanisms.evaluation import unit_radius
from simplicert.mechanisms.threats import Threat, threat_of
from simplicert.search import find_last_below, round_toward_zero
from simplicert.smoothed.prediction import look_shares, prediction_looks, require_decidable
from simplicert.types import Bools, Certificates, Floats, Ints

ROUNDING = 1e-9  # of a probability, and of a radius: far above what scipy's functions miss

FARTHEST = 40.0  # scales: in floating point Phi(-40) is 0


def operational_radius(
    certificates: Certificates,
    *,
    draws: int,
    alpha: float = 0.001,
    beta: float = 0.01,
    size: int | None = None,
) -> Floats:
    """Compute (N,) distances up to which `predict` keeps the class with probability >= 1 - beta.

    `draws` and `alpha` are those of `predict`. The distances are in the units of the certificates'
    radii, and they hold where the certificates hold. They are 0 where there is no certificate, and
    where so few draws tell nothing apart. Where radii are whole numbers, so are they. `size` is
    the number of features, where the norm needs it and the noise does not know it.

    >>> import simplicert as sc
    >>> certificates = sc.certify(sc.bound(sc.Tally([[99_000, 800, 200]], sigma=0.5)))
    >>> certificates.radius.round(3), operational_radius(certificates, draws=1000).round(3)
    (array([1.163]), array([1.043]))
    """
    question = _ask_decisions(certificates, draws, alpha, beta, size)
    if question is None:  # then `predict` returns the certified class itself
        return certificates.radius
    threat, fails = question.threat, question.fails
    # Searched at scale 1; the scale of the certificates is multiplied once, at the end.
    most = unit_radius("two_sided", threat.mechanisms["two_sided"], question.e0, question.e1)
    most = most + 0.5 if threat.whole else np.minimum(most, FARTHEST)  # whole: up to it itself
    count = len(certificates)
    unit = find_last_below(fails, np.full(count, beta), np.zeros(count), most)
    unit = np.where(question.live & (fails(unit) <= beta), unit, 0.0)
    if threat.whole:
        return np.floor(unit)
    radius = unit * question.scale
    return round_toward_zero(radius, ROUNDING * radius)


def keeps_class(
    certificates: Certificates,
    distance: float,
    *,
    draws: int,
    alpha: float = 0.001,
    beta: float = 0.01,
) -> Bools:
    """Tell (N,) whether `predict` keeps the class with probability >= 1 - beta within a distance.

    It asks at one distance what `operational_radius` searches for, which is much faster: the
    bound on the probability of failing only grows with the distance.

    >>> import simplicert as sc
    >>> certificates = sc.certify(sc.bound(sc.Tally([[99_000, 800, 200]], sigma=0.5)))
    >>> [bool(keeps_class(certificates, at, draws=1000)[0]) for at in (1.04, 1.05)]
    [True, False]
    """
    require(0 <= distance < np.inf, f"distance must not be negative, got {distance!r}")
    question = _ask_decisions(certificates, draws, alpha, beta, None)
    if question is None:
        return certificates.reaches(distance) & ~certificates.abstained
    unit = distance if question.threat.whole else distance / question.scale * (1 + ROUNDING)
    return question.live & (question.fails(np.full(len(certificates), unit)) <= beta)


class DecisionQuestion(NamedTuple):
    """What is known where the noise is: how likely `predict` fails at a distance at scale 1."""

    threat: Threat
    e0: Floats
    e1: Floats
    live: Bools
    scale: float  # of the certificates' radii
    fails: Callable[[Floats], Floats]


def _ask_decisions(
    certificates: Certificates, draws: int, alpha: float, beta: float, size: int | None
) -> DecisionQuestion | None:
    """Check what is needed and return the question; None where nothing is left to chance."""
    require_decidable(draws, alpha)
    require(0 < beta < 1, f"beta must be a number in (0, 1), got {beta!r}")
    known = certificates.known
    if known.certain:
        return None
    require(
        known.has_pair,
        f"certificates must have bounds on both expectations, and method {known.method} of scheme "
        f"{known.scheme} has none",
    )
    threat = threat_of(known.noise, known.norm, size)
    least, largest = threat.least, threat.largest
    require(
        least is not None and largest is not None,
        f"noise must be one whose probabilities are known at a distance, got {known.noise}",
    )
    assert least is not None and largest is not None
    test = LastLookTest(draws, alpha)
    live = ~np.isnan(known.e0) & ~certificates.abstained
    e0 = np.where(live, known.e0, 0.5)
    e1 = np.where(live, np.minimum(known.e1, 1 - known.e0), 0.5)

    def fails(distance: Floats) -> Floats:
        distance = np.floor(distance) if threat.whole else distance
        low, high = least(e0, distance), largest(e1, distance)
        return test.fails(low, np.minimum(high, 1 - low))

    scale = radius_scale(drawn_sigma(known), certificates.sensitivity)
    return DecisionQuestion(threat, e0, e1, live, scale, fails)


class LastLookTest:
    """The last look of `predict`: how likely it is to return no class, or another one."""

    def __init__(self, draws: int, alpha: float) -> None:
        """Tabulate how many votes pass the test against each number of a rival's votes."""
        weights = look_shares(len(prediction_looks(draws, alpha)))
        self.draws, self.before = draws, alpha * float(1 - weights[-1])
        rivals = np.arange(draws // 2 + 1)
        fewest = fewest_votes(rivals, alpha * float(weights[-1]) / 2, draws)
        fits = fewest + rivals <= draws
        self.rivals, self.fewest = rivals[fits], fewest[fits]

    def fails(self, low: Floats, high: Floats) -> Floats:
        """Return (N,) bounds on the probability of failing; 1 where nothing is known."""
        n, s = self.draws, self.rivals[:, None]
        out = np.ones(len(low))
        apart = (low > high) & (high > 0)
        a, b = low[apart], high[apart]
        if not a.size or not s.size:
            return out
        # P(Bin(n, a) < t) = 1 - I_a(t, n - t + 1) = I_{1-a}(n - t + 1, t), the accurate side.
        short = betainc(n - self.fewest[:, None] + 1, self.fewest[:, None], 1 - a)
        over = (1 - a) / b * betainc(s + 1, np.maximum(n - s, 1), b)
        over = np.where(s < n, over, 0.0)
        # The step from p to b needs the density to rise up to b: s >= b (n - 1).
        sum_of_both = np.where(s >= b * (n - 1), short + over, 1.0)
        out[apart] = np.minimum(self.before + sum_of_both.min(axis=0) * (1 + ROUNDING), 1.0)
        return out


def fewest_votes(rivals: Ints, level: float, draws: int) -> Ints:
    """Find, for each number of a rival's votes, the fewest that pass the sign test against it."""
    low, high = rivals + 1, np.full(len(rivals), draws + 1)  # high passes or is out of reach
    while (low < high).any():
        middle = (low + high) // 2
        enough = binomial.passes_sign_test(middle, rivals, np.asarray(level)) | (middle > draws)
        low, high = np.where(enough, low, middle + 1), np.where(enough, middle, high)
    return np.asarray(low)
