"""Exact shares: what is known where every draw there is was made, and none was random.

Derandomised splitting noise has M draws of an input (noises.splitting), so a tally of all of them
holds the class counts n themselves: alpha is 0, and there is nothing to estimate. The smoothed
classifier returns the class of the largest count, the lowest of them at a tie; it abstains where
as many draws have no class. At a distance of r steps in l1 every count differs by at most r, and so
the class A stays while n_A - r >= n_B + r + 1[B < A] for all other classes B:

    R = the least of floor((n_A - n_B - 1[B < A]) / 2) over all B other than A, in steps,

draws without a class counting as a rival that wins ties.
"""

from typing import Any

import numpy as np

from simplicert.errors import MissingEvidence
from simplicert.noises.splitting import count_offsets
from simplicert.types import Bools, Floats, Ints, Tally


def exact_fields(tally: Tally) -> dict[str, Any]:
    """Return what is known of the classes: fields of Expectations."""
    every = count_offsets(tally.sigma)
    _require_every_draw(tally, every)
    top = tally.counts.argmax(axis=1)  # the lowest at a tie
    rows = np.arange(len(top))
    wins = tally.counts[rows, top]
    rivals, needed = _find_rivals(tally, top)
    issued: Bools = wins >= needed
    steps = (wins - needed) // 2
    return {
        "top": top,
        "e0": np.where(issued, wins / every, np.nan),
        "e1": np.where(issued, rivals / every, np.nan),
        # In units of the scale, which is every / 2 steps.
        "margin": np.where(issued, _exact_margin(steps, every), np.nan),
        "reason": np.where(issued, "certified", "invalid"),
        "count_top": wins,
        "count_second": rivals,
    }


def _exact_margin(steps: Ints, every: int) -> Floats:
    return np.asarray(2 * np.maximum(steps, 0) / every)


def _find_rivals(tally: Tally, top: Ints) -> tuple[Ints, Ints]:
    """Return the largest count of another class or of none, and what the top class needs to win."""
    others = np.array(tally.counts)
    others[np.arange(len(top)), top] = -1
    wins_ties = np.arange(tally.classes) < top[:, None]
    rivals = np.maximum(others.max(axis=1), tally.invalid)
    return rivals, np.maximum((others + wins_ties).max(axis=1), tally.invalid + 1)


def _require_every_draw(tally: Tally, every: int) -> None:
    """Refuse a tally that does not hold each of the draws once."""
    wrong = tally.draws != every
    if tally.segments is not None:
        wrong = wrong | ~np.isin(tally.inputs, _inputs_with_all(tally.segments, every))
    if wrong.any():
        row = wrong.argmax()
        raise MissingEvidence(
            f"input {tally.inputs[row]} must hold each of the {every} draws of {tally.noise.name} "
            f"noise at scale {tally.sigma:g} once, and holds {tally.draws[row]} draws"
        )


def _inputs_with_all(segments: Ints, every: int) -> Ints:
    """Return the inputs whose segments (input, seed, first, end) cover 0..every-1, each once."""
    items, _, first, end = segments[np.lexsort((segments[:, 2], segments[:, 0]))].T
    begins = np.diff(items, prepend=-1) != 0
    ends = np.append(begins[1:], True)
    follows = first == np.where(begins, 0, np.append(0, end[:-1]))
    complete = np.where(ends, end == every, True)
    broken = items[~(follows & complete)]
    return np.setdiff1d(items, broken)
