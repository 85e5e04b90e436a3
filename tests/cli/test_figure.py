"""`simplicert figure` as a user types it, and docs/figures.md as a user reads it."""

import re
import shlex
from pathlib import Path

import pytest
from figured import INPUTS, write_run

import simplicert as sc
from simplicert.figures import FIGURES
from simplicert.figures.catalogue import check_runs_and_options
from simplicert.glossary import FIGURES as SENTENCES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "figures.md").read_text()
LARGEST = 150_000  # bytes of a picture in the documents


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("figure")
    return [write_run(folder / f"sigma-{sigma:g}", sigma) for sigma in (0.25, 1.0)]


def test_a_figure_is_written_and_named(command, runs, tmp_path):
    path = tmp_path / "accuracy.pdf"
    assert command("figure", "accuracy", runs[0], "--out", path) == (0, f"wrote {path}\n", "")
    assert path.read_bytes().startswith(b"%PDF")


def test_without_out_it_goes_by_its_name(command, runs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = command("figure", "distribution", *runs)
    assert (code, out) == (0, "wrote distribution.png\n")
    assert (tmp_path / "distribution.png").exists()


def test_labels_stand_in_the_legend(command, runs, tmp_path):
    path = tmp_path / "figure.svg"
    words = ("figure", "accuracy-sigmas", *runs, "--label", f"{runs[0]}=MACER", "--out", path)
    assert command(*words)[0] == 0
    assert ">MACER</text>" in path.read_text()


def test_dots_make_the_picture_larger(command, runs, tmp_path):
    from matplotlib.image import imread

    shapes = []
    for dpi in (60, 120):
        path = tmp_path / f"{dpi}.png"
        assert command("figure", "process", "--dpi", dpi, "--out", path)[0] == 0
        shapes.append(imread(path).shape)
    assert shapes[1][0] == pytest.approx(2 * shapes[0][0], abs=3)


def test_an_incomplete_run_is_drawn_and_said_to_be(command, tmp_path):
    run = write_run(tmp_path / "run")
    manifest = run / "run.toml"
    manifest.write_text(manifest.read_text().replace(f"inputs = {INPUTS}", "inputs = 30"))
    code, _, err = command("figure", "accuracy", run, "--out", tmp_path / "f.png")
    assert code == 0
    assert err == "simplicert: incomplete: run (sigma 0.5): 6 of 30 inputs are missing\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("acuracy",),
            f"figure must be one of {', '.join(FIGURES)}, got 'acuracy'; did you mean accuracy?",
        ),
        (("scater", "nowhere"), "got 'scater'; did you mean scatter?"),
        (("process", "RUN"), "figure process is made of no run, got 1"),
        (("accuracy",), "figure accuracy is made of one run, got none"),
        (("sigmas", "RUN"), "figure sigmas is made of two runs or more, got 1"),
        (("process", "--kind", "soft"), "kind has no effect on the figure process"),
        (("accuracy", "RUN", "--kind", "loud"), "kind must be one of multinomial"),
        (("accuracy", "RUN", "--seed", "1"), "seed has no effect on the figure accuracy"),
        (("accuracy", "RUN", "--dpi", "5"), "dpi must lie in 50..1200, got 5"),
        (("accuracy", "nowhere"), "run must be a folder that exists, got 'nowhere'"),
        (("accuracy", "RUN", "--label", "other=x"), "label must name a run that is given"),
        (("process", "--label", "other=x"), "label must name a run that is given"),
        (("accuracy", "RUN", "--label", "x"), "label must be RUN=name, got 'x'"),
        (("process", "--out", "f.gif"), "must be one of .png, .pdf, .svg, got '.gif'"),
        (("process", "--out", "no/f.png"), "out must lie in a folder that exists"),
        (("accuracy", "RUN", "--out", "RUN/f.png"), "out must not lie inside a run"),
    ],
)
def test_what_cannot_be_is_one_sentence_and_no_file(
    command, runs, tmp_path, monkeypatch, words, sentence
):
    monkeypatch.chdir(tmp_path)
    typed = [word.replace("RUN", str(runs[0])) for word in words]
    code, out, err = command("figure", *typed)
    assert (code, out) == (2, "")
    assert err.startswith("simplicert: ") and err.count("\n") == 1
    assert sentence in err
    assert not list(tmp_path.iterdir())


def test_the_help_lists_every_figure_under_the_runs_it_takes(command):
    """The help has them in the order of the table."""
    code, out, _ = command("figure", "--help")
    assert code == 0
    listed = re.findall(r"^\W*- ([a-z-]+): ", out, flags=re.M)
    assert sorted(listed) == sorted(FIGURES)
    headings = re.split(r"(Without a run|Of one run|Of one run or more|Of two runs or more):", out)
    taken = dict(zip(headings[1::2], headings[2::2], strict=True))
    wanted = {(0, 0): "Without a run", (1, 1): "Of one run", (1, None): "Of one run or more"}
    for name, row in FIGURES.items():
        held = " ".join(taken[wanted.get(row.runs, "Of two runs or more")].split())
        assert f"- {name}: {SENTENCES[name]}" in held  # the glossary's, word for word


# docs/figures.md


def sections():
    """Return the section of the page for each figure."""
    parts = re.split(r"^## (.+)$", PAGE, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def commands(text):
    return re.findall(r"^simplicert figure .+$", text, flags=re.M)


def test_the_page_shows_every_figure_in_the_order_of_the_table():
    assert [name for name in sections() if name in FIGURES] == list(FIGURES)


@pytest.mark.parametrize("name", FIGURES)
def test_a_section_has_the_papers_labels_a_command_and_its_picture(name):
    text = sections()[name]
    for label in FIGURES[name].labels:
        assert f"`{label}`" in text
    (line,) = commands(text)
    given = parsed(line)
    assert given["name"] == name
    picture = ROOT / given["out"]
    assert picture.is_file() and picture.parent == ROOT / "docs" / "figures"
    assert picture.stat().st_size <= LARGEST
    assert f"](figures/{picture.name})" in text


def test_figures_of_other_noises_have_their_pictures():
    text = sections()["Other noises"]
    for line in commands(text):
        given = parsed(line)
        assert (ROOT / given["out"]).is_file() and given["noise"] != "gaussian"
        assert f"](figures/{Path(given['out']).name})" in text


def parsed(line):
    """Parse the words of a command as the command does, with the same refusals."""
    from typer.main import get_command

    from simplicert.cli import app

    figure = get_command(app).commands["figure"]
    given = figure.make_context("figure", shlex.split(line)[2:]).params
    options = {name: given[name] for name in ("kind", "seed")}
    options["noise"] = None if given["noise"] == "gaussian" else given["noise"]
    check_runs_and_options(given["name"], FIGURES[given["name"]], len(given["runs"] or []), options)
    return given


def test_a_command_that_is_not_one_is_noticed():
    with pytest.raises(sc.InvalidInput):
        parsed("simplicert figure accuracy --out docs/figures/accuracy.png")


@pytest.mark.slow
def test_the_python_lines_run(runs, tmp_path, monkeypatch):
    (block,) = re.findall(r"```python\n(.+?)```", PAGE, flags=re.S)
    monkeypatch.chdir(tmp_path)
    exec(block.replace("demo/runs/sigma-0.5", str(runs[0])), {})
    assert (tmp_path / "mine.pdf").read_bytes().startswith(b"%PDF")


def test_no_picture_is_left_over():
    used = set(re.findall(r"\]\(figures/([^)]+)\)", PAGE))
    assert used == {path.name for path in (ROOT / "docs" / "figures").iterdir()}
