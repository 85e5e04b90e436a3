"""Every figure of the table, from runs to a file; what does not fit is refused in a sentence."""

import numpy as np
import pytest
from figured import lines, write_attacks, write_log, write_run
from matplotlib.text import Annotation, Text
from tiers import some_slow

import simplicert as sc
from simplicert.figures import FIGURES, make_figure, panels, saving, style
from simplicert.mechanisms.naming import describe_threat, example_threats
from simplicert.mechanisms.threats import find_threat
from simplicert.metrics.study import Study, read_studies
from simplicert.store import Manifest

SIGMAS = (0.25, 0.5, 1.0)
OF_RUNS = [name for name, row in FIGURES.items() if row.runs[1] != 0]
OF_NOTHING = [name for name in FIGURES if name not in OF_RUNS]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    return [write_attacks(write_run(folder / f"sigma-{sigma:g}", sigma)) for sigma in SIGMAS]


@pytest.fixture(scope="module")
def studies(folders):
    return read_studies(folders)


@pytest.fixture(scope="module")
def unlabelled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("unlabelled")
    runs = [write_run(folder / f"s{s:g}", s, labels=False) for s in SIGMAS]
    return read_studies([write_attacks(run) for run in runs])


def some(name, studies):
    """As many runs as the figure takes."""
    most = FIGURES[name].runs[1]
    return studies if most is None else studies[1 : 1 + most]


def drawn(name, studies, monkeypatch, tmp_path, **options):
    """All axes of a figure as `make_figure` draws them."""
    found = []
    save = saving.save_figure

    def watched(figures, *args, **kwargs):
        seen = [lambda axes, panel=panel: found.append(panel(axes)) for panel in figures]
        return save(seen, *args, **kwargs)

    monkeypatch.setattr(saving, "save_figure", watched)
    make_figure(name, some(name, studies), tmp_path / "figure.png", **options)
    return found


def ticks(axis):
    """Labels of the ticks that show: matplotlib keeps some beyond the ends."""
    low, high = sorted(axis.get_view_interval())
    return [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]


@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_no_text_is_cut_or_covers_another(name, studies, monkeypatch, tmp_path):
    """Labels of contours and regions stand on the map, and are the map's business."""
    axes = drawn(name, studies, monkeypatch, tmp_path)
    figure = axes[0].figure
    figure.draw_without_rendering()
    texts = []
    for part in (*axes, *(bar for own in axes for bar in own.child_axes)):
        if part.axison:
            texts += [part.xaxis.label, part.yaxis.label, part.title]
            texts += [*ticks(part.xaxis), *ticks(part.yaxis)]
        else:
            texts += part.texts
        if legend := part.get_legend():
            texts += [*legend.get_texts(), legend.get_title()]
            inside = part.get_window_extent().count_overlaps([legend.get_window_extent()])
            assert not inside or name in OF_NOTHING
    texts += [text for own in axes for text in own.texts if isinstance(text, Annotation)]
    shown = {text for text in texts if text.get_visible() and text.get_text().strip()}
    boxes = {text: Text.get_window_extent(text) for text in shown}
    assert len(boxes) > (6 if name == "time" else 10)  # how many ticks depends on times measured
    for text, box in boxes.items():
        others = [other for its, other in boxes.items() if its is not text]
        assert not box.count_overlaps(others), text
        assert figure.bbox.x0 - 1 <= box.x0 and box.x1 <= figure.bbox.x1 + 1, text
        assert figure.bbox.y0 - 1 <= box.y0 and box.y1 <= figure.bbox.y1 + 1, text


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in OF_RUNS if name != "time"])
def test_the_same_runs_give_the_same_file(name, studies, tmp_path):
    one, two = (
        make_figure(name, some(name, studies), tmp_path / f"{i}.svg").read_bytes() for i in range(2)
    )
    assert one == two


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_RUNS)
def test_proportions_need_no_labels_and_accuracies_say_so(name, unlabelled, tmp_path):
    path = tmp_path / "figure.png"
    if name.startswith("accuracy"):
        words = "labels are needed for certified accuracy, and the run s0"
        with pytest.raises(sc.InvalidInput, match=words):
            make_figure(name, some(name, unlabelled), path)
        assert not path.exists()
    else:
        assert make_figure(name, some(name, unlabelled), path).exists()


@pytest.mark.parametrize("name", ["proportion", "time", "distribution"])
def test_a_log_without_a_tally_says_so_in_its_own_words(name, tmp_path):
    studies = read_studies([write_log(tmp_path / "log")])
    with pytest.raises(sc.MissingEvidence, match="imported log and no tally"):
        make_figure(name, studies, tmp_path / "figure.png")


