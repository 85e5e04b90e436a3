"""Files from a stranger run no code, whichever command reads them."""

import json
from dataclasses import replace

import numpy as np
import pytest
import tomli_w
import typer.main

from simplicert import importing
from simplicert.cli import app
from simplicert.models.trained import TEXT, WEIGHTS
from simplicert.store.manifest import read_manifest, write_manifest
from simplicert.training import train
from simplicert.verification.seals import make_key

PAYLOADS = ("payload:go", "http.server:test", "os:abort")
MODEL = """
import numpy as np
WEIGHTS = np.random.default_rng(0).normal(size=(6, 3)).astype(np.float32)
def make():
    return lambda batch: batch @ WEIGHTS
"""
PAYLOAD = """
import pathlib
pathlib.Path("ran").touch()
def go(*shape):
    pathlib.Path("ran").touch()
    return lambda batch: batch
"""
SAMPLE = ("--sigma", ".5", "--draws", "64", "--device", "cpu", "--quiet")
TRAIN = ("train", "--data", "data.npz", "--out", "new", "--epochs", "1", "--quiet")

# Every command, as it meets files of a stranger: RUN names a payload wherever a run names anything,
# NET is a model folder and RECIPE a recipe that name it as their network.
COMMANDS = {
    "sample": [
        ("sample", "--model", "NET", "--data", "data.npz", *SAMPLE, "--out", "new"),
        (*("sample", "--model", "denoised:NET@honest:make"),
         *("--data", "data.npz", *SAMPLE, "--out", "new")),
        (*("sample", "--model", "denoised:NET@NET"),
         *("--data", "data.npz", *SAMPLE, "--out", "new")),
        ("sample", "--model", "honest:make", "--data", "data.npz", *SAMPLE, "--out", "RUN"),
        (*("sample", "--model", "honest:make", "--data", "data.npz", *SAMPLE),
         *("--out", "RUN", "--extend", "--draws", "128")),
    ],
    "run": [("run", "--model", "NET", "--data", "data.npz", *SAMPLE, "--out", "new")],
    "verify": [
        ("verify", "RUN"),
        ("verify", "RUN", "--replay", "1"),
        ("verify", "RUN", "--replay", "1", "--data", "data.npz"),
        ("verify", "RUN", "--replay", "1", "--data", "data.npz", "--trust"),
        ("verify", "RUN", "--replay", "1", "--data", "data.npz", "--model", "NET"),
    ],
    "seal": [("seal", "RUN", "--key", "key.pem"), ("verify", "RUN", "--key", "key.pem.pub")],
    "attack": [
        ("attack", "RUN"),
        ("attack", "RUN", "--data", "data.npz"),
        ("attack", "RUN", "--data", "data.npz", "--trust"),
        ("attack", "RUN", "--data", "data.npz", "--model", "NET"),
    ],
    "geometry": [
        ("geometry", "RUN"),
        ("geometry", "RUN", "--data", "data.npz", "--out", "near.csv"),
        ("geometry", "RUN", "--data", "data.npz", "--trust", "--out", "near.csv"),
        ("geometry", "RUN", "--data", "data.npz", "--model", "NET", "--out", "near.csv"),
    ],
    "train": [
        (*TRAIN, "--method", "denoiser", "--sigma", ".5", "--classifier", "NET"),
        (*TRAIN, "--recipe", "RECIPE"),
        (*TRAIN, "--arch", "mlp", "--sigma", ".5", "--init", "NET"),
    ],
    "report": [
        ("report", "RUN", "--out", "page.html"),
        ("report", "RUN", "RUN", "--compare", "--out", "page.html"),
    ],
    "watch": [("watch", "RUN", "--once")],
    "card": [
        ("card", "RUN", "--out", "card.html"),
        ("card", "RUN", "--design", "RECIPE"),
        ("card", "RUN", "--format", "model-card", "--out", "README.md"),
        ("card", "RUN", "--out", "badge.svg"),
    ],
    "board": [
        ("board", "RUN", "--out", "board"),
        ("board", "RUN", "NET", "counts.txt", "--claims", "RECIPE", "--out", "more"),
    ],
    "compact": [("compact", "RUN")],
    "status": [("status", "RUN"), ("status", "RUN", "--json")],
    "certify": [("certify", "RUN", "--out", "RUN.csv"), ("certify", "RUN", "--json")],
    "plan": [
        ("plan", "--serve", "RUN", "--draws", "100"),
        ("plan", "--run", "RUN", "--draws", "100"),
    ],
    "table": [("table", "RUN"), ("table", "RUN", "--out", "table.html")],
    "figure": [("figure", "accuracy", "RUN", "--out", "figure.png")],
    "gate": [("gate", "RUN", "--require", "accuracy@0.1>=0.1")],
    "history": [("history", "RUN"), ("history", "RUN", "--out", "history.png")],
    "export": [("export", "cohen", "RUN")],
    "population": [
        (*("population", "design", "--pilot", "RUN", "--radius", ".1", "--draws", "16"),
         *("--inputs", "100", "--out", "design.toml")),
        ("population", "certify", "RUN", "--design", "design.toml"),
        ("population", "certify", "RUN", "--design", "RECIPE"),
    ],
    "import": [("import", "counts", "counts.txt", "--sigma", "1", "--out", "new")],
}  # fmt: skip
# These read no file of anybody's.
NO_FILES = {"demo", "radius", "explain", "explorer", "simplex", "check"}


