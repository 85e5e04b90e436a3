"""The commands as a user types them: output, files, one-sentence errors, exit codes."""

import json
import re
import subprocess
import sys

import pandas as pd
import pytest
import typer
from pages import pictures_in

import simplicert as sc
from simplicert.cli import app


@pytest.fixture
def run(command):
    return command


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "counts.txt"
    path.write_text("900 80 20 0\n500 480 20 1\n10 990 0 2\n")
    return path


def test_version(run):
    assert run("--version") == (0, f"simplicert {sc.__version__}\n", "")


def test_help_names_every_command(run):
    code, out, _ = run("--help")
    assert code == 0
    assert all(name in out for name in ("radius", "import", "certify", "demo"))


def test_help_needs_no_heavy_library():
    """`simplicert --help` must answer at once: no mathematics, tables, pictures or networks."""
    code = (
        "import sys, simplicert.cli\n"
        "heavy = {'pandas', 'matplotlib', 'torch', 'scipy', 'numpy', 'pyarrow'}\n"
        "sys.exit(', '.join(sorted(heavy & set(sys.modules))) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_radius(run):
    code, out, _ = run("radius", "--e0", ".6", "--e1", ".3", "--sigma", ".5")
    assert code == 0
    for name, values in sc.MECHANISMS.items():
        if values.needs != "pair":
            assert name not in out
            continue
        assert values.source in out
        shown = next(line for line in out.splitlines() if line.startswith(name)).split()[1]
        exact = sc.radius(name, 0.6, 0.3, sigma=0.5)
        assert exact - 1e-6 < float(shown) <= exact
    assert "sensitivity" not in out
    _, out, _ = run("radius", "--e0", ".6", "--e1", ".3", "--sensitivity", "2")
    assert "sigma = 1, sensitivity 2, multinomial" in out


def test_titles_have_all_digits(run):
    point = ("radius", "--e0", ".9999999", "--e1", "1e-9")
    assert run(*point)[1].startswith("E0 = 0.9999999, E1 = 1e-09, sigma = 1, multinomial")
    _, out, _ = run(*point, "--noise", "laplace", "--scale", "1.00000049")
    assert out.startswith("E0 = 0.9999999, E1 = 1e-09, laplace noise (scale 1.00000049)")


def test_radius_under_other_noise(run):
    point = ("radius", "--e0", ".9", "--e1", ".05")
    code, out, _ = run(*point, "--noise", "ablation", "--size", "784", "--keep", "45")
    assert code == 0 and "radius (features)" in out and re.search(r"two_sided +9 ", out)
    _, out, _ = run(*point, "--norm", "l1", "--sensitivity", "2")
    assert "gaussian noise (sigma 1, sensitivity 2), multinomial" in out
    _, out, _ = run(*point, "--noise", "deletion", "--rate", ".9", "--norm", "insertions")
    assert "deletion noise (rate 0.9)" in out and "radius (tokens inserted)" in out
    assert json.loads(run(*point, "--noise", "uniform", "--json")[1])["scale"] == 1
    _, out, _ = run(*point, "--noise", "laplace", "--scale", ".5", "--json")
    record = json.loads(out)
    assert record["norm"] == "l1" and record["ensemble"] == record["radii"]["li"]
    assert record["radii"]["teng"] == sc.radius("teng", 0.9, 0.05, noise="laplace", scale=0.5)
    code, _, said = run(*point, "--noise", "laplace", "--sigma", "1")
    assert code == 2
    assert said.startswith("simplicert: sigma is not a number of laplace noise")


def test_radius_as_json_is_exact(run):
    _, out, _ = run("radius", "--e0", ".6", "--e1", ".3", "--json", "--kind", "soft")
    found = json.loads(out)
    assert found["kind"] == "softmax"
    rows = {name: row for name, row in sc.MECHANISMS.items() if row.needs == "pair"}
    assert set(found["radii"]) == {name for name, row in rows.items() if "softmax" in row.kinds}
    assert found["radii"]["improved_dp"] == sc.radius("improved_dp", 0.6, 0.3)
    assert found["winner"] == "improved_dp"


def test_radius_without_a_lead(run):
    code, out, _ = run("radius", "--e0", ".4", "--e1", ".4")
    assert code == 0
    assert "no certificate" in out
    for more in ((), ("--noise", "laplace")):
        code, out, err = run("radius", "--e0", ".3", "--e1", ".4", *more)
        assert (code, out) == (2, "") and err.count("\n") == 1
        assert "e0 must be at least e1, 0.4, for there to be a radius, got 0.3" in err


def test_help_has_panels_and_quiet_has_no_opposite(run):
    _, out, _ = run("--help")
    panels = [line.split()[1] for line in out.splitlines() if line.startswith("╭─")]
    assert panels == ["Options", "Start", "Draw", "Read", "Check"]
    _, out, _ = run("sample", "--help")
    heads = [line for line in out.splitlines() if line.startswith("╭─")]
    assert len(heads) == 6 and "--quiet" in out and "--no-quiet" not in out
    ungrouped = out.split("╭─ Options")[1].split("╭─")[0]
    assert ungrouped.count("--") == 1, ungrouped  # every option but --help has a group
    for name, found in typer.main.get_command(app).commands.items():
        flags = [flag for option in found.params for flag in option.secondary_opts]
        assert "--no-quiet" not in flags, name


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--e0", "1.5", "--e1", ".3"), "e0 must lie in [0, 1], got 1.5"),
        (("--e0", "nan", "--e1", ".3"), "e0 must lie in [0, 1], got nan"),
        (("--e0", ".6", "--e1", "0"), "has no finite radius at e0 = 0.6, e1 = 0.0"),
        (("--e0", ".6", "--e1", ".3", "--sigma", "0"), "sigma must be a positive finite number"),
        (("--e0", ".6", "--e1", ".3", "--kind", "x"), "kind must be one of"),
        (("--e0", ".6", "--e1", ".3", "--kind", "sofmax"), "; did you mean softmax?"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(run, words, message):
    code, out, err = run("radius", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("simplicert: ")
    assert err.count("\n") == 1


def test_words_that_are_not_numbers(run):
    code, _, err = run("radius", "--e0", "x", "--e1", ".3")
    assert code == 2
    assert "Traceback" not in err


def test_from_counts_to_certificates(run, table, tmp_path):
    code, out, _ = run("import", "counts", table, "--sigma", ".5", "--out", tmp_path / "run")
    assert code == 0
    assert "3 inputs, 3 classes" in out
    certificates = tmp_path / "c.csv"
    code, out, err = run("certify", tmp_path / "run", "--out", certificates)
    assert (code, err) == (0, "")
    assert "2 of 3 inputs certified" in out
    frame = pd.read_csv(certificates)
    tally = sc.Tally([[900, 80, 20], [500, 480, 20], [10, 990, 0]], 0.5, labels=[0, 1, 2])
    expected = sc.certify(sc.bound(tally)).to_frame()
    assert list(frame.columns) == list(expected.columns)
    assert (frame["radius"] == expected["radius"]).all()


def test_certify_without_a_file_prints_and_writes_nothing(run, table, tmp_path, monkeypatch):
    run("import", "counts", table, "--sigma", ".5", "--out", tmp_path / "run")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    before = sorted(tmp_path.rglob("*"))
    code, out, err = run("certify", tmp_path / "run")
    assert (code, err) == (0, "")
    assert sorted(tmp_path.rglob("*")) == before
    assert "2 of 3 inputs certified" in out and "wrote" not in out
    tally = sc.Tally([[900, 80, 20], [500, 480, 20], [10, 990, 0]], 0.5)
    made = sc.certify(sc.bound(tally))
    rows = [line.split() for line in out.splitlines() if line[:2] in ("0 ", "1 ", "2 ")]
    assert rows[1] == ["1", "1", "abstained", "0.0000", "-", "-", "1000"]
    for row, (_, label, predicted, radius, e0, e1, draws) in zip((0, 2), rows[::2], strict=True):
        assert (label, predicted, draws) == (str(row), str(made.known.top[row]), "1000")
        assert 0 <= made.radius[row] - float(radius) < 1e-4
        assert 0 <= made.known.e0[row] - float(e0) < 1e-4
        assert 0 <= float(e1) - made.known.e1[row] < 1e-4
    assert out.endswith("nothing is written: --out FILE.csv does\n")


def test_other_settings_are_marked(run, table, tmp_path):
    run("import", "counts", table, "--sigma", ".5", "--out", tmp_path / "run")
    words = ("certify", tmp_path / "run", "--out", tmp_path / "c.parquet")
    code, out, err = run(*words, "--scheme", "paper", "--mechanisms", "cohen,li")
    assert code == 0
    assert "exploratory" in err
    assert "proved level 0.003" in out
    assert "only if they were fixed before" in out
    metadata = pd.read_parquet(tmp_path / "c.parquet")
    assert {"cohen", "li", "ensemble"} < set(metadata.columns)
    assert "two_sided" not in metadata.columns


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("import", "counts", "nowhere.txt", "--sigma", "1", "--out", "r"), "got 'nowhere.txt'"),
        (("certify", "nowhere"), "run must be a folder that exists, got 'nowhere'"),
    ],
)
def test_files_that_are_not_there(run, words, message):
    code, _, err = run(*words)
    assert code == 2
    assert message in err


