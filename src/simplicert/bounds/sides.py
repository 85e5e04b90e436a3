"""Bound the softmax scores of a given top class and of all its rivals.

Each of the two sides is wrong with probability at most `tail`, whatever the number of classes: the
proof needs the top class and one rival, the one that limits the true radius, and that rival is
fixed (docs/softmax.md, section 2). Where the tally holds score histograms a fifth of each tail goes
to them. That is decided before the first draw, when histograms are asked for, never by the counts.
"""

from typing import NamedTuple

import numpy as np

from simplicert.bounds.bands import rival_band, top_band
from simplicert.bounds.softmax import ScoreLimit, ScoreSums, read_score_sums
from simplicert.errors import require
from simplicert.types import Bools, Floats, Ints, ScoreBands, Tally

MEAN, BANDS = 0.8, 0.2  # shares of a side's tail where there are histograms

ROWS = 1024  # rows of a table of sums worked on at a time


class SoftmaxBounds(NamedTuple):
    """E_0 and E_1, and the bands of scores where the tally holds histograms."""

    e0: Floats  # (N,)
    e1: Floats  # (N,)
    lead: Ints  # (N,) sum of the top class less the largest other
    spoiled: Bools  # (N,) as much belongs to no class as to the top one, or more
    bands: ScoreBands | None


class MeanLimits(NamedTuple):
    """Limits on mean scores, and the sums they came from."""

    e0: Floats  # (N,) of the top class
    e1: Floats  # (N,) of all others
    minor: Floats  # (N,) of those without a histogram of their own
    none: Floats  # (N,) of the score that belongs to no class
    own: Ints  # (N,) sum of the top class
    rival: Ints  # (N,) largest other
    left: Ints  # (N,) sum that belongs to no class


def bound_both_sides(tally: Tally, top: Ints, limit: ScoreLimit, tail: Floats) -> SoftmaxBounds:
    """Bound three classes or more: one tail for the top class, one for its rivals."""
    banded = limit.bands and tally.histograms is not None
    means = _bound_means(tally, top, limit, MEAN * tail if banded else tail, BANDS * tail)
    lead, spoiled = means.own - means.rival, means.left >= means.own
    bands = _make_score_bands(tally, top, means, BANDS * tail) if banded else None
    return SoftmaxBounds(means.e0, means.e1, lead, spoiled, bands)


def bound_one_side(tally: Tally, top: Ints, limit: ScoreLimit, tail: Floats) -> SoftmaxBounds:
    """Bound the top one of two classes; the other has at most what it leaves."""
    banded = limit.bands and tally.histograms is not None
    means = _bound_means(tally, top, limit, MEAN * tail if banded else tail, BANDS * tail)
    bands = None
    if banded:
        lower = top_band(_top_histogram(tally, top), tally.draws, BANDS * tail, means.e0)
        bands = ScoreBands(lower, np.ones((len(tally), 1, lower.shape[1])))
    lead, spoiled = means.own - means.rival, means.left >= means.own
    return SoftmaxBounds(means.e0, 1 - means.e0, lead, spoiled, bands)


def _bound_means(
    tally: Tally, top: Ints, limit: ScoreLimit, tail: Floats, spare: Floats
) -> MeanLimits:
    """Compute limits at `tail`, and at `spare` for rivals without a histogram of their own."""
    parts = []
    for start in range(0, len(tally), ROWS):
        rows = slice(start, start + ROWS)
        parts.append(_bound_row_means(tally, rows, top[rows], limit, tail[rows], spare[rows]))
    return MeanLimits(*(np.concatenate(values) for values in zip(*parts, strict=True)))


def _bound_row_means(
    tally: Tally, rows: slice, top: Ints, limit: ScoreLimit, tail: Floats, spare: Floats
) -> MeanLimits:
    """Compute the limits for some rows of the tally."""
    sums, n = read_score_sums(tally, rows), tally.draws[rows]
    own = sums.of(top)
    rivals = np.ones(sums.at_most.shape, bool)
    np.put_along_axis(rivals, top[:, None], False, axis=1)
    e1 = limit.upper(sums.only(rivals), n, tail)
    minor = none = e1
    if limit.bands and tally.leaders is not None:
        leaders = tally.leaders[rows]
        require(
            bool((leaders < tally.classes).all()),
            f"leaders must lie in 0..{tally.classes - 1}, got {leaders.max(initial=0)}",
        )
        unseen = rivals.copy()
        np.put_along_axis(unseen, leaders, False, axis=1)
        unseen[:, -1] = False
        # Such a rival is held to its own mean and to the histogram of the largest: half for each.
        minor = np.minimum(e1, limit.upper(sums.only(unseen), n, spare / 2))
        last = ScoreSums(*(values[:, -1:] for values in sums))
        none = np.minimum(e1, limit.upper(last, n, spare))
    others = np.where(rivals, sums.at_least, 0)
    return MeanLimits(
        limit.lower(own, n, tail), e1, minor, none, own.at_least, others.max(axis=1), others[:, -1]
    )


def _make_score_bands(tally: Tally, top: Ints, means: MeanLimits, tail: Floats) -> ScoreBands:
    """Make the bands of the top class and each rival: leaders, the largest other, no class."""
    assert tally.histograms is not None and tally.leaders is not None
    n = tally.draws
    lower = top_band(_top_histogram(tally, top), n, tail, means.e0)
    rivals = []
    for place, leader in enumerate(tally.leaders.T):
        band = rival_band(tally.histograms[:, place], n, tail, means.e1)
        rivals.append(np.where((leader == top)[:, None], 0.0, band))
    rivals.append(rival_band(tally.histograms[:, -1], n, tail / 2, means.minor))
    rivals.append(np.broadcast_to(means.none[:, None], lower.shape))
    return ScoreBands(lower, np.stack(rivals, axis=1))


def _top_histogram(tally: Tally, top: Ints) -> Ints:
    """Return (N, bins) of the top class; all zero where it is not among the pilot's leaders."""
    assert tally.histograms is not None and tally.leaders is not None
    mine = tally.leaders == top[:, None]
    found = tally.histograms[np.arange(len(tally)), mine.argmax(axis=1)]
    return np.asarray(found * mine.any(axis=1)[:, None])
