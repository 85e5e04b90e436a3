"""experiments/imagenet on a handful of made-up images: training, draws, certificates, report."""

import re
import shlex
import subprocess
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import simplicert as sc

FOLDER = Path(__file__).parents[2] / "experiments" / "imagenet"
CLASSES, SIDE, SIGMA = 3, 224, 0.5


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture
def images(tmp_path):
    """Two images a class, in folders as ImageNet comes; the test set is of other images."""
    random = np.random.default_rng(0)
    for split in ("train", "val"):
        for name in range(CLASSES):
            place = tmp_path / split / f"n{name:08d}"
            place.mkdir(parents=True)
            for number in range(2):
                pixels = random.integers(0, 256, (SIDE, SIDE, 3), dtype=np.uint8)
                Image.fromarray(pixels).save(place / f"{number}.png")
    return tmp_path


def test_the_whole_path(images, command):
    """ResNet-50, one epoch of two steps: as good as untrained, and everything after it is real."""
    net, run, page = images / "net", images / "run", images / "report.html"
    # fmt: off
    training = [
        "train", "--recipe", "imagenet-paper", "--data", f"folder:{images / 'train'}",
        "--test", f"folder:{images / 'val'}", "--sigma", SIGMA, "--epochs", 1,
        "--batch-size", 3, "--shards", 1, "--out", net, "--quiet",
    ]
    drawing = [
        "sample", "--model", net, "--data", f"folder:{images / 'val'}", "--step", 3,
        "--sigma", SIGMA, "--draws", 16, "--batch-size", 4, "--no-compile", "--out", run, "--quiet",
    ]
    # fmt: on
    assert command(*training) == (0, "", "")
    assert command(*drawing) == (0, "", "")
    tally = sc.open_run(run).tally()
    assert tally.inputs.tolist() == [0, 3] and tally.draws.tolist() == [16, 16]
    assert tally.labels.tolist() == [0, 1] and tally.softmax_sums is not None
    for kind in ("multinomial", "softmax"):
        certificates = images / f"{kind}.csv"
        code, _, err = command("certify", run, "--kind", kind, "--out", certificates)
        assert code == 0, err
        assert len(certificates.read_text().splitlines()) == 3
    assert command("table", run, "--style", "paper1")[0] == 0
    assert command("report", run, "--out", page)[0] == 0 and page.stat().st_size > 1e5


def test_the_page_prints_what_plan_prints(command):
    """The costs in the README are those of the command beside them."""
    text = (FOLDER / "README.md").read_text()
    words = re.search(r"`simplicert (plan [^`]+)`", text)
    assert words is not None
    code, printed, err = command(*shlex.split(words[1]))
    assert code == 0, err
    shown = re.search(r"```\n(.*?)```", text, re.DOTALL)
    assert shown is not None and shown[1].split() == printed.split()


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.sbatch")), ids=lambda path: path.name)
def test_scripts(path, command):
    """Bash reads each script, and every option of ours in it exists."""
    subprocess.run(["bash", "-n", str(path)], check=True)
    text = path.read_text().replace("\\\n", " ")
    ours = re.findall(r"simplicert (train|sample) ([^\n&]+)", text)
    assert ours
    for name, words in ours:
        _, known, _ = command(name, "--help")
        for option in re.findall(r"--[a-z-]+", words):
            assert option in known, option
