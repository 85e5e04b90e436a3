"""The small network against ResNet-20, and MACER's price against Gaussian training's.

    python benchmarks/training.py [--rounds 7] [--threads 1] [--json FILE]

One run, one machine. Forward passes: both networks compiled with folded weights, as sampling runs
them, on the same batch of 32 x 32 images. Training: one step of our own loop on the same batch of
inputs, the small network, Gaussian with one noisy copy and MACER with 4 and 16. Rounds are
interleaved in random order, and each way's best round counts, in seconds of processor time, which
other work on the machine disturbs least.
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

import simplicert as sc
from simplicert.models.architectures import ARCHITECTURES
from simplicert.sampling.forward import wrap_torch_function
from simplicert.training.batches import TrainingBatch
from simplicert.training.distribution import ProcessGroup
from simplicert.training.epoch import train_batch
from simplicert.training.settings import resolve_settings
from simplicert.training.trainer import Trainer

FORWARD, STEP, SHAPE = 500, 128, (3, 32, 32)
PAPERS_MACER = 40  # "MACER inducing a 40-fold increase in training time on our system"


def forward(arch: str) -> Callable[[], object]:
    """Classify one batch, compiled, channels last."""
    torch.manual_seed(0)
    run = wrap_torch_function(
        ARCHITECTURES[arch](10, SHAPE).eval(),
        device="cpu",
        channels_last=True,
        compiled=True,
        autocast=False,
    )
    memory = np.random.default_rng(0).random((FORWARD, *SHAPE[1:], SHAPE[0]), dtype=np.float32)
    return lambda: run(memory)


def step(method: str, copies: int) -> Callable[[], object]:
    """One step of the training loop, on inputs that are already in memory."""
    options = {"sigma": 0.25, "method": method, "copies": copies}
    torch.manual_seed(0)
    network = ARCHITECTURES["small_cnn"](10, SHAPE).train()
    bench = Trainer(
        resolve_settings("cifar10-small", options), ProcessGroup(0, 1, torch.device("cpu")), network
    )
    random = np.random.default_rng(0)
    inputs = random.random((STEP, *SHAPE), dtype=np.float32)
    batch = [TrainingBatch(inputs, random.integers(0, 10, STEP))]
    return lambda: train_batch(bench, batch, (0, 0, 0), 1e-3)


WAYS: dict[str, tuple[Callable[[], Callable[[], object]], int]] = {
    "forward_small_cnn": (lambda: forward("small_cnn"), FORWARD),
    "forward_resnet20": (lambda: forward("resnet20"), FORWARD),
    "step_gaussian": (lambda: step("gaussian", 1), STEP),
    "step_macer_4": (lambda: step("macer", 4), STEP),
    "step_macer_16": (lambda: step("macer", 16), STEP),
}


def rates(rounds: int) -> dict[str, float]:
    """Inputs a processor second of each way, the best of interleaved rounds."""
    ready = {name: make() for name, (make, _) in WAYS.items()}
    for work in ready.values():
        work()  # compiles, or warms up
    best = dict.fromkeys(ready, np.inf)
    order = np.random.default_rng(0)
    for _ in range(rounds):
        for name in order.permutation(list(ready)):
            start = time.process_time()
            ready[name]()
            best[name] = min(best[name], time.process_time() - start)
    return {name: inputs / best[name] for name, (_, inputs) in WAYS.items()}


def main() -> None:
    """Measure, print, write JSON where asked."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rounds", type=int, default=7)
    arguments.add_argument("--threads", type=int, default=1)
    arguments.add_argument("--json", type=Path)
    chosen = arguments.parse_args()
    torch.set_num_threads(chosen.threads)
    found = rates(chosen.rounds)
    result = {
        "version": sc.__version__,
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
        "rounds": chosen.rounds,
        "inputs_per_processor_second": found,
        "small_cnn_of_resnet20": found["forward_small_cnn"] / found["forward_resnet20"],
        "macer_4_of_gaussian": found["step_gaussian"] / found["step_macer_4"],
        "macer_16_of_gaussian": found["step_gaussian"] / found["step_macer_16"],
        "macer_of_gaussian_in_the_paper": PAPERS_MACER,
    }
    print(json.dumps(result, indent=2))
    if chosen.json:
        chosen.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
