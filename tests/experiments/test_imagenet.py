"""experiments/imagenet on a handful of made-up images: training, draws, certificates, report."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
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


@pytest.mark.slow
@pytest.mark.long
def test_the_whole_path(images, command):
    """ResNet-50, one epoch of two steps: as good as untrained, and everything after it is real."""
    net, run = images / "networks" / f"sigma-{SIGMA}", images / "runs" / f"sigma-{SIGMA}"
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
    second = [images / "runs" / "sigma-1" if word == run else word for word in drawing]
    code, _, err = command(*second, "--sigma", 1)
    assert code == 0 and "sigma 1 is not the 0.5 that" in err
    for words in printed_commands():
        typed = " ".join(words).replace("/data/val", str(images / "val"))
        typed = typed.replace("runs/sigma-*", f"{run} {images / 'runs' / 'sigma-1'}")
        typed = typed.replace("--out ", f"--out {images}/").split()
        assert command(*typed)[0] == 0, typed
    assert (images / "report.html").stat().st_size > 1e5 and (images / "sigmas.pdf").is_file()


def printed_commands():
    """What the README says to do with the runs."""
    text = (FOLDER / "README.md").read_text()
    found = re.findall(r"^ +simplicert ((?:table|figure|report) .+)$", text, re.MULTILINE)
    assert {words.split()[0] for words in found} == {"table", "figure", "report"}
    return [shlex.split(words) for words in found]


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


@pytest.fixture
def cluster(tmp_path):
    """Stand-ins for Slurm and ours, on the path of a script; each writes what it was asked."""
    venv, place = tmp_path / "venv" / "bin", tmp_path / "bin"
    for folder in (venv, place):
        folder.mkdir(parents=True)
    (venv / "activate").write_text("")
    drawing = f"""#!{sys.executable}
import signal, sys, time
def stop(*_):
    print("written", flush=True)
    sys.exit(130)
signal.signal(signal.SIGTERM, stop)
print("drawing", *sys.argv[1:], flush=True)
time.sleep(600)
"""
    asked = '#!/bin/bash\nif [ "$1" = show ]; then echo node1; else echo scontrol "$@"; fi\n'
    for name, text in (("simplicert", drawing), ("srun", drawing), ("scontrol", asked)):
        (place / name).write_text(text)
        (place / name).chmod(0o755)
    (tmp_path / ".ray").mkdir()
    (tmp_path / ".ray" / "auth_token").write_text("a token")
    return tmp_path, {
        "PATH": f"{place}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "VENV": str(venv.parent),
        "SIGMA": "0.5",
        "VAL": "/a folder/val",
        "TRAIN": "/a folder/train",
        "SLURM_ARRAY_TASK_ID": "3",
        "SLURM_ARRAY_JOB_ID": "77",
        "SLURM_JOB_ID": "78",
        "SLURM_JOB_NODELIST": "node[1-10]",
        "SLURM_JOB_NUM_NODES": "10",
        "SLURM_NNODES": "10",
        "SLURM_CPUS_PER_TASK": "16",
    }


@pytest.mark.parametrize(
    ("script", "requeued"),
    [("draw.sbatch", "77_3"), ("draw-ray.sbatch", "78"), ("train.sbatch", "78")],
)
def test_a_script_at_its_time_limit_goes_back_into_the_queue(cluster, script, requeued):
    place, environment = cluster
    with (place / "out").open("w+") as out:
        process = subprocess.Popen(
            ["bash", FOLDER / script, "--batch-size", "7"],
            cwd=place,
            env=environment,
            stdout=out,
            start_new_session=True,
        )
        try:
            until = time.monotonic() + 200
            while "drawing" not in (place / "out").read_text() and time.monotonic() < until:
                time.sleep(0.05)
            process.send_signal(signal.SIGTERM)  # to the script alone, as --signal=B does
            assert process.wait(timeout=200) != 0
        finally:
            os.killpg(process.pid, signal.SIGKILL) if alive(process.pid) else None
        lines = (place / "out").read_text().splitlines()
    assert "--batch-size 7" in lines[0] and "folder:/a folder/val" in lines[0]
    assert lines[-1] == f"scontrol requeue {requeued}"
    if script == "draw.sbatch":
        assert "--shard 3/20" in lines[0] and lines[1] == "written"


def alive(group):
    """Whether a process of this group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_no_ray_without_a_token(cluster):
    place, environment = cluster
    (place / ".ray" / "auth_token").write_text("")
    words = ["bash", str(FOLDER / "draw-ray.sbatch")]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "must hold a token" in done.stderr


