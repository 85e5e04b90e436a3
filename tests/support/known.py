"""Classifiers whose smoothed boundary is known exactly, and runs of them.

A linear classifier of two classes, smoothed, changes its class on its own hyperplane w . x + b = 0,
whatever sigma is and whether counts or scores decide: the true distance is |w . x + b| / |w|.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np

import simplicert as sc
from simplicert.attack import Effort
from simplicert.attack.job import prepare_input
from simplicert.attack.target import open_target

FEATURES = 12
SIGMA = 0.5
SHARP = 8.0  # how fast the scores change across the boundary

MODEL = """
import numpy as np
W = np.random.default_rng(5).normal(size={features}).astype(np.float32)
B = np.float32(0.3)
def logits(batch):
    side = {sharp} * (batch.reshape(len(batch), -1) @ W + B) / np.linalg.norm(W)
    return np.stack([side, -side], axis=1)
def function():
    return logits
def labels():
    return lambda batch: logits(batch).argmax(axis=1)
def constant():
    return lambda batch: np.tile(np.array([1.0, 0.0]), (len(batch), 1))
def network():
    import torch
    line = torch.nn.Linear({features}, 2)
    with torch.no_grad():
        w = torch.from_numpy({sharp} * W / np.linalg.norm(W))
        b = torch.tensor({sharp} * B / np.linalg.norm(W))
        line.weight.copy_(torch.stack([w, -w]))
        line.bias.copy_(torch.stack([b, -b]))
    return torch.nn.Sequential(torch.nn.Flatten(), line)
"""

WEIGHTS = np.random.default_rng(5).normal(size=FEATURES).astype(np.float32).astype(float)
BIAS = float(np.float32(0.3))


def true_distance(x: np.ndarray, scale: np.ndarray | float = 1.0) -> float:
    """From x to the hyperplane, in the norm of this noise scale."""
    flat = x.astype(float).ravel()
    return abs(float(flat @ WEIGHTS + BIAS)) / float(np.linalg.norm(WEIGHTS * scale))


def inputs_at(distances: list[float]) -> np.ndarray:
    """Inputs at these distances from the hyperplane, the first class on the positive side."""
    random = np.random.default_rng(3)
    unit = WEIGHTS / np.linalg.norm(WEIGHTS)
    points = random.normal(size=(len(distances), FEATURES))
    along = (np.array(distances) - (points @ WEIGHTS + BIAS) / np.linalg.norm(WEIGHTS))[:, None]
    return (points + along * unit).astype(np.float32).reshape(len(distances), 3, 4)


def place_model(folder: Path, name: str) -> None:
    """The module with the models, importable under this name, and data."""
    (folder / f"{name}.py").write_text(MODEL.format(features=FEATURES, sharp=SHARP))
    np.savez(folder / "data.npz", inputs=inputs_at([0.3, 0.5, -0.7, 0.9]))


def data_of(folder: Path, name: str = "data.npz") -> str:
    """The data's spec."""
    return str(folder / name)


def model_of(run) -> str:
    """The name of a run's model, to be given by the user: a run's own word runs no code."""
    return str(run.manifest.made["model"])


def drawn(folder: Path, model: str, out: str = "run", data: str = "data.npz", **settings):
    """A run of the four inputs."""
    asked = {"sigma": SIGMA, "draws": 2000, "batch_size": 256, "device": "cpu", **settings}
    quiet = {"warn": lambda sentence: None}
    return sc.draw(model, data_of(folder, data), out=folder / out, **asked, **quiet).run


def attacked_input(
    run, item: int, effort: Effort, *, radius=None, kind=None, data: str = "data.npz"
):
    """One input of a run, with another radius where one is claimed."""
    target = open_target(run, model_of(run), data_of(run.folder.parent, data), seed=effort.seed)
    made = prepare_input(target, run.certify(kind=kind), item, effort)
    return made if radius is None else replace(made, radius=radius)
