"""A folder with data and a model of its own, and what to ask of it."""

import os
import sys
import time
from pathlib import Path
from typing import ClassVar

import numpy as np

import simplicert as sc
from simplicert.drawing import DrawingWatcher, draw_by_settings
from simplicert.store.settings import parse_settings

MODEL = """
import builtins
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
def poisoned():
    def classify(batch):
        if batch.max() > 50:  # input HOT of the data
            raise RuntimeError("too hot\\nto handle")
        return batch.reshape(len(batch), -1) @ WEIGHTS
    return classify
def deadly():
    def classify(batch):
        if batch.max() > 50:
            os._exit(9)
        return batch.reshape(len(batch), -1) @ WEIGHTS
    return classify
def slow():
    os.makedirs("pids", exist_ok=True)
    def classify(batch):
        open(f"pids/{os.getpid()}", "w").close()
        if not os.path.exists("enough"):  # so slow that a busy machine cannot miss the moment
            time.sleep(0.2)
        return batch.reshape(len(batch), -1) @ WEIGHTS
    return classify
def patient():
    def classify(batch):
        if not os.path.exists("enough"):
            time.sleep(0.03)
        return batch.reshape(len(batch), -1) @ WEIGHTS
    return classify
def remote():  # fails while there is a file `down`, by the class of error that stands in it
    def classify(batch):
        try:
            with open("down") as file:
                error = getattr(builtins, file.read() or "OSError")
        except FileNotFoundError:
            return batch.reshape(len(batch), -1) @ WEIGHTS
        batch[:] = 7  # what it does to the batch before it fails must not matter
        raise error("HTTP 503\\x1b[2J")
    return classify
def refusing():
    def classify(batch):
        if batch.max() > 50:
            raise ConnectionResetError("reset by peer")
        return batch.reshape(len(batch), -1) @ WEIGHTS
    return classify
def noisy():
    random = np.random.default_rng()
    normal = lambda batch: random.normal(size=(len(batch), 4))
    return lambda batch: batch.reshape(len(batch), -1) @ WEIGHTS + normal(batch)
"""


TEXT_MODEL = """
import os
import time
import numpy as np
WEIGHTS = np.random.default_rng(0).normal(size=(20, 3))
def make():
    def score(one):
        return sum((WEIGHTS[int(token[1:])] for token in one), np.zeros(3))
    return lambda batch: np.array([score(one) for one in batch])
def slow():
    classify = make()
    os.makedirs("pids", exist_ok=True)
    def slowly(batch):
        open(f"pids/{os.getpid()}", "w").close()
        if not os.path.exists("enough"):
            time.sleep(0.2)
        return classify(batch)
    return slowly
"""


class TextPlace(tuple[Path, str]):
    """A folder with texts and a model of texts: the same is asked of it as of any other."""

    settings: ClassVar = {"data": "texts.jsonl", "sigma": None, "noise": "deletion", "rate": 0.6}
    words = ("--data", "texts.jsonl", "--noise", "deletion", "--rate", "0.6")


HOT = 23  # past the inputs that the probe sees


def heat():
    """Make one input of the data too hot for the models `poisoned` and `deadly`."""
    data = dict(np.load("data.npz"))
    data["inputs"][HOT] = 100.0
    np.savez("data.npz", **data)


def half_written(path):
    """A temporary file that a writer of `path` left two days ago, on some other machine."""
    left = path.with_name(f".{path.name}.00000000-1-aaaaaaaa.tmp")
    left.write_text("index,")
    os.utime(left, (time.time() - 2 * 86400,) * 2)
    return left


def workers_seen(folder):
    """Processes that drew with the model `slow`."""
    return sorted(int(path.name) for path in (folder / "pids").glob("*"))


def alive(pid):
    """Whether this process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def marked(mark):
    """Processes that were started with this word in their environment, and live."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in path.read_bytes() and alive(int(path.parent.name)):
                found.append(int(path.parent.name))
        except OSError:  # ended meanwhile, or another user's
            continue
    return found


def soon(condition, seconds=200):
    """Wait for it, not for ever; a busy machine takes a minute to start Ray."""
    begun = time.monotonic()
    while not condition():
        assert time.monotonic() - begun < seconds
        time.sleep(0.02)


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
        "patience": 0.0,
        **getattr(place, "settings", {}),
        **more,
    }
    return parse_settings(settings)


def drawn(request, say=lambda sentence: None, **more):
    """Draw by the engine asked for; whether all is done, and the run, opened anew."""
    outcome = draw_by_settings(request, DrawingWatcher(warn=say, **more))
    return outcome.complete and not outcome.failed, sc.open_run(request.out)


def words(place, out, *more):
    """The command that does the same in a process of its own."""
    _, name = place
    return [
        sys.executable, "-m", "simplicert", "sample", "--model", f"{name}:make",
        *getattr(place, "words", ("--data", "data.npz", "--sigma", "0.4")), "--draws", "150",
        "--batch-size", "64", "--device", "cpu", "--out", out, *more,
    ]  # fmt: skip
