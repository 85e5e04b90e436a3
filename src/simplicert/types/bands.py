"""ScoreBands: bounds on the whole distribution of scores, from histograms."""

from dataclasses import dataclass

import numpy as np

from simplicert.errors import require
from simplicert.types.arrays import Bools, Floats, real_numbers
from simplicert.types.histogram import BINS


@dataclass(frozen=True, eq=False, repr=False)
class ScoreBands:
    """Bounds on P(score >= t), constant in t over each bin of the histograms.

    The top class is above `lower`, every rival below one of the rows of `upper`: not always
    threshold by threshold, but in the mean of every function of these probabilities that a
    certificate uses (docs/softmax.md).
    """

    lower: Floats  # (N, BINS)
    upper: Floats  # (N, R, BINS)

    def __post_init__(self) -> None:
        """Probabilities, one row an input."""
        lower = real_numbers("lower", self.lower, (None, BINS))
        upper = real_numbers("upper", self.upper, (len(lower), None, BINS))
        for name, values in (("lower", lower), ("upper", upper)):
            sound = bool(((values >= 0) & (values <= 1)).all())
            require(sound, f"score bands ({name}) must lie in [0, 1]")
            object.__setattr__(self, name, values)

    def only(self, rows: Bools) -> "ScoreBands":
        """The same where something is proved; elsewhere what holds of every score."""
        return ScoreBands(
            np.where(rows[:, None], self.lower, 0.0), np.where(rows[:, None, None], self.upper, 1.0)
        )

    def __len__(self) -> int:
        """N, the number of inputs."""
        return len(self.lower)
