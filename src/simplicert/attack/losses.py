"""Set how hard an attack tries, and what its ascents try to raise.

`Effort` holds steps, restarts, draws and the level of a confirmation. A loss gives a weight for
the mean score of each class: the ascent raises the sum of weight times score (of logarithms of
scores, through a network), so the same three `LOSSES` serve a classifier with gradients and one
without.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from simplicert.errors import require
from simplicert.types import Floats

TESTS = 8  # confirmations that one input may ask for, each at its share of the level


@dataclass(frozen=True)
class Effort:
    """How hard an attack tries; together with run and input this decides what it finds."""

    steps: int = 20  # of each ascent
    restarts: int = 2  # of each loss: at the input itself, then at random points of the ball
    samples: int = 16  # noise copies of one gradient
    explore: int = 512  # draws of one look at a point, to choose where to go
    confirm: int = 5000  # fresh draws of one confirmation
    level: float = 0.001  # probability that any input at all is wrongly called broken
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense, in one sentence each."""
        for name in ("steps", "restarts", "samples", "explore", "confirm"):
            value = getattr(self, name)
            whole = isinstance(value, int) and not isinstance(value, bool)
            require(
                whole and 1 <= value <= 2**20,
                f"{name} must be a whole number in 1..{2**20}, got {value!r}",
            )
        whole = isinstance(self.seed, int) and not isinstance(self.seed, bool)
        require(
            whole and 0 <= self.seed < 2**63,
            f"seed must be a whole number from 0 on, got {self.seed!r}",
        )
        require(0 < self.level < 1, f"level must lie strictly between 0 and 1, got {self.level!r}")

    def test_level(self, inputs: int) -> float:
        """Return the level of one confirmation for this many inputs (Bonferroni, rounded down).

        Any number of them may be dependent, and which points are tested may depend on everything
        before: all confirmations that there can be together err with probability at most `level`.
        """
        return self.level / (inputs * TESTS) * (1 - 1e-12)


Loss = Callable[[Floats, int, int], Floats]  # mean scores, certified class, runner-up -> weights


def _cross_entropy_weights(scores: Floats, certified: int, runner_up: int) -> Floats:
    """Lower the certified class, no matter which class gains."""
    weights = np.zeros(len(scores))
    weights[certified] = -1.0
    return weights


def _margin_weights(scores: Floats, certified: int, runner_up: int) -> Floats:
    """Raise the best other class at this point against the certified one."""
    return _rival_weights(len(scores), certified, best_other_class(scores, certified))


def _runner_up_weights(scores: Floats, certified: int, runner_up: int) -> Floats:
    """Raise the class that came second when the run was drawn."""
    return _rival_weights(len(scores), certified, runner_up)


LOSSES: dict[str, Loss] = {
    "cross-entropy": _cross_entropy_weights,
    "margin": _margin_weights,
    "runner-up": _runner_up_weights,
}


def _rival_weights(classes: int, certified: int, rival: int) -> Floats:
    """Return plus one for the rival and minus one for the certified class."""
    weights = np.zeros(classes)
    weights[rival], weights[certified] = 1.0, -1.0
    return weights


def best_other_class(scores: Floats, certified: int) -> int:
    """Return the class with the largest score except `certified`; the first of equals."""
    return int(np.argmax(np.where(np.arange(len(scores)) == certified, -1.0, scores)))
