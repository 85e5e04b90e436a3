"""A folder with data and a model of its own, and what to ask of it."""

import sys

import simplicert as sc
from simplicert.runs.job import draw_run, parse_shard
from simplicert.runs.request import Request, prepare

MODEL = """
import os
import time
import numpy as np
WEIGHTS = np.random.default_rng(0).normal(size=(12, 4)).astype(np.float32)
def make():
    def classify(batch):
        time.sleep(float(os.environ.get("PAUSE", 0)))
        return batch.reshape(len(batch), -1) @ WEIGHTS
    return classify
def other():
    return lambda batch: batch.reshape(len(batch), -1) @ (2 * WEIGHTS)
def fails():
    calls = []
    def classify(batch):
        calls.append(1)
        if len(calls) > 30:
            raise RuntimeError("out of memory\\nand more")
        return batch.reshape(len(batch), -1) @ WEIGHTS
    return classify
def noisy():
    random = np.random.default_rng()
    normal = lambda batch: random.normal(size=(len(batch), 4))
    return lambda batch: batch.reshape(len(batch), -1) @ WEIGHTS + normal(batch)
"""


def asked(place, out, **more):
    folder, name = place
    settings = {
        "model": f"{name}:make",
        "data": "data.npz",
        "sigma": 0.4,
        "draws": 150,
        "batch_size": 64,
        "device": "cpu",
        "out": folder / out,
        **more,
    }
    return Request(**settings)


def drawn(request, **more):
    """Draw in this process; the run, opened anew."""
    ready = prepare(request)
    data = ready.data
    shard = parse_shard(request.shard)
    complete = draw_run(
        ready.run, ready.sampler, data.inputs, data.labels, data.index, shard=shard, **more
    )
    return complete, sc.open_run(request.out)


def words(place, out, *more):
    """The command that does the same in a process of its own."""
    _, name = place
    return [
        sys.executable, "-m", "simplicert", "sample", "--model", f"{name}:make",
        "--data", "data.npz", "--sigma", "0.4", "--draws", "150", "--batch-size", "64",
        "--device", "cpu", "--out", out, *more,
    ]  # fmt: skip
