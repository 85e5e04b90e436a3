"""A log that bounds the top class alone is no evidence about mechanisms, wherever it is shown."""

import json
import re
from html import unescape

import numpy as np
import pytest

import simplicert as sc
from simplicert.figures.catalogue import FIGURES, make_figure
from simplicert.metrics.study import (
    columns_to_show,
    compares_mechanisms,
    explain_no_comparison,
    read_studies,
)
from simplicert.report import report_page
from simplicert.store import Manifest

REASON = "the log bounds the top class alone, so no mechanism can improve on Cohen's radius"
HEADER = "idx\tlabel\tpredict\tradius\tcorrect\ttime"


def log_text(reach, seed=0, inputs=40):
    """A log as Cohen's tool prints it."""
    random = np.random.default_rng(seed)
    lines = [HEADER]
    for item in range(inputs):
        label, predict = random.integers(0, 3), random.integers(-1, 3)
        radius = 0.0 if predict < 0 else random.uniform(0.01, reach)
        lines.append(f"{item}\t{label}\t{predict}\t{radius:.3}\t{int(label == predict)}\t0:00:01")
    return "\n".join(lines) + "\n"


@pytest.fixture
def log(command, tmp_path):
    return imported(command, tmp_path, "log", 0.9, 0.25)


def imported(command, place, name, reach, sigma):
    (place / f"{name}.tsv").write_text(log_text(reach))
    words = ["--sigma", sigma, "--draws", 100_000, "--out", place / name]
    assert command("import", "cohen", place / f"{name}.tsv", *words)[0] == 0
    return place / name


@pytest.fixture
def drawn(tmp_path):
    """A run of our own on the same inputs and labels."""
    lines = [line.split("\t") for line in log_text(0.9).splitlines()[1:]]
    labels = np.array([int(line[1]) for line in lines])
    counts = np.random.default_rng(1).multinomial(1000, [0.6, 0.3, 0.1], len(labels))
    tally = sc.Tally(counts, 0.25, labels=labels, plan=sc.Plan((1000,)))
    sc.create_run(tmp_path / "own", Manifest(0.25, len(labels), 3, plan=tally.plan), tally)
    return tmp_path / "own"


@pytest.mark.slow
def test_one_place_decides(log, drawn):
    theirs, ours = sc.open_run(log).certify(), sc.open_run(drawn).certify()
    assert not compares_mechanisms(theirs) and explain_no_comparison(theirs) == REASON
    assert columns_to_show(theirs) == ("cohen",) and len(theirs.columns) > 1
    assert columns_to_show(sc.open_run(log).certify(mechanisms="two_sided")) == ("two_sided",)
    assert compares_mechanisms(ours) and columns_to_show(ours) == ours.columns
    assert explain_no_comparison(ours) == ""
    one_bound = sc.open_run(drawn).certify(method="one_sided")
    assert columns_to_show(one_bound) == ("cohen",)
    assert explain_no_comparison(one_bound).startswith(
        "method one_sided bounds the top class alone"
    )


def test_certify_shows_one_radius_and_the_reason(command, log, tmp_path):
    code, out, _ = command("certify", log, "--out", tmp_path / "c.csv")
    assert code == 0 and REASON in out
    assert "largest" not in out and "ensemble" not in out and "two_sided" not in out


def test_every_style_of_table_says_so_or_refuses(command, log, drawn):
    for words in (["field"], ["pairs", drawn], ["paper1"]):
        code, out, _ = command("table", log, *words[1:], "--style", words[0])
        assert code == 0 and out.count(REASON) == 1
    code, out, err = command("table", log, "--style", "paper2")
    assert (code, out) == (2, "")
    assert f"style paper2 compares mechanisms, and run log cannot: {REASON}" in err


def test_gate_and_status_say_so(command, log):
    _, out, _ = command("gate", log, "--require", "accuracy@0>=0")
    assert f"{REASON[0].upper()}{REASON[1:]}." in out and "own account of the log" in out
    found = json.loads(command("gate", log, "--require", "accuracy@0>=0", "--json")[1])
    assert found["remarks"] == [REASON] and found["statements"][0]["imported"]
    code, out, _ = command("status", log)
    assert code == 0 and "there is nothing to draw" in out and out.endswith(f"{REASON}\n")
    assert json.loads(command("status", log, "--json")[1])["mechanisms"] == REASON


def lines_of(name, folders, monkeypatch, tmp_path):
    """The labels of all lines that a figure draws, its legend's title, and how many lines."""
    from simplicert.figures import saving

    seen = {}

    def look(panels, out, *rest, **more):
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots()
        for panel in panels:
            panel(axes)
        seen["lines"] = [line for line in axes.lines if len(line.get_xdata())]
        seen["title"] = " ".join(axes.get_legend().get_title().get_text().split())
        plt.close(figure)
        return out

    monkeypatch.setattr(saving, "save_figure", look)
    make_figure(name, read_studies(folders), tmp_path / "f.png")
    return seen["lines"], seen["title"].replace("\n", " ")


def test_figures_draw_one_curve(command, log, monkeypatch, tmp_path):
    lines, title = lines_of("accuracy", [log], monkeypatch, tmp_path)
    assert len(lines) == 1 and REASON in title
    other = imported(command, tmp_path, "other", 1.8, 0.5)
    lines, title = lines_of("accuracy-sigmas", [log, other], monkeypatch, tmp_path)
    assert len(lines) == 2 and REASON in title


def test_figures_keep_both_curves_of_our_own_run(log, drawn, monkeypatch, tmp_path):
    lines, title = lines_of("accuracy-sigmas", [log, drawn], monkeypatch, tmp_path)
    assert len(lines) == 3 and REASON in title


@pytest.mark.parametrize("name", ["improvement", "scatter", "sigmas"])
def test_figures_about_mechanisms_refuse(command, log, tmp_path, name):
    runs = [log] if FIGURES[name].runs != (2, None) else [log, None]
    if None in runs:
        runs[1] = imported(command, tmp_path, "other", 1.8, 0.5)
    code, _, err = command("figure", name, *runs, "--out", tmp_path / "f.png")
    assert code == 2 and "compares mechanisms, and run log cannot" in err and REASON in err
    assert not (tmp_path / "f.png").exists()


@pytest.mark.slow
def test_the_report_shows_one_column(log, drawn):
    page = unescape(report_page(read_studies([log, drawn]), images=False))
    assert f"{REASON[0].upper()}{REASON[1:]}." in page
    held = re.search(r'type="application/json" id="payload">(.*?)</script>', page, re.DOTALL)[1]
    views = json.loads(held)["views"]
    assert views[0]["columns"] == ["cohen"] and not views[0]["compares"]
    assert len(views[1]["columns"]) > 3 and views[1]["compares"]
    assert f"log: {REASON}" in page  # below the table side by side
