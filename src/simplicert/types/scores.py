"""Softmax scores in a tally: histogram thresholds, bounds on distributions, and checks.

`THRESHOLDS` separate the bins of the score histograms. They never change, because counts cannot be
re-binned. `ScoreBands` are bounds on the whole distribution of scores, made from histograms.
`check_scores` refuses votes, softmax sums, squares and histograms that contradict the draws or each
other.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simplicert.errors import require
from simplicert.types.arrays import Bools, Floats, ReadOnlyArrays, float_array

if TYPE_CHECKING:
    from simplicert.types.tally import Tally

# Even steps in the middle, even steps of the logarithm toward 0 and 1, where saturated scores lie.
_MIDDLE = np.arange(1, 32) / 32

_TAIL = np.logspace(-6, np.log10(1 / 32), 17)[:-1]

THRESHOLDS = np.concatenate([_TAIL, _MIDDLE, 1 - _TAIL[::-1]])

THRESHOLDS.setflags(write=False)

BINS = len(THRESHOLDS) + 1  # bin b counts scores with exactly b thresholds at or below them

# Bin b of a histogram covers scores from threshold b - 1 to threshold b, the outer ones 0 and 1.
WIDTHS = np.diff(np.concatenate([[0.0], THRESHOLDS, [1.0]]))

WIDTHS.setflags(write=False)

FIXED_POINT = 40  # softmax sums are integers in units of 2^-40, each score rounded down

MOST_SOFTMAX_DRAWS = 2**23 - 1  # sums in units of 2^-40 stay exact as int64


def mean_over_bins(values: Floats) -> Floats:
    """Average over [0, 1] values that are constant in each bin (last axis).

    Not a matrix product: its last bits would depend on how many rows are computed together.
    """
    return np.asarray((values * WIDTHS).sum(axis=-1))


@dataclass(frozen=True, eq=False, repr=False)
class ScoreBands(ReadOnlyArrays):
    """Bounds on P(score >= t), constant in t over each bin of the histograms.

    The top class lies above `lower`, and every rival below one of the rows of `upper`: not always
    threshold by threshold, but in the mean of every function of these probabilities that a
    certificate uses (docs/softmax.md).
    """

    lower: Floats  # (N, BINS)
    upper: Floats  # (N, R, BINS)

    def __post_init__(self) -> None:
        """Check that these are probabilities, with one row per input."""
        lower = float_array("lower", self.lower, (None, BINS))
        upper = float_array("upper", self.upper, (len(lower), None, BINS))
        for name, values in (("lower", lower), ("upper", upper)):
            sound = bool(((values >= 0) & (values <= 1)).all())
            require(sound, f"score bands ({name}) must lie in [0, 1]")
            object.__setattr__(self, name, values)

    def only(self, rows: Bools) -> "ScoreBands":
        """Keep the bounds of some rows; elsewhere put 0 and 1, which hold for every score."""
        return ScoreBands(
            np.where(rows[:, None], self.lower, 0.0), np.where(rows[:, None, None], self.upper, 1.0)
        )

    def __len__(self) -> int:
        """Return N, the number of inputs."""
        return len(self.lower)


def check_scores(tally: "Tally") -> None:
    """Refuse votes, sums, squares and histograms that contradict the draws or each other."""
    draws = tally.draws
    if tally.votes is not None:
        cast = tally.votes.sum(axis=1) + tally.votes_invalid
        wrong = np.flatnonzero(cast != draws)
        require(
            not wrong.size,
            "votes must add up to the draws, got "
            f"{cast[wrong[:1]]} for {draws[wrong[:1]]} draws at row {wrong[:1]}",
        )
    require(
        tally.votes is not None or tally.votes_invalid is None,
        "votes_invalid must come with votes",
    )
    if tally.softmax_sums is None:
        for name in ("softmax_squares", "softmax_rest"):
            require(getattr(tally, name) is None, f"{name} must come with softmax_sums")
        return
    _check_softmax_rest(tally)
    require(
        int(draws.max()) <= MOST_SOFTMAX_DRAWS,
        f"softmax sums are exact up to {MOST_SOFTMAX_DRAWS} draws, got {draws.max()}",
    )
    rest = 0 if tally.softmax_rest is None else tally.softmax_rest[:, 2]
    mass = (tally.softmax_sums.sum(axis=1, dtype=float) + rest) / 2.0**FIXED_POINT
    require(
        bool((mass <= draws * (1 + 1e-9)).all()),
        "softmax_sums must not exceed the draws (units of 2^-40, each score rounded down), "
        f"got {mass.max():.6g} for {draws[mass.argmax()]} draws at row {mass.argmax()}",
    )
    if tally.histograms is not None:
        require(tally.leaders is not None, "histograms must come with leaders")
        require(
            bool((tally.histograms.sum(axis=2) == draws[:, None]).all()),
            "histograms must each hold all draws of their input",
        )
    if tally.softmax_squares is not None:
        require(
            bool((tally.softmax_squares <= tally.softmax_sums).all()),
            "softmax_squares must not exceed softmax_sums: scores lie in [0, 1]",
        )


def _check_softmax_rest(tally: "Tally") -> None:
    """Refuse the classes with exact sums without what is known of the others, or the reverse."""
    one, other = tally.softmax_classes is None, tally.softmax_rest is None
    require(one == other, "softmax_classes and softmax_rest must come together")
    if tally.softmax_classes is not None:
        require(
            bool((tally.softmax_classes <= tally.classes).all()),
            f"softmax_classes must lie in 0..{tally.classes}, "
            f"got {tally.softmax_classes.max(initial=0)}",
        )
