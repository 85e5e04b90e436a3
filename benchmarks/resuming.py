"""What a process reads before it resumes its share of a run that has a part an input.

    python benchmarks/resuming.py [--inputs 4000] [--rounds 3] [--json FILE]

A made-up run of 1,000 classes. `share 1/20` and the others are ours: damage looked for and the
tally made, as `sample --shard` does. The rival checks every part and then reads every part again.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import simplicert as sc
from simplicert.drawing.resume import take_share
from simplicert.store import Manifest, Run
from simplicert.store.parts import read_part, write_part
from simplicert.store.run import PARTS
from simplicert.types.tally import select_inputs

SHARES = (20, 4, 1)


def made(folder: Path, inputs: int) -> Run:
    """A run whose every part holds one input."""
    random = np.random.default_rng(0)
    weights = random.normal(size=(20, 1000))
    images = random.random((inputs, 20)).astype(np.float32)
    tally = sc.sample(lambda batch: 3 * batch @ weights, images, 0.5, 64, batch_size=64)
    manifest = Manifest(sigma=0.5, inputs=inputs, classes=1000, plan=tally.plan)
    run = sc.create_run(folder, manifest, select_inputs(tally, np.arange(1)))
    for row in range(1, inputs):
        write_part(folder / PARTS, select_inputs(tally, np.array([row])), manifest)
    return run


def ours(run: Run, shares: int) -> int:
    """The first of this many shares; how many inputs it was told of."""
    index = np.arange(run.manifest.inputs)
    share = take_share(run, index, index[::shares])
    share.set_aside_damage()
    return len(share.tally())


def twice(run: Run) -> int:
    """The rival."""
    for path in run.paths():
        read_part(path, run.manifest)
    return len(sc.open_run(run.folder).tally())


def seconds(job: Callable[[], int], wanted: int) -> float:
    """Of one round."""
    begun = time.perf_counter()
    assert job() == wanted
    return time.perf_counter() - begun


def measured(folder: Path, inputs: int, rounds: int) -> dict[str, object]:
    """Medians of rounds in which all take their turns."""
    run = made(folder, inputs)
    found: dict[str, list[float]] = {}
    for _ in range(rounds):
        for shares in SHARES:
            took = seconds(lambda shares=shares: ours(run, shares), -(-inputs // shares))
            found.setdefault(f"share 1/{shares}", []).append(took)
        found.setdefault("every part twice", []).append(seconds(lambda: twice(run), inputs))
    middle = {name: statistics.median(values) for name, values in found.items()}
    rival = middle["every part twice"]
    return {
        "inputs": inputs,
        "rounds": rounds,
        "load_average": os.getloadavg()[0],
        "seconds": middle,
        "times_as_fast": {name: rival / value for name, value in middle.items()},
    }


def main() -> None:
    """Measure in a folder of its own."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--inputs", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = measured(Path(folder) / "run", options.inputs, options.rounds)
    print(json.dumps(result, indent=2))
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
