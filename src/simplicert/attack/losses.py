"""What an ascent tries to raise: a weight for the mean score of each class.

Each loss is the sum of weight times score (of logarithms of scores, through a network), so the same
three serve a classifier with gradients and one without.
"""

from collections.abc import Callable

import numpy as np

from simplicert.types import Floats

Loss = Callable[[Floats, int, int], Floats]  # mean scores, certified class, runner-up -> weights


def cross_entropy(scores: Floats, certified: int, runner_up: int) -> Floats:
    """Lower the certified class, whatever gains."""
    weights = np.zeros(len(scores))
    weights[certified] = -1.0
    return weights


def margin(scores: Floats, certified: int, runner_up: int) -> Floats:
    """Raise the class that is the best other one at this point, against the certified."""
    return toward(len(scores), certified, best_other(scores, certified))


def targeted(scores: Floats, certified: int, runner_up: int) -> Floats:
    """Raise the class that came second when the run was drawn."""
    return toward(len(scores), certified, runner_up)


LOSSES: dict[str, Loss] = {
    "cross-entropy": cross_entropy,
    "margin": margin,
    "runner-up": targeted,
}


def toward(classes: int, certified: int, rival: int) -> Floats:
    """Plus one for the rival, minus one for the certified class."""
    weights = np.zeros(classes)
    weights[rival], weights[certified] = 1.0, -1.0
    return weights


def best_other(scores: Floats, certified: int) -> int:
    """The class with the largest score but for one; the first of equals."""
    return int(np.argmax(np.where(np.arange(len(scores)) == certified, -1.0, scores)))
