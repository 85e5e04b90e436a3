"""Add two tallies: check which draws may be put together, and sum them."""

from typing import TYPE_CHECKING, Any

import numpy as np

from simplicert.errors import IncompatibleTallies
from simplicert.types.arrays import Ints, find_rows, join_segments

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

SHARED_FIELDS = ("labels", "pilot", "leaders")  # equal wherever both tallies have the same input

COMMON_FIELDS = ("softmax_classes",)  # true of the sum where it is true of every part


def require_compatible(left: "Tally", right: "Tally") -> None:
    """Refuse to add tallies that were drawn under different conditions."""
    for name, a, b in (
        ("noise", left.noise, right.noise),
        ("sigma", left.sigma, right.sigma),
        ("number of classes", left.classes, right.classes),
        ("plan", left.plan, right.plan),
        ("norm", left.norm, right.norm),
        ("grid", left.grid, right.grid),
        ("Lipschitz constant", left.lipschitz, right.lipschitz),
    ):
        if a != b:
            raise IncompatibleTallies(f"tallies of another {name} cannot be added: {a} and {b}")
    if left.reading is not None and right.reading is not None:
        for name, a, b in left.reading.differences(right.reading):
            raise IncompatibleTallies(f"tallies of another {name} cannot be added: {a} and {b}")
    for name in (*SUMMED_FIELDS, *SHARED_FIELDS, *COMMON_FIELDS):
        if (getattr(left, name) is None) != (getattr(right, name) is None):
            raise IncompatibleTallies(f"one tally holds {name}, the other does not")
    bins, others = _count_bins(left), _count_bins(right)
    if bins != others:
        raise IncompatibleTallies(
            f"score histograms of different bins cannot be added: {bins} and {others} bins"
        )


def _count_bins(tally: "Tally") -> int | None:
    """Return the number of bins of the score histograms; counts cannot be binned again."""
    return None if tally.histograms is None else int(tally.histograms.shape[2])


def merge_fields(left: "Tally", right: "Tally") -> dict[str, Any]:
    """Make the fields of left + right: sums over the union of their inputs."""
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
    """Merge what is said once about an input; both tallies must agree where they share one."""
    out = np.full((len(index), *sides[0].shape[1:]), -1, np.int64)
    for place, side in zip(places, sides, strict=True):
        clash = (out[place] >= 0) & (out[place] != side)
        if clash.any():
            item = index[place[np.argwhere(clash)[0][0]]]
            raise IncompatibleTallies(f"the tallies disagree about the {name} of input {item}")
        out[place] = side
    return out


def intersect_classes(places: Ints, classes: Ints, rows: int, none: int) -> Ints:
    """Return (rows, W) the classes that every part of an input names, in order, then `none`.

    Part i belongs to row places[i].
    """
    order = np.argsort(places, kind="stable")
    turn = np.empty(len(places), np.int64)  # 0, 1, ...: the first, second, ... part of its input
    turn[order] = np.arange(len(places)) - np.searchsorted(places[order], places[order])
    out = np.full((rows, classes.shape[1]), none, np.int64)
    out[places[turn == 0]] = classes[turn == 0]
    for number in range(1, turn.max(initial=0) + 1):
        at, named = places[turn == number], classes[turn == number]
        both = (out[at][:, :, None] == named[:, None, :]).any(axis=2)
        out[at] = np.where(both, out[at], none)
    return np.sort(out, axis=1)
