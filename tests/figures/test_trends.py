"""Proportions and times against n, medians and shares against sigma, and the training curve."""

import matplotlib
import numpy as np
import pytest
from figured import lines, new_axes, write_run
from matplotlib.figure import Figure

import simplicert as sc
from simplicert.figures import (
    certified_proportion,
    largest_against_sigma,
    median_against_sigma,
    style,
    time_per_input,
)
from simplicert.figures.trends import training_curve
from simplicert.metrics.growth import CostByDraws, certify_shorter_runs
from simplicert.metrics.study import read_studies

LOG = [
    {"epoch": 1, "loss": 2.0, "train_accuracy": 0.2, "noisy_accuracy": 0.3, "seconds": 60.0},
    {"epoch": 2, "loss": 1.0, "train_accuracy": 0.4, "noisy_accuracy": 0.5, "seconds": 60.0},
]


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


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    """Certificates of three runs, not sorted by sigma."""
    folder = tmp_path_factory.mktemp("trends")
    runs = [write_run(folder / f"sigma-{s}", s, labels=False) for s in (1.0, 0.25, 0.5)]
    return [study.certificates() for study in read_studies(runs)]


def rising(three):
    return [three[1], three[2], three[0]]


def test_medians_are_over_all_inputs(three):
    found = lines(median_against_sigma(three, new_axes()))
    assert len(found) == len(three[0].radii) + 1
    for name in (*three[0].radii, "ensemble"):
        x, y = found[style.mechanism_style(name).name]
        assert list(x) == [0.25, 0.5, 1.0]
        np.testing.assert_allclose(y, [np.median(item.column(name)) for item in rising(three)])


def test_shares_are_of_the_papers_ensemble_with_their_intervals(three):
    axes = largest_against_sigma(three, new_axes())
    found = {bars.get_label(): bars for bars in axes.containers}
    assert list(found) == ["Cohen", "Li", "improved DP", "abstained"]
    sums = sum(bars.lines[0].get_ydata() for bars in found.values())
    np.testing.assert_allclose(sums, 1)
    for name in sc.PAPER_ENSEMBLE["multinomial"]:
        line, _, (bars,) = found[style.mechanism_style(name).name].lines
        shares = [np.mean(item.winner == name) for item in rising(three)]
        np.testing.assert_allclose(line.get_ydata(), shares)
        ends = np.array([segment[:, 1] for segment in bars.get_segments()])
        assert (ends[:, 0] <= shares).all() and (shares <= ends[:, 1]).all()
        assert (ends[:, 1] - ends[:, 0] > 0.1).all()  # of 24 inputs little is known


def test_there_is_a_tick_at_each_sigma(three):
    for figure in (median_against_sigma, largest_against_sigma):
        axes = figure(three, new_axes())
        assert [text.get_text() for text in axes.get_xticklabels()] == ["0.25", "0.5", "1"]


def test_behind_a_stage_ticks_are_in_units_of_the_input_and_do_not_touch():
    """Drawn at sigma / 7 behind a stage of sensitivity 1/7: the axis shows sigma."""
    sigmas = (0.25, 0.5, 1, 2, 3, 3.01, 4, 5)
    several = [
        sc.certify(sc.bound(sc.Tally([[99, 1]], sigma / 7, labels=[0])), sensitivity=1 / 7)
        for sigma in sigmas
    ]
    for figure in (median_against_sigma, largest_against_sigma):
        axes = figure(several, new_axes())
        np.testing.assert_allclose(np.array(axes.lines[0].get_xdata(), float), sigmas)
        shown = [text.get_text() for text in axes.get_xticklabels()]
        assert shown == ["0.25", "0.5", "1", "2", "3", "", "4", "5"]
        assert axes.get_xlabel().endswith("of the noise / sensitivity")


@pytest.mark.parametrize("figure", [median_against_sigma, largest_against_sigma])
def test_a_trend_needs_different_sigmas(three, figure):
    for some in (three[:1], [three[0], three[0]]):
        with pytest.raises(sc.InvalidInput, match="two or more different sigmas"):
            figure(some, new_axes())


def test_the_training_curve_shows_the_columns_of_the_log():
    with matplotlib.rc_context():
        axes = training_curve(LOG, Figure().add_subplot())
    right = axes.figure.axes[1]
    found = {line.get_label(): line.get_ydata() for line in axes.lines}
    np.testing.assert_array_equal(found["training inputs, noisy"], [0.2, 0.4])
    np.testing.assert_array_equal(found["test inputs, noisy"], [0.3, 0.5])
    np.testing.assert_array_equal(right.lines[0].get_ydata(), [2.0, 1.0])
    assert axes.get_legend().get_title().get_text() == "2 epochs, 2.0 minutes of training"
