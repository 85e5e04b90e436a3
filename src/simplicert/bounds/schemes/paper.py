"""The paper's Algorithms 1 and 2 as printed: alpha/2 for each bound, no gate.

Proved level: 3 alpha, for softmax max(3 alpha, 2 alpha + (K - 1) alpha^2 / 4), both in
docs/method.md; by exact enumeration it was alpha. `level` says what is proved.
"""

import numpy as np

from simplicert.bounds.box import Box, clipped, ranked
from simplicert.bounds.limits import clopper_pearson
from simplicert.bounds.sides import both_sides
from simplicert.bounds.softmax import Limit, score_sums
from simplicert.types import Floats, Kind, Tally

HALF = 0.5  # share of alpha for each bound


def pair(tally: Tally, alpha: Floats) -> Box:
    """Multinomial: the two most frequent classes, each as a binomial proportion."""
    assert tally.invalid is not None
    field, n = ranked(tally.counts, tally.invalid), tally.draws
    e0, q0 = clopper_pearson.lower(field.wins, n, HALF * alpha)
    e1 = clipped(clopper_pearson.upper(field.rival, n, HALF * alpha), q0)
    always = np.ones(len(tally), bool)
    return Box(field.top, e0, e1, always, field.wins - field.rival, field.spoiled)


def softmax(tally: Tally, alpha: Floats, limit: Limit) -> Box:
    """Softmax: the class with the largest mean score. The proof of `level` is for Hoeffding's."""
    top = score_sums(tally).argmax(axis=1)
    known = both_sides(tally, top, limit, HALF * alpha)
    e1 = clipped(known.e1, 1 - known.e0)
    always = np.ones(len(tally), bool)
    return Box(top, known.e0, e1, always, known.lead, known.spoiled)


def level(tally: Tally, alpha: float, kind: Kind) -> float:
    """The proved probability that a certificate is issued and wrong."""
    many = 2 + (tally.classes - 1) * alpha / 4 if kind == "softmax" else 0.0
    return min(max(3.0, many) * alpha, 1.0)
