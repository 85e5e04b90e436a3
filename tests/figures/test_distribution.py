"""Shares of inputs above x, and improved by more than x percent, against a count by hand."""

import numpy as np
import pytest
from certified import drawn as certified
from certified import stated
from figured import lines, new_axes, step_at, write_run
from hypothesis import given
from hypothesis import strategies as st

from simplicert.figures import distribution_of_margin, distribution_of_pa, share_improved
from simplicert.figures.distribution import MOST, count_limitless_gains, improvement_steps
from simplicert.metrics.intervals import NoisyShares
from simplicert.metrics.study import read_studies

PLACES = np.linspace(0, 0.99, 34)

PERCENTS = [0.0, 1.0, 7.5, 33.3, 80.0, 99.9]


def by_hand(certificates, column, base, percents=PERCENTS):
    new, old = certificates.column(column), certificates.column(base)
    return [
        np.mean([b > 1e-9 + a * (1 + x / 100) for a, b in zip(old, new, strict=True)])
        for x in percents
    ]


def drawn_lines(axes):
    return [line for line in axes.get_lines() if len(line.get_xdata())]


def test_both_lines_of_each_run():
    several = {"one": certified(seed=1), "two": certified(seed=2)}
    axes = share_improved(several, new_axes())
    ours, papers = drawn_lines(axes)[:2], drawn_lines(axes)[2:]
    for place, certificates in enumerate(several.values()):
        for line, column in ((ours[place], "two_sided"), (papers[place], "ensemble")):
            found = step_at(line.get_data(), PERCENTS)
            np.testing.assert_allclose(found, by_hand(certificates, column, "cohen"))
    assert "over Cohen" in axes.get_xlabel()
    assert axes.get_xlim() == (0, MOST)


def test_inputs_cohen_does_not_certify_are_left_at_the_right_edge():
    certificates = stated([True] * 4, cohen=[0.0, 0.0, 1.0, 1.0], li=[0.5, 0.0, 1.5, 0.5])
    x, y = improvement_steps(certificates, "ensemble", "cohen")
    assert x.tolist() == [0, 50, MOST] and y.tolist() == [0.5, 0.25, 0.25]


def test_it_drops_where_the_gain_is_exactly_that():
    certificates = stated([True] * 2, cohen=[1.0, 1.0], li=[1.25, 1.5])
    line = improvement_steps(certificates, "ensemble", "cohen")
    assert step_at(line, [0.0, 24.9, 25.0, 49.9, 50.0]).tolist() == [1, 1, 0.5, 0.5, 0]


def test_inputs_that_cohen_does_not_certify_are_counted():
    one = stated([True] * 4, cohen=[0.0, 0.0, 1.0, 1.0], li=[0.5, 0.0, 1.5, 0.5])
    two = stated([True] * 4, cohen=[1.0, 1.0, 1.0, 1.0], li=[0.5, 0.0, 1.5, 0.5])
    assert count_limitless_gains([one, two], "cohen", "all") == "1, 0"
    assert count_limitless_gains([two], "cohen", "all") == ""


def test_softmax_improves_on_lecuyer(tmp_path):
    (study,) = read_studies([write_run(tmp_path / "run")])
    certificates = study.certificates("softmax")
    axes = share_improved({"run": certificates}, new_axes())
    assert "over Lecuyer" in axes.get_xlabel()
    found = step_at(drawn_lines(axes)[1].get_data(), PERCENTS)
    np.testing.assert_allclose(found, by_hand(certificates, "ensemble", "lecuyer"))
    assert set(lines(axes)) == {"two-sided", "ensemble", "run"}


def test_no_labels_are_needed(tmp_path):
    (study,) = read_studies([write_run(tmp_path / "run", labels=False)])
    share_improved({"run": study.certificates()}, new_axes())


@st.composite
def shares(draw):
    pairs = st.tuples(st.sampled_from([0.0, 0.3, 0.5, 0.9, 1.0]), st.floats(0, 1))
    a, b = np.array(draw(st.lists(pairs, min_size=1, max_size=9))).T
    return NoisyShares(a, np.minimum(b, 1 - a), labelled=True)


@pytest.mark.slow
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
