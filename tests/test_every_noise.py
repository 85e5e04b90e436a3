"""Every noise from its draws to its pages: true words, or one sentence that refuses.

A tiny run of each noise goes through certify, table, figure, report, gate, verify, status and
export. Nothing may speak of sigma where the noise has none, and no radius may stand beside one in
another norm.
"""

import csv
import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

import simplicert as sc
from simplicert.metrics.study import Study
from simplicert.noises.words import NORM_WORDS
from simplicert.report.cautions import view_cautions
from simplicert.report.headline import headline_radii, headline_sentences, headline_tiles
from simplicert.report.payload import build_payload
from simplicert.report.provenance import settings_table
from simplicert.report.views import make_views

NET = """
import numpy as np
WEIGHTS = np.random.default_rng(1).normal(size=(36, 3)).astype(np.float32)
def make():
    return lambda batch: batch.reshape(len(batch), -1) @ WEIGHTS
def read():
    score = lambda text: [text.count(letter) + (letter == "a") / 2 for letter in "abc"]
    return lambda texts: np.array([score(text) for text in texts])
"""
FAST = {"batch_size": 64, "device": "cpu"}

# How each noise is drawn, the label of an axis of its radii, and what it is certified against.
CASES = {
    "gaussian": ({"sigma": 0.25}, "certified radius", "l2 perturbations"),
    "laplace": ({"scale": 0.2}, "certified l1 radius", "l1 perturbations"),
    "uniform": ({"scale": 0.5}, "certified l1 radius", "l1 perturbations"),
    "exponential-linf": ({"scale": 0.004}, "certified linf radius", "linf perturbations"),
    "ablation": (
        {"keep": 6, "absent": -1},
        "certified radius: features changed (l0)",
        "changes of at most r features",
    ),
    "splitting": ({"scale": 0.5}, "certified l1 radius", "l1 perturbations"),
    "deletion": ({"rate": 0.9}, "certified radius: edits", "at most r edits"),
    "brightness": ({"sigma": 0.3}, "certified radius: brightness", "one change of brightness"),
    "contrast": ({"sigma": 0.3}, "certified radius: log contrast", "one change of contrast"),
    "shift": ({"sigma": 0.5}, "certified radius: shift (pixels)", "one shift by whole pixels"),
}
NOISE = {  # all but splitting noise, whose draws are all that there are, take a number of them
    noise: settings if noise == "splitting" else {"draws": 300, **settings}
    for noise, (settings, *_) in CASES.items()
}
ONE_RADIUS = {"splitting"}  # noises whose ensemble is two_sided alone, of kind multinomial
each = pytest.mark.parametrize("noise", CASES)
other = pytest.mark.parametrize("noise", [name for name in CASES if name != "gaussian"])


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder with a net, data, and the runs that were drawn so far; numbers are exact."""
    folder = tmp_path_factory.mktemp("noises")
    (folder / "everynoise_net.py").write_text(NET)
    sys.path.insert(0, str(folder))
    from everynoise_net import WEIGHTS

    inputs = np.random.default_rng(0).random((5, 1, 6, 6)).astype(np.float32) / 4
    labels = np.arange(5) % 3
    inputs += 0.5 * (WEIGHTS[:, labels].T > 0).reshape(inputs.shape)  # clearly of their class
    inputs = np.round(inputs * 255) / np.float32(255)  # splitting noise is for bytes
    labels[0] = 2  # and one is mislabelled
    np.savez(folder / "data.npz", inputs=inputs, labels=labels)
    texts = [["abc"[(at % 3)]] * 60 + list("abc") * 5 for at in range(5)]
    lines = zip(texts, labels.tolist(), strict=True)
    text = "".join(json.dumps({"tokens": one, "label": label}) + "\n" for one, label in lines)
    (folder / "texts.jsonl").write_text(text)
    yield folder
    sys.path.remove(str(folder))


@pytest.fixture
def run(home, monkeypatch):
    """The run of a noise, drawn once."""
    monkeypatch.chdir(home)
    return lambda noise, **more: draw(home, noise, **more)


def draw(home, noise, out=None, **more):
    out = home / (out or noise)
    if not out.exists():
        sc.draw(*sources(noise), out=out, noise=noise, **FAST, **NOISE[noise])
    return sc.open_run(out)


def sources(noise):
    """The model and the data of a noise."""
    if noise == "deletion":
        return "everynoise_net:read", "texts.jsonl"
    return "everynoise_net:make", "data.npz"


def read(name):
    with Path(name).open() as file:
        return list(csv.DictReader(file))


def whole(noise):
    return sc.NOISES[noise].whole


def closed(noise):
    return sc.NOISES[noise].closed


@each
def test_certify_says_what_is_certified_and_the_file_reads_back(run, command, noise):
    opened = run(noise)
    code, said, _ = command("certify", noise, "--out", "out.csv")
    assert code == 0
    assert ("sigma" in said) == (sc.NOISES[noise].scale == "sigma")
    certificates = opened.certify()
    assert certificates.closed == closed(noise)
    assert (certificates.radius > 0).any()
    rows = read("out.csv")
    assert [float(row["radius"]) for row in rows] == certificates.radius.tolist()
    threat = {"noise": str(opened.manifest.noise_model), "norm": certificates.known.norm}
    assert ({name: rows[0].get(name) for name in threat} == threat) == (noise != "gaussian")
    if whole(noise):
        assert all(float(row["radius"]).is_integer() for row in rows)
        code, said, _ = command("certify", noise)
        assert " 0.0000 " not in said.split("the first")[1]


@each
def test_accuracy_counts_a_radius_that_covers_its_own_size_only_where_it_does(run, noise):
    certificates = run(noise).certify()
    held = np.sort(certificates.radius[certificates.correct])
    at = float(held[len(held) // 2])
    own = certificates.correct & (certificates.radius == at)
    above = certificates.correct & (certificates.radius > at)
    wanted = int(above.sum() + closed(noise) * own.sum())
    assert own.any()
    assert sc.metrics.certified_accuracy(certificates, at).hits == wanted
    assert sc.metrics.accuracy_curve(certificates, [at]).hits == [wanted]
    assert sc.metrics.make_statement(certificates, at).hits == wanted
    assert sc.metrics.mcnemar_test(certificates, certificates, at).first.hits == wanted
    study = Study(noise, run(noise))
    from simplicert.metrics.gate import check_requirements, parse_requirement

    (check,) = check_requirements(study, [parse_requirement(f"accuracy@{at!r}>=0.5")])
    assert check.value == wanted / 5
    line = sc.figures.certified_accuracy(certificates, Figure().subplots()).lines[-1]
    x, y = line.get_xdata(), line.get_ydata()
    drawn = y[np.searchsorted(x, at)] if closed(noise) else y[np.searchsorted(x, at, "right") - 1]
    ensemble = sc.metrics.certified_accuracy(certificates, at, "ensemble").value
    assert math.isclose(drawn, ensemble)
    assert line.get_drawstyle() == ("steps-pre" if closed(noise) else "steps-post")


@each
def test_tables_name_the_noise_s_own_strength(run, command, noise):
    run(noise)
    heading = {"ablation": "keep", "deletion": "rate"}.get(noise, sc.NOISES[noise].scale)
    for style in ("field", "paper1", "paper2"):
        code, said, error = command("table", noise, "--style", style)
        if style != "field" and noise in ONE_RADIUS:
            assert code == 2 and "no other radius with a proof" in error
            continue
        assert code == 0, said
        headings = {word for line in said.splitlines()[1:3] for word in line.split()}
        assert heading in headings, said
        assert ("sigma" in headings) == (heading == "sigma")
    code, said, _ = command("table", noise, "--format", "csv")
    record = next(csv.DictReader(said.splitlines()))
    assert float(record[heading]) == Study(noise, run(noise)).strength[1]
    assert (record.get("noise") == noise) == (noise != "gaussian")


def test_tables_of_whole_numbers_are_at_whole_numbers(run):
    table = sc.tables.field_table([Study("a", run("ablation"))])
    assert table.headings[:4] == ("run", "keep", "0", "1")
    assert table.title == "Certified accuracy in percent at radius: features changed (l0) >= r"
    small = sc.tables.field_table([Study("a", run("exponential-linf"))])
    assert 0 < float(small.headings[3]) < 0.01


@each
def test_softmax_tables_compare_or_refuse(run, noise):
    study = Study(noise, run(noise))
    options = sc.tables.TableOptions(kind="softmax")
    if noise == "splitting":
        with pytest.raises(sc.SimplicertError, match=r"kind must be multinomial|softmax"):
            sc.tables.field_table([study], options)
        return
    members = sc.mechanisms.threats.ensemble_members(study.certificates("softmax").known)
    for make in (sc.tables.paper1_table, sc.tables.paper2_table):
        if members == ("two_sided",):
            with pytest.raises(sc.InvalidInput, match="no other radius with a proof for softmax"):
                make([study], options)
        else:
            assert make([study], options).rows
    assert sc.tables.field_table([study], options).rows


@each
def test_figures_label_their_axes(run, noise):
    certificates = run(noise).certify()
    axes = sc.figures.certified_accuracy(certificates, Figure().subplots())
    assert axes.get_xlabel() == CASES[noise][1]
    note = axes.get_legend().get_title().get_text()
    assert (r"$\sigma$ = 0.25" in note) == (noise == "gaussian")
    assert (f"{noise} noise" in note.replace("\n", " ")) == (noise != "gaussian")
    both = sc.figures.accuracy_of_runs({"mine": certificates}, Figure().subplots())
    assert both.get_xlabel() == CASES[noise][1]
    sc.figures.share_improved({"mine": certificates}, Figure().subplots())
    growth = {300: certificates}
    label = sc.figures.certified_proportion(growth, Figure().subplots()).get_ylabel()
    least = ">= 1" if whole(noise) else ">= 0.05" if closed(noise) else "> 0.05"
    assert label.endswith(least)


@pytest.mark.slow
@each
def test_figures_are_written(run, command, noise):
    run(noise)
    for name in ("accuracy", "scatter", "distribution", "proportion", "time", "improvement"):
        kind = () if name in ("distribution", "proportion", "time") else ("--kind", "multinomial")
        code, _, said = command("figure", name, noise, "--out", f"{name}.svg", *kind)
        refused = noise == "splitting" and name in ("proportion", "time", "improvement")
        assert code == (2 if refused else 0), said
    code, _, said = command("figure", "sigmas", noise, noise, "--label", f"{noise}=a")
    assert code == 2 and "Traceback" not in said


@each
def test_the_page_s_words(run, noise):
    (view, *_) = make_views([Study(noise, run(noise))])
    radii = headline_radii([view])
    said = " ".join(headline_sentences(view, radii))
    assert CASES[noise][2] in said
    words = [said, *view_cautions(view), *(tile.label for tile in headline_tiles(view))]
    rows = dict(settings_table(view).rows[:3])
    everything = " ".join([*words, *rows])
    assert ("sigma" in everything) == (sc.NOISES[noise].scale == "sigma")
    assert ("radius of at least r" in said) == closed(noise)
    assert ("not covered" in said) == (noise in ("brightness", "contrast"))
    assert rows.get("noise", "gaussian") == noise
    if whole(noise):
        assert all(float(radius).is_integer() for radius in radii)
        assert dict((tile.label, tile.value) for tile in headline_tiles(view))[
            f"largest {CASES[noise][1].removeprefix('certified ')}"
        ] == str(int(view.radius.max()))


def test_a_class_without_a_single_change_is_still_certified_on_the_page(run, home):
    counts = np.array([[200, 100, 0], [101, 99, 100], [290, 10, 0]])
    model = sc.NoiseModel("ablation", size=36, keep=12, absent=-1.0)
    tally = sc.Tally(counts, noise=model, labels=[0, 0, 0])
    settings = sc.Manifest(sigma=1.0, inputs=3, classes=3, noise=model.record(), format=3)
    study = Study("by-hand", sc.create_run(home / "by-hand", settings, tally))
    (view,) = make_views([study])
    certificates = study.certificates()
    assert certificates.radius.tolist() == [0.0, 0.0, 1.0]
    assert view.abstained.tolist() == certificates.abstained.tolist() == [False, True, False]
    assert view.correct.tolist() == [True, False, True]
    table = sc.tables.field_table([study])
    assert table.rows[0][2:4] == ("66.6", "33.3")
    legend = sc.figures.scatter_on_simplex(certificates, Figure().subplots()).get_legend()
    assert "radius 0: 1" in [text.get_text() for text in legend.get_texts()]


@pytest.mark.slow
@each
def test_the_page_is_written_with_the_noise_s_own_map(run, command, noise):
    study = Study(noise, run(noise))
    content = build_payload(make_views([study]), None, None)
    (view, *_) = content["views"]
    assert (view["closed"], view["whole"]) == (closed(noise), whole(noise))
    assert view["axis"].split(": ")[-1] in (
        *(words.quantity for words in NORM_WORDS.values()),
        f"{CASES[noise][1].removeprefix('certified ')} r, in units of the input",
    )
    title = content["simplex"]["threats"][view["threat"]]["title"]
    assert title.startswith(f"{noise} noise")
    assert command("report", noise, "--out", "page.html")[0] == 0
    text = Path("page.html").read_text().split('type="application/json"')[0]
    assert CASES[noise][2] in text
    assert ("sigma" in text) == (sc.NOISES[noise].scale == "sigma")
    assert ("alone can prove" in text) == (noise != "exponential-linf")


@each
def test_the_gate_speaks_of_the_threat(run, command, noise):
    run(noise)
    code, said, _ = command("gate", noise, "--require", "accuracy@0>=0.1")
    assert code == 0
    sentence = next(line for line in said.splitlines() if line.startswith("With 99 %"))
    assert ("everywhere within" in sentence) == (CASES[noise][2].endswith("perturbations"))
    assert ("l2" in sentence) == (noise == "gaussian")
    code, said, _ = command("gate", noise, "--require", "accuracy@0>=0.1", "--baseline", noise)
    assert code == 0 and "2 of 2 requirements hold" in said


@each
def test_verify_recomputes_replays_and_finds_a_forged_radius(run, command, noise):
    run(noise)
    model, data = sources(noise)
    again = ("--model", model, "--data", data, "--replay", "1")
    for name, asked in (("kept.csv", again), ("kept.parquet", ())):
        assert command("certify", noise, "--out", name)[0] == 0
        code, said, _ = command("verify", noise, "--certificates", name, *asked)
        assert code == 0, said
        assert "rows follow from the tallies bit for bit" in said
        assert ("draws come again bit for bit" in said) == bool(asked)
    rows = read("kept.csv")
    at = max(range(len(rows)), key=lambda row: float(rows[row]["radius"]))
    for column in {"radius", "two_sided", "noise", "norm"} & set(rows[at]):
        before = rows[at][column]
        rows[at][column] = f"{before}x" if column[0] == "n" else str(float(before) + 1)
        with Path("forged.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        code, said, _ = command("verify", noise, "--certificates", "forged.csv")
        assert code == 1 and "WRONG" in said, column
        rows[at][column] = before


@each
def test_status_works_and_a_log_is_of_gaussian_noise_alone(run, command, noise):
    run(noise)
    code, said, _ = command("status", noise)
    assert code == 0 and "5 of 5 inputs done" in said and "sigma" not in said
    code, said, error = command("export", "cohen", noise)
    if noise == "gaussian":
        assert code == 0 and said.startswith("idx\tlabel")
    else:
        assert code == 2 and noise in error and len(error.splitlines()) == 1


@each
def test_a_run_that_was_interrupted_is_the_same_run(run, home, noise):
    whole_run, heard = run(noise), []
    arguments = {"out": home / f"{noise}-twice", "noise": noise, **FAST, **NOISE[noise]}
    first = sc.draw(
        *sources(noise),
        **arguments,
        report=lambda progress: heard.append(progress.draws),
        stop=lambda: max(heard, default=0) > 500,
    )
    assert not first.complete and 0 < first.run.missing < 5
    second = sc.draw(*sources(noise), **arguments)
    assert second.complete and second.run.tally() == whole_run.tally()


@other
def test_tallies_of_different_noise_do_not_add(run, noise):
    mine, usual = run(noise).tally(), run("gaussian").tally()
    with pytest.raises(sc.IncompatibleTallies, match=r"noise|sigma"):
        mine + usual


def test_radii_in_two_norms_share_nothing(run, command):
    """Tables, figures, pages, gates: each names both norms in one sentence."""
    for noise in ("gaussian", "laplace", "ablation"):
        run(noise)
    for words in (
        ("table", "gaussian", "laplace"),
        ("table", "gaussian", "laplace", "--style", "paper1"),
        ("table", "gaussian", "laplace", "--style", "paper2"),
        ("table", "gaussian", "laplace", "--style", "pairs"),
        ("figure", "accuracy-sigmas", "gaussian", "laplace"),
        ("figure", "improvement", "gaussian", "laplace"),
        ("figure", "sigmas", "gaussian", "laplace"),
        ("report", "gaussian", "laplace"),
        ("gate", "laplace", "--require", "accuracy@0>=0", "--baseline", "gaussian"),
    ):
        code, _, said = command(*words)
        assert code == 2, words
        assert "l2 (" in said and "l1 (" in said and len(said.splitlines()) == 1, said
    code, _, said = command("table", "laplace", "ablation", "--norm", "l1")
    assert code == 2 and "norm must be one that ablation noise certifies (l0), got 'l1'" in said


def test_runs_of_one_norm_and_several_noises_are_compared(run, command):
    studies = [Study(name, run(name), norm="l1") for name in ("gaussian", "laplace", "uniform")]
    table = sc.tables.field_table(studies)
    assert table.headings[1] == "noise"
    assert table.rows[-1][0] == "best noise"
    assert [row[1] for row in table.rows if row[1]] == [
        "gaussian sigma 0.25",
        "laplace scale 0.2",
        "uniform scale 0.5",
    ]
    code, said, _ = command("table", "laplace", "uniform", "--style", "pairs")
    assert code == 0 and "drawn under different noises" in said
    with pytest.raises(sc.InvalidInput, match="runs must have one ensemble"):
        sc.tables.paper1_table(studies)
    code, said, _ = command(
        "gate", "laplace", "--require", "accuracy@0>=0", "--baseline", "uniform"
    )
    assert code in (0, 1) and "in units of the input, l1 norm" in said


def test_accuracy_at_a_radius_counts_what_each_noise_promises_there(run):
    """Splitting noise covers changes of exactly its radius, Laplace noise does not."""
    studies = [Study(name, run(name)) for name in ("laplace", "splitting")]
    sides = [study.certificates() for study in studies]
    at = sorted({0.0, *(float(r) for side in sides for r in side.radius)})
    options = sc.tables.TableOptions(radii=tuple(at), intervals=False)
    table = sc.tables.field_table(studies, options)
    assert table.title == "Certified accuracy in percent at l1 radius r"
    assert "radius > r, and under splitting noise >= r" in "\n".join(table.notes)
    for side, row in zip(sides, table.rows, strict=False):
        covered = np.less_equal if side.closed else np.less
        wanted = [int((side.correct & covered(r, side.radius)).sum()) for r in at]
        assert [round(float(cell) / 100 * len(side)) for cell in row[2 : 2 + len(at)]] == wanted
    pairs = sc.tables.pairs_table(studies, options)
    assert [row[0] for row in pairs.rows[:-1]] == [f"r = {r:g}" for r in at]
    assert [row[1:3] for row in pairs.rows[:-1]] == list(
        zip(table.rows[0][2 : 2 + len(at)], table.rows[1][2 : 2 + len(at)], strict=True)
    )


def test_closed_and_open_radii_share_no_figure_of_radii_and_no_paper_table(run):
    studies = [Study(name, run(name)) for name in ("laplace", "splitting")]
    for make in (sc.tables.paper1_table, sc.tables.paper2_table):
        with pytest.raises(sc.InvalidInput, match=r"splitting.*exactly their size and laplace"):
            make(studies)


def test_gaussian_radii_in_other_norms_are_certified_written_and_verified(run, command, home):
    opened = run("gaussian")
    usual, l1, linf = (opened.certify(norm=norm) for norm in (None, "l1", "linf"))
    assert not l1.exploratory and not linf.exploratory
    assert np.array_equal(l1.radius, usual.radius)
    assert np.all(linf.radius <= usual.radius / 6) and np.allclose(linf.radius, usual.radius / 6)
    assert str(linf.known.noise) == "gaussian, size 36" and l1.known.norm == "l1"
    with pytest.raises(sc.InvalidInput, match="size must be 36, the features of the inputs"):
        opened.certify(norm="linf", size=9)
    code, said, _ = command("certify", "gaussian", "--norm", "linf", "--out", "linf.csv")
    assert code == 0 and "linf norm" in said
    text = (home / "linf.csv").read_text()
    assert text.splitlines()[0].endswith("grid,noise,norm")
    code, said, _ = command("verify", "gaussian", "--certificates", "linf.csv")
    assert code == 0 and "norm linf" in said, said
    for before, after in (("size 36", "size 9"), (",linf\n", ",l1\n")):
        (home / "forged.csv").write_text(text.replace(before, after))
        assert command("verify", "gaussian", "--certificates", "forged.csv")[0] == 1
    code, said, _ = command("gate", "gaussian", "--require", "accuracy@0>=0", "--norm", "linf")
    assert code == 0 and "everywhere within linf distance 0" in said


def test_a_tally_without_a_recorded_shape_needs_a_size(home, run):
    run("gaussian")
    settings = sc.Manifest(sigma=0.5, inputs=1, classes=3)
    bare = sc.create_run(home / "bare", settings, sc.Tally([[990, 8, 2]], 0.5, labels=[0]))
    with pytest.raises(sc.InvalidInput, match="size must be given for gaussian noise"):
        bare.certify(norm="linf")
    assert bare.certify(norm="linf", size=4).radius[0] <= bare.certify().radius[0] / 2
    known = sc.bound(bare.tally())
    assert sc.certify(known, norm="linf", size=4).known.noise.size == 4
    with pytest.raises(sc.InvalidInput, match="size has no meaning for norm l1"):
        bare.certify(norm="l1", size=4)


@other
def test_the_script_without_the_package_refuses_what_it_cannot_prove(run, home, noise):
    import runpy

    certificates = home / "alone.csv"
    sc.write_certificates(run(noise).certify(), certificates)
    script = runpy.run_path(str(Path(__file__).parents[1] / "verify.py"))
    with pytest.raises(ValueError, match="another noise or norm than Gaussian and l2"):
        script["read_table"](certificates)
