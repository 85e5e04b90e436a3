"""Every command has an example, and runs as docs/commands.md shows it."""

import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from typer.main import get_command

import simplicert as sc
from simplicert.cli import app
from simplicert.store import Manifest

PAGE = (Path(__file__).parents[1] / "docs" / "commands.md").read_text()
SECTIONS = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE))
EXAMPLES = {
    name: re.findall(r"^```sh\n(.+)\n```$", text, re.MULTILINE) for name, text in SECTIONS.items()
}
LINES = [(name, line) for name, lines in EXAMPLES.items() for line in lines]
LONG = dict.fromkeys(
    ("train", "simplex", "figure", "check", "run", "attack", "geometry"), pytest.mark.slow
) | {"demo": pytest.mark.long}  # test_demo runs it too

FILES = {
    "counts.txt": "900 80 20 0\n500 480 20 1\n",
    "cohen.tsv": "idx\tlabel\tpredict\tradius\tcorrect\ttime\n0\t3\t3\t0.486\t1\t17\n",
    "log.tsv": "idx\tlabel\tpredict\tradius\traw_count\n0\t3\t3\t0.486\t900\n",
    "iss.tsv": "0\t3\t3\t0.934\t20000\t0.753\t1\t1.204\n",
    "radii.csv": "i,y,p,r\n0,3,3,0.75\n1,5,5,0.25\n",
    "gaussian-None-0.5-100000-0.001.txt": (
        "x disttype gaussian\nx std 0.5\nx N 100000\nx alpha 0.001\no 0 0.9 0.91\n"
    ),
    "logs/sigma_0.50": "idx\tlabel\tpredict\tradius\tcorrect\ttime\n0\t3\t3\t0.486\t1\t17\n",
    "flowers.csv": "sepal,petal,species\n5.1,0.2,setosa\n1.3,3.8,virginica\n",
    "my_module.py": (
        "import numpy as np\n"
        "def my_radius(e0, e1):\n    return (e0 - e1) / 2\n"
        "def of_rows():\n    return lambda rows: rows\n"
        "def of_pictures():\n    return lambda x: x.mean(axis=(2, 3))[:, :2]\n"
    ),
}


def made(folder, seed):
    """A run of forty inputs and two classes, clear enough for every example."""
    labels = np.arange(40) % 2
    counts = np.random.default_rng(seed).multinomial(1000, [0.95, 0.05], 40)
    counts[labels == 1] = counts[labels == 1][:, ::-1]
    tally = sc.Tally(counts, 0.5, labels=labels, plan=sc.Plan((1000,)))
    sc.create_run(folder, Manifest(0.5, 40, 2, plan=tally.plan), tally)


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with all that the examples speak of."""
    (tmp_path / "logs").mkdir()
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    for name in ("uniform", "derandomised", "all/uniform_0.5"):
        folder = tmp_path / "checkpoints" / name
        folder.mkdir(parents=True)
        shares, radius = (0.9, 4 / 255) if name == "derandomised" else (1.0, 0.6928)
        arrays = {"preds": [[shares, 1 - shares]], "labels": [0], "prob_lb": [0.9]}
        for array, values in (arrays | {"radius_l1": [radius]}).items():
            np.save(folder / f"{array}.npy", np.array(values))
    for number, name in enumerate(("cat", "dog")):
        (tmp_path / "photos" / name).mkdir(parents=True)
        Image.new("RGB", (40 + number, 50)).save(tmp_path / "photos" / name / "a.png")
    (tmp_path / "runs").mkdir()
    # mine and last are the same draws: nothing is lost against the baseline
    for name, seed in {"mine": 0, "last": 0, "a": 1, "b": 2, "pilot": 3}.items():
        made(tmp_path / "runs" / name, seed)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])  # `check` puts the folder in front
    yield tmp_path
    sys.modules.pop("my_module", None)


def exported(path):
    """A small network for the digits, untrained, as an exported program."""
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64, 10)).eval()
    rows = ({0: torch.export.Dim("rows")},)
    program = torch.export.export(network, (torch.rand(2, 1, 8, 8),), dynamic_shapes=rows)
    torch.export.save(program, path)


def few_draws(place):
    """A run of forty inputs, 16 draws each, and a design that fits it."""
    tally = sc.Tally([[16, 0]] * 40, 0.5, labels=[0] * 40, plan=sc.Plan((16,)))
    sc.create_run(place / "runs" / "few", Manifest(0.5, 40, 2, plan=tally.plan), tally)
    sc.design_population(0.5, [0.25], 16, 40).write(place / "few.toml")


@pytest.mark.parametrize("name", SECTIONS)
def test_every_command_has_an_example(name):
    assert EXAMPLES[name]
    assert all(line.startswith(f"simplicert {name} ") for line in EXAMPLES[name])


@pytest.mark.parametrize("name", SECTIONS)
def test_every_option_says_what_it_is(name):
    command = get_command(app)
    for word in name.split():
        command = command.commands[word]
    assert [item.name for item in command.params if not item.help] == []


@pytest.mark.parametrize(
    ("name", "line"), [pytest.param(*pair, marks=LONG.get(pair[0], ())) for pair in LINES]
)
def test_every_example_runs(name, line, place, command):
    words = shlex.split(line)
    if "net.pt2" in words:
        exported(place / "net.pt2")
    if name == "verify" and "runs/board.toml" in words:
        (place / "runs" / "board.toml").write_text('[[claim]]\nmatch = "mine"\nsigma = 0.5\n')
    if "few.toml" in words:
        few_draws(place)
    if "--key" in words:
        pytest.importorskip("cryptography")
        key = words[words.index("--key") + 1].removesuffix(".pub")
        assert command("seal", "--new-key", key)[0] == 0
        assert command("seal", "runs/mine", "--key", key)[0] == 0
    if "runs/drawn" in words:
        settings = ["--sigma", 0.25, "--draws", 100, "--stop", 3, "--no-compile", "--quiet"]
        model = ["--model", "net.pt2", "--data", "digits"]
        assert command("sample", *model, *settings, "--out", "runs/drawn")[0] == 0
    code, _, said = command(*words[1:])
    assert code == 0, said
    if "--out" in words:
        assert (place / words[words.index("--out") + 1]).exists()


@pytest.mark.parametrize("words", [(), ("radius",), ("import",), ("import", "cohen")])
def test_h_is_help(command, words):
    short, full = command(*words, "-h"), command(*words, "--help")
    assert short == full and short[0] == 0 and "--help" in short[1]
