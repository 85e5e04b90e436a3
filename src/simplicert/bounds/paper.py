"""Scheme "paper": the paper's Algorithms 1 and 2 as printed, alpha/2 for each bound, no gate.

Proved level: 3 alpha, for softmax max(3 alpha, 2 alpha + (K - 1) alpha^2 / 4), both in
docs/method.md; by exact enumeration it was alpha. `paper_level` returns what is proved.
"""

import numpy as np

from simplicert.bounds import binomial
from simplicert.bounds.box import Box, clip_rival_bound, find_top_and_rival
from simplicert.bounds.sides import bound_both_sides
from simplicert.bounds.softmax import ScoreLimit, require_softmax_sums
from simplicert.types import Floats, Kind, Tally

HALF = 0.5  # share of alpha for each bound


def paper_pair(tally: Tally, alpha: Floats) -> Box:
    """Bound the two most frequent classes (multinomial), each as a binomial proportion."""
    best, n = find_top_and_rival(tally.counts, tally.invalid), tally.draws
    e0, q0 = binomial.clopper_pearson_lower(best.wins, n, HALF * alpha)
    e1 = clip_rival_bound(binomial.clopper_pearson_upper(best.rival, n, HALF * alpha), q0)
    always = np.ones(len(tally), bool)
    return Box(best.top, e0, e1, always, best.wins - best.rival, best.spoiled)


def paper_softmax(tally: Tally, alpha: Floats, limit: ScoreLimit) -> Box:
    """Bound the class with the largest mean score (softmax); the proof is for Hoeffding's limit."""
    top = require_softmax_sums(tally).argmax(axis=1)
    known = bound_both_sides(tally, top, limit, HALF * alpha)
    e1 = clip_rival_bound(known.e1, 1 - known.e0)
    always = np.ones(len(tally), bool)
    return Box(top, known.e0, e1, always, known.lead, known.spoiled)


def paper_level(tally: Tally, alpha: float, kind: Kind) -> float:
    """Return the proved probability that a certificate is issued and wrong."""
    many = 2 + (tally.classes - 1) * alpha / 4 if kind == "softmax" else 0.0
    return min(max(3.0, many) * alpha, 1.0)
