"""The running sums against plain loops, and the sums that are kept where classes are many."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simplicert as sc
from simplicert.sampling.outputs import (
    CLASSES_KEPT,
    MANY_CLASSES,
    RunningSums,
    Scores,
    keep_leading_sums,
    read_logits,
)
from simplicert.types import FIXED_POINT
from simplicert.types.scores import BINS, LAYOUTS, THRESHOLDS

UNIT = 1 << FIXED_POINT
CLASSES = 100


def test_sums_against_plain_loops():
    random = np.random.default_rng(0)
    leaders = np.array([[0, 2], [3, 1], [4, 0]])
    totals = RunningSums(3, 5, True, leaders)
    rows = []
    for _ in range(4):
        slots = np.sort(random.integers(0, 3, 50))
        logits = random.normal(0, 3, (50, 5)).astype(np.float32)
        logits[::17] = np.nan
        uniforms = random.random(50)
        scores = read_logits(logits)
        totals.add(slots, scores, uniforms)
        rows += list(zip(slots, scores.hard, scores.soft, uniforms, strict=True))
    counts, votes = np.zeros((3, 6), int), np.zeros((3, 6), int)
    sums, squares = [[0] * 5 for _ in range(3)], [[0] * 5 for _ in range(3)]
    histograms = np.zeros((3, 3, BINS), int)
    for slot, hard, soft, uniform in rows:
        counts[slot, hard] += 1
        total, vote = 0.0, 5
        for j in range(5):
            total += soft[j]
            if uniform < total:
                vote = j
                break
        votes[slot, vote] += 1
        for j in range(5):
            sums[slot][j] += int(soft[j] * 2**40)
            squares[slot][j] += int(soft[j] ** 2 * 2**40)
        others = [soft[j] for j in range(5) if j not in leaders[slot]]
        for kind, value in enumerate([*(soft[j] for j in leaders[slot]), max(others)]):
            histograms[slot, kind, sum(value >= t for t in THRESHOLDS)] += 1
    np.testing.assert_array_equal(totals.counts, counts)
    np.testing.assert_array_equal(totals.votes, votes)
    np.testing.assert_array_equal(totals.sums, sums)
    np.testing.assert_array_equal(totals.squares, squares)
    np.testing.assert_array_equal(totals.histograms, histograms)


def test_thresholds_are_fixed():
    """Changing them would make old histograms unreadable."""
    assert BINS == 160
    assert (np.diff(THRESHOLDS) > 0).all()
    np.testing.assert_allclose(THRESHOLDS[[0, 79, -1]], [1e-6, 0.5, 1 - 1e-6])


def test_the_former_bins_count_the_same_draws():
    """Both layouts, filled with the same scores, agree at the thresholds that they share."""
    random = np.random.default_rng(5)
    soft, slots = random.dirichlet([2, 1, 0.2, 0.1], 400), np.repeat(np.arange(2), 200)
    soft[::7] = np.round(soft[::7] * 32) / 32  # scores on a threshold
    soft[:, 3] = np.maximum(1 - soft[:, :3].sum(axis=1), 0)
    found = {}
    for bins, thresholds in LAYOUTS.items():
        totals = RunningSums(2, 4, True, np.array([[0, 1], [1, 0]]), bins)
        totals.add(slots, Scores(soft.argmax(axis=1), soft), random.random(400))
        assert totals.histograms.shape == (2, 3, bins)
        reached = np.cumsum(totals.histograms[:, :, :0:-1], axis=2)[:, :, ::-1]
        found[bins] = reached[:, :, np.isin(thresholds, LAYOUTS[64])]
    np.testing.assert_array_equal(found[64], found[160])


def scores(seed, rows=6, draws=50):
    """Sums and squares of peaked softmax scores over many classes, in units of 2^-40."""
    random = np.random.default_rng(seed)
    soft = random.dirichlet(np.r_[5.0, 3.0, np.full(CLASSES - 2, 0.05)], size=(rows, draws))
    fixed = [np.floor(values * UNIT).astype(np.int64).sum(axis=1) for values in (soft, soft**2)]
    return fixed[0], fixed[1]


def part(seed, first, draws=50, rows=6):
    sums, squares = scores(seed, rows, draws)
    counts = np.zeros((rows, CLASSES), np.int64)
    counts[:, 0] = draws
    segments = [[i, 0, first, first + draws] for i in range(rows)]
    return sc.Tally(
        counts, 1.0, votes=counts, segments=segments, **keep_leading_sums(sums, squares)._asdict()
    )


def test_few_classes_are_all_kept():
    sums = np.arange(2 * MANY_CLASSES).reshape(2, MANY_CLASSES)
    kept = keep_leading_sums(sums, sums // 2)
    assert kept.softmax_classes is None
    assert kept.softmax_sums is sums


def test_the_largest_are_exact_and_the_rest_is_bounded():
    sums, squares = scores(0)
    kept = keep_leading_sums(sums, squares)
    for row in range(len(sums)):
        mine = kept.softmax_classes[row]
        assert len(set(mine)) == CLASSES_KEPT
        np.testing.assert_array_equal(kept.softmax_sums[row, mine], sums[row, mine])
        np.testing.assert_array_equal(kept.softmax_squares[row, mine], squares[row, mine])
        others = np.delete(np.arange(CLASSES), mine)
        assert sums[row, others].max() <= sums[row, mine].min()
        assert not kept.softmax_sums[row, others].any()
        assert kept.softmax_rest[row].tolist() == [
            sums[row, others].max(),
            squares[row, others].max(),
            sums[row, others].sum(),
        ]


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(4)))
def test_parts_add_to_the_same_bounds_in_any_order(order):
    """Every class's true sum lies between what is stored and that plus the rest."""
    parts = [part(seed, 50 * seed) for seed in range(4)]
    whole = parts[order[0]]
    for number in order[1:]:
        whole = whole + parts[number]
    assert whole == parts[0] + parts[1] + parts[2] + parts[3]
    true = sum(scores(seed)[0] for seed in range(4))
    rows = np.arange(len(true))[:, None]
    named = np.zeros((len(true), CLASSES + 1), bool)
    named[rows, whole.softmax_classes] = True
    exact = named[:, :-1]
    assert exact[:, :2].all()  # the two leading classes were kept in every part
    assert (whole.softmax_sums[exact] == true[exact]).all()
    assert (whole.softmax_sums <= true).all()
    assert (true <= whole.softmax_sums + whole.softmax_rest[:, :1]).all()
    total = whole.softmax_sums.sum(axis=1) + whole.softmax_rest[:, 2]
    np.testing.assert_array_equal(total, true.sum(axis=1))


def test_what_is_exact_and_what_bounds_the_rest_come_together():
    tally = part(0, 0)
    with pytest.raises(sc.InvalidInput, match="must come together"):
        sc.Tally(
            tally.counts, 1.0, softmax_sums=tally.softmax_sums, softmax_rest=tally.softmax_rest
        )
    with pytest.raises(sc.InvalidInput, match=r"softmax_classes must lie in 0\.\.100, got 199"):
        sc.Tally(
            tally.counts,
            1.0,
            softmax_sums=tally.softmax_sums,
            softmax_rest=tally.softmax_rest,
            softmax_classes=tally.softmax_classes + CLASSES,
        )