def test_certify_refuses_without_touching_the_output(run, table, tmp_path):
    run("import", "counts", table, "--sigma", ".5", "--out", tmp_path / "run")
    out = tmp_path / "c.csv"
    out.write_text("precious")
    for words, message in (
        (("--alpha", "2"), "alpha must lie strictly between 0 and 1, got 2.0"),
        (("--kind", "softmax"), "softmax_sums"),
        (("--mechanisms", "ours"), "must be one of cohen"),
        (("--scheme", "split"), "no pilot"),
    ):
        code, _, err = run("certify", tmp_path / "run", "--out", out, *words)
        assert code == 2
        assert message in err
        assert out.read_text() == "precious"


def test_certificates_never_overwrite_the_run(run, table, tmp_path):
    run("import", "counts", table, "--sigma", ".5", "--out", tmp_path / "run")
    part = next((tmp_path / "run" / "parts").iterdir())
    before = part.read_bytes()
    code, _, err = run("certify", tmp_path / "run", "--out", part)
    assert code == 2
    assert "out must not lie inside the run" in err
    assert part.read_bytes() == before


def test_importing_onto_something_is_refused(run, table, tmp_path):
    words = ("import", "counts", table, "--sigma", ".5", "--out", tmp_path / "run")
    assert run(*words)[0] == 0
    code, _, err = run(*words)
    assert code == 2
    assert "already holds something" in err


