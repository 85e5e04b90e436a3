"""Shares of inputs above x, by hand."""

import numpy as np
from figured import lines, new_axes, step_at
from hypothesis import given
from hypothesis import strategies as st

from simplicert.figures import distribution_of_margin, distribution_of_pa
from simplicert.metrics.intervals import NoisyShares

PLACES = np.linspace(0, 0.99, 34)


@st.composite
def shares(draw):
    pairs = st.tuples(st.sampled_from([0.0, 0.3, 0.5, 0.9, 1.0]), st.floats(0, 1))
    a, b = np.array(draw(st.lists(pairs, min_size=1, max_size=9))).T
    return NoisyShares(a, np.minimum(b, 1 - a), labelled=True)


@given(shares(), shares())
def test_lines_are_the_share_of_inputs_above(one, two):
    several = {"one": one, "two": two}
    of_a = lines(distribution_of_pa(several, new_axes()))
    of_margin = lines(distribution_of_margin(several, new_axes()))
    for name, own in several.items():
        found = step_at(of_a[name], PLACES)
        np.testing.assert_allclose(found, [np.mean(own.a > x) for x in PLACES], atol=1e-12)
        places = 2 * PLACES - 1
        found = step_at(of_margin[name], places)
        np.testing.assert_allclose(found, [np.mean(own.a - own.b > x) for x in places], atol=1e-12)


def test_it_says_what_class_a_is():
    values = np.array([0.4, 0.8])
    for labelled, words in ((True, "A: the label"), (False, "A: the most frequent class")):
        axes = distribution_of_pa({"run": NoisyShares(values, values / 9, labelled)}, new_axes())
        assert axes.get_legend().get_title().get_text() == f"{words}, all 2 inputs"
        assert axes.get_xlim() == (0, 1)


def test_the_margin_shows_where_class_a_is_first():
    values = np.array([0.4, 0.8])
    axes = distribution_of_margin({"run": NoisyShares(values, values / 9, True)}, new_axes())
    assert axes.get_xlim() == (-1, 1)
    assert [0.0, 0.0] in [list(line.get_xdata()) for line in axes.get_lines()]
