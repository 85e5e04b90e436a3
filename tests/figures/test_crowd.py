"""Figures of many runs: some bold in a faint crowd, small panels for each, legends that fit."""

import matplotlib
import pytest
from certified import drawn
from matplotlib.figure import Figure

import simplicert as sc
from simplicert.errors import InvalidInput
from simplicert.figures.accuracy import accuracy_of_runs
from simplicert.figures.crowd import choose_bold, split_into_multiples
from simplicert.figures.finishing import finish_panels
from simplicert.figures.saving import SETTINGS
from simplicert.figures.style import CROWD_LINES, fit_columns
from simplicert.metrics.study import read_studies

NAMES = [f"method {k} with a long name" for k in range(6)]


@pytest.fixture
def several():
    return {name: drawn(seed=k) for k, name in enumerate(NAMES)}


def test_the_chosen_runs_stand_out_and_the_others_are_one_entry(several):
    axes = Figure().subplots()
    accuracy_of_runs(several, axes, bold=NAMES[:2], inputs="the 60 inputs common to all runs")
    faint = [line for line in axes.lines if line.get_gid() == CROWD_LINES]
    assert len(faint) == 4 and {line.get_color() for line in faint} == {"#b8b8b8"}
    names = axes.get_legend_handles_labels()[1]
    assert names == ["two-sided", "ensemble", "4 other runs", *NAMES[:2]]
    bold = [line for line in axes.lines if line.get_label() in NAMES]
    assert all(line.get_zorder() > max(x.get_zorder() for x in faint) for line in bold)
    assert "common to all runs" in axes.get_legend().get_title().get_text()


def test_many_runs_have_a_small_panel_each_and_one_heading(several):
    figure = Figure()
    panels = split_into_multiples(accuracy_of_runs, several, {"population": "all"})
    places = figure.subplots(2, 3).ravel()
    for axes, panel in zip(places, panels, strict=True):
        panel(axes)
    assert [axes.get_title(loc="left") for axes in places] == NAMES
    assert all(axes.get_legend() is None for axes in places)
    heading = figure.get_suptitle().replace("\n", " ")
    assert "solid: two-sided; dashed: ensemble; grey: the other 5 runs" in heading
    for axes in places:
        assert len([line for line in axes.lines if line.get_gid() == CROWD_LINES]) == 5


def test_a_legend_never_covers_data_nor_squeezes_the_axes(several):
    """With names of any length it stands above the axes, which keep most of the width."""
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(3.5, 3.0), layout="constrained")
        axes = figure.subplots()
        accuracy_of_runs(several, axes, bold=NAMES[:3])
        finish_panels(figure, [axes], 1)
        figure.draw_without_rendering()
        assert axes.get_legend().get_window_extent().y0 >= axes.bbox.y1 - 1
        assert axes.bbox.width > 0.6 * figure.bbox.width


def test_columns_of_a_legend_fit_its_width():
    assert fit_columns(["a", "b", "c"], 3.5, 3) == 3
    assert fit_columns(["a name of thirty letters or so"] * 4, 3.5, 3) == 1
    assert fit_columns([], 3.5, 3) == 3


def test_runs_are_chosen_by_name_or_folder(tmp_path):
    for name in ("one", "two"):
        tally = sc.Tally([[90, 10]], 0.5, labels=[0])
        sc.create_run(tmp_path / "runs" / name, sc.Manifest(0.5, 1, 2), tally)
    folders = [tmp_path / "runs/one", tmp_path / "runs/two"]
    studies = {s.name: s for s in read_studies(folders, {str(folders[0]): "first"})}
    for asked in ("first", "one", "runs/one", f"{folders[0]}/"):
        assert choose_bold(studies, [asked]) == ("first",)
    assert choose_bold(studies, ["two", "first"]) == ("two", "first")
    assert choose_bold(studies, []) is None


def test_a_name_shared_by_several_sigmas_chooses_them_all(tmp_path):
    folders = []
    for sigma in (0.25, 0.5):
        folders.append(tmp_path / f"runs/{sigma}")
        tally = sc.Tally([[90, 10]], sigma, labels=[0])
        sc.create_run(folders[-1], sc.Manifest(sigma, 1, 2, source={"label": "macer"}), tally)
    studies = {s.name: s for s in read_studies(folders)}
    assert list(studies) == ["macer, sigma 0.25", "macer, sigma 0.5"]
    assert choose_bold(studies, ["macer"]) == tuple(studies)
    assert choose_bold(studies, ["macer, sigma 0.5"]) == ("macer, sigma 0.5",)
    with pytest.raises(InvalidInput, match="must name a run that is given, got 'mac'"):
        choose_bold(studies, ["mac"])
