"""Stopping rules: radii now, and those that may be reached, to the reason to stop or none.

Each maps (radii, target) to a word for every input, "" to go on. Radii are asked for by functions,
because they are dear and no rule asks for all of them.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from simplicert.types import Floats
from simplicert.types.arrays import Texts

GO_ON, CERTIFIED, BELOW, HOPELESS = "", "certified", "below target", "hopeless"


class Radii(NamedTuple):
    """(N,) in units of the input: certified now, likely at the last look, the best to hope for."""

    inputs: int
    now: Callable[[], Floats]
    likely: Callable[[], Floats]
    hopeful: Callable[[], Floats]


Rule = Callable[[Radii, float], Texts]


def fixed(radii: Radii, target: float) -> Texts:
    """Never before the last look."""
    return np.full(radii.inputs, GO_ON)


def radius(radii: Radii, target: float) -> Texts:
    """Is the radius at least the target? Stop when it is, or when it cannot be any more."""
    now = radii.now()
    lost = (now < target) & (radii.hopeful() < target)
    return np.select([now >= target, lost], [CERTIFIED, BELOW], GO_ON)


def rtol(radii: Radii, target: float) -> Texts:
    """Stop when all further draws would raise the radius by less than a share `target` of it."""
    now = radii.now()
    near = (now > 0) & (now >= (1 - target) * radii.likely())
    lost = (now == 0) & (radii.hopeful() == 0)
    return np.select([near, lost], [CERTIFIED, HOPELESS], GO_ON)


def decided(radii: Radii, target: float) -> Texts:
    """Stop when anything is certified, or nothing ever will be."""
    now = radii.now()
    lost = (now == 0) & (radii.hopeful() == 0)
    return np.select([now > 0, lost], [CERTIFIED, HOPELESS], GO_ON)


# By the word before "=" of `until`; True where a target follows it.
RULES: dict[str, tuple[Rule, bool]] = {
    "fixed": (fixed, False),
    "radius": (radius, True),
    "rtol": (rtol, True),
    "decided": (decided, False),
}
