"""What is read off a table of counts, and what a box promises at its edges."""

import numpy as np
import pytest

from simplicert.bounds.box import (
    TINY,
    Box,
    certificate_reasons,
    clip_rival_bound,
    find_top_and_rival,
    largest_other,
)


def box(e0, e1, gate=True, lead=1, spoiled=False, margin=None):
    """A box of one input."""
    values = (np.array([value]) for value in (0, e0, e1, gate, lead, spoiled))
    return Box(*values, margin=None if margin is None else np.array([margin]))


@pytest.mark.parametrize(
    ("counts", "invalid", "top", "rival", "spoiled"),
    [
        ([5, 3, 2], 0, 0, 3, False),
        ([3, 5, 5], 0, 1, 5, False),  # the lowest number of equals
        ([5, 3, 2], 4, 0, 4, False),
        ([5, 3, 2], 5, 0, 5, True),  # as many draws without a class as with the best
        ([5, 3, 2], 6, 0, 6, True),
    ],
)
def test_top_rival_and_draws_without_a_class(counts, invalid, top, rival, spoiled):
    field = find_top_and_rival(np.array([counts]), np.array([invalid]))
    assert (field.top[0], field.rival[0], field.spoiled[0]) == (top, rival, spoiled)
    assert field.wins[0] == counts[top]


def test_a_given_class_may_lose():
    field = find_top_and_rival(np.array([[2, 7, 1]]), np.array([0]), np.array([0]))
    assert (field.wins[0], field.rival[0]) == (2, 7)


def test_the_largest_of_the_others_in_blocks():
    random = np.random.default_rng(0)
    values, top = random.integers(0, 9, (9000, 4)), random.integers(0, 4, 9000)
    found = largest_other(values, top)
    rows = (0, 4095, 4096, 8999)
    assert [found[i] for i in rows] == [max(np.delete(values[i], top[i])) for i in rows]


def test_equal_expectations_prove_nothing():
    assert certificate_reasons(box(0.4, 0.4))[0] == "overlap"
    assert certificate_reasons(box(np.nextafter(0.4, 1), 0.4))[0] == "certified"
    assert certificate_reasons(box(np.nan, 0.4))[0] == "overlap"


def test_a_margin_of_zero_proves_nothing():
    assert certificate_reasons(box(np.nan, np.nan, margin=0.0))[0] == "overlap"
    assert certificate_reasons(box(np.nan, np.nan, margin=1e-300))[0] == "certified"
    assert certificate_reasons(box(np.nan, np.nan, gate=False, margin=0.0))[0] == "gate"


def test_a_rival_has_what_the_top_class_leaves_and_never_nothing():
    np.testing.assert_array_equal(
        clip_rival_bound(np.array([0.3, 0.3, 0.0]), np.array([0.2, 0.4, 0.4])), [0.2, 0.3, TINY]
    )