def test_a_folder_that_cannot_be_written(run, table, tmp_path):
    (tmp_path / "file").write_text("x")
    code, _, err = run(
        "import", "counts", table, "--sigma", "1", "--out", tmp_path / "file" / "run"
    )
    assert code == 2
    assert "cannot read or write" in err


def test_a_scaled_norm_is_said(run, tmp_path, monkeypatch):
    import numpy as np

    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "scaled_model.py").write_text("def make():\n    return lambda b: 9 * b[:, :2]\n")
    np.savez("data.npz", inputs=np.eye(3, dtype=np.float32)[:2])
    np.save("scale.npy", [1.0, 1.0, 0.0])
    words = ("--model", "scaled_model:make", "--data", "data.npz", "--sigma", "0.5", "--draws", 100)
    code, out, err = run(
        "run", *words, "--out", "r", "--noise-scale", "scale.npy", "--device", "cpu", "--quiet"
    )
    assert code == 0, err
    assert "1 feature must not change, 2 features / 1" in err
    assert "scaled l2 norm" in out
    assert len(pd.read_csv("r.csv")) == 2


@pytest.mark.slow
def test_too_few_draws_are_warned_of(run, tmp_path, monkeypatch):
    import numpy as np

    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "few_model.py").write_text("def make():\n    return lambda b: 9 * b\n")
    np.savez("data.npz", inputs=np.eye(3, dtype=np.float32))
    words = ("--model", "few_model:make", "--data", "data.npz", "--sigma", "0.5", "--device", "cpu")
    needed = "8 draws certify no single input at alpha 0.001, even if all agree: at least 15"
    assert needed in run("sample", *words, "--draws", 8, "--out", "a")[2]
    assert needed in run("certify", "a")[2]
    (tmp_path / "few.txt").write_text("8 0 0 0\n0 8 0 1\n")
    run("import", "counts", "few.txt", "--sigma", "0.5", "--out", "few")
    assert needed in run("certify", "few")[2]
    code, out, err = run("sample", *words, "--draws", 20, "--out", "b")
    assert code == 0 and "certify no single input" not in err
    assert out.endswith("b: all is drawn; next: simplicert certify b --out b.csv\n")
    assert "no single input" not in run("certify", "b")[2]


