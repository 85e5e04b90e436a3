"""Add tallies: check which draws may be put together, and sum them."""

from typing import TYPE_CHECKING, Any

import numpy as np

from simplicert.errors import IncompatibleTallies, InvalidInput
from simplicert.types.arrays import Bools, Ints

if TYPE_CHECKING:
    from simplicert.types.tally import Tally


SUMMED_FIELDS = (
    "counts",
    "invalid",
    "softmax_sums",
    "softmax_squares",
    "softmax_rest",
    "votes",
    "votes_invalid",
    "histograms",
)

SHARED_FIELDS = (
    "labels",
    "pilot",
    "leaders",
)  # said once about an input: equal where both sides speak of it

COMMON_FIELDS = ("softmax_classes",)  # holds of the sum what holds of every part of it


def join_segments(segments: Ints) -> Ints:
    """Segments in order of (input, seed, first draw); touching ones joined, overlaps refused."""
    rows = segments[np.lexsort(segments.T[2::-1])]
    if (rows[:, 2] >= rows[:, 3]).any():
        raise InvalidInput("segments must hold at least one draw each: first < one past the last")
    same = (rows[1:, :2] == rows[:-1, :2]).all(axis=1)
    clash = np.flatnonzero(same & (rows[1:, 2] < rows[:-1, 3]))
    if clash.size:
        item, seed, first, _ = rows[clash[0] + 1]
        raise IncompatibleTallies(
            f"draw {first} of input {item} (seed {seed}) would be counted twice"
        )
    starts = np.flatnonzero(np.r_[True, ~(same & (rows[1:, 2] == rows[:-1, 3]))][: len(rows)])
    joined = rows[starts]
    joined[:, 3] = rows[np.r_[starts[1:], len(rows)] - 1, 3] if len(rows) else joined[:, 3]
    joined.setflags(write=False)
    return joined


def segment_lengths(segments: Ints, index: Ints) -> Ints:
    """(N,) draws that the segments describe, input by input."""
    out = np.zeros(len(index), np.int64)
    np.add.at(out, find_rows(segments[:, 0], index), segments[:, 3] - segments[:, 2])
    return out


def has_first_draws(segments: Ints, index: Ints, one_seed: bool) -> Bools:
    """(N,) inputs whose draws are the first ones of each seed; with `one_seed`, of only one.

    Where counts decide how many draws an input gets, draws of several seeds that happen to add up
    to a look are not that look, nor are later draws alone.
    """
    rows = find_rows(segments[:, 0], index)
    late = np.bincount(rows, segments[:, 2] > 0, len(index)) > 0
    several = np.bincount(rows, minlength=len(index)) > 1
    return ~late & ~(several & one_seed)


def find_rows(inputs: Ints, index: Ints) -> Ints:
    """The row of the index that each input stands in; an unknown input is refused."""
    order = np.argsort(index)
    place = order[np.minimum(np.searchsorted(index[order], inputs), len(index) - 1)]
    strange = index[place] != inputs
    if strange.any():
        raise InvalidInput(f"input {inputs[strange][0]} is not in the index")
    return place


def require_compatible(left: "Tally", right: "Tally") -> None:
    """Refuse to add what was drawn under other conditions."""
    for name, a, b in (
        ("sigma", left.sigma, right.sigma),
        ("number of classes", left.classes, right.classes),
        ("plan", left.plan, right.plan),
        ("norm", left.norm, right.norm),
        ("grid", left.grid, right.grid),
    ):
        if a != b:
            raise IncompatibleTallies(f"tallies of another {name} cannot be added: {a} and {b}")
    if left.reading is not None and right.reading is not None:
        for name, a, b in left.reading.differences(right.reading):
            raise IncompatibleTallies(f"tallies of another {name} cannot be added: {a} and {b}")
    for name in (*SUMMED_FIELDS, *SHARED_FIELDS, *COMMON_FIELDS):
        if (getattr(left, name) is None) != (getattr(right, name) is None):
            raise IncompatibleTallies(f"one tally holds {name}, the other does not")


def merge_fields(left: "Tally", right: "Tally") -> dict[str, Any]:
    """The fields of left + right: sums over the union of their inputs."""
    if np.array_equal(left.inputs, right.inputs):
        index = left.inputs
    else:
        index = np.union1d(left.inputs, right.inputs)
    places = [find_rows(side.inputs, index) for side in (left, right)]
    out: dict[str, Any] = {"index": index}
    for name in SUMMED_FIELDS:
        if getattr(left, name) is not None:
            shape = (len(index), *getattr(left, name).shape[1:])
            out[name] = np.zeros(shape, np.int64)
            for place, side in zip(places, (left, right), strict=True):
                out[name][place] += getattr(side, name)
    for name in SHARED_FIELDS:
        if getattr(left, name) is not None:
            out[name] = _merge_shared(
                name, index, places, (getattr(left, name), getattr(right, name))
            )
    for name in COMMON_FIELDS:
        if getattr(left, name) is not None:
            both = np.concatenate([getattr(left, name), getattr(right, name)])
            out[name] = intersect_classes(np.concatenate(places), both, len(index), left.classes)
    held = [side.segments for side in (left, right) if side.segments is not None]
    if held:
        out["segments"] = join_segments(np.concatenate(held))
    return out


def _merge_shared(name: str, index: Ints, places: list[Ints], sides: tuple[Ints, Ints]) -> Ints:
    """What both sides say of an input, which must be the same where both speak of it."""
    out = np.full((len(index), *sides[0].shape[1:]), -1, np.int64)
    for place, side in zip(places, sides, strict=True):
        clash = (out[place] >= 0) & (out[place] != side)
        if clash.any():
            item = index[place[np.argwhere(clash)[0][0]]]
            raise IncompatibleTallies(f"the tallies disagree about the {name} of input {item}")
        out[place] = side
    return out


def intersect_classes(places: Ints, classes: Ints, rows: int, none: int) -> Ints:
    """(rows, W) classes that every part of an input names, in order; `none` fills what is left.

    Part i belongs to row places[i].
    """
    order = np.argsort(places, kind="stable")
    turn = np.empty(len(places), np.int64)  # first, second, ... part of its input
    turn[order] = np.arange(len(places)) - np.searchsorted(places[order], places[order])
    out = np.full((rows, classes.shape[1]), none, np.int64)
    out[places[turn == 0]] = classes[turn == 0]
    for number in range(1, turn.max(initial=0) + 1):
        at, named = places[turn == number], classes[turn == number]
        both = (out[at][:, :, None] == named[:, None, :]).any(axis=2)
        out[at] = np.where(both, out[at], none)
    return np.sort(out, axis=1)
