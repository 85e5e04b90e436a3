"""Read softmax sums and votes from a tally, and choose the limits on a mean score."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from simplicert.bounds import betting, means
from simplicert.errors import MissingEvidence, require
from simplicert.types import FIXED_POINT, Bools, Floats, Ints, Tally


class ScoreSums(NamedTuple):
    """Bounds on the sums of scores and of their squares, in units of 2^-40.

    Scores were rounded down, and where classes are many only the leading sums are exact: the true
    sum lies between the first two, the true sum of squares is at most the third.
    """

    at_least: Ints
    at_most: Ints
    squares: Ints

    def of(self, column: Ints) -> "ScoreSums":
        """Return (N,) the sums in one column of each row."""
        rows = np.arange(len(column))
        return ScoreSums(*(values[rows, column] for values in self))

    def only(self, columns: Bools) -> "ScoreSums":
        """Put zeros outside these columns: a class that never scored has the least limit."""
        return ScoreSums(*(np.where(columns, values, 0) for values in self))


class ScoreLimit(NamedTuple):
    """One-sided limits on mean scores, each wrong with probability at most its tail."""

    lower: Callable[[ScoreSums, Ints, Floats], Floats]  # of one class per input: (N,) -> (N,)
    upper: Callable[[ScoreSums, Ints, Floats], Floats]  # largest of M classes: (N, M) -> (N,)
    bands: bool  # whether score histograms, if there are any, get their share of the tail


def _bound_score_hoeffding(own: ScoreSums, draws: Ints, tail: Floats) -> Floats:
    """Bound one mean score from below as the paper does."""
    return means.hoeffding_lower(own.at_least, draws, tail)


def _bound_rivals_hoeffding(rivals: ScoreSums, draws: Ints, tail: Floats) -> Floats:
    """Bound all rivals as the paper does: the largest sum has the largest limit."""
    return means.hoeffding_upper(rivals.at_most.max(axis=1), draws, tail)


def bound_score_betting(own: ScoreSums, draws: Ints, tail: Floats) -> Floats:
    """Take the better of Bentkus and betting, at half the tail each."""
    by_sum = means.bentkus_lower(own.at_least, draws, tail / 2)
    by_bets = betting.betting_lower(own.at_least, own.squares, draws, tail / 2)
    return np.maximum(by_sum, by_bets)


def bound_rivals_betting(rivals: ScoreSums, draws: Ints, tail: Floats) -> Floats:
    """Take the better of the two limits for each rival, and return the largest.

    As below: only a rival of more variance than the runner-up may have the larger limit.
    """
    rows = np.arange(len(draws))
    second = rivals.at_most.argmax(axis=1)
    by_sum = means.bentkus_upper(rivals.at_most[rows, second], draws, tail / 2)
    by_bets = betting.betting_upper(*rivals.of(second), draws, tail / 2)
    largest: Floats = np.minimum(by_sum, by_bets)
    open_rows = np.flatnonzero(by_sum > largest)
    if not open_rows.size:
        return largest
    left = ScoreSums(*(values[open_rows] for values in rivals))
    n, half = draws[open_rows, None], tail[open_rows, None] / 2
    below = betting.betting_upper_is_at_most(largest[open_rows, None], *left, n, half)
    row, rival = np.nonzero(~below)
    # Once for equal sums: of a thousand classes all but the leading ones have the same enclosure.
    columns = np.column_stack([row, *(values[row, rival] for values in left)])
    row, *sums = np.unique(columns, axis=0).T
    some = ScoreSums(*sums)
    n, half, row = n[row, 0], half[row, 0], open_rows[row]
    other = np.minimum(
        means.bentkus_upper(some.at_most, n, half), betting.betting_upper(*some, n, half)
    )
    np.maximum.at(largest, row, other)
    return largest


def bound_score_combined(own: ScoreSums, draws: Ints, tail: Floats) -> Floats:
    """Take the better of Bentkus and Maurer-Pontil, at half the tail each."""
    by_sum = means.bentkus_lower(own.at_least, draws, tail / 2)
    by_spread = means.bernstein_lower(own.at_least, own.squares, draws, tail / 2)
    return np.maximum(by_sum, by_spread)


def bound_rivals_combined(rivals: ScoreSums, draws: Ints, tail: Floats) -> Floats:
    """Take the better of the two limits for each rival, and return the largest.

    Bentkus' limit rises with the sum, so the runner-up's is the largest. Maurer and Pontil's does
    not, so it is computed for every rival: one with a smaller sum and a larger variance may have
    the larger limit, and only such a rival needs a Bentkus limit of its own.
    """
    rows = np.arange(len(draws))
    second = rivals.at_most.argmax(axis=1)
    by_sum = means.bentkus_upper(rivals.at_most[rows, second], draws, tail / 2)
    by_spread = means.bernstein_upper(*rivals, draws[:, None], tail[:, None] / 2)
    largest: Floats = np.minimum(by_sum, by_spread[rows, second])
    row, rival = np.nonzero((by_spread > largest[:, None]) & (by_sum > largest)[:, None])
    other = means.bentkus_upper(rivals.at_most[row, rival], draws[row], tail[row] / 2)
    np.maximum.at(largest, row, np.minimum(other, by_spread[row, rival]))
    return largest


LIMITS: dict[str, ScoreLimit] = {
    "bentkus+betting": ScoreLimit(bound_score_betting, bound_rivals_betting, bands=True),
    "bentkus+bernstein": ScoreLimit(bound_score_combined, bound_rivals_combined, bands=True),
    "hoeffding": ScoreLimit(_bound_score_hoeffding, _bound_rivals_hoeffding, bands=False),
}


def read_score_sums(tally: Tally, rows: slice) -> ScoreSums:
    """Read (N, K + 1) the sums of each class and, in the last column, of what the classes leave."""
    sums, n = require_softmax_sums(tally)[rows], tally.draws[rows, None]
    hidden, hidden_squares, elsewhere = read_softmax_rest(tally, rows)
    most = sums + hidden + n
    squares = most  # as Y^2 <= Y
    if tally.softmax_squares is not None:
        # Y^2 was computed in floating point, to 2^-13 of a unit, and then rounded down.
        squares = tally.softmax_squares[rows] + hidden_squares + n + (n >> 12) + 1
        _refuse_impossible_squares(sums, squares, n)
    left = np.maximum((n << FIXED_POINT) - sums.sum(axis=1, keepdims=True) - elsewhere, 0)
    return ScoreSums(
        np.hstack([sums, np.maximum(left - tally.classes * n, 0)]),
        np.hstack([most, left]),
        np.hstack([squares, left]),
    )


def require_softmax_sums(tally: Tally) -> Ints:
    """Return (N, K) the sums themselves, in units of 2^-40, or raise MissingEvidence."""
    if tally.softmax_sums is None:
        raise MissingEvidence("kind 'softmax' needs softmax_sums, and this tally holds only counts")
    return tally.softmax_sums


def read_softmax_rest(tally: Tally, rows: slice) -> tuple[Ints, Ints, Ints]:
    """Read what each class's sum and squares may lack (N, K), and all sums together (N, 1)."""
    if tally.softmax_rest is None or tally.softmax_classes is None:
        none = np.zeros((1, 1), np.int64)
        return none, none, none
    rest, classes = tally.softmax_rest[rows], tally.softmax_classes[rows]
    exact = np.zeros((len(rest), tally.classes + 1), bool)  # one more: K stands for no class
    np.put_along_axis(exact, classes, True, axis=1)
    missing = ~exact[:, :-1]
    return missing * rest[:, :1], missing * rest[:, 1:2], rest[:, 2:]


def _refuse_impossible_squares(sums: Ints, squares: Ints, n: Ints) -> None:
    """Refuse squares that no scores with these sums can have: they would hide all variance."""
    wrong = (sums / 2.0**FIXED_POINT) ** 2 / n > squares / 2.0**FIXED_POINT * (1 + 1e-9)
    require(
        not wrong.any(),
        "softmax_squares must be at least softmax_sums^2 / draws, as those of all scores are, "
        f"got less for {int(wrong.sum())} of the sums",
    )


def read_votes(tally: Tally) -> tuple[Ints, Ints]:
    """Read the categorical votes by class, and those for no class; scores must be there too."""
    require_softmax_sums(tally)
    if tally.votes is None or tally.votes_invalid is None:
        raise MissingEvidence(
            "scheme 'gated' for softmax selects the class by categorical votes, and this tally has "
            "none: sample again with votes, use scheme 'split' with a pilot, or scheme 'paper'"
        )
    return tally.votes, tally.votes_invalid