def test_features_in_units_of_their_own_are_doubted_before_the_draws(run, tmp_path, monkeypatch):
    import numpy as np

    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "unit_model.py").write_text("def make():\n    return lambda b: b\n")
    units = np.array([1, 1000, 1], np.float32)
    inputs = np.random.default_rng(0).standard_normal((20, 3)).astype(np.float32) * units
    np.savez("units.npz", inputs=inputs, labels=np.zeros(20, int))
    np.savez("same.npz", inputs=inputs / units, labels=np.zeros(20, int))
    pictures = (inputs / units).repeat(3, axis=1).reshape(20, 1, 3, 3)
    pictures[:, :, 0] *= 1e-3  # a dark edge
    np.savez("pictures.npz", inputs=pictures, labels=np.zeros(20, int))
    (tmp_path / "flat_model.py").write_text("def make():\n    return lambda b: b[:, 0, 1]\n")
    np.save("scale.npy", units)
    words = ("--sigma", 0.5, "--draws", 20, "--device", "cpu", "--stop", 10, "--quiet")
    said = "feature 1 varies by about .*, and all get the same noise; --noise-scale gives each"
    for data, model, more, doubted in (
        ("units.npz", "unit_model:make", (), True),
        ("units.npz", "unit_model:make", ("--noise-scale", "scale.npy"), False),
        ("same.npz", "unit_model:make", (), False),
        ("pictures.npz", "flat_model:make", (), False),
    ):
        code, _, err = run(
            "sample", "--model", model, "--data", data, *words, *more, "--out", f"{data}{len(more)}"
        )
        assert code == 0
        assert bool(re.search(said, err)) is doubted and ("differ in scale" in err) is doubted


def test_a_model_whose_code_fails_is_one_sentence(run, tmp_path, monkeypatch):
    import numpy as np

    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "broken_import.py").write_text("raise KeyError('x')\n")
    (tmp_path / "broken_maker.py").write_text("def make():\n    return {}['x']\n")
    (tmp_path / "broken_call.py").write_text("def make():\n    return lambda b: {}['x']\n")
    np.savez("data.npz", inputs=np.eye(3, dtype=np.float32))
    for name in ("broken_import", "broken_maker", "broken_call"):
        words = ("--model", f"{name}:make", "--data", "data.npz", "--sigma", "0.5", "--draws", 20)
        code, _, err = run("sample", *words, "--device", "cpu", "--out", "r")
        assert code == 2
        assert "Traceback" not in err
        assert "failed" in err


def test_status_of_a_run(run, table, tmp_path):
    run("import", "counts", table, "--sigma", ".5", "--out", tmp_path / "run")
    code, out, _ = run("status", tmp_path / "run")
    assert code == 0
    assert "3 of 3 inputs done, 3,000 draws" in out
    assert json.loads(run("status", tmp_path / "run", "--json")[1])["missing"] == 0


@pytest.mark.slow
def test_demo(run, tmp_path):
    """Train, sample at three sigmas, certify by both kinds; a second call finds it all done."""
    pytest.importorskip("torch")
    pytest.importorskip("sklearn")
    for _ in range(2):
        code, out, err = run("demo", "--out", tmp_path / "demo", "--draws", "100", "--quiet")
        assert code == 0, err
        assert out.count("inputs certified") == 6
    assert (tmp_path / "demo" / "cohen_minus_li.png").read_bytes()[:4] == b"\x89PNG"
    assert pictures_in((tmp_path / "demo" / "report.html").read_text())
    for sigma in ("0.25", "0.5", "1"):
        opened = sc.open_run(tmp_path / "demo" / "runs" / f"sigma-{sigma}")
        assert opened.missing == 0
        certificates = opened.certify()
        assert certificates.known.sigma == float(sigma)
        accuracy = (certificates.known.top == certificates.known.labels).mean()
        assert accuracy > (0.75 if sigma == "1" else 0.85)  # the network has learnt something
        table = pd.read_csv(tmp_path / "demo" / f"certificates-{sigma}-softmax.csv")
        assert len(table) == 299


@pytest.mark.parametrize(
    ("words", "code"),
    [(("--version",), 0), (("radius", "--e0", ".6", "--e1", ".3"), 0), (("radius",), 2)],
)
def test_the_process_ends_with_the_commands_exit_code_and_all_it_wrote(words, code):
    done = subprocess.run(
        [sys.executable, "-m", "simplicert", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    assert done.stdout if code == 0 else done.stderr
