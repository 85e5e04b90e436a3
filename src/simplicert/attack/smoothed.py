"""The smoothed classifier at any point near an input, by counted draws.

The noise never meets the run's own: its seed is a hash of what the run was drawn from and the
attack's seed. Looks that only steer use the same draws at every point, so that points compare;
draws that confirm are used once.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simplicert.sampling import Sampler
from simplicert.sampling.noise import named_seed
from simplicert.types import FIXED_POINT, Floats, Kind, Tally

STEERING = 2**21  # draws kept for looks; fresh ones begin here


class Look(NamedTuple):
    """One number a class."""

    shares: Floats  # of the draws, or mean scores: by what the kind of certificate goes
    scores: Floats  # mean scores in either case, where the classifier gives any


@dataclass
class Smoothed:
    """One input's surroundings, as this kind of certificate sees them."""

    sampler: Sampler
    item: int
    kind: Kind
    draws: int = 0  # made so far
    used: int = STEERING  # the next fresh draw

    def look(self, point: np.ndarray, draws: int) -> Look:
        """The draws that only steer, at this point."""
        tally = self._drawn(point, 0, draws)
        counted = scores = np.asarray(tally.counts[0] / draws)
        if tally.softmax_sums is not None:
            scores = np.asarray(tally.softmax_sums[0] / 2.0**FIXED_POINT / draws)
        return Look(counted if self.kind == "multinomial" else scores, scores)

    def fresh(self, point: np.ndarray, draws: int) -> Tally:
        """Draws that nothing before has seen."""
        first, self.used = self.used, self.used + draws
        return self._drawn(point, first, draws)

    def _drawn(self, point: np.ndarray, first: int, draws: int) -> Tally:
        self.draws += draws
        tally = self.sampler.tally(point[None], np.array([self.item]), (first, first + draws))
        assert tally is not None
        return tally


def own_seed(*words: object) -> int:
    """Of a stream of the attack's own."""
    return named_seed("simplicert attack", *words)