def test_every_command_is_walked_over():
    names = set(typer.main.get_command(app).commands)
    assert names == set(COMMANDS) | NO_FILES


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """A folder with a run, a model folder, data and a payload; the run was drawn honestly."""
    from simplicert.cli import main

    place = tmp_path_factory.mktemp("stranger")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        patch.syspath_prepend(str(place))
        (place / "honest.py").write_text(MODEL)
        (place / "payload.py").write_text(PAYLOAD)
        (place / "counts.txt").write_text("90 5 5 0\n")
        inputs = np.random.default_rng(1).random((20, 6)).astype(np.float32)
        np.savez("data.npz", inputs=inputs, labels=np.arange(20) % 3)
        make_key(place / "key.pem")
        train("data.npz", "NET", arch="mlp", sigma=0.5, epochs=1)
        words = ("sample", "--model", "honest:make", "--data", "data.npz", *SAMPLE, "--out", "RUN")
        patch.setattr("sys.argv", ["simplicert", *words])
        with pytest.raises(SystemExit) as stop:
            main()
        assert not stop.value.code
        yield place


def poisoned(place, payload):
    """The same folder with a payload wherever a file names a model, data or a network."""
    manifest = read_manifest(place / "RUN")
    names = dict.fromkeys(("model", "data", "arch", "mechanism"), payload)
    write_manifest(place / "RUN", replace(manifest, made=manifest.made | names))
    text = (place / "NET" / TEXT).read_text()
    (place / "NET" / TEXT).write_text(text.replace('arch = "mlp"', f'arch = "{payload}"'))
    settings = {"settings": {"arch": payload, "sigma": 0.5}}
    (place / "RECIPE.toml").write_text(tomli_w.dumps(settings))


