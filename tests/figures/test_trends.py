"""Medians and shares against sigma, by hand."""

import numpy as np
import pytest
from figured import lines, new_axes, write_run

import simplicert as sc
from simplicert.figures import largest_against_sigma, median_against_sigma, style
from simplicert.metrics.study import read_studies


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    """In no order."""
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
    assert list(found) == ["Cohen", "Li", "improved DP"]
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


@pytest.mark.parametrize("figure", [median_against_sigma, largest_against_sigma])
def test_a_trend_needs_different_sigmas(three, figure):
    for some in (three[:1], [three[0], three[0]]):
        with pytest.raises(sc.InvalidInput, match="two or more different sigmas"):
            figure(some, new_axes())
