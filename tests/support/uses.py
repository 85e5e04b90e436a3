"""The five uses of a smoothed classifier, each stopped at its first draw: what does it evaluate?

A use hands the drawing loop its batch, its forward pass and its reading. These are caught there,
and then given the same noise: what comes out is the function that this use evaluates.
"""

from pathlib import Path

import numpy as np
import pytest
from one_function_nets import NETS

import simplicert as sc
from simplicert.attack.attacked_input import SmoothedPoint as Attacked
from simplicert.attack.target import open_target
from simplicert.sampling import loop as draw
from simplicert.sampling.noisy import NoisyCopies
from simplicert.verification import Replay, verify_run

ROWS = 32  # of a batch, and of the noise that is compared
SHAPE = (3, 2, 2)
INPUTS = (np.random.default_rng(0).integers(-16, 17, (2, *SHAPE)) / 16).astype(np.float32)


class Caught(BaseException):
    """Carries the loop out of whatever would have drawn with it."""


def evaluated(use):
    """(rows, outputs, classes, scores) of what a use evaluates, on noise of ours, as bytes."""

    def run(loop, inputs, items, span, ledger, **options):
        raise Caught(loop, inputs[0], ledger.classes)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(draw, "draw_inputs", run)
        with pytest.raises(Caught) as stopped:
            use()
    loop, x, classes = stopped.value.args
    loop.batch.clear()
    loop.batch.fill([NoisyCopies(0, x, (7, 3, 0, 0), slice(0, ROWS))])
    rows = loop.batch.rows()[:ROWS]
    outputs = loop.batch.outputs(loop.pass_rows(ROWS))[:ROWS]
    scores = loop.read(outputs)
    soft = b"" if scores.soft is None else scores.soft.tobytes()
    hard = np.where(scores.hard < classes, scores.hard, -1)  # K is no class
    return rows.tobytes(), outputs.tobytes(), hard.tobytes(), soft


def all_uses(folder: Path, net: str, settings: dict, kind: str = "multinomial"):
    """What each use evaluates, by its name."""
    smooth = sc.Smoothed(NETS[net](), **settings, kind=kind, batch_size=ROWS, device="cpu")
    smooth.save(folder / "kept", INPUTS)
    loaded = sc.Smoothed.load(folder / "kept", device="cpu")
    assert loaded.smoothing == smooth.smoothing and loaded.kind == kind
    loaded.batch_size = ROWS
    model, data, run = drawn(folder, net, settings)
    target = open_target(run, model, data)

    def look():
        Attacked(target.sampler, 0, kind).look(INPUTS[0], ROWS)

    return {
        "certify": evaluated(lambda: smooth.certify(INPUTS, draws=ROWS)),
        "predict": evaluated(lambda: smooth.predict(INPUTS)),
        "load": evaluated(lambda: loaded.predict(INPUTS)),
        "load and certify": evaluated(lambda: loaded.certify(INPUTS, draws=ROWS)),
        "replay": evaluated(lambda: list(verify_run(run.folder, (), Replay(2, 0, model, data)))),
        "attack": evaluated(look),
    }


def drawn(folder: Path, net: str, settings: dict):
    """A run of these settings: the names of its model and data, and itself."""
    words = {name: value for name, value in settings.items() if value is not None}
    np.savez(folder / "data.npz", inputs=INPUTS)
    model, data = f"one_function_nets:{net}", str(folder / "data.npz")
    same = {"draws": ROWS, "batch_size": ROWS, "device": "cpu", "histograms": False}
    quiet = {"warn": lambda sentence: None}
    return model, data, sc.draw(model, data, out=folder / "run", **words, **same, **quiet).run