@pytest.fixture
def place(drawn, tmp_path, monkeypatch):
    """A copy of it, as the current folder."""
    import shutil

    shutil.copytree(drawn, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


@pytest.mark.parametrize(
    "payload", [PAYLOADS[0], *(pytest.param(p, marks=pytest.mark.slow) for p in PAYLOADS[1:])]
)
@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_no_code_runs_because_a_file_names_it(command, place, monkeypatch, name, payload):
    """An imported module leaves a file behind, and every other import is recorded."""
    poisoned(place, payload)
    module, importer, asked = payload.partition(":")[0], importing.import_module, []

    def noted(name):
        asked.append(name)
        assert name != module or module == "payload", "this would have ended the tests"
        return importer(name)

    monkeypatch.setattr(importing, "import_module", noted)
    for words in COMMANDS[name]:
        typed = [word.replace("RECIPE", "RECIPE.toml") for word in words]
        code, _, said = command(*typed)
        assert code in (0, 1, 2) and "Traceback" not in said
        assert module not in asked and not (place / "ran").exists(), words


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (COMMANDS["verify"][2], "pass --model payload:go"),
        (COMMANDS["attack"][1], "pass --model payload:go"),
        (COMMANDS["sample"][0], f"pass --model payload:go@NET/{WEIGHTS}"),
        (COMMANDS["run"][0], f"pass --model payload:go@NET/{WEIGHTS}"),
        (COMMANDS["train"][1], "pass --arch payload:go"),
        (COMMANDS["geometry"][1], "pass --model payload:go"),
    ],
)
def test_what_to_pass_is_said(command, place, words, says):
    poisoned(place, "payload:go")
    code, out, err = command(*(word.replace("RECIPE", "RECIPE.toml") for word in words))
    said = " ".join((out + err).split())
    assert code == 2 and "a file's word never runs code" in said and says in said


def test_the_user_s_own_word_does_run_it(command, place):
    """Otherwise the tests above could not fail."""
    poisoned(place, "payload:go")
    given = ("--model", "payload:go", "--data", "data.npz")
    command("verify", "RUN", "--replay", "1", *given)
    assert (place / "ran").exists()


@pytest.mark.slow
def test_a_network_of_the_user_s_own_by_its_weights(command, place):
    """The network is given by its name and the weights by their file, as the message says."""
    (place / "mine.py").write_text(
        "from simplicert.models.architectures import build_network\n"
        "def net(classes, shape):\n    return build_network('mlp', classes, shape)\n"
    )
    spec = f"mine:net@OWN/{WEIGHTS}"
    own = ("--arch", "mine:net", "--sigma", ".5", "--epochs", "1", "--out", "OWN")
    code, out, _ = command("train", "--data", "data.npz", *own)
    assert code == 0 and f"--model {spec} --sigma 0.5" in " ".join(out.split())
    words = ("--data", "data.npz", *SAMPLE)
    code, _, said = command("sample", "--model", spec, *words, "--out", "new")
    assert code == 0, said
    fingerprint = read_manifest(place / "new").source["model_fingerprint"]
    assert fingerprint in (place / "OWN" / TEXT).read_text()
    replay = ("verify", "new", "--replay", "2", "--model", spec, "--data", "data.npz")
    assert command(*replay)[0] == 0
    code, _, said = command("sample", "--model", f"payload:go@OWN/{WEIGHTS}", *words, "--out", "n")
    assert code == 2 and "must hold a payload:go, got the arch mine:net" in " ".join(said.split())


def test_names_that_may_be_downloaded(command, place):
    manifest = read_manifest(place / "RUN")
    write_manifest(place / "RUN", replace(manifest, made=manifest.made | {"model": "timm:x"}))
    code, _, said = command("attack", "RUN", "--data", "data.npz")
    assert code == 2 and "a file's word never reaches the network" in " ".join(said.split())


@pytest.mark.slow
def test_a_model_file_that_a_run_names_is_used_by_its_fingerprint_alone(command, place):
    """A run may name the file it was drawn with; another file in its place is not used."""
    words = ("--data", "data.npz", *SAMPLE)
    assert command("sample", "--model", f"mlp@NET/{WEIGHTS}", *words, "--out", "new")[0] == 0
    (place / WEIGHTS).write_bytes((place / "NET" / WEIGHTS).read_bytes())  # where the name leads
    code, out, _ = command("verify", "new", "--replay", "2", "--json", "found.json")
    checks = json.loads((place / "found.json").read_text())["checks"]
    drawn_again = [c for c in checks if c["about"] == "replay" and c["holds"]]
    assert code == 0 and len(drawn_again) == 2, out
    train("data.npz", "OTHER", arch="mlp", sigma=0.5, epochs=1, seed=1)
    (place / WEIGHTS).write_bytes((place / "OTHER" / WEIGHTS).read_bytes())
    code, out, err = command("verify", "new", "--replay", "2")
    assert code == 2 and "has the fingerprint" in " ".join((out + err).split())
