"""A run of 100,000 inputs in 10,000 parts: seconds and memory of everything that reads it.

    python benchmarks/scale.py --before OLD/src [--inputs 100000] [--parts 10000] [--json FILE]

The run is synthetic: ten classes, 1,000 draws of each input, ten inputs a part, each part with the
draws that it holds, as `sample` writes it. Every operation is a process of its own, by the code of
another checkout (`before`) and by this one (`now`); `merged` is this one after `compact`. Seconds
are of the processor, as the machine may be shared, and memory is the most that the process held.
Starting Python and importing the package is measured alone and left out of the seconds.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

SEED, CLASSES, DRAWS, SIGMA = 0, 10, 1000, 0.5

HERE = Path(__file__).resolve().parents[1] / "src"

OPERATIONS = ("open", "certify", "verify", "table", "report")


def make_run(folder: Path, inputs: int, parts: int) -> None:
    """Write the run, an equal number of inputs in each part."""
    import simplicert as sc
    from simplicert.store import Manifest
    from simplicert.store.manifest import write_manifest
    from simplicert.store.parts import encode_part
    from simplicert.store.run import PARTS

    random = np.random.default_rng(SEED)
    labels = random.integers(0, CLASSES, inputs)
    top = np.where(random.random(inputs) < 0.8, labels, random.integers(0, CLASSES, inputs))
    falling = -np.sort(-random.dirichlet([1.5, 0.3, 0.2, *[0.05] * (CLASSES - 3)], size=inputs))
    truth = falling[np.arange(inputs)[:, None], (np.arange(CLASSES) - top[:, None]) % CLASSES]
    counts = random.multinomial(DRAWS, truth)
    plan = sc.Plan((DRAWS,))
    source = {"format": "sample", "seed": SEED}
    manifest = Manifest(
        SIGMA,
        inputs,
        CLASSES,
        plan=plan,
        index=[0, 1, inputs],
        source=source,
        id="5ca1ab1e5ca1ab1e",
    )
    (folder / PARTS).mkdir(parents=True)
    for rows in np.array_split(np.arange(inputs), parts):
        spans = np.column_stack([rows, np.full_like(rows, SEED), 0 * rows, 0 * rows + DRAWS])
        tally = sc.Tally(
            counts[rows], SIGMA, labels=labels[rows], index=rows, plan=plan, segments=spans
        )
        name, content = encode_part(tally, manifest, 1.0)
        (folder / PARTS / name).write_bytes(content)  # not flushed: it is no run of anybody's
    write_manifest(folder, manifest)


def do_operation(what: str, folder: Path) -> None:
    """Do one of the operations as the command does it."""
    import simplicert as sc

    if what == "start":
        import simplicert.metrics
        import simplicert.report
        import simplicert.tables
        import simplicert.verification
    elif what == "open":
        sc.open_run(folder).tally()
    elif what == "certify":
        from simplicert.store import write_certificates

        write_certificates(sc.open_run(folder).certify(), folder.with_suffix(".csv"))
    elif what == "verify":
        from simplicert.verification import verify_run

        wrong = [check for check in verify_run(folder) if check.holds is False]
        if wrong:
            raise SystemExit(f"the run must hold: {wrong}")
    elif what == "table":
        from simplicert.metrics import read_studies
        from simplicert.tables import make_table

        make_table(read_studies([folder]), "field")
    elif what == "report":
        from simplicert.metrics import read_studies
        from simplicert.report import write_report

        write_report(read_studies([folder]), folder.with_suffix(".html"), images=False)
    elif what == "compact":
        from simplicert.store.compaction import compact_run

        compact_run(folder)


def measure_operation(source: Path, what: str, folder: Path) -> dict[str, float]:
    """Do one operation in a process of its own, by the package in `source`."""
    words = [sys.executable, "-W", "ignore", __file__, "--do", what, "--folder", str(folder)]
    surroundings = {**os.environ, "PYTHONPATH": str(source), "OMP_NUM_THREADS": "1"}
    made = subprocess.run(words, env=surroundings, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(made.stdout.splitlines()[-1])
    return found


def tell_cost(what: str, folder: Path) -> None:
    """In that process: do it, and print what it took."""
    do_operation("start", folder)
    began = time.process_time()
    do_operation(what, folder)
    spent = resource.getrusage(resource.RUSAGE_SELF)
    seconds = round(time.process_time() - began, 2)
    print(json.dumps({"seconds": seconds, "megabytes": round(spent.ru_maxrss / 1024)}))


def measure_run(folder: Path, before: Path | None) -> dict[str, Any]:
    """Measure every operation by each code, then merge the parts and measure again."""
    result: dict[str, Any] = {}

    def measure(code: str, source: Path, what: str) -> None:
        result.setdefault(code, {})[what] = measure_operation(source, what, folder)
        print(code, what, result[code][what], flush=True)

    for what in OPERATIONS:
        if before is not None:
            measure("before", before, what)
        measure("now", HERE, what)
    measure("now", HERE, "compact")
    for what in OPERATIONS:
        measure("merged", HERE, what)
    return result


def count_files(folder: Path) -> dict[str, int]:
    """Count the parts and their bytes."""
    sizes = [path.stat().st_size for path in folder.glob("parts/*.parquet")]
    return {"parts": len(sizes), "bytes": sum(sizes)}


def name_commit(source: Path) -> str:
    """Name the commit that a checkout's source is of, or nothing where git does not know it."""
    words = ["git", "-C", str(source), "rev-parse", "--short=8", "HEAD"]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip()


def main() -> None:
    """Print every cost and, if asked, write them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--before", type=Path)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--parts", type=int, default=10_000)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--do")
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    if asked.do:
        tell_cost(asked.do, asked.folder)
        return
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "run"
        make_run(folder, asked.inputs, asked.parts)
        files = count_files(folder)
        costs = measure_run(folder, asked.before)
        result = {
            "inputs": asked.inputs,
            "files": files,
            "merged_files": count_files(folder),
            "load": round(os.getloadavg()[0], 1),
            "costs": costs,
        }
        if asked.before is not None:
            result["before"] = name_commit(asked.before)
    if asked.json:
        asked.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
