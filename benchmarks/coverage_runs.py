"""Rates of wrong certificates end to end: a classifier, its noise, the run folder, certificates.

Inputs that are all alike are drawn independently, as each has its own noise. `simplicert sample` is
stopped by SIGTERM after a random number of batches and given again until the run is complete.
"""

import os
import signal
import sys
import tempfile
from contextlib import contextmanager, redirect_stderr
from io import StringIO
from pathlib import Path

import numpy as np
from coverage_rates import judge, row
from truths import HARD, SOFT, Slabs, hard

import simplicert as sc
from simplicert.cli import main

FEATURES, SIGMA, ALPHA = 8, 0.5, 0.05
RESERVE = "50%"  # of alpha, where the case has a reserve
GRID, STEP = "1/16", 1 / 16
FIRST_STOP, LAST_STOP = 20, 400  # batches after which a run may be stopped; the probe needs fewer
DIRECTION = np.full(FEATURES, FEATURES**-0.5)
FIRST = np.eye(FEATURES)[0]  # along the grid

# Cut half a step on either side of the input: a tie in which grid mode's rounding has no part.
QUANTISED = Slabs(np.array([-0.5, 0.5]) * STEP / SIGMA, np.eye(3)[[0, 2, 1]])


def two_classes():
    """Linear logits; the truth is that of `LINEAR`."""
    return lambda batch: np.outer(batch.astype(float) @ DIRECTION / SIGMA - 0.5, [-1.0, 1.0])


LINEAR = HARD["radius .5"]

# name: truth, kind, outputs, axis
MODELS = {
    "linear": (LINEAR, "multinomial", "logits", None),
    "half_spaces": (HARD["tie of two, third .2"], "multinomial", "probabilities", DIRECTION),
    "unequal": (HARD["unequal .58 .31 .11"], "multinomial", "probabilities", DIRECTION),
    "ten_steps": (HARD["linear, ten steps"], "multinomial", "probabilities", DIRECTION),
    "quantised": (QUANTISED, "multinomial", "probabilities", FIRST),
    "thousand": (HARD["999 equal rivals"], "multinomial", "probabilities", DIRECTION),
    "hard_scores": (hard(0.4, 0.4, 0.2), "softmax", "probabilities", DIRECTION),
    "stairs_tie": (SOFT["stairs, tie"], "softmax", "probabilities", DIRECTION),
    "stairs_ten": (SOFT["stairs among ten"], "softmax", "probabilities", DIRECTION),
    "stairs_thousand": (SOFT["stairs among 1,000"], "softmax", "probabilities", DIRECTION),
}

# model, scheme, method it has by default, mode, share of the inputs
CASES = [
    ("linear", "gated", "clopper_pearson", "fixed", 1.0),
    ("linear", "split", "clopper_pearson", "resumed", 1.0),
    ("linear", "gated", "clopper_pearson", "until radius=0.25, resumed", 1.0),
    ("half_spaces", "gated", "clopper_pearson", "resumed", 1.0),
    ("half_spaces", "gated", "clopper_pearson", "until decided, resumed", 1.0),
    ("half_spaces", "paper", "clopper_pearson", "until decided, resumed", 1.0),
    ("half_spaces", "paper", "clopper_pearson", "extended, resumed", 1.0),
    ("half_spaces", "joint", "buehler+pair", "extended, resumed", 1.0),
    ("unequal", "joint", "buehler+pair", "resumed", 0.5),
    ("unequal", "gated", "clopper_pearson", "extended, resumed", 1.0),
    ("unequal", "gated", "clopper_pearson", "reserve, extended, resumed", 1.0),
    ("unequal", "split", "clopper_pearson", "until decided, resumed", 1.0),
    ("ten_steps", "paper", "clopper_pearson", "resumed", 1.0),
    ("quantised", "gated", "clopper_pearson", "grid, resumed", 1.0),
    ("quantised", "paper", "clopper_pearson", "grid, until decided, resumed", 1.0),
    ("thousand", "gated", "clopper_pearson", "resumed", 0.1),
    ("hard_scores", "gated", "bentkus+betting", "resumed", 0.5),
    ("stairs_tie", "gated", "bentkus+betting", "until decided, resumed", 0.5),
    ("stairs_tie", "paper", "hoeffding", "extended, resumed", 0.5),
    ("stairs_ten", "split", "bentkus+betting", "resumed", 0.25),
    ("stairs_ten", "gated", "bentkus+betting", "until rtol=0.05, resumed", 0.25),
    ("stairs_thousand", "gated", "bentkus+betting", "resumed", 0.05),
]


