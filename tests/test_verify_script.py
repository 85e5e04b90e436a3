"""verify.py, the stand-alone checker: it accepts what is ours and catches what was altered."""

import ast
import csv
import importlib.util
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow
import pytest
from counting import CountedNumber, count_comparisons
from hostile import put_part
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mpf
from pyarrow import parquet
from scipy.stats import binom

import simplicert as sc
from simplicert.bounds import binomial
from simplicert.store.compaction import compact_run
from simplicert.store.manifest import Manifest
from simplicert.store.parts import write_part

SCRIPT = Path(__file__).parent.parent / "verify.py"
SPEC = importlib.util.spec_from_file_location("verify_script", SCRIPT)
script = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(script)

SIGMA = 1.0
INPUTS = 26


@pytest.fixture(scope="module")
def tally():
    """Digits drawn a thousand times, by the nearest mean of the others."""
    from sklearn.datasets import load_digits

    data = load_digits()
    inputs, labels = data.images.reshape(-1, 64).astype(np.float32) / 16, data.target
    means = np.array(
        [inputs[INPUTS:][labels[INPUTS:] == digit].mean(axis=0) for digit in range(10)]
    )
    return sc.sample(
        lambda batch: 2 * batch @ means.T - (means**2).sum(axis=1),
        inputs[:INPUTS],
        SIGMA,
        1000,
        labels=labels[:INPUTS],
        pilot=50,
        batch_size=250,
    )


def written(certificates, path):
    sc.write_certificates(certificates, path)
    return path


@pytest.fixture(scope="module")
def certified(tally):
    """The certificates of each kind."""
    return {kind: sc.certify(sc.bound(tally, kind=kind)) for kind in ("multinomial", "softmax")}


@pytest.fixture(params=["multinomial", "softmax"])
def file(request, certified, tmp_path):
    return written(certified[request.param], tmp_path / "c.csv")


@pytest.fixture
def counted(certified, tmp_path):
    return written(certified["multinomial"], tmp_path / "c.csv")


def complaints(path, run=None):
    return script.check(path, run)[0]


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def rewrite(path, change):
    """Apply `change` to every row; the inputs of the rows that it says it changed."""
    rows = rows_of(path)
    changed = [row["index"] for row in rows if change(row)]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    assert changed
    return changed


def mechanisms(row):
    names = list(row)
    return names[names.index("e1") + 1 : names.index("ensemble")]


def test_it_stands_alone():
    tree = ast.parse(SCRIPT.read_text())
    modules = {alias.name for n in ast.walk(tree) if isinstance(n, ast.Import) for alias in n.names}
    modules |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {m.partition(".")[0] for m in modules} - sys.stdlib_module_names == {"mpmath", "pyarrow"}
    top = {m.module for m in tree.body if isinstance(m, ast.ImportFrom)}
    top |= {alias.name for m in tree.body if isinstance(m, ast.Import) for alias in m.names}
    assert top - sys.stdlib_module_names == {"mpmath"}  # pyarrow is asked for inside, for a run


@pytest.mark.slow
def test_it_accepts_ours(file):
    wrong, said, _ = script.check(file, None)
    assert wrong == []
    issued = sum(row["abstained"] == "False" for row in rows_of(file))
    assert 5 < issued < INPUTS
    assert f"{issued} of {INPUTS} inputs certified" in said[0]
    assert f"{issued} of two_sided" in said[2]
    if rows_of(file)[0]["kind"] == "multinomial":
        assert f"{issued} of {issued} pairs are limits of their counts" in said[1]


@pytest.mark.parametrize(
    "settings",
    [
        {"scheme": "paper"},
        {"scheme": "split"},
        {"scheme": "split", "method": "one_sided"},
        {"method": "one_sided"},
        {"scheme": "joint"},
        {"alpha": 0.05},
        {"alpha": 1e-9},
        {"kind": "softmax", "scheme": "paper"},
        {"kind": "softmax", "scheme": "split", "method": "hoeffding"},
    ],
    ids=str,
)
def test_it_accepts_every_scheme(tally, tmp_path, settings):
    wrong, said, _ = script.check(
        written(sc.certify(sc.bound(tally, **settings)), tmp_path / "c.csv"), None
    )
    assert wrong == []
    if settings.get("scheme") == "paper" and "kind" not in settings:
        assert "proved level 0.003" in said[1]


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 3, 50])
@pytest.mark.parametrize("draws", [20, 999, 100_000])
def test_it_accepts_counts_of_all_sizes(tmp_path, classes, draws):
    random = np.random.default_rng(classes * draws)
    shares = random.dirichlet(np.full(classes, 0.3), 30)
    counts = np.array([random.multinomial(draws, share) for share in shares])
    counts[:3] = 0
    counts[:3, 1] = draws
    certificates = sc.certify(sc.bound(sc.Tally(counts, 0.7), alpha=0.01))
    assert complaints(written(certificates, tmp_path / "c.csv")) == []


