"""docs/imagenet.md: whole runs are taken in as they come, and the page says which are missing."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest
from figured import INPUTS, write_run
from scipy.special import ndtri

import simplicert as sc

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "experiments" / "tiny-imagenet"


@pytest.fixture(scope="module")
def tiny():
    """The module, which shares its name with that of another experiment."""
    spec = importlib.util.spec_from_file_location("tiny_paper", FOLDER / "paper.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two whole runs and one that lacks an input; the others are not there."""
    folder = tmp_path_factory.mktemp("runs")
    for sigma in ("1", "3"):
        write_run(folder / f"sigma-{sigma}", float(sigma) / 7)
    write_run(folder / "sigma-4", 4 / 7)
    begun = (folder / "sigma-4" / "run.toml").read_text()
    more = begun.replace(f"inputs = {INPUTS}", f"inputs = {INPUTS + 1}")
    assert more != begun
    (folder / "sigma-4" / "run.toml").write_text(more)
    return folder


def test_what_is_there_is_taken(tiny, runs):
    held = tiny.read_runs(runs)
    assert list(held) == ["1", "3"]
    made = tiny.make_tables(held)
    assert list(made) == ["table-1", "table-2", "table-1-correct", "table-2-correct"]
    found = tiny.measure_runs(held, made)
    for sigma in ("1", "3"):
        # the radius at the input is the paper's sigma times the radius at sigma 1
        e0 = sc.open_run(runs / f"sigma-{sigma}").certify().known.e0
        unit = float(sigma) * ndtri(np.maximum(np.nan_to_num(e0), 0.5))
        own = found[sigma]["all"]["table_1"]
        assert own["cohen_median"] == pytest.approx(float(np.median(unit)), rel=1e-6)
        assert own["sensitivity"] == pytest.approx(1 / 7)
        assert found[sigma]["correct"]["table_1"]["inputs"] < own["inputs"] == INPUTS
        assert found[sigma]["all"]["table_2"]["column"] == "ensemble"


def test_the_page_says_what_is_missing(tiny, runs):
    held = tiny.read_runs(runs)
    made = tiny.make_tables(held)
    figures = set(tiny.list_figures(held))
    page = tiny.write_page(tiny.measure_runs(held, made), made, figures)
    assert "Of Tiny ImageNet, sigma 0.25, 0.5, 2, 4, 5 is not there yet" in page
    assert page.count("not drawn yet") == 5
    assert page.count("| Tiny ImageNet, correct |") == 4  # a row of each sigma in both tables
    linked = set(re.findall(r"\]\(imagenet/([^)]+)\.png\)", page))
    assert linked == figures and {"sigmas", "sigmas-correct", "scatter-1", "scatter-3"} <= figures
    assert "natively 64 x 64" in page and "`1e59a6f`" in page and "`4f7a519`" in page
    assert "sha256" in page and "alpha .01" in page


def test_a_run_at_another_sigma_is_refused(tiny, tmp_path):
    write_run(tmp_path / "sigma-2", 2.0)
    with pytest.raises(SystemExit, match=r"must be drawn at sigma 2 / 7, and is at 2$"):
        tiny.read_runs(tmp_path)


def test_rows_of_a_thousand_classes_are_taken_when_they_are_whole(tiny, tmp_path):
    assert tiny.list_thousand(tmp_path) == []
    write_run(tmp_path / "efficientnet-denoised", 0.12)
    ((words, sigma, draws, certified, top1, *cells),) = tiny.list_thousand(tmp_path)
    certs = sc.open_run(tmp_path / "efficientnet-denoised").certify()
    assert words.endswith("behind a denoiser") and sigma == "0.12"
    assert int(draws) == certs.to_frame()["draws"].min()
    assert certified == f"{int((~certs.abstained).sum())} of {INPUTS}"
    assert float(top1) == pytest.approx(
        (certs.to_frame()["top"] == certs.to_frame()["label"]).mean(), abs=0.005
    )
    unit = 0.12 * ndtri(np.maximum(np.nan_to_num(certs.known.e0), 0.5))
    assert float(cells[0]) == pytest.approx(float(np.median(unit)), abs=0.001)
    begun = (tmp_path / "efficientnet-denoised" / "run.toml").read_text()
    more = begun.replace(f"inputs = {INPUTS}", f"inputs = {INPUTS + 1}")
    (tmp_path / "efficientnet-denoised" / "run.toml").write_text(more)
    assert tiny.list_thousand(tmp_path) == []


@pytest.mark.slow
def test_the_committed_page_is_what_the_runs_say(tiny):
    held = tiny.read_runs(tiny.RUNS)
    made = tiny.make_tables(held)
    figures = set(tiny.list_figures(held))
    page = tiny.write_page(tiny.measure_runs(held, made), made, figures)
    assert page == tiny.PAGE.read_text(), "make paper"
    assert figures == {path.stem for path in tiny.FIGURES.glob("*.png")}


def test_the_papers_row_is_what_it_prints(tiny):
    row = tiny.read_paper_row("1")
    assert (row["top1"], row["cohen_median"], row["li_largest"]) == (0.43, 1.57, 0.06)
    assert (row["improved_dp_above_0.05"], row["ensemble_median"]) == (0.98, 1.59)
