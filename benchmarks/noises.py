"""What a draw costs under each noise, network included, beside Gaussian noise.

    python benchmarks/noises.py [--draws 64] [--rounds 60] [--json FILE]

One run, one machine, one network (a CIFAR ResNet-20, untrained), one batch size, one thread. In
every round each noise draws one batch in turn, in random order, and its processor time is divided
by that of Gaussian noise in the same round: the median of these ratios is reported with an interval
for it, so that a busy machine does not decide. Noise alone is measured in the same rounds.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
from scipy.stats import binom

from simplicert.models.architectures import ARCHITECTURES
from simplicert.noises import NoiseModel
from simplicert.sampling import Sampler, SamplingSettings, Smoothing
from simplicert.sampling.noisy import NoisyCopies

SHAPE, BATCH = (3, 32, 32), 64
LEAST = 0.005  # seconds of noise alone in a round, at least

NOISES = {
    "gaussian": (NoiseModel(), 0.25),
    "laplace": (NoiseModel("laplace"), 0.25),
    "uniform": (NoiseModel("uniform"), 0.5),
    "ablation": (NoiseModel("ablation", keep=75, absent=-1.0), 1.0),
    "brightness": (NoiseModel("brightness"), 0.25),
    "shift": (NoiseModel("shift"), 2.0),
}


def make_sampler(model: NoiseModel, scale: float) -> Sampler:
    """What `sc.sample` runs, after its one-time preparation; the same weights every time."""
    torch.manual_seed(0)
    network = ARCHITECTURES["resnet20"](10, SHAPE).eval()
    settings = SamplingSettings(
        Smoothing(scale, noise=model), batch_size=BATCH, histograms=False, device="cpu"
    )
    return Sampler(network, one_input(), settings)


def one_input() -> np.ndarray:
    """One image."""
    return np.random.default_rng(0).random((1, *SHAPE)).astype(np.float32)


def time_draws(sampler: Sampler, draws: int) -> float:
    """Processor seconds of a draw, network included."""
    start = time.process_time()
    sampler.tally(one_input(), np.array([0]), (0, draws))
    return (time.process_time() - start) / draws


def time_noise(sampler: Sampler) -> float:
    """Processor seconds of a draw's noise alone, in chunks as a run draws them."""
    (x,) = sampler.evaluation.lay_out(one_input())
    rows, made = slice(0, sampler.chunk), 0
    start = time.process_time()
    while time.process_time() - start < LEAST:
        sampler.batch.fill([NoisyCopies(0, x, (0, 0, made, 0), rows)])
        made += sampler.chunk
    return (time.process_time() - start) / made


def measure(draws: int, rounds: int) -> dict[str, dict[str, list[float]]]:
    """Seconds of a draw by noise, round by round."""
    samplers = {name: make_sampler(*noise) for name, noise in NOISES.items()}
    found: dict[str, dict[str, list[float]]] = {
        name: {"draw": [], "noise": []} for name in samplers
    }
    order = np.random.default_rng(0)
    for sampler in samplers.values():
        time_draws(sampler, BATCH)  # memory and caches as they will be
    for _ in range(rounds):
        for name in order.permutation(list(samplers)):
            found[name]["draw"].append(time_draws(samplers[name], draws))
            found[name]["noise"].append(time_noise(samplers[name]))
    return found


def summarise(found: dict[str, dict[str, list[float]]]) -> dict[str, dict[str, float]]:
    """Milliseconds of a draw and of its noise (medians), and the cost beside Gaussian noise.

    The interval of the median ratio has a confidence of 95 %: two of the ordered ratios, chosen by
    the binomial distribution.
    """
    usual = np.array(found["gaussian"]["draw"])
    rows = {}
    for name, times in found.items():
        ratios = np.sort(np.array(times["draw"]) / usual)
        place = max(int(binom.ppf(0.025, len(ratios), 0.5)), 1)
        rows[name] = {
            "milliseconds": 1000 * float(np.median(times["draw"])),
            "noise_milliseconds": 1000 * float(np.median(times["noise"])),
            "of_gaussian": float(np.median(ratios)),
            "low": float(ratios[place - 1]),
            "high": float(ratios[-place]),
        }
    return rows


def main() -> None:
    """Measure, print, write JSON where asked."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--draws", type=int, default=64)
    arguments.add_argument("--rounds", type=int, default=60)
    arguments.add_argument("--json", type=Path)
    asked = arguments.parse_args()
    torch.set_num_threads(1)
    rows = summarise(measure(asked.draws, asked.rounds))
    result = {"draws": asked.draws, "rounds": asked.rounds, "batch": BATCH, "noises": rows}
    for name, row in rows.items():
        print(name, json.dumps({key: round(value, 4) for key, value in row.items()}))
    if asked.json:
        asked.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