def raised(row, name):
    """One radius raised by a millionth, and whatever rests on it with it."""
    if row["abstained"] == "True" or not float(row[name] or 0):
        return False
    row[name] = repr(float(row[name]) * (1 + 1e-6))
    radii = {each: float(row[each]) for each in mechanisms(row) if row[each]}
    members = {each: radii[each] for each in script.ENSEMBLE[row["kind"]]}
    row["winner"] = max(members, key=members.get)
    row["ensemble"] = repr(members[row["winner"]])
    row["radius"] = repr(max(radii.values()))
    return True


@pytest.mark.parametrize("name", script.PROOFS)
def test_it_catches_a_radius_raised_by_a_millionth(file, name):
    if name not in rows_of(file)[0]:
        assert "softmax" in file.read_text()
        return
    changed = rewrite(file, lambda row: raised(row, name))
    assert [index for index, reason in complaints(file) if f"{name} = " in reason] == changed


def swapped(row):
    row["e0"], row["e1"] = row["e1"], row["e0"]
    return row["abstained"] == "False"


def one_draw_more(row):
    row["draws"] = str(int(row["draws"]) + 1)
    return row["abstained"] == "False"


def lower_alpha(row):
    row["alpha"] = "0.0009"
    return row["abstained"] == "False"


def tighter(name, step):
    """A bound moved by a ten-thousandth of the way; radii as they were."""

    def change(row):
        if row["abstained"] == "True":
            return False
        row[name] = repr(float(row[name]) * (1 + step))
        return True

    return change


def test_it_catches_swapped_bounds(file):
    changed = rewrite(file, swapped)
    assert {index for index, _ in complaints(file)} == set(changed)


@pytest.mark.parametrize(
    "change",
    [one_draw_more, lower_alpha, tighter("e0", 1e-4), tighter("e1", -1e-4)],
    ids=["draws", "alpha", "e0", "e1"],
)
def test_it_catches_altered_evidence(counted, change):
    """By luck a number within 2e-4 of a tail may fit a count: all but a few are caught."""
    changed = rewrite(counted, change)
    caught = {index for index, reason in complaints(counted)}
    assert len(caught) >= len(changed) - 1
    assert caught <= set(changed)


def test_one_scheme_does_not_pass_for_another(tally, tmp_path):
    path = written(sc.certify(sc.bound(tally, scheme="paper")), tmp_path / "c.csv")
    rewrite(path, lambda row: row.update(scheme="gated") or True)
    assert len(complaints(path)) > 10


def test_one_bound_alone_is_another_method(tally, tmp_path):
    """Cohen's radius is then larger, and which of both to take was to be declared beforehand."""
    certificates = sc.certify(sc.bound(tally, method="one_sided"))
    path = written(certificates, tmp_path / "c.csv")
    assert complaints(path) == []
    rewrite(path, lambda row: row.update(method="clopper_pearson") or True)
    assert len(complaints(path)) == (~certificates.abstained).sum() > 5


def test_cdf_of_kind_multinomial(counted):
    lines = [line.split(",") for line in counted.read_text().splitlines()]
    at = lines[0].index("ensemble")
    for line in lines:
        line.insert(at, "cdf" if line is lines[0] else "0.0")
    counted.write_text("".join(",".join(line) + "\n" for line in lines))
    assert {reason for _, reason in complaints(counted)} == {
        "cdf has no proof for kind multinomial"
    }


def test_lipschitz_is_held_to_the_constant_of_the_run(tally, tmp_path):
    """Without run.toml the column is not checked; radii above what its constant allows are seen."""
    steep = replace(tally, lipschitz=0.05, segments=None)
    manifest = Manifest(SIGMA, INPUTS, 10, kind="softmax", plan=tally.plan)
    run = sc.create_run(tmp_path / "run", manifest, steep)
    path = written(run.certify(), tmp_path / "c.csv")
    told = script.check(path, None)
    assert told[0] == [] and any("have lipschitz from the tallies" in line for line in told[1])
    wrong, said, _ = script.check(path, tmp_path / "run" / "run.toml")
    assert wrong == [] and any("0.05 of the scores" in line for line in said)
    text = (tmp_path / "run" / "run.toml").read_text()
    for before, after, words in (
        ("lipschitz = 0.05", "lipschitz = 0.06", "does not follow from the constant"),
        ("lipschitz = 0.05", "", "none"),
        ("lipschitz = 0.05", "lipschitz = 0.05\ngrid = 0.5", "no proof on a grid"),
        ("autocast = false", "autocast = true", "in half precision"),
        ('outputs = "logits"', 'outputs = "probabilities"', "without logits"),
    ):
        assert before in text
        (tmp_path / "run" / "run.toml").write_text(text.replace(before, after))
        found = script.check(path, tmp_path / "run" / "run.toml")[0]
        assert any(words in reason for _, reason in found)


