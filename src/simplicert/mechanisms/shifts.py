"""How far probabilities move: what a class has left, or may have, at a distance from the input.

For the noises with a function H (docs/threats.md, section 1) that is H^-1(H(p) - r) and
H^-1(H(p) + r); where a total variation Delta(r) is all that is known, p - Delta(r) and
p + Delta(r). Distances are at scale 1. Least ones are rounded down, largest ones up.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from simplicert.mechanisms import ablation, deletion, laplace, two_sided, uniform
from simplicert.types import Floats

Shifted = Callable[[Floats, Floats], Floats]  # probability at x, distance -> probability there


class Shifts(NamedTuple):
    """Two functions of a probability and a distance."""

    least: Shifted  # of a class that has at least p at the input
    largest: Shifted  # of a class that has at most p there


def find_shifts(noise: str, norm: str, numbers: Mapping[str, float]) -> Shifts | None:
    """Return both functions for a noise and a norm; None where none are known."""
    make = SHIFTS.get((noise, norm))
    return None if make is None else make(**numbers)


def _gaussian_shifts() -> Shifts:
    return Shifts(two_sided.least_probability, two_sided.largest_probability)


def _gaussian_linf_shifts(size: int) -> Shifts:
    """The same at sqrt(d) times the distance, whose rounding is far within theirs."""
    factor = np.sqrt(size)
    least, largest = _gaussian_shifts()
    return Shifts(
        lambda p, distance: least(p, np.asarray(distance) * factor),
        lambda p, distance: largest(p, np.asarray(distance) * factor),
    )


def _laplace_shifts() -> Shifts:
    return Shifts(laplace.least_probability, laplace.largest_probability)


def _changed_by(change: Callable[[Floats], Floats]) -> Shifts:
    """Where every probability changes by at most Delta(r): p - Delta(r), p + Delta(r)."""
    return Shifts(
        lambda p, distance: np.maximum(_down(np.asarray(p) - change(distance)), 0.0),
        lambda p, distance: np.minimum(_up(np.asarray(p) + change(distance)), 1.0),
    )


def _down(values: Floats) -> Floats:
    return np.nextafter(values, -np.inf)


def _up(values: Floats) -> Floats:
    return np.nextafter(values, np.inf)


def _insertion_shifts(rate: float) -> Shifts:
    return Shifts(
        partial(deletion.least_after_insertions, rate=rate),
        partial(deletion.largest_after_insertions, rate=rate),
    )


def _deletion_shifts(rate: float) -> Shifts:
    return Shifts(
        partial(deletion.least_after_deletions, rate=rate),
        partial(deletion.largest_after_deletions, rate=rate),
    )


SHIFTS: dict[tuple[str, str], Callable[..., Shifts]] = {
    ("gaussian", "l2"): _gaussian_shifts,
    ("gaussian", "l1"): _gaussian_shifts,
    ("gaussian", "linf"): _gaussian_linf_shifts,
    ("laplace", "l1"): _laplace_shifts,
    ("uniform", "l1"): lambda: _changed_by(uniform.change_l1),
    ("uniform", "linf"): lambda size: _changed_by(partial(uniform.change_linf, size=size)),
    ("exponential-linf", "linf"): _laplace_shifts,
    ("ablation", "l0"): lambda size, keep: _changed_by(
        partial(ablation.change, size=size, keep=keep)
    ),
    ("deletion", "edits"): lambda rate: _changed_by(partial(deletion.change, rate=rate)),
    ("deletion", "insertions"): _insertion_shifts,
    ("deletion", "deletions"): _deletion_shifts,
    ("brightness", "brightness"): _gaussian_shifts,
    ("contrast", "log contrast"): _gaussian_shifts,
    ("shift", "shift"): _gaussian_shifts,
}
