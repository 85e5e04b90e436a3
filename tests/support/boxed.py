"""A linear classifier on the unit box, whose radius inside the box is known exactly."""

import math
from pathlib import Path

import numpy as np

import simplicert as sc

SIGMA = 0.5
SLOPES = np.array([0.6, 0.5, 0.4, 0.3, -0.3, 0.2])  # w, scaled to length 1 below
WEIGHTS = SLOPES / np.linalg.norm(SLOPES)
BIAS = -0.1

MODEL = """
import numpy as np
W = np.array({weights})
def logits(batch):
    side = 8.0 * (batch.reshape(len(batch), -1) @ W + {bias})
    return np.stack([side, -side], axis=1)
def function():
    return logits
def network():
    import torch
    line = torch.nn.Linear(len(W), 2)
    with torch.no_grad():
        w = 8.0 * torch.from_numpy(W).float()
        line.weight.copy_(torch.stack([w, -w]))
        line.bias.copy_(torch.tensor([8.0 * {bias}, -8.0 * {bias}]))
    return torch.nn.Sequential(torch.nn.Flatten(), line)
"""

EDGE = np.array([0.0, 0.6, 0.5, 0.0, 0.5, 0.6], np.float32)  # x - r g lies outside the box
MIDDLE = np.array([0.5, 0.5, 0.5, 0.4, 0.5, 0.5], np.float32)  # and here inside


def line_radius(x, weights=WEIGHTS, bias=BIAS):
    """Signed distance to the boundary: the exact radius of the smoothed classifier, any sigma."""
    return (float(np.asarray(x, float).ravel() @ weights) + bias) / float(np.linalg.norm(weights))


def true_radius(x, weights=WEIGHTS, bias=BIAS):
    """Distance to the boundary inside the box, by the dual: the change is -t w, cut at the faces.

    As t grows the score falls, until every feature is at a face; the t where it is 0 is found by
    bisection, from above, and the distance is infinite where there is none.
    """
    x = np.asarray(x, float).ravel()

    def change(t):
        return np.clip(-t * weights, -x, 1 - x)

    def score(t):
        return (x + change(t)) @ weights + bias

    high = 1.0
    while score(high) > 0:
        high *= 2
        if high > 1e9:
            return math.inf
    low = 0.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if score(middle) > 0 else (low, middle)
    return float(np.linalg.norm(change(high)))


def place_boxed(folder: Path, name: str, inputs=None) -> None:
    """The module with the models, importable under this name, and data."""
    (folder / f"{name}.py").write_text(MODEL.format(weights=WEIGHTS.tolist(), bias=BIAS))
    data = np.stack([EDGE, MIDDLE]) if inputs is None else inputs
    np.savez(folder / "data.npz", inputs=np.asarray(data, np.float32).reshape(-1, 2, 3))


def draw_boxed(folder: Path, model: str, out: str = "run", data: str = "data.npz", **settings):
    """A run of these inputs."""
    asked = {"sigma": SIGMA, "draws": 1000, "batch_size": 128, "device": "cpu", **settings}
    quiet = {"warn": lambda sentence: None}
    return sc.draw(model, str(folder / data), out=folder / out, **asked, **quiet).run
