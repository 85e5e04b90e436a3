"""What a small question costs, and which batch is fast, against the classifier alone.

    python benchmarks/batches.py [--rounds 5] [--json FILE]

1. `certify` of one input, by the number of draws: rows that the classifier is asked about, and the
   time against forward passes over as many rows as there are draws (a small CNN on 3 x 32 x 32).
   The rival is the classifier alone: one pass over all rows, and one pass for each row.
2. Draws a second of plain functions (scikit-learn, 64 features), by the rows of a batch. Times are
   of the processor, the best of the rounds.
"""

import argparse
import json
import os
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC

import simplicert as sc
from simplicert.models.architectures import ARCHITECTURES

SHAPE = (3, 32, 32)
QUESTIONS = (5, 20, 100, 1000, 10_000)
BATCHES = (64, 256, 1024, 2048, 4096)
ROWS = 8192  # classified for each rate
MODELS = (
    LogisticRegression(max_iter=200),
    RandomForestClassifier(100, random_state=0),
    HistGradientBoostingClassifier(max_iter=30, random_state=0),
    MLPClassifier(max_iter=20, random_state=0),
    SVC(),
)


def best_time(work: Callable[[], Any], rounds: int, clock: Callable[[], float]) -> float:
    """Return the shortest of several times."""
    times = []
    for _ in range(rounds):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)


def classify_rows(network: torch.nn.Module, rows: torch.Tensor, passes: int) -> None:
    """Classify these rows again and again, without us."""
    with torch.inference_mode():
        for _ in range(passes):
            network(rows)


def ask_small_questions(rounds: int) -> list[dict[str, float]]:
    """Certify one input by few draws, and classify as many rows without us."""
    torch.manual_seed(0)
    network = ARCHITECTURES["small_cnn"](10, SHAPE).eval()
    x = np.random.default_rng(0).random((1, *SHAPE)).astype(np.float32)
    found = []
    for draws in QUESTIONS:
        smooth = sc.Smoothed(network, sigma=0.25)
        certify = partial(smooth.certify, x, draws=draws, seed=0)
        certify()
        rows, copies = smooth.calls, torch.from_numpy(np.repeat(x, min(draws, 256), axis=0))
        together = partial(classify_rows, network, copies, -(-draws // len(copies)))
        one_by_one = partial(classify_rows, network, copies[:1], draws)
        found.append(
            {
                "draws": draws,
                "rows": rows,
                "seconds": best_time(certify, rounds, time.perf_counter),
                "seconds_together": best_time(together, rounds, time.perf_counter),
                "seconds_one_by_one": best_time(one_by_one, min(rounds, 2), time.perf_counter),
            }
        )
    return found


def measure_functions(rounds: int) -> dict[str, dict[str, float]]:
    """Rows a second of each function, by the rows of a batch."""
    pixels, labels = load_digits(return_X_y=True)
    pixels = (pixels / 16).astype(np.float32)
    rates: dict[str, dict[str, float]] = {}
    for model in MODELS:
        model.fit(pixels[:1000], labels[:1000])
        answer = getattr(model, "predict_proba", model.predict)
        rates[type(model).__name__] = {}
        for size in BATCHES:
            noise = np.random.default_rng(0).normal(0, 0.1, (size, 64)).astype(np.float32)
            batch = pixels[:1] + noise

            def work(batch: np.ndarray = batch, answer: Any = answer) -> None:
                for _ in range(ROWS // len(batch)):
                    answer(batch)

            seconds = best_time(work, rounds, time.process_time)
            rates[type(model).__name__][str(size)] = ROWS / seconds
    return rates


def main() -> None:
    """Measure, print, write JSON where asked."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--json", type=Path)
    chosen = arguments.parse_args()
    warnings.simplefilter("ignore")
    result = {
        "version": sc.__version__,
        "load": os.getloadavg()[0],
        "questions": ask_small_questions(chosen.rounds),
        "rows_per_second": measure_functions(chosen.rounds),
    }
    print(json.dumps(result, indent=2))
    if chosen.json:
        chosen.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
