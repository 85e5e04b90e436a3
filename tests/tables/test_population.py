"""Tables and figures over the correct inputs, against plain arithmetic on the certificates' rows.

`frame` is what `simplicert certify` writes; its rows with `correct` are the population. A figure or
table that took another set of inputs, or divided by another number, would differ from it.
"""

import numpy as np
import pytest
from figured import lines, new_axes, step_at, write_attacks, write_run

import simplicert as sc
from simplicert.figures import FIGURES, make_figure, saving, style
from simplicert.metrics import read_studies
from simplicert.tables import TableOptions, make_table

SIGMAS = (0.5, 1.0)
NAMES = ("cohen", "li", "improved_dp", "ensemble", "two_sided")
CORRECT = TableOptions(population="correct")


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Two runs, in which some inputs are wrong and some are abstained on."""
    folder = tmp_path_factory.mktemp("runs")
    return [write_attacks(write_run(folder / f"sigma-{sigma:g}", sigma)) for sigma in SIGMAS]


@pytest.fixture(scope="module")
def studies(folders):
    return read_studies(folders)


@pytest.fixture(scope="module")
def frames(studies):
    """The rows that are certified as their label."""
    whole = [study.certificates().to_frame() for study in studies]
    kept = [frame[frame["correct"].astype(bool)] for frame in whole]
    assert all(0 < len(part) < len(frame) for part, frame in zip(kept, whole, strict=True))
    return kept


def test_table_1(studies, frames):
    grid = make_table(studies, "paper1", CORRECT)
    assert grid.title.endswith(", correct inputs alone")
    for record, frame in zip(grid.records, frames, strict=True):
        assert (record["population"], record["inputs"]) == ("correct", len(frame))
        for name in NAMES:
            assert record[f"{name}_median"] == frame[name].median()
            assert record[f"{name}_above_0.05"] == (frame[name] > 0.05).mean()
        for name in NAMES[:3]:
            assert record[f"{name}_largest"] == (frame["winner"] == name).mean()


def test_table_2(studies, frames):
    grid = make_table(studies, "paper2", CORRECT)
    assert grid.title.endswith(", correct inputs alone")
    assert ("correct", 3) in grid.spans
    records = [record for record in grid.records if record["column"] == "ensemble"]
    for record, frame in zip(records, frames, strict=True):
        gain = frame["ensemble"] - frame["cohen"]
        live = frame["cohen"] > 0
        assert record["inputs"] == len(frame)
        assert record["improved"] == pytest.approx((gain > 1e-12).mean(), abs=1e-15)
        assert record["median"] == pytest.approx(gain.median(), abs=1e-12)
        percent = 100 * (frame["ensemble"] / frame["cohen"] - 1)[live]
        assert record["mean_percent"] == pytest.approx(percent.mean(), abs=1e-9)


def test_the_title_of_a_table_of_all_inputs_is_what_it_was(studies):
    for name in ("field", "paper1", "paper2"):
        plain, asked = (
            make_table(studies, name, TableOptions(population=over)) for over in (None, "all")
        )
        assert plain == asked and "alone" not in plain.title


def drawn(name, studies, monkeypatch, tmp_path, **options):
    """The axes of a figure, which is drawn and not written."""
    monkeypatch.setattr(
        saving, "save_figure", lambda figures, *rest, **more: [draw(new_axes()) for draw in figures]
    )
    return make_figure(name, studies, tmp_path / "figure.svg", **options)


def title(axes):
    return axes.get_legend().get_title().get_text()


def test_accuracy(studies, frames, monkeypatch, tmp_path):
    options = {"population": "correct", "kind": "multinomial"}
    (axes,) = drawn("accuracy", studies[:1], monkeypatch, tmp_path, **options)
    places = np.linspace(0, 1.5, 31)
    found = lines(axes)
    for name in NAMES:
        line = found[style.mechanism_style(name).name]
        wanted = [(frames[0][name] > at).mean() for at in places]
        np.testing.assert_allclose(step_at(line, places), wanted)
    assert f"correct inputs alone ({len(frames[0])})" in title(axes)


def test_the_papers_own_columns(studies, frames, monkeypatch, tmp_path):
    options = {"population": "correct", "columns": ["improved_dp", "ensemble"]}
    (axes,) = drawn("accuracy-sigmas", studies, monkeypatch, tmp_path, **options)
    shown = [text.get_text() for text in axes.get_legend().get_texts()]
    assert shown[:2] == ["improved DP", "ensemble"]
    lines_ = [line for line in axes.get_lines() if len(line.get_xdata())]
    assert [line.get_linestyle() for line in lines_] == ["-", "-", "--", "--"]
    places = np.linspace(0, 1.5, 31)
    for line, (name, frame) in zip(
        lines_, [(name, f) for name in options["columns"] for f in frames], strict=True
    ):
        wanted = [(frame[name] > at).mean() for at in places]
        np.testing.assert_allclose(step_at(line.get_data(), places), wanted)


@pytest.mark.slow
def test_scatter(studies, frames, monkeypatch, tmp_path):
    options = {"population": "correct", "kind": "multinomial"}
    (axes,) = drawn("scatter", studies[:1], monkeypatch, tmp_path, **options)
    shown = dict(text.get_text().split(": ") for text in axes.get_legend().get_texts())
    for name, count in frames[0]["winner"].value_counts().items():
        assert shown[style.mechanism_style(name).name] == str(count)
    assert "abstained" not in shown


def test_improvement_and_medians(studies, frames, monkeypatch, tmp_path):
    options = {"population": "correct", "kind": "multinomial"}
    with monkeypatch.context() as patch:
        (axes,) = drawn("improvement", studies, patch, tmp_path, **options)
    first = next(line for line in axes.get_lines() if len(line.get_xdata()))
    gain = frames[0]["two_sided"] > frames[0]["cohen"] * 1.1
    np.testing.assert_allclose(step_at(first.get_data(), [10.0]), gain.mean())
    with monkeypatch.context() as patch:
        medians, _ = drawn("sigmas", studies, patch, tmp_path, population="correct")
    values = lines(medians)["Cohen"][1]
    np.testing.assert_allclose(values, [frame["cohen"].median() for frame in frames])
    sizes = sorted({len(frame) for frame in frames})
    many = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    assert f"correct inputs alone ({many})" in title(medians)


def test_distribution_proportion_and_attack(studies, frames, monkeypatch, tmp_path):
    with monkeypatch.context() as patch:
        left, _ = drawn("distribution", studies[:1], patch, tmp_path, population="correct")
    tally = studies[0].tally
    own = tally.counts[np.arange(len(tally)), tally.labels] / tally.draws
    kept = own[frames[0]["index"].to_numpy()]
    line = left.get_lines()[-1].get_data()
    np.testing.assert_allclose(step_at(line, [0.7]), (kept > 0.7).mean())
    with monkeypatch.context() as patch:
        (axes,) = drawn("proportion", studies[:1], patch, tmp_path, population="correct")
    draws, shares = lines(axes)["Cohen"]
    assert draws[-1] == tally.draws.min()
    assert shares[-1] == pytest.approx((frames[0]["cohen"] > 0.05).mean())
    assert shares[0] <= shares[-1] and f"({len(frames[0])})" in title(axes)
    with monkeypatch.context() as patch:
        (axes,) = drawn("attack", studies[:1], patch, tmp_path, population="correct")
    counted = [text.get_text().split(": ") for text in axes.get_legend().get_texts()[1:]]
    assert sum(int(words[-1]) for words in counted) == len(frames[0])


@pytest.mark.parametrize("name", [name for name, row in FIGURES.items() if row.runs[1] != 0])
def test_what_has_no_labels_is_refused(name, tmp_path):
    runs = [write_run(tmp_path / f"s{sigma}", sigma, labels=False) for sigma in SIGMAS]
    few = read_studies(runs)[: FIGURES[name].runs[1] or 2]
    words = (
        "labels are needed for population correct, and the run s0.5 has none"
        if "population" in FIGURES[name].options
        else f"population has no effect on the figure {name}"
    )
    with pytest.raises(sc.InvalidInput, match=words):
        make_figure(name, few, tmp_path / "f.png", population="correct")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"population": "wrong"}, "population must be one of all, correct, got 'wrong'"),
        ({"columns": ["li", "li"]}, "columns must be one to 4 different names"),
        ({"columns": []}, "columns must be one to 4 different names .* got none"),
        ({"columns": ["li", "mine"]}, "column mine is not among those of run sigma-0.5"),
    ],
)
def test_odd_options_are_refused(options, words, studies, tmp_path):
    with pytest.raises(sc.InvalidInput, match=words):
        make_figure("accuracy-sigmas", studies, tmp_path / "f.png", **options)


def test_columns_are_for_one_figure(studies, tmp_path):
    with pytest.raises(sc.InvalidInput, match="columns has no effect on the figure improvement"):
        make_figure("improvement", studies, tmp_path / "f.png", columns=["li"])


def test_on_the_command_line(folders, command, tmp_path):
    out = tmp_path / "f.svg"
    words = ("--columns", "improved_dp, ensemble", "--population", "correct", "--out", out)
    code, said, err = command("figure", "accuracy-sigmas", *folders, *words)
    assert (code, err) == (0, "") and out.exists()
    code, said, err = command("figure", "time", folders[0], "--population", "correct")
    assert (code, said) == (2, "") and "population has no effect on the figure time" in err