@pytest.mark.parametrize("name", ["accuracy", "accuracy-sigmas"])
def test_a_log_is_drawn_where_its_expectations_are_enough(name, tmp_path):
    studies = read_studies([write_log(tmp_path / "log")])
    assert make_figure(name, studies, tmp_path / "figure.png").exists()


@pytest.mark.parametrize("name", OF_NOTHING)
def test_a_figure_of_nothing_refuses_runs(name, studies, tmp_path):
    with pytest.raises(sc.InvalidInput, match=f"figure {name} is made of no run, got 3"):
        make_figure(name, studies, tmp_path / "figure.png")


@pytest.mark.parametrize(
    ("name", "runs", "words"),
    [
        ("accuracy", 0, "one run, got none"),
        ("scatter", 2, "one run, got 2"),
        ("distribution", 0, "one run or more, got none"),
        ("sigmas", 1, "two runs or more, got 1"),
    ],
)
def test_the_number_of_runs_must_fit(studies, tmp_path, name, runs, words):
    with pytest.raises(sc.InvalidInput, match=f"figure {name} is made of {words}"):
        make_figure(name, studies[:runs], tmp_path / "figure.png")


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize(("option", "value"), [("kind", "softmax"), ("seed", 3)])
def test_an_option_without_effect_is_refused_and_any_other_taken(
    name, option, value, studies, monkeypatch, tmp_path
):
    path = tmp_path / "figure.png"
    monkeypatch.setattr(saving, "save_figure", lambda figures, *rest, **more: figures)
    if option in FIGURES[name].options:
        assert make_figure(name, some(name, studies), path, **{option: value})
    else:
        with pytest.raises(sc.InvalidInput, match=f"{option} has no effect on the figure {name}"):
            make_figure(name, some(name, studies), path, **{option: value})


@pytest.mark.parametrize("name", FIGURES)
def test_a_noise_is_for_maps_of_the_simplex_alone(name, studies, monkeypatch, tmp_path):
    path, laplace = tmp_path / "figure.png", find_threat("laplace")
    monkeypatch.setattr(saving, "save_figure", lambda figures, *rest, **more: figures)
    if "noise" in FIGURES[name].options:
        assert len(make_figure(name, [], path, threat=laplace)) == 1
    else:
        words = f"noise has no effect on the figure {name}: leave it out, got laplace"
        with pytest.raises(sc.InvalidInput, match=words):
            make_figure(name, some(name, studies), path, threat=laplace)


def test_one_radius_makes_no_map(tmp_path):
    """For mean scores uniform noise has the tight radius alone."""
    for name, words in (("winner", "no regions to draw"), ("ratio", "no ratio to draw")):
        with pytest.raises(sc.KindMismatch, match=words):
            make_figure(name, [], tmp_path / "f.png", kind="softmax", threat=find_threat("uniform"))


@pytest.mark.parametrize(
    "threat", some_slow(example_threats()[1:], 3), ids=lambda threat: threat.noise
)
@pytest.mark.parametrize("name", ["winner", "ratio"])
def test_every_threat_is_drawn_with_its_name(name, threat, monkeypatch, tmp_path):
    (axes,) = drawn(name, [], monkeypatch, tmp_path, threat=threat)
    axes.figure.draw_without_rendering()
    assert axes.get_title("left").startswith(describe_threat(threat))
    if legend := axes.get_legend():  # beside the triangle, not on it
        assert legend.get_window_extent().x0 > axes.get_window_extent().x1


@pytest.mark.slow
def test_the_map_of_threats_has_one_for_every_noise(monkeypatch, tmp_path):
    found, groups = drawn("threats", [], monkeypatch, tmp_path), panels.group_threats()
    assert len(found) == len(groups) > 3
    for axes, (first, *same) in zip(found, groups, strict=True):
        title = " ".join(axes.get_title("left").split())
        assert title.startswith(describe_threat(first))
        assert all(other.noise in title for other in same)
    assert sum(map(len, groups)) == len(example_threats())
    for axes in found:
        assert axes.collections[0].norm.vmin == 0 and axes.collections[0].norm.vmax == 1


def test_an_unknown_figure_is_answered_by_all_there_are(tmp_path):
    with pytest.raises(sc.InvalidInput, match=f"figure must be one of {', '.join(FIGURES)}"):
        make_figure("acuracy", [], tmp_path / "figure.png")


@pytest.mark.parametrize("seed", [-1, 1.5])
def test_a_seed_is_a_whole_number(seed, studies, tmp_path):
    with pytest.raises(sc.InvalidInput, match="seed must be a whole number from 0 on"):
        make_figure("proportion", studies[:1], tmp_path / "figure.png", seed=seed)


