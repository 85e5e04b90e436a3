"""The running sums against plain loops over the rows."""

import numpy as np

from simplicert.sampling.score import read_logits
from simplicert.sampling.sums import RunningSums
from simplicert.types.scores import BINS, THRESHOLDS


def test_against_plain_loops():
    random = np.random.default_rng(0)
    leaders = np.array([[0, 2], [3, 1], [4, 0]])
    ledger = RunningSums(3, 5, True, leaders)
    rows = []
    for _ in range(4):
        slots = np.sort(random.integers(0, 3, 50))
        logits = random.normal(0, 3, (50, 5)).astype(np.float32)
        logits[::17] = np.nan
        lots = random.random(50)
        scores = read_logits(logits)
        ledger.add(slots, scores, lots)
        rows += list(zip(slots, scores.hard, scores.soft, lots, strict=True))
    counts, votes = np.zeros((3, 6), int), np.zeros((3, 6), int)
    sums, squares = [[0] * 5 for _ in range(3)], [[0] * 5 for _ in range(3)]
    histograms = np.zeros((3, 3, BINS), int)
    for (
        slot,
        hard,
        soft,
        lot,
    ) in rows:
        counts[slot, hard] += 1
        total, vote = 0.0, 5
        for j in range(5):
            total += soft[j]
            if lot < total:
                vote = j
                break
        votes[slot, vote] += 1
        for j in range(5):
            sums[slot][j] += int(soft[j] * 2**40)
            squares[slot][j] += int(soft[j] ** 2 * 2**40)
        others = [soft[j] for j in range(5) if j not in leaders[slot]]
        for kind, value in enumerate([*(soft[j] for j in leaders[slot]), max(others)]):
            histograms[slot, kind, sum(value >= t for t in THRESHOLDS)] += 1
    np.testing.assert_array_equal(ledger.counts, counts)
    np.testing.assert_array_equal(ledger.votes, votes)
    np.testing.assert_array_equal(ledger.sums, sums)
    np.testing.assert_array_equal(ledger.squares, squares)
    np.testing.assert_array_equal(ledger.histograms, histograms)


def test_thresholds_are_fixed():
    """Changing them would make old histograms unreadable."""
    assert BINS == 64
    assert (np.diff(THRESHOLDS) > 0).all()
    np.testing.assert_allclose(THRESHOLDS[[0, 31, -1]], [1e-6, 0.5, 1 - 1e-6])