def test_limits_that_are_right_but_did_not_pass_the_gate():
    """Between the two thresholds: E0 > E1, and yet too little to choose the class by."""
    n, alpha, way = 1000, 0.01, script.PAIR
    found = set()
    for wins in range(440, 520):
        rival = 400
        e0 = binomial.clopper_pearson_lower(wins, n, 0.45 * alpha)[0]
        e1 = binomial.clopper_pearson_upper(rival, n, 0.45 * alpha)
        if e0 > e1:
            gate = binom.sf(wins - 1, wins + rival, 0.5) <= 0.05 * alpha
            reason = script.bounds_wrong(way, n, mpf(alpha), mpf(float(e0)), mpf(float(e1)))
            assert reason == (None if gate else f"{wins} against 400 draws do not pass the gate")
            found.add(bool(gate))
    assert found == {True, False}


def given_a_radius(name):
    def change(row):
        if row["abstained"] == "True":
            row[name] = {"predicted": row["top"], "winner": "li"}.get(name, "0.5")
            return True
        return False

    return change


@pytest.mark.parametrize("name", ["radius", "two_sided", "predicted", "e0", "winner"])
def test_it_catches_an_abstained_row_that_promises(file, name):
    changed = rewrite(file, given_a_radius(name))
    found = complaints(file)
    assert {index for index, reason in found if "abstained" in reason} == set(changed)


@pytest.mark.parametrize(
    "column, value, says",
    [
        ("predicted", "", "no class or no radius is promised"),
        ("radius", "9.0", "radius is not the largest of the radii"),
        ("ensemble", "0.0", "ensemble or winner"),
        ("winner", "lecuyer", "ensemble or winner"),
        ("label", "11", "correct is not whether"),
    ],
)
def test_it_catches_columns_that_contradict_each_other(counted, column, value, says):
    def change(row):
        if row["abstained"] == "False" and row["correct"] == "True":
            row[column] = value
            return True
        return False

    changed = rewrite(counted, change)
    assert {index for index, reason in complaints(counted) if says in reason} == set(changed)


def test_a_mechanism_without_a_proof_for_softmax(tally, tmp_path):
    path = written(sc.certify(sc.bound(tally)), tmp_path / "c.csv")
    rewrite(path, lambda row: row.update(kind="softmax") or True)
    reasons = {reason.split(" = ")[0] for _, reason in complaints(path)}
    assert {"cohen", "li"} <= reasons
    assert "two_sided" not in reasons


@pytest.mark.slow
def test_looks_need_the_plan(tally, tmp_path):
    plan = sc.Plan((500, 1000), (0.25, 0.5), rule="rtol=0.1")
    planned = sc.Tally(tally.counts, SIGMA, plan=plan)
    path = written(sc.certify(sc.bound(planned)), tmp_path / "c.csv")
    wrong, said, _ = script.check(path, None)
    assert (wrong, "--run must say" in said[1]) == ([], True)
    toml = tmp_path / "run.toml"
    settings = f"sigma = 1.0\ninputs = {INPUTS}\n[plan]\n"
    toml.write_text(settings + "looks = [500, 1000]\nweights = [0.25, 0.5]\noffered = 1.5\n")
    rewrite(path, lambda row: row.update(level="0.0015") or True)
    wrong, said, _ = script.check(path, toml)
    assert wrong == []
    assert "proved level 0.0015" in said[1]
    toml.write_text(settings + "looks = [500, 1000]\nweights = [0.5, 0.4]\n")
    assert len(complaints(path, toml)) > 10
    toml.write_text(settings + "looks = [500]\nweights = [0.5]\n")
    assert "at no look of the plan" in str(complaints(path, toml))


def test_the_tail_of_a_binomial_is_that_of_scipy():
    for n, p, k in [
        (10, 0.3, 4),
        (10, 0.3, 2),
        (9, 0.5, 0),
        (9, 0.5, 9),
        (1000, 0.5, 560),
        (100_000, 1e-4, 25),
        (100_000, 0.9, 90_300),
    ]:
        total = script.tail(n, mpf(p), 1 - mpf(p), k)
        assert float(total) == pytest.approx(binom.sf(k - 1, n, p), rel=1e-9)


