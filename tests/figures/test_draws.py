"""Proportions against n by hand, and costs as they are handed over."""

import numpy as np
import pytest
from figured import lines, new_axes, write_run

from simplicert.figures import certified_proportion, style, time_per_input
from simplicert.metrics.growth import CostByDraws, certify_shorter_runs
from simplicert.metrics.study import read_studies


@pytest.fixture(scope="module")
def grown(tmp_path_factory):
    folder = tmp_path_factory.mktemp("draws") / "run"
    return certify_shorter_runs(read_studies([write_run(folder, labels=False)])[0])


def test_each_line_is_the_share_of_inputs_beyond_the_papers_radius(grown):
    found = lines(certified_proportion(grown, new_axes()))
    last = list(grown.values())[-1]
    assert list(found) == [style.mechanism_style(name).name for name in (*last.radii, "ensemble")]
    for name in (*last.radii, "ensemble"):
        x, y = found[style.mechanism_style(name).name]
        assert list(x) == list(grown)
        np.testing.assert_allclose(
            y, [np.mean(item.column(name) > 0.05) for item in grown.values()]
        )
    assert found["ensemble"][1][-1] > found["Cohen"][1][-1] > 0  # the run tells them apart


def test_proportion_says_what_it_is_over(grown):
    axes = certified_proportion(grown, new_axes())
    title = axes.get_legend().get_title().get_text()
    assert "all 24 inputs" in title and "$n$" not in title
    assert axes.get_xscale() == "log" and "radius > 0.05" in axes.get_ylabel()


def test_costs_are_drawn_as_they_are():
    draws = np.array([10, 100])
    own = {"cohen": np.array([np.nan, 2e-6]), "li": np.array([3e-5, 4e-5])}
    cost = CostByDraws(draws, np.array([1e-3, 1e-2]), np.array([5e-6, 6e-6]), own, inputs=7)
    axes = time_per_input(cost, new_axes())
    found = lines(axes)
    assert list(found) == ["drawing", "bounds", "Cohen", "Li"]
    for name, values in (("drawing", cost.drawing), ("bounds", cost.bounds), *own.items()):
        x, y = found[style.MECHANISM_STYLES[name].name if name in style.MECHANISM_STYLES else name]
        np.testing.assert_array_equal(x, draws)
        np.testing.assert_array_equal(y, values)
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert "average over 7 inputs" in axes.get_legend().get_title().get_text()