@contextmanager
def workplace(inputs):
    """A folder with the inputs, all at 0, and a module with every model; current meanwhile."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        text = "".join(
            f"def {name}():\n    return coverage_runs.stopping('{name}', random)\n"
            for name in MODELS
        )
        head = "import numpy\nimport coverage_runs\nrandom = numpy.random.default_rng(0)\n"
        Path(folder, "known_models.py").write_text(head + text)
        np.savez(Path(folder) / "data.npz", inputs=np.zeros((inputs, FEATURES), np.float32))
        os.chdir(folder)
        try:
            yield Path(folder)
        finally:
            os.chdir(before)
            sys.modules.pop("known_models", None)


def made(name):
    """The classifier of this name."""
    slabs, _, _, axis = MODELS[name]
    return two_classes() if axis is None else slabs.classifier(axis, SIGMA)


def stopping(name, random):
    """The same classifier, that has the process told to stop after some batches."""
    classify, left = made(name), [int(random.integers(FIRST_STOP, LAST_STOP))]

    def watched(batch):
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGTERM)
        return classify(batch)

    return watched


def typed(words):
    """The exit code of a command, and what it said."""
    before, sys.argv = sys.argv, ["simplicert", *map(str, words)]
    said = StringIO()
    try:
        with redirect_stderr(said):
            main()
    except SystemExit as stop:
        return stop.code or 0, said.getvalue()
    finally:
        sys.argv = before
    return 0, said.getvalue()


def drawn(words):
    """Give the command until the run is complete."""
    for _ in range(1000):
        code, said = typed(["sample", *words])
        if code == 0:
            return
        if code != 130:
            raise RuntimeError(said)
    raise RuntimeError("a run did not end")


def measured(out, case, inputs, draws, seed):
    """Certificates by the run's own declared settings."""
    model, scheme, _, mode, _ = case
    _, kind, outputs, _ = MODELS[model]
    if mode == "fixed":
        points = np.zeros((inputs, FEATURES), np.float32)
        tally = sc.sample(made(model), points, SIGMA, draws, seed=seed, outputs=outputs)
        return sc.certify(sc.bound(tally, ALPHA, kind, scheme))
    parts = mode.split(", ")
    words = ["--model", f"known_models:{model}", "--data", "data.npz", "--stop", inputs]
    words += ["--sigma", SIGMA, "--out", out, "--seed", seed, "--alpha", ALPHA, "--kind", kind]
    words += ["--scheme", scheme, "--outputs", outputs, "--batch-size", 256, "--device", "cpu"]
    words += ["--quiet", "--pilot", 50 if scheme == "split" else 0]
    for part in parts:
        words += ["--until", part.removeprefix("until ")] if part.startswith("until ") else []
    words += ["--grid", GRID] if "grid" in parts else []
    words += ["--reserve", RESERVE if "reserve" in parts else "0"]
    drawn([*words, "--draws", draws])
    if "extended" in parts:
        drawn([*words, "--draws", 2 * draws, "--extend"])
    return sc.open_run(out).certify()


def through_runs(inputs, draws=300, cases=CASES):
    """Every case, one rate each."""
    out = []
    with workplace(inputs) as folder:
        for seed, case in enumerate(cases):
            model, scheme, method, mode, share = case
            slabs, kind, _, _ = MODELS[model]
            found = measured(folder / f"run-{seed}", case, int(inputs * share), draws, seed)
            assert found.known.method == method, (found.known.method, method)
            way = (scheme, method, found.known.bands is not None)
            wrong = judge(slabs, kind, found)
            settings = {"kind": kind, "mode": mode, "point": model, "draws": draws, "alpha": ALPHA}
            out.append(row(slabs, way, found.known.level, wrong, **settings))
    return out
