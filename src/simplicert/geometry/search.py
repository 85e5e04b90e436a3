"""Choose a neighbour of an input by pilot draws, which certify nothing.

The neighbour that promises most solves v = best_offset(x, slope at x + v, r(x + v)). The search
goes there step by step: a gradient at the point reached gives the direction, the theorem of
docs/geometry.md says that the slope is at most 1, and three slopes are tried by looks. All looks
at one input have the same noise, so that points compare. What a point would certify with the draws
that are left is forecast from its look. Where no point is better than the input, the search stays.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from simplicert.attack.attacked_input import SmoothedPoint
from simplicert.attack.ball import Ball
from simplicert.attack.gradients import ClassLoss, GradientEstimator
from simplicert.attack.losses import best_other_class
from simplicert.errors import require
from simplicert.geometry.box import best_offset, box_radius
from simplicert.types import Floats, Ints

SLOPES = (1.0, 0.5, 0.25)  # of the radius along its gradient; never above 1

PASSES = 3  # draws that a copy of a gradient counts for: forward once, backward twice the work

LEAST = 1e-6  # probabilities that weigh in a gradient are kept this far from 0 and 1


@dataclass(frozen=True)
class NeighbourSearch:
    """How to search, and how alpha is shared; all of it is settled before the draws."""

    pilot: int = 128  # draws of one look
    copies: int = 16  # noise copies of one gradient
    steps: int = 1
    draws: int | None = None  # fresh draws at the neighbour; None: as many as the run has
    share: float = 0.5  # of alpha that goes to the neighbour, where there is one
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense, in one sentence each."""
        for name in ("pilot", "copies", "steps", "draws"):
            value = getattr(self, name)
            whole = isinstance(value, int) and not isinstance(value, bool)
            require(
                (name == "draws" and value is None) or (whole and 1 <= value <= 2**20),
                f"{name} must be a whole number in 1..{2**20}, got {value!r}",
            )
        whole = isinstance(self.seed, int) and not isinstance(self.seed, bool)
        require(
            whole and 0 <= self.seed < 2**63,
            f"seed must be a whole number from 0 on, got {self.seed!r}",
        )
        require(0 < self.share < 1, f"share must lie strictly between 0 and 1, got {self.share!r}")


@dataclass(frozen=True)
class Forecasts:
    """What counts of a look promise, once all draws are made."""

    at_input: Callable[[Ints], float]  # with the run's draws and all of alpha
    at_neighbour: Callable[[Ints, int], float]  # with the fresh ones, for this class


def choose_neighbour(
    centre: np.ndarray,
    smoothed: SmoothedPoint,
    gradient: GradientEstimator,
    search: NeighbourSearch,
    forecasts: Forecasts,
) -> np.ndarray | None:
    """Return a float32 point of the box whose certificate promises more, or None to stay."""
    ball = Ball(centre)
    counts = _count_look(smoothed, centre, search.pilot)
    top = int(np.argmax(counts))
    reach, most = _estimate_radius(counts, top, smoothed), forecasts.at_input(counts)
    point, found = centre, None
    for _ in range(search.steps):
        loss = ClassLoss(_two_sided_weights, top, _runner_up(counts, top))
        down = gradient.direction(ball, point.astype(np.float64) - centre, loss)
        if down is None or reach <= 0:
            break
        best = None
        for slope in SLOPES:
            tried = keep_in_box(centre + best_offset(centre, -slope * down, reach))
            if (tried == centre).all():
                break  # smaller slopes lead nowhere either
            seen = _count_look(smoothed, tried, search.pilot)
            value = box_radius(centre, tried, forecasts.at_neighbour(seen, top))
            if best is None or value > best[0]:
                best = (value, tried, seen)
        if best is None:
            break
        value, point, counts = best
        reach = _estimate_radius(counts, top, smoothed)
        if value > most:
            most, found = value, point
    return found


def keep_in_box(point: Floats) -> np.ndarray:
    """Round to single precision; 0 and 1 are exact there, so the point stays in the box."""
    return np.clip(point, 0.0, 1.0).astype(np.float32)


def count_pilot_draws(smoothed: SmoothedPoint, gradient: GradientEstimator) -> int:
    """Return the forward passes that were made so far; those of a gradient count for more."""
    passes = PASSES if gradient.name == "network" else 1
    return smoothed.draws + passes * gradient.draws


def _count_look(smoothed: SmoothedPoint, point: np.ndarray, draws: int) -> Ints:
    """Count the classes of a look."""
    shares = smoothed.look(point, draws).shares
    return np.rint(shares * draws).astype(np.int64)


def _runner_up(counts: Ints, top: int) -> int:
    """Return the class that a look saw most often besides this one."""
    return best_other_class(counts.astype(np.float64), top)


def _estimate_radius(counts: Ints, top: int, smoothed: SmoothedPoint) -> float:
    """Estimate the two-sided radius, half a draw away from certainty."""
    shares = (counts + 0.5) / (counts.sum() + 1)
    rival = shares[_runner_up(counts, top)]
    sigma = smoothed.sampler.settings.smoothing.sigma
    return float(sigma / 2 * (ndtri(shares[top]) - ndtri(rival)))


def _two_sided_weights(scores: Floats, certified: int, runner_up: int) -> Floats:
    """Weigh logarithms of scores so that their slope is that of the two-sided radius, downhill."""
    rival = best_other_class(scores, certified)
    kept = np.clip(scores, LEAST, 1 - LEAST)
    steep = kept * np.exp(ndtri(kept) ** 2 / 2)  # d quantile / d log p, up to a factor
    weights = np.zeros(len(scores))
    weights[rival], weights[certified] = steep[rival], -steep[certified]
    return weights