@pytest.fixture
def downloaded(tmp_path):
    """Images as ImageNet has them: large and small, wide and high, grey and CMYK."""
    random = np.random.default_rng(0)
    for name, mode, size in (
        ("a/1.JPEG", "RGB", (500, 375)),
        ("a/2.JPEG", "L", (224, 640)),
        ("b/3.JPEG", "CMYK", (300, 300)),
        ("b/4.png", "RGB", (30, 20)),
    ):
        path = tmp_path / "downloaded" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        pixels = random.integers(0, 256, (size[1], size[0], len(mode)), dtype=np.uint8)
        Image.fromarray(pixels[..., 0] if mode == "L" else pixels, mode).save(path)
    return tmp_path / "downloaded"


def prepared(*words):
    words = [sys.executable, str(FOLDER / "prepare.py"), *map(str, words)]
    return subprocess.run(words, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("suffix", ["png", "jpg"])
def test_prepared_images_are_read(downloaded, tmp_path, suffix):
    out = tmp_path / "out"
    done = prepared(downloaded, out, "--suffix", suffix)
    assert done.returncode == 0, done.stderr
    assert "4 images of 2 classes" in done.stdout
    data = sc.data.load_data(f"folder:{out}")
    assert data.inputs.shape == (4, 3, SIDE, SIDE)
    assert data.labels.tolist() == [0, 0, 1, 1] and data.classes == ("a", "b")


def test_prepared_by_hand(downloaded, tmp_path):
    """500 x 375: the shorter side becomes 256, 341 x 256, and the middle is kept."""
    prepared(downloaded, tmp_path / "out")
    image = Image.open(downloaded / "a" / "1.JPEG").resize((341, 256), Image.Resampling.BILINEAR)
    wanted = np.asarray(image)[16:240, 58:282]
    assert (np.asarray(Image.open(tmp_path / "out" / "a" / "1.png")) == wanted).all()


def test_prepared_again_nothing_is_made_twice(downloaded, tmp_path):
    out = tmp_path / "out"
    prepared(downloaded, out)
    (out / "a" / "1.png").write_bytes(b"kept")
    (out / "a" / "2.png").unlink()
    assert prepared(downloaded, out).returncode == 0
    assert (out / "a" / "1.png").read_bytes() == b"kept" and (out / "a" / "2.png").is_file()


def test_a_flat_validation_folder(downloaded, tmp_path):
    """Labels from a file, with a header and boxes behind the synset, as ImageNet's come."""
    flat, labels = tmp_path / "flat", tmp_path / "val.csv"
    flat.mkdir()
    for number, path in enumerate(sorted(downloaded.glob("*/*"))):
        path.rename(flat / f"val_{number}{path.suffix}")
    rows = ["ImageId,PredictionString", "val_0,n2 1 2 3 4", "val_1,n1 5 6 7 8", "val_2,n2 1 1 1 1"]
    labels.write_text("\n".join(rows))
    done = prepared(flat, tmp_path / "out", "--labels", labels)
    assert done.returncode == 1 and "got none for val_3.png" in done.stderr
    labels.write_text("\n".join([*rows, "val_3,n3"]))
    assert prepared(flat, tmp_path / "out", "--labels", labels).returncode == 0
    data = sc.data.load_data(f"folder:{tmp_path / 'out'}")
    assert data.classes == ("n1", "n2", "n3") and data.labels.tolist() == [0, 1, 1, 2]
