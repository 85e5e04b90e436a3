"""Move the parameter of a transformation: brightness, the log of a contrast, a shift in pixels.

A point is a parameter, and the input itself is the parameter 0. Lines through it are all there is
to search: two for one number, sixteen for the two of a shift, whose points are whole pixels.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from simplicert.types import Floats

LINES = 16  # directions in which a shift is tried

SHRINK = 0.98  # from one try to the next of a point that must lie inside a radius


@dataclass(frozen=True)
class ParameterPath:
    """A line through the parameter 0."""

    ball: "ParameterBall"
    direction: Floats  # of length 1

    def at(self, distance: float) -> np.ndarray:
        """Return the parameter at about this distance."""
        moved = distance * self.direction
        return np.rint(moved) + 0.0 if self.ball.whole else np.asarray(moved)

    def within(self, radius: float) -> np.ndarray:
        """Return the furthest parameter of the line that is nearer than the radius."""
        distance = radius
        while not self.ball.norm(self.at(distance)) < radius:
            distance *= SHRINK if self.ball.whole else 1 - 2.0**-50
        return self.at(distance)


@dataclass(frozen=True)
class ParameterBall:
    """The parameters around 0, measured by their absolute value or their length."""

    axes: int  # how many numbers the parameter has
    whole: bool  # whether they are whole: pixels of a shift

    def norm(self, point: np.ndarray) -> float:
        """Return the parameter's distance from 0, never less than the true one."""
        if self.axes == 1:
            return abs(float(point[0]))
        square = sum(int(value) ** 2 for value in point)
        root = math.isqrt(square)
        return float(root) if root * root == square else math.nextafter(math.sqrt(square), math.inf)

    def paths(self) -> Iterator[ParameterPath]:
        """Yield every line that is searched."""
        if self.axes == 1:
            yield from (ParameterPath(self, np.array([sign])) for sign in (1.0, -1.0))
            return
        for number in range(LINES):
            angle = 2 * math.pi * number / LINES
            yield ParameterPath(self, np.array([math.cos(angle), math.sin(angle)]))

    def perturbation(self, point: np.ndarray) -> np.ndarray:
        """Return the parameter itself: the input transformed by it is the perturbed one."""
        return np.asarray(point, dtype=np.float64)


def parameter_ball(noise: str) -> ParameterBall:
    """Return the ball for the transformation of this noise."""
    shifts = noise == "shift"
    return ParameterBall(2 if shifts else 1, shifts)
