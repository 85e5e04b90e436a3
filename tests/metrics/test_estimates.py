"""Shares of the draws are those worked out by hand."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import simplicert as sc
from simplicert.metrics.intervals import shares_under_noise

COUNTS = [[6, 3, 1], [2, 7, 1], [4, 4, 0]]


def test_class_a_is_the_label():
    found = shares_under_noise(sc.Tally(np.array(COUNTS), sigma=1.0, labels=[0, 0, 1]))
    np.testing.assert_allclose(found.a, [0.6, 0.2, 0.5])
    np.testing.assert_allclose(found.b, [0.3, 0.7, 0.5])
    assert found.labelled


def test_without_labels_it_is_the_most_frequent_class():
    found = shares_under_noise(sc.Tally(np.array(COUNTS), sigma=1.0))
    np.testing.assert_allclose(found.a, [0.6, 0.7, 0.5])
    np.testing.assert_allclose(found.b, [0.3, 0.2, 0.5])
    assert not found.labelled


def test_draws_without_a_class_count_and_are_a_rival():
    tally = sc.Tally(np.array([[5, 2, 1]]), sigma=1.0, labels=[0], invalid=[12])
    found = shares_under_noise(tally)
    assert (found.a[0], found.b[0]) == (0.25, 0.6)


@given(
    st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=1, max_size=6),
    st.integers(0, 2),
)
def test_shares_add_up_to_at_most_one_and_decide_who_is_first(counts, label):
    counts = np.array(counts) + np.array([1, 0, 0])  # no input without a draw
    found = shares_under_noise(sc.Tally(counts, sigma=1.0, labels=[label] * len(counts)))
    assert (found.a + found.b <= 1 + 1e-12).all()
    others = np.delete(counts, label, axis=1).max(axis=1)
    np.testing.assert_array_equal(found.a > found.b, counts[:, label] > others)
