"""Whatever the noise, a run is the same bit for bit: after kill -9, and by every engine."""

import subprocess

import numpy as np
import pytest
from places import asked, drawn, soon, words
from tiers import some_slow

import simplicert as sc

NOISES = {
    "laplace": {"noise": "laplace", "scale": 0.3},
    "ablation": {"noise": "ablation", "keep": 5, "absent": -1.0},
    "uniform": {"noise": "uniform", "scale": 0.5},
    "exponential-linf": {"noise": "exponential-linf", "scale": 0.05},
    "splitting": {"noise": "splitting", "scale": 0.2},
    "brightness": {"noise": "brightness", "sigma": 0.4},
    "contrast": {"noise": "contrast", "sigma": 0.4},
    "shift": {"noise": "shift", "sigma": 1.0},
}


@pytest.fixture
def pictures(place):
    """Data that every noise can change: pictures of one channel, of whole bytes."""
    data = dict(np.load("data.npz"))
    inputs = (np.rint(data["inputs"] * 255) / 255).astype(np.float32)
    np.savez("data.npz", inputs=inputs[:, None], labels=data["labels"])
    return place


def settings(noise):
    """The settings of a drawing; all draws of splitting noise are made, so none are asked for."""
    plain = {"sigma": None, **NOISES[noise]}
    return plain | ({"draws": None} if noise == "splitting" else {})


@pytest.mark.parametrize("noise", some_slow(NOISES, first=2))
def test_kills_and_workers_change_nothing(pictures, noise, monkeypatch):
    folder, _ = pictures
    alone = drawn(asked(pictures, "alone", **settings(noise)))[1]
    assert alone.manifest.format == 3 and alone.tally().noise.name == noise
    two = drawn(asked(pictures, "two", workers=2, **settings(noise)))[1]
    assert two.tally() == alone.tally()
    plain = words(pictures, "killed")
    for name in ("--sigma", "--draws") if noise == "splitting" else ("--sigma",):
        at = plain.index(name)
        del plain[at : at + 2]
    command = plain + [f"--{name}={value}" for name, value in NOISES[noise].items()]
    monkeypatch.setenv("PAUSE", "0.05")
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        soon(lambda: list((folder / "killed" / "parts").glob("*.parquet")))
        process.kill()
    assert sc.open_run("killed").missing > 0
    monkeypatch.setenv("PAUSE", "0")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert sc.open_run("killed").tally() == alone.tally()


@pytest.mark.long
def test_ray_draws_every_noise_alike(pictures):
    pytest.importorskip("ray")
    for noise in NOISES:
        alone = drawn(asked(pictures, f"alone-{noise}", **settings(noise)))[1]
        run = drawn(asked(pictures, noise, workers=2, engine="ray", **settings(noise)))[1]
        assert run.tally() == alone.tally(), noise
