"""Two one-thread Ray workers against two local processes, and what a unit costs the leader.

    python benchmarks/engines.py [--rounds 8] [--json FILE]

Both groups of workers are loaded and idle, and draw the same run turn by turn: a network of two
layers (3072, 256, 10) in NumPy on images of 3 x 32 x 32, after start-up. Each engine's best round
counts, as machines are shared; the median is given too. Then a model that does nothing, in units
as small as they get: the processor time that the leading process spends on one. Last, the time to
write a part of 1,000 classes to this disk, flushed, and to read it.
"""

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np

import simplicert as sc
from simplicert.drawing import draw_missing, open_workers
from simplicert.drawing.resume import prepare_run
from simplicert.drawing.workers import Workers
from simplicert.store import Manifest
from simplicert.store.parts import read_part, write_part
from simplicert.store.settings import DrawingSettings
from simplicert.types.tally import select_inputs

ENGINES = ("ray", "local")
PART = 200  # inputs of a part of 1,000 classes
MODELS = """
import numpy as np
def network():
    random = np.random.default_rng(0)
    first, second = (
        random.normal(size=size).astype(np.float32) / 30 for size in ((3072, 256), (256, 10))
    )
    def classify(batch):
        return np.maximum(batch.reshape(len(batch), -1) @ first, 0) @ second
    return classify
def nothing():
    return lambda batch: np.ascontiguousarray(batch.reshape(len(batch), -1)[:, :4])
"""


def asked(engine: str, model: str, data: str, draws: int, batch: int) -> DrawingSettings:
    """Two workers with a thread each."""
    return DrawingSettings(
        model=f"bench_models:{model}",
        data=data,
        sigma=0.25,
        draws=draws,
        out=Path(f"run-{engine}-{model}"),
        batch_size=batch,
        device="cpu",
        engine=engine,
        workers=2,
        cpus_per_worker=1,
    )


def once(request: DrawingSettings, workers: Workers) -> tuple[float, float, int]:
    """Draw the run anew: wall seconds, the leader's processor seconds, units."""
    shutil.rmtree(request.out, ignore_errors=True)
    ready = prepare_run(replace(request), workers)
    while len(workers.idle()) < 2:
        workers.wait(lambda rows: False)
    wall, own = time.perf_counter(), time.process_time()
    outcome = draw_missing(ready, workers)
    assert outcome.complete and not outcome.failed
    took = time.perf_counter() - wall, time.process_time() - own
    return *took, len(sc.open_run(request.out).paths())


def rounds_of(model: str, data: str, draws: int, batch: int, rounds: int) -> dict[str, list]:
    """All rounds, turn by turn; the first of each engine warms up and does not count."""
    requests = {engine: asked(engine, model, data, draws, batch) for engine in ENGINES}
    found: dict[str, list] = {engine: [] for engine in ENGINES}
    with ExitStack() as stack:
        groups = {name: stack.enter_context(open_workers(r)) for name, r in requests.items()}
        for number in range(rounds + 1):
            for engine in ENGINES if number % 2 else ENGINES[::-1]:
                one = once(requests[engine], groups[engine])
                if number:
                    found[engine].append(one)
                    print(model, engine, *(f"{value:.3f}" for value in one), file=sys.stderr)
    return found


def part_cost() -> dict[str, dict[str, float]]:
    """Parts of one and of many inputs of 1,000 classes: milliseconds to write and read, bytes."""
    random = np.random.default_rng(0)
    images = random.random((PART, 20)).astype(np.float32)
    weights = random.normal(size=(20, 1000))
    tally = sc.sample(lambda batch: 3 * batch @ weights, images, 0.5, 1000, batch_size=256)
    manifest = Manifest(sigma=0.5, inputs=PART, classes=1000, plan=tally.plan)
    found = {}
    for name, rows in (("one", np.arange(1)), ("many", np.arange(PART))):
        mine, wrote, read = select_inputs(tally, rows), [], []
        for _ in range(20):
            begun = time.perf_counter()
            path = write_part(Path(), mine, manifest, begun)  # the seconds make a name of its own
            wrote.append(time.perf_counter() - begun)
            begun = time.perf_counter()
            read_part(path, manifest)
            read.append(time.perf_counter() - begun)
        found[name] = {
            "inputs": len(mine),
            "write_milliseconds": 1e3 * statistics.median(wrote),
            "read_milliseconds": 1e3 * statistics.median(read),
            "bytes": path.stat().st_size,
        }
    return found


def measured(rounds: int) -> dict[str, object]:
    """Everything, in the current folder."""
    Path("bench_models.py").write_text(MODELS)
    random = np.random.default_rng(0)
    np.savez("images.npz", inputs=random.random((16, 3, 32, 32)).astype(np.float32))
    np.savez("rows.npz", inputs=random.random((400, 8)).astype(np.float32))
    draws = 512
    work = rounds_of("network", "images.npz", draws, 64, rounds)
    rates = {name: [16 * draws / wall for wall, _, _ in found] for name, found in work.items()}
    best = {name: max(values) for name, values in rates.items()}
    middle = {name: statistics.median(values) for name, values in rates.items()}
    units = rounds_of("nothing", "rows.npz", 256, 64, 2)
    return {
        "cores": os.cpu_count(),
        "load_average": os.getloadavg()[0],
        "rounds": rounds,
        "draws_per_second": best,
        "ray_of_local": best["ray"] / best["local"],
        "ray_of_local_median": middle["ray"] / middle["local"],
        "units_a_round": {name: found[-1][2] for name, found in work.items()},
        "leader_milliseconds_a_unit": {
            name: min(1e3 * own / count for _, own, count in found) for name, found in units.items()
        },
        "tiny_units": {name: found[-1][2] for name, found in units.items()},
        "part": part_cost(),
    }


def main() -> None:
    """Measure in a folder of its own."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    target = options.json.resolve() if options.json else None
    with tempfile.TemporaryDirectory() as folder:
        here = Path.cwd()
        os.chdir(folder)
        sys.path.insert(0, folder)
        try:
            result = measured(options.rounds)
        finally:
            os.chdir(here)
    print(json.dumps(result, indent=2))
    if target:
        target.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