@pytest.mark.slow
def test_the_seed_chooses_the_draws(studies, monkeypatch, tmp_path):
    found = []
    for seed in (None, 0, 1):
        with monkeypatch.context() as patch:
            (axes,) = drawn("proportion", studies, patch, tmp_path, seed=seed)
        found.append(np.stack([y for _, y in lines(axes).values()]))
    np.testing.assert_array_equal(found[0], found[1])
    assert (found[1] != found[2]).any()


# Panels


def test_accuracy_has_a_panel_for_each_kind_on_one_scale(studies, monkeypatch, tmp_path):
    left, right = drawn("accuracy", studies, monkeypatch, tmp_path)
    assert left.get_xlim() == right.get_xlim()
    most = max(studies[1].certificates(kind).radius.max() for kind in ("hard", "soft"))
    assert left.get_xlim()[1] > most
    titles = [axes.get_legend().get_title().get_text() for axes in (left, right)]
    assert titles[0].startswith("multinomial\n")
    assert titles[1].startswith("softmax (exploratory)\n")


@pytest.mark.parametrize("name", ["accuracy", "scatter", "ratio"])
def test_kind_leaves_one_panel_of_two(name, studies, monkeypatch, tmp_path):
    monkeypatch.setattr(saving, "save_figure", lambda figures, *rest, **more: len(figures))
    path, runs = tmp_path / "figure.png", some(name, studies)
    assert make_figure(name, runs, path) == 2
    assert (
        make_figure(name, runs, path, kind="hard")
        == make_figure(name, runs, path, kind="soft")
        == 1
    )


@pytest.mark.slow
def test_softmax_stands_left_on_the_simplex_as_in_the_paper(studies, monkeypatch, tmp_path):
    axes = drawn("scatter", studies, monkeypatch, tmp_path)
    kinds = [own.get_legend().get_title().get_text().split()[0] for own in axes]
    assert kinds == ["softmax", "multinomial"]


def test_a_run_of_counts_alone_has_one_panel(monkeypatch, tmp_path):
    studies = read_studies([write_run(tmp_path / "run", softmax=False)])
    monkeypatch.setattr(
        saving, "save_figure", lambda figures, out, size, *rest, **more: (len(figures), size)
    )
    assert make_figure("accuracy", studies, tmp_path / "figure.png") == (1, style.COLUMN)


def names(studies):
    return list(panels.studies_by_legend_name(panels.FigureRequest(studies)))


def test_runs_go_by_their_sigma_unless_named(folders, studies):
    assert names(studies) == [f"$\\sigma$ = {sigma:g}" for sigma in SIGMAS]
    labelled = read_studies(folders, {str(folders[1]): "MACER"})
    assert names(labelled) == ["$\\sigma$ = 0.25", "MACER", "$\\sigma$ = 1"]


def test_runs_of_one_sigma_go_by_their_folders(tmp_path):
    studies = read_studies([write_run(tmp_path / name, 0.5) for name in ("here", "there")])
    assert names(studies) == ["here", "there"]


def test_names_that_mean_something_to_matplotlib_are_shown_as_they_are(
    studies, monkeypatch, tmp_path
):
    odd = ["_hidden", "a $\\frac$ b$", "50 %"]
    renamed = [Study(name, study.run) for name, study in zip(odd, studies, strict=True)]
    (axes,) = drawn("accuracy-sigmas", renamed, monkeypatch, tmp_path)
    shown = {text.get_text() for text in (*axes.get_legend().get_texts(), *axes.texts)}
    assert shown >= {" _hidden", "a \\$\\frac\\$ b\\$", "50 %"}


@pytest.mark.parametrize("name", ["accuracy-sigmas", "improvement", "sigmas", "distribution"])
def test_runs_over_different_inputs_are_drawn_and_said_to_be(name, studies, tmp_path):
    tally = sc.Tally([[90, 5, 4, 1]], sigma=2.0, labels=[0])
    manifest = Manifest(sigma=2.0, inputs=1, classes=4)
    sc.create_run(tmp_path / "short", manifest, tally)
    other = read_studies([tmp_path / "short"])
    shown = make_figure(name, [*studies, *other], tmp_path / "figure.svg").read_text()
    assert "unpaired: different inputs" in shown


def test_shares_of_the_label_are_not_compared_with_those_of_the_top_class(
    studies, unlabelled, tmp_path
):
    with pytest.raises(sc.InvalidInput, match="all have labels or all have none"):
        make_figure("distribution", [studies[0], unlabelled[1]], tmp_path / "figure.png")