def run(*words):
    return subprocess.run(
        [sys.executable, SCRIPT, *map(str, words)], capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_as_a_program(counted, tmp_path):
    done = run(counted)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("no complaint\n")
    changed = rewrite(counted, swapped)
    done = run(counted)
    assert done.returncode == 1
    assert f"WRONG  input {changed[0]}: e0 must be above e1" in done.stdout


@pytest.mark.parametrize(
    "content",
    ["", "a,b\n1,2\n", "index,e0,e1,ensemble\n1,2,3,4\n", "\x00", "index,e1,ensemble\n1\n"],
)
def test_what_is_no_file_of_certificates(tmp_path, content):
    path = tmp_path / "c.csv"
    path.write_text(content)
    done = run(path)
    assert done.returncode == 2
    assert "cannot be read as certificates" in done.stderr
    assert "Traceback" not in done.stderr


def test_settings_that_change_and_inputs_that_come_twice(counted):
    text = counted.read_text()
    rewrite(counted, lambda row: row["index"] == "3" and row.update(alpha="0.01") is None)
    with pytest.raises(ValueError, match="alpha changes from row to row"):
        complaints(counted)
    counted.write_text(text + text.splitlines()[3] + "\n")
    with pytest.raises(ValueError, match="an input comes twice"):
        complaints(counted)


def older(path):
    """The file as it was written before there were the last six columns."""
    rows = rows_of(path)
    names = [name for name in rows[0] if name not in script.LAST]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, names, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_older_files_are_what_they_were(counted):
    wrong, said, whole = script.check(older(counted), None)
    assert (wrong, whole) == ([], True)
    assert "pairs are limits of whole counts" in said[1]
    rewrite(counted, tighter("e0", 1e-4))
    assert "is the limit of no whole count" in str(complaints(counted))


@pytest.mark.slow
def test_what_needs_the_tallies_is_no_exit_code_zero(tally, tmp_path):
    for settings in ({"kind": "softmax"}, {"scheme": "joint"}):
        path = written(sc.certify(sc.bound(tally, **settings)), tmp_path / "c.csv")
        done = run(path)
        assert done.returncode == 3, done.stdout
        assert done.stdout.endswith("no complaint, but not all was checked\n")


SPELLINGS = ["false", " False", "0", "inf", "nan", "-1.0", "-0.5", "1e999", "00", "+1", "1_0", "x"]
SPELLINGS += ["9" * 200_000, '"1"', "\u0661"]


@pytest.mark.parametrize("spelling", SPELLINGS, ids=lambda s: s[:9])
def test_strict_grammar_of_every_cell(counted, spelling):
    """One cell of one row, in every column: refused or complained about, and never a traceback.

    Another input, or another label of a wrong answer, contradicts nothing in the file: only the
    run can tell.
    """
    rows = rows_of(counted)
    names = list(rows[0])
    at = next(i for i, row in enumerate(rows) if row["abstained"] == "False" and i) + 1
    lines = counted.read_text().split("\n")
    for place, name in enumerate(names):
        cells = lines[at].split(",")
        if cells[place] == spelling:
            continue
        cells[place] = spelling
        changed = [*lines[:at], ",".join(cells), *lines[at + 1 :]]
        counted.write_text("\n".join(changed), encoding="utf-8")
        try:
            found = complaints(counted)
        except ValueError:
            continue
        honest = spelling == "0" and name in {"index", "label"}
        assert found or honest, name


@pytest.mark.slow
@pytest.mark.parametrize("lost", ["li", "cohen", "improved_dp"])
def test_an_ensemble_is_proved_where_its_mechanism_is_not_there(counted, lost):
    """Dropped, a member could be claimed to be anything."""
    rows = rows_of(counted)
    names = [name for name in rows[0] if name != lost]

    def keep(rows):
        with counted.open("w", newline="") as file:
            writer = csv.DictWriter(file, names, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)

    keep(rows)
    assert complaints(counted) == []
    for row in rows:
        if row["abstained"] == "False":
            row.update(ensemble="99.0", radius="99.0", winner=lost)
    keep(rows)
    said = [reason for _, reason in complaints(counted)]
    assert sum("ensemble = 99.0 does not follow" in reason for reason in said) > 10
    for there in {"li", "cohen", "improved_dp"} - {lost}:  # its own radius is a smaller one
        for row in rows:
            row["winner"] = row["winner"] and there
        keep(rows)
        said = [reason for _, reason in complaints(counted)]
        assert sum("ensemble = 99.0 does not follow" in reason for reason in said) > 10


def test_an_ensemble_on_an_abstained_row(counted):
    def change(row):
        if row["abstained"] == "True":
            row["ensemble"] = "0.5"
            return True
        return False

    changed = rewrite(counted, change)
    found = {index for index, reason in complaints(counted) if "it abstained" in reason}
    assert found == set(changed)


def test_columns_in_another_order_or_number(counted):
    text = counted.read_text()
    rows = [line.split(",") for line in text.split("\n")[:-1]]
    at = rows[0].index
    orders = [
        list(range(len(rows[0])))[::-1],
        [i for i in range(len(rows[0])) if i != at("cohen")] + [at("cohen")],
        [*range(len(rows[0])), at("radius")],
        [i for i in range(len(rows[0])) if i != at("level")],
        [i for i in range(len(rows[0])) if i != at("e0")],
    ]
    for order in orders:
        lines = "".join(",".join(row[i] for i in order) + "\n" for row in rows)
        counted.write_text(lines)
        with pytest.raises(ValueError, match="columns are not those"):
            complaints(counted)
    for name in ("", "Mine", "my mine", "cohen", "scheme"):
        counted.write_text(text.replace("two_sided", name, 1))
        with pytest.raises(ValueError, match="columns are not those"):
            complaints(counted)


@pytest.mark.slow
def test_a_mechanism_that_is_not_here_is_proved_by_two_sided(tally, tmp_path):
    def half(e0, e1):
        return sc.radius("two_sided", e0, e1) / 2

    for kind in ("multinomial", "softmax"):
        known = sc.bound(tally, kind=kind)
        path = written(sc.certify(known, {"mine": half}), tmp_path / "c.csv")
        wrong, said, _ = script.check(path, None)
        assert wrong == [] and "of mine" in said[2]
        changed = rewrite(path, lambda row: row["abstained"] == "False" and doubled(row, "mine"))
        found = [index for index, reason in complaints(path) if "mine = " in reason]
        assert found == changed


def doubled(row, name):
    """A radius above the limit of all that (e0, e1) proves."""
    row[name] = row["radius"] = repr(2.01 * float(row[name]))
    return True


@pytest.mark.slow
@pytest.mark.parametrize("factor", [10.0, 1 + 1e-6])
def test_sigma_and_radii_times_ten_are_not_the_run_s(tally, tmp_path, factor):
    """The table agrees with itself; sigma is the run's word, and so are counts and draws."""
    made = Manifest(SIGMA, INPUTS, 10, source={"seed": 0}, plan=tally.plan)
    folder = sc.create_run(tmp_path / "run", made, tally).folder
    path = written(sc.certify(sc.bound(tally)), tmp_path / "c.csv")
    wrong, said, whole = script.check(path, folder / "run.toml")
    assert (wrong, whole) == ([], True)
    assert said[-1] == "run: settings and counts were held to it"

    def change(row):
        for name in ("sigma", "radius", "ensemble", *mechanisms(row)):
            row[name] = repr(float(row[name]) * factor * (1 - 1e-15))
        return True

    rewrite(path, change)
    assert "sigma is" in str(complaints(path, folder / "run.toml"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "column, change, says",
    [
        ("alpha", lambda v: "0.5", "alpha is 0.5, and the run declares 0.001"),
        ("scheme", lambda v: "paper", "scheme is paper, and the run declares 'gated'"),
        ("method", lambda v: "one_sided", "method is one_sided"),
        ("sensitivity", lambda v: "0.5", "sensitivity is 0.5, and the run declares 1.0"),
        ("grid", lambda v: "0.25", "grid is 0.25, and the run declares ''"),
        ("draws", lambda v: str(int(v) - 1), "the run holds 1000 draws"),
        ("count_top", lambda v: str(int(v) + 1), "the run counts"),
        ("count_second", lambda v: str(max(int(v) - 1, 0)), "the run counts"),
        ("top", lambda v: str((int(v) + 1) % 10), "top is not the class"),
        ("index", lambda v: str(int(v) + 1), "the run does not hold this input"),
        ("label", lambda v: str((int(v) + 1) % 10), "and the run's another"),
    ],
)
def test_every_setting_and_count_is_compared_with_the_run(tally, tmp_path, column, change, says):
    made = Manifest(SIGMA, INPUTS, 10, source={"seed": 0}, plan=tally.plan)
    folder = sc.create_run(tmp_path / "run", made, tally).folder
    path = written(sc.certify(sc.bound(tally)), tmp_path / "c.csv")
    rewrite(path, lambda row: row.update({column: change(row[column])}) or True)
    assert says in str(complaints(path, folder / "run.toml"))


@pytest.mark.parametrize(
    "lines, says",
    [
        ('[noise]\nname = "uniform"\nsize = 64\n', "the run declares 'uniform'"),
        ('[source]\nnoise_scale = "0f"\n', "'gaussian', a share of sigma for each feature"),
        ("", None),
    ],
)
def test_a_file_without_its_norm_is_not_gaussian(tmp_path, lines, says):
    """Radii of another noise must not pass as Gaussian ones because two columns are cut off."""
    path = written(sc.certify(sc.bound(sc.Tally([[990, 7, 3]], SIGMA))), tmp_path / "c.csv")
    toml = tmp_path / "run.toml"
    toml.write_text(f"sigma = {SIGMA}\ninputs = 1\nclasses = 3\n{lines}")
    wrong = complaints(path, toml)
    assert says in str(wrong) if says else wrong == []


@pytest.mark.slow
def test_runs_of_every_scheme_are_read_right(tally, tmp_path):
    """A pilot, votes, counts: all by the checker's own reading of the parts."""
    made = Manifest(SIGMA, INPUTS, 10, source={"seed": 0})
    for settings in ({"scheme": "split"}, {"kind": "softmax"}, {"scheme": "joint"}, {}):
        manifest = replace(made, **settings)
        folder = tmp_path / "-".join(["run", *settings.values()])
        run_of = sc.create_run(folder, manifest, replace(tally, plan=None, looks=None))
        path = written(run_of.certify(), tmp_path / "c.csv")
        assert complaints(path, folder / "run.toml") == []
        rewrite(path, lambda row: row.update(count_top=str(int(row["count_top"]) + 1)) or True)
        assert len(complaints(path, folder / "run.toml")) >= INPUTS


def test_draws_of_two_parts_that_overlap_count_once(tmp_path):
    """Certificates of 1500 draws, 500 of which are counted twice, are not those of the run."""
    counts, spans = np.array([[495, 3, 2], [990, 6, 4]]), ([[0, 0, 0, 500]], [[0, 0, 0, 1000]])
    short, long = (sc.Tally(counts[k : k + 1], SIGMA, index=[0], segments=spans[k]) for k in (0, 1))
    run_of = sc.create_run(tmp_path / "run", Manifest(SIGMA, 1, 3), short)
    write_part(run_of.folder / "parts", long, run_of.manifest)
    path = written(sc.open_run(run_of.folder).certify(), tmp_path / "c.csv")
    assert complaints(path, run_of.folder / "run.toml") == []
    forged = sc.certify(sc.bound(sc.Tally(counts.sum(axis=0)[None], SIGMA)))
    written(forged, path)
    assert "the run holds 1000 draws" in str(complaints(path, run_of.folder / "run.toml"))


def seen_rows(rows):
    """Which rows of one input `seen` counts, each of its own class, and how many it refuses."""
    held = [
        {"index": 0, "segments": [number for span in spans for number in span]}
        | {"counts_class": [number], "counts_value": [1], "invalid": 0}
        for number, spans in enumerate(rows)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(script, "read_parts", lambda *_: (held, []))
        patch.setattr(script, "span_wrong", lambda *_: None)
        counted, wrong = script.seen("parts", {})
    kept = {name for name, count in counted[0]["counts"].items() if count} if rows else set()
    return kept, len(wrong)


def overlap(left, right):
    """Whether two rows may share a draw, by every pair of their spans."""
    pairs = ((one, two) for one in left for two in right)
    return not (left and right) or any(a == b and i < m and k < j for (a, i, j), (b, k, m) in pairs)


FEW = st.integers(0, 9)  # so few draws that spans touch, nest, repeat and are empty


@given(st.lists(st.lists(st.tuples(st.integers(0, 1), FEW, FEW), max_size=4), max_size=8))
def test_rows_that_count_are_those_of_every_pair(rows):
    """Longer rows first, each that shares no draw with those before it."""
    kept, refused = [], 0
    for number in sorted(range(len(rows)), key=lambda k: -sum(c - b for _, b, c in rows[k])):
        clash = next((other for other in kept if overlap(rows[other], rows[number])), None)
        if clash is None:
            kept.append(number)
        else:
            refused += not rows[number] or rows[clash] == rows[number]
    found = seen_rows(rows)
    assert found[0] == set(kept)
    if all(first < stop for spans in rows for _, first, stop in spans):
        assert found[1] == refused


def test_the_work_grows_like_the_number_of_spans():
    """Two rows of interleaved spans of one draw each, and as many rows of one span each."""
    many = 1000
    spans = [tuple(map(CountedNumber, (7, draw, draw + 1))) for draw in range(2 * many)]
    for rows in ([spans[::2], spans[1::2]], [[span] for span in spans]):
        assert seen_rows(rows) == (set(range(len(rows))), 0)
        assert 0 < count_comparisons(seen_rows, rows) < 400 * many


def test_a_run_that_is_merged_while_it_is_read_is_read_whole(tmp_path, monkeypatch):
    """A part that was listed is gone when it is to be read: its draws are in the merged one."""
    counts, spans = np.array([[990, 7, 3]]), ([[0, 0, 0, 1000]], [[1, 0, 0, 1000]])
    parts = [sc.Tally(counts, SIGMA, index=[k], segments=spans[k]) for k in (0, 1)]
    run_of = sc.create_run(tmp_path / "run", Manifest(SIGMA, 2, 3), parts[0])
    write_part(run_of.folder / "parts", parts[1], run_of.manifest)
    path = written(sc.open_run(run_of.folder).certify(), tmp_path / "c.csv")
    real = script.read_part

    def merge_first(*given):
        if len(sc.open_run(run_of.folder).paths()) > 1:
            compact_run(run_of.folder)
        return real(*given)

    monkeypatch.setattr(script, "read_part", merge_first)
    monkeypatch.setattr(script, "PAUSE", 0.0, raising=False)
    assert complaints(path, run_of.folder / "run.toml") == []
    assert len(sc.open_run(run_of.folder).paths()) == 1
    monkeypatch.setattr(script, "list_parts", lambda folder: [folder / "gone.parquet"])
    with pytest.raises(FileNotFoundError):  # but not for ever
        complaints(path, run_of.folder / "run.toml")


@pytest.fixture
def counts_run(tmp_path):
    """A run of imported counts, which say of no draw which one it is, and its certificates."""
    run_of = sc.create_run(tmp_path / "run", Manifest(SIGMA, 2, 3), COUNTED)
    return run_of, written(run_of.certify(), tmp_path / "c.csv")


COUNTED = sc.Tally([[990, 7, 3], [4, 980, 16]], SIGMA)
DOUBLED = sc.Tally([[1980, 14, 6], [8, 1960, 32]], SIGMA)


def test_a_part_that_was_copied_does_not_count_twice(counts_run):
    """Rows that do not say which draws they hold doubled the counts, and nothing was noticed."""
    run_of, path = counts_run
    toml = run_of.folder / "run.toml"
    assert complaints(path, toml) == []
    (part,) = run_of.paths()
    written(sc.certify(sc.bound(DOUBLED)), path)
    for name in ("copy.parquet", part.name.replace("00000000", "00000001")):
        copy = part.with_name(name)
        copy.write_bytes(part.read_bytes())
        (found,) = complaints(path, toml)
        assert found[0] == "all" and "copy" in found[1], name
        copy.unlink()


def test_rows_of_one_input_in_two_parts_count_once_or_must_agree(counts_run):
    """A second part of the same rows has another name where it took another time to draw."""
    run_of, path = counts_run
    folder, toml = run_of.folder / "parts", run_of.folder / "run.toml"
    write_part(folder, COUNTED, run_of.manifest, seconds=3.0)
    assert complaints(path, toml) == []
    written(sc.certify(sc.bound(DOUBLED)), path)
    assert "the run holds 1000 draws" in str(complaints(path, toml))
    write_part(folder, sc.Tally([[991, 6, 3]], SIGMA), run_of.manifest)
    assert set(complaints(path, toml)) == {("0", "two parts hold the same draws and disagree")}


def test_a_part_of_another_run_is_none_of_this_one(tmp_path, counts_run):
    run_of, path = counts_run
    toml, folder = run_of.folder / "run.toml", run_of.folder / "parts"
    spare = sc.Tally([[990, 7, 3]], SIGMA, index=[1])
    for number, (change, what) in enumerate(
        [
            ({}, "run"),
            ({"id": run_of.manifest.id, "sigma": 2.0}, "sigma"),
            ({"id": run_of.manifest.id, "classes": 4}, "classes"),
            ({"id": run_of.manifest.id, "format": 1}, "format"),
        ]
    ):
        other = replace(Manifest(SIGMA, 2, 3), **change)
        place = tmp_path / f"other-{number}"
        place.mkdir()
        foreign = write_part(place, replace(spare, sigma=other.sigma), other)
        foreign.rename(folder / foreign.name)
        (found,) = complaints(path, toml)
        assert f"belongs to another run: its {what} is not this run's" in found[1]
        (folder / foreign.name).unlink()
    assert complaints(path, toml) == []


@pytest.mark.parametrize("before, after", [(2.0, None), (2.0, 1e-300), (1.0, 0.5)])
def test_a_first_stage_is_the_run_s_word_and_its_parts_hold_it(tmp_path, before, after):
    """Dropped from run.toml alone, it made every radius larger, and nothing was noticed."""
    made = Manifest(SIGMA, 2, 3, source={"sensitivity": before})
    run_of = sc.create_run(tmp_path / "run", made, COUNTED)
    path = written(run_of.certify(), tmp_path / "c.csv")
    toml = run_of.folder / "run.toml"
    words = {1.0: "that nothing comes before the noise", 2.0: "2.0 of a first stage, by which"}
    for whose, named in (("file", None), ("run", toml)):
        wrong, said, _ = script.check(path, named)
        (line,) = [line for line in said if line.startswith("sensitivity: ")]
        assert wrong == [] and words[before] in line and line.endswith(f"the {whose}'s word")
    source = {} if after is None else {"sensitivity": after}
    written(sc.certify(sc.bound(COUNTED), sensitivity=after or 1.0), path)
    toml.write_bytes(replace(run_of.manifest, source=source).text())
    (found,) = complaints(path, toml)
    assert "belongs to another run: its sensitivity is not this run's" in found[1]


def test_draws_of_another_seed_and_draws_that_nobody_can_tell_apart(tmp_path):
    tally = sc.Tally([[990, 7, 3]], SIGMA, plan=sc.Plan((1000,)))
    made = Manifest(SIGMA, 1, 3, source={"seed": 5}, plan=tally.plan)
    spans = {"right": [[0, 5, 0, 1000]], "seed": [[0, 6, 0, 1000]], "short": [[0, 5, 0, 900]]}
    says = {"right": "[]", "seed": "another seed than the run's, 5", "short": "its 1000 draws"}
    for name, segments in spans.items():
        run_of = sc.create_run(tmp_path / name, made, replace(tally, segments=segments, looks=None))
        path = written(run_of.certify(), tmp_path / "c.csv")
        assert says[name] in str(complaints(path, run_of.folder / "run.toml")), name
    drawn = replace(made, source={"seed": 5, "format": "sample"})
    run_of = sc.create_run(tmp_path / "none", drawn, tally)
    found = complaints(written(run_of.certify(), path), run_of.folder / "run.toml")
    assert "nothing says which draws they are" in str(found)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes")
@pytest.mark.parametrize("place", ["parts/zz.parquet", "run.toml", "../c.csv"])
def test_a_pipe_is_not_waited_for(counts_run, place):
    run_of, path = counts_run
    (run_of.folder / place).unlink(missing_ok=True)
    os.mkfifo(run_of.folder / place)
    done = run(path, "--run", run_of.folder / "run.toml")
    assert done.returncode == 2
    assert f"{(run_of.folder / place).name} must be a plain file" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_link_inside_a_run_is_not_followed(counts_run, tmp_path):
    run_of, path = counts_run
    (part,) = run_of.paths()
    part.rename(tmp_path / "elsewhere")
    part.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ValueError, match="must be a plain file"):
        complaints(path, run_of.folder / "run.toml")
    part.unlink()
    (tmp_path / "elsewhere").rename(part)
    part.parent.rename(tmp_path / "parts")
    (run_of.folder / "parts").symlink_to(tmp_path / "parts")
    with pytest.raises(ValueError, match="must be a folder, and is a link"):
        complaints(path, run_of.folder / "run.toml")


@pytest.mark.parametrize("understated", [False, True])
def test_a_small_part_that_would_fill_the_memory_is_refused(counts_run, monkeypatch, understated):
    """Equal numbers take no space; a table of contents may say that there are few of them."""
    run_of, path = counts_run
    zeros = pyarrow.array(np.zeros(20_000_000, np.int64))
    lists = pyarrow.ListArray.from_arrays(pyarrow.array([0, len(zeros)], pyarrow.int32()), zeros)
    put_part(run_of.folder, [pyarrow.table({"index": [0], "segments": lists})])
    (part,) = run_of.paths()
    assert part.stat().st_size < 10_000
    if understated:
        monkeypatch.setattr(script, "stated_numbers", lambda column: (1, 1))
    with pytest.raises(ValueError, match="must hold at most 16777216 numbers"):
        complaints(path, run_of.folder / "run.toml")
    put_part(run_of.folder, [pyarrow.table({"index": [0], "labels": ["much text"]})])
    with pytest.raises(ValueError, match="must hold whole numbers in column labels"):
        complaints(path, run_of.folder / "run.toml")


def test_headers_of_pages_that_are_cut_short(counts_run):
    run_of, _ = counts_run
    (part,) = run_of.paths()
    with parquet.ParquetFile(part) as held:
        column = held.metadata.row_group(0).column(0)
        numbers = held.metadata.num_rows
    start = column.dictionary_page_offset or column.data_page_offset
    pages = part.read_bytes()[start : start + column.total_compressed_size]
    values, unpacked = script.add_pages(pages)
    assert values >= numbers and unpacked > 0
    _, end_of_header = script.read_header(pages, 0)
    for end in range(1, end_of_header):
        with pytest.raises((IndexError, KeyError, ValueError)):
            script.add_pages(pages[:end])
    with pytest.raises(ValueError, match="no header"):
        script.add_pages(bytes([0x15]) + bytes([0x80] * 20))


@pytest.mark.slow
def test_no_hang_and_no_traceback(counted, tmp_path):
    text = counted.read_text()
    counted.write_text(text.replace(",1000,1.0,", ",100000000000000,1.0,"))
    done = run(counted)
    assert (done.returncode, done.stdout) == (2, "")
    assert "draws must be at most 1000000000, got 100000000000000" in done.stderr
    counted.write_text(text.replace(",1000,1.0,", ",1000000000,1.0,"))
    assert run(counted).returncode == 1
    for content in (b"\xff\xfe", b"index," * 50_000, b"\x00" * 1000, text.encode() + b"x"):
        counted.write_bytes(content)
        done = run(counted)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr
    counted.write_text(text)
    toml = tmp_path / "run.toml"
    nan = f"sigma = 1.0\ninputs = {INPUTS}\n[plan]\nlooks = [1000]\nweights = [nan]\n"
    deep, long = "a = " + "[" * 20_000, f"sigma = {'9' * 5000}"
    for settings in ("sigma = [", "sigma = 1", deep, long, nan):
        toml.write_text(settings)
        done = run(counted, "--run", toml)
        assert done.returncode == 2, settings[:60]
        assert "Traceback" not in done.stderr
    assert run(tmp_path / "nothing.csv").returncode == 2


def test_a_large_file_is_refused_before_it_is_read(counted, monkeypatch):
    monkeypatch.setattr(script, "MOST_BYTES", 1000)
    with pytest.raises(ValueError, match="at most 1000 bytes"):
        complaints(counted)
