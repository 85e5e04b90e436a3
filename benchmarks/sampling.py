"""Draws per second and memory against three ways to write the same loop.

    python benchmarks/sampling.py [--draws 4000] [--rounds 5] [--json FILE]

One run, one machine, one network (a CIFAR ResNet-20, untrained), one batch size. The rivals:
  bare        the forward pass alone, eager, on a batch that is already in memory
  reference   as the field's reference code: repeat the input, add noise, argmax, count in Python
  all_copies  all n noisy copies built in NumPy first, then classified in batches
Ours: eager without histograms, with everything it keeps by default, and compiled. Rounds are
interleaved in random order, and each way's best round counts. Peak memory is that of a process of
its own, at two numbers of draws.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import torch

import simplicert as sc
from simplicert.models.architectures import ARCHITECTURES
from simplicert.sampling import Sampler, SamplingSettings, Smoothing

SIGMA, SHAPE = 0.25, (3, 32, 32)
BATCH = 1000  # the reference code's own default


def network() -> torch.nn.Module:
    """The same weights every time."""
    torch.manual_seed(0)
    return ARCHITECTURES["resnet20"](10, SHAPE).eval()


def one_input() -> np.ndarray:
    """One image."""
    return np.random.default_rng(0).random((1, *SHAPE)).astype(np.float32)


def bare(draws: int) -> object:
    """Forward passes over one batch, channels last as ours are."""
    net = network().to(memory_format=torch.channels_last)
    batch = torch.rand(BATCH, *SHAPE).to(memory_format=torch.channels_last)

    def work() -> None:
        with torch.inference_mode():
            for _ in range(draws // BATCH):
                net(batch)

    return work


def reference(draws: int) -> object:
    """Repeat, add noise, argmax, count one by one."""
    net, x = network(), torch.from_numpy(one_input()[0])

    def work() -> None:
        counts = np.zeros(10, dtype=int)
        with torch.no_grad():
            for _ in range(draws // BATCH):
                batch = x.repeat((BATCH, 1, 1, 1))
                noise = torch.randn_like(batch) * SIGMA
                for label in net(batch + noise).argmax(1).cpu().numpy():
                    counts[label] += 1

    return work


def all_copies(draws: int) -> object:
    """Every noisy copy in memory at once, in NumPy's double precision."""
    net, x = network(), one_input()[0]

    def work() -> None:
        copies = np.repeat(x[None], draws, axis=0)
        copies = (copies + np.random.default_rng(0).normal(0, SIGMA, copies.shape)).astype(
            np.float32
        )
        counts = np.zeros(10, dtype=int)
        with torch.no_grad():
            for at in range(0, draws, BATCH):
                labels = net(torch.from_numpy(copies[at : at + BATCH])).argmax(1).numpy()
                counts += np.bincount(labels, minlength=10)

    return work


def ours(draws: int, *, histograms: bool = False, compiled: bool = False) -> object:
    """What `sc.sample` runs, after its one-time preparation."""
    settings = SamplingSettings(
        Smoothing(SIGMA), batch_size=BATCH, histograms=histograms, compiled=compiled
    )
    sampler = Sampler(network(), one_input(), settings)
    inputs, index = one_input(), np.array([0])
    return lambda: sampler.tally(inputs, index, (0, draws))


def labels_only(draws: int) -> object:
    """Ours with class counts alone: no softmax, votes or histograms."""
    net = network().to(memory_format=torch.channels_last)

    class Argmax(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return net(x).argmax(1)

    settings = SamplingSettings(Smoothing(SIGMA, "labels", 10), batch_size=BATCH)
    sampler = Sampler(Argmax(), one_input(), settings)
    inputs, index = one_input(), np.array([0])
    return lambda: sampler.tally(inputs, index, (0, draws))


WAYS = {
    "bare": bare,
    "reference": reference,
    "all_copies": all_copies,
    "ours_counts_only": labels_only,
    "ours": ours,
    "ours_with_histograms": lambda draws: ours(draws, histograms=True),
    "ours_compiled": lambda draws: ours(draws, compiled=True),
}


def rates(draws: int, rounds: int) -> dict[str, float]:
    """Draws a second of each way, the best of interleaved rounds."""
    ready = {name: way(draws) for name, way in WAYS.items()}
    best = dict.fromkeys(ready, np.inf)
    order = np.random.default_rng(0)  # what runs before a way changes the memory it finds
    for _ in range(rounds):
        for name in order.permutation(list(ready)):
            work = ready[name]
            start = time.perf_counter()
            work()
            best[name] = min(best[name], time.perf_counter() - start)
    return {name: draws / seconds for name, seconds in best.items()}


def peak(name: str, draws: int) -> float:
    """Peak memory in megabytes of a process that does only this."""
    words = [sys.executable, "-W", "ignore", __file__, "--peak-of", name, "--draws", str(draws)]
    return float(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    """Measure, print, write JSON where asked."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--draws", type=int, default=4000)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--peak-of", choices=WAYS, help=argparse.SUPPRESS)
    arguments.add_argument("--json", type=Path)
    chosen = arguments.parse_args()
    if chosen.peak_of:
        WAYS[chosen.peak_of](chosen.draws)()
        status = Path("/proc/self/status").read_text()
        print(float(status.partition("VmHWM:")[2].split()[0]) / 1024)
        return
    found = rates(chosen.draws, chosen.rounds)
    few, many = chosen.draws, 4 * chosen.draws
    memory = {
        name: {str(draws): peak(name, draws) for draws in (few, many)}
        for name in ("reference", "all_copies", "ours")
    }
    result = {
        "network": "resnet20",
        "batch_size": BATCH,
        "draws": chosen.draws,
        "version": sc.__version__,
        "draws_per_second": found,
        "ours_of_bare": found["ours"] / found["bare"],
        # Choosing the leaders took one more batch here; in a run of many inputs, 64 draws each.
        "ours_with_histograms_of_bare_without_pilot": 1
        / (found["bare"] / found["ours_with_histograms"] - BATCH / chosen.draws),
        "ours_counts_only_of_bare": found["ours_counts_only"] / found["bare"],
        "ours_compiled_of_reference": found["ours_compiled"] / found["reference"],
        "ours_of_reference": found["ours"] / found["reference"],
        "peak_megabytes": memory,
    }
    print(json.dumps(result, indent=2))
    if chosen.json:
        chosen.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
