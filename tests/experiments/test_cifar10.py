"""docs/experiments.md and the tables are what the committed tallies say."""

import filecmp
import json
import re
from pathlib import Path

import pytest
from figured import INPUTS, write_run

import simplicert as sc
from simplicert.tables import FORMATS, Grid

ROOT = Path(__file__).parents[2]
RUNS = ROOT / "experiments" / "cifar10" / "runs"
PAGE = ROOT / "docs" / "experiments.md"


@pytest.mark.slow
def test_the_page_and_the_tables(paper):
    """Regenerated, they are the committed ones, letter for letter."""
    held = paper.studies()
    made = paper.tables(held)
    for name, grid in made.items():
        for ending, words in (("md", "markdown"), ("tex", "latex"), ("csv", "csv")):
            text = (paper.TABLES / f"{name}.{ending}").read_text()
            assert FORMATS[words](grid) == text, name
    found = paper.rounded(paper.numbers(held))
    assert json.dumps(found, indent=1) + "\n" == (paper.HERE / "findings.json").read_text()
    assert paper.page(found, made) == PAGE.read_text()


@pytest.mark.slow
def test_the_ensemble_improves_more_inputs_as_sigma_grows():
    """As in the paper's Table 2."""
    shares = []
    for sigma in ("0.12", "0.25", "0.5", "1"):
        made = sc.open_run(RUNS / f"sigma-{sigma}").certify()
        shares.append((made.column("ensemble") > made.column("cohen") * (1 + 1e-12)).mean())
    assert shares == sorted(shares) and shares[-1] > shares[0]


def test_more_sigmas_are_taken_in_when_they_are_whole(paper, tmp_path):
    """Sigma 2 is there, sigma 4 lacks an input, and 8 was never begun."""
    for sigma in ("2", "4"):
        write_run(tmp_path / f"sigma-{sigma}", float(sigma))
    path = tmp_path / "sigma-4" / "run.toml"
    path.write_text(path.read_text().replace(f"inputs = {INPUTS}", f"inputs = {INPUTS + 1}"))
    held = {f"sigma-{s}": paper.findings.study(tmp_path, f"sigma-{s}") for s in ("2", "4")}
    assert [one.name for one in paper.whole_runs(held, ("2", "4", "8"))] == ["sigma-2"]


def test_the_page_takes_in_more_sigmas(paper):
    """Sigma 2 has rows in both tables and a sentence; sigma 4 is still said to be missing."""
    made = {}
    for ending in paper.POPULATIONS.values():
        for number in "12":
            one, two, long = (
                table_row(number, run, sigma)
                for run, sigma in (("sigma-1", "1"), ("sigma-2", "2"), (paper.LONG, "1"))
            )
            name, record = f"table-{number}", {"inputs": 7, "draws_min": 50}
            made[f"{name}{ending}"] = Grid("", (), [one, two], records=(record, record))
            made[f"{name}-long{ending}"] = Grid("", (), [one, long], records=(record, record))
    found = json.loads((paper.HERE / "findings.json").read_text())
    found |= {"more": [found["gaussian"][-1] | {"sigma": 2.0}], "absent": ["4"]}
    text = paper.page(found, made)
    assert "Sigma 4 is not drawn yet" in text and "At sigma 2, which the paper does not" in text
    for over in ("all 7", "7 correct"):
        assert text.count(f"| CIFAR-10, {over} inputs | 2 |") == 2
        assert text.count(f"| CIFAR-10, {over} inputs, n = 50 | 1 |") == 2
    assert "scatter-2-correct.png" in text


def table_row(number, run, sigma):
    """The cells of one run in Table 1 or 2, all of them 0."""
    if number == "1":
        return (run, sigma, *("0",) * 14)
    return (run, "cifar10", sigma, "ensemble", *("0",) * 11)


def test_numbers_are_kept_with_nine_digits(paper):
    assert paper.rounded({1: [0.1234567891234, (2, "a", None)]}) == {
        "1": [0.123456789, [2, "a", None]]
    }


def test_every_picture_is_there():
    linked = re.findall(r"\]\((experiments/[^)]+\.png)\)", PAGE.read_text())
    assert linked and all((PAGE.parent / path).is_file() for path in linked)
    shown = {Path(path).name for path in linked}
    assert shown == {path.name for path in (PAGE.parent / "experiments").glob("*.png")}


@pytest.mark.slow
def test_a_figure_drawn_twice_is_the_same_file(paper, tmp_path):
    held = [paper.findings.study(RUNS, "sigma-0.25")]
    for name in ("one", "two"):
        paper.make_figure("scatter", held, tmp_path / f"{name}.png", kind="multinomial")
    assert filecmp.cmp(tmp_path / "one.png", tmp_path / "two.png", shallow=False)


@pytest.mark.slow
def test_recertified_in_one_command(command, tmp_path):
    """The command of the page, with another alpha: more inputs pass, from the same draws."""
    words = re.search(r"simplicert (certify .*--alpha \S+) --out", PAGE.read_text())
    assert words is not None
    name, run, *options = words[1].split()
    code, _, err = command(name, ROOT / run, *options, "--out", tmp_path / "c.csv")
    assert code == 0, err
    lines = (tmp_path / "c.csv").read_text().splitlines()
    assert len(lines) == 501
    assert certified(lines) > certified_by_default(tmp_path, command, ROOT / run)


def certified(lines):
    header = lines[0].split(",")
    return sum(float(line.split(",")[header.index("radius")] or 0) > 0 for line in lines[1:])


def certified_by_default(place, command, run):
    command("certify", run, "--out", place / "d.csv")
    return certified((place / "d.csv").read_text().splitlines())


@pytest.mark.parametrize("path", sorted(RUNS.glob("*/run.toml")), ids=lambda path: path.parent.name)
def test_runs_were_made_by_the_networks_that_ship(path):
    """The fingerprint in the run is that of the zoo's weights of today."""
    run = sc.open_run(path.parent)
    name = run.manifest.made["model"]
    if name.startswith("denoised:"):  # the names of a denoiser and of the classifier behind it
        denoiser, classifier = name.removeprefix("denoised:").split("@")
        model = sc.models.load_model(f"denoised:zoo:{denoiser}@zoo:{classifier}")
    else:
        model = sc.models.load_model(f"zoo:{name}")
    assert run.manifest.source["model_fingerprint"] == model.fingerprint
