"""The fields of a tally that come from scores: votes, softmax sums and squares, histograms."""

from typing import TYPE_CHECKING

import numpy as np

from simplicert.errors import require

if TYPE_CHECKING:
    from simplicert.types.tally import Tally

FIXED_POINT = 40  # softmax sums are integers in units of 2^-40, each score rounded down
MOST_SOFTMAX_DRAWS = 2**23 - 1  # sums in units of 2^-40 stay exact as int64


def check(tally: "Tally") -> None:
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
    check_rest(tally)
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


def check_rest(tally: "Tally") -> None:
    """Which sums are exact, and what is known of the others, come together or not at all."""
    one, other = tally.softmax_classes is None, tally.softmax_rest is None
    require(one == other, "softmax_classes and softmax_rest must come together")
    if tally.softmax_classes is not None:
        require(
            bool((tally.softmax_classes <= tally.classes).all()),
            f"softmax_classes must lie in 0..{tally.classes}, "
            f"got {tally.softmax_classes.max(initial=0)}",
        )
