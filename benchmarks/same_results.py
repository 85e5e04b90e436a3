"""Do two checkouts compute the same? Everything after the draws, and the demo, byte for byte.

    python benchmarks/same_results.py OLD NEW [--json FILE]

OLD and NEW are checkouts of this project. Each certifies the committed runs by every kind and
scheme, makes every style of table in every format, and a report; then it runs the demo. The files
are compared byte for byte, with these exceptions: a run's own id, times, parts (compared as
tallies), weights (compared as tensors, as their file notes the time of the training), checkpoints,
the picture of a training's log (its legend has the minutes; the log itself is compared), and words
that were changed on purpose (WORDS).
"""

import argparse
import csv
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from safetensors.numpy import load_file

RUNS = Path("experiments/cifar10/runs")
KINDS = {"multinomial": ("gated", "joint", "paper"), "softmax": ("gated", "paper")}
STYLES = ("field", "paper1", "paper2", "pairs")
SUFFIXES = ("md", "tex", "csv")
WORDS = {  # as it was -> as it is
    b"refused input": b"abstained input",
    b"draws an input": b"draws per input",
}
OWN = re.compile(
    rb'^(id|package) = ".*"$|# checksum of all lines above: .*$|\b[0-9a-f]{16}(?=</td>)',
    re.MULTILINE,
)
TIMES = re.compile(
    rb'"(seconds|drawing)[^:]*": ?[^,}]*|\d+(\.\d+)? (s|seconds|min)\b|^seconds = .*$', re.M
)

# Digests of every tally of a run, by its own package.
TALLIES = """
import hashlib, sys
import numpy as np
import simplicert as sc
for folder in sys.argv[1:]:
    tally = sc.open_run(folder).tally()
    total = hashlib.sha256()
    for name in sorted(vars(tally)):
        value = getattr(tally, name)
        if isinstance(value, np.ndarray):
            total.update(f"{name} {value.dtype} {value.shape}".encode())
            total.update(np.ascontiguousarray(value).tobytes())
    print(total.hexdigest())
"""


def run_checkout(checkout, folder):
    """Make every file with the package of one checkout; their names and digests."""
    source = checkout / "src"
    environment = os.environ | {"PYTHONPATH": str(source), "OMP_NUM_THREADS": "1"}
    environment["SOURCE_DATE_EPOCH"] = "0"

    def simplicert(*words, codes=(0,)):
        command = [sys.executable, "-W", "ignore", "-m", "simplicert", *map(str, words)]
        done = subprocess.run(
            command, cwd=checkout, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode in codes, (words, done.returncode, done.stderr[-2000:])
        return done.stdout

    found = {}
    paths = sorted(path for path in (checkout / RUNS).iterdir() if (path / "run.toml").exists())
    runs = [path.relative_to(checkout) for path in paths]  # the same names in both checkouts
    for run in runs:
        for kind, schemes in KINDS.items():
            for scheme in schemes if "long" not in run.name else schemes[:1]:
                out = folder / f"{run.name}-{kind}-{scheme}.csv"
                simplicert("certify", run, "--kind", kind, "--scheme", scheme, "--out", out)
        simplicert("certify", run, "--out", folder / f"{run.name}.parquet")
        found[f"verify {run.name}"] = digest(simplicert("verify", run).encode())
    sigmas = [run for run in runs if run.name in ("sigma-0.25", "sigma-0.5", "sigma-1")]
    for style in STYLES:
        for suffix in SUFFIXES:
            chosen = sigmas[:2] if style == "pairs" else sigmas
            simplicert("table", *chosen, "--style", style, "--out", folder / f"{style}.{suffix}")
    simplicert("report", *sigmas, "--out", folder / "report.html")
    simplicert("demo", "--out", folder / "demo", "--draws", 200, "--quiet")
    words = [sys.executable, "-c", TALLIES, *map(str, sorted((folder / "demo/runs").iterdir()))]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    found["tallies of the demo"] = digest(done.stdout.encode())
    for path in sorted(folder.rglob("*")):
        left_out = "parts" in path.parts or path.suffix == ".pt" or path.name == "curve.png"
        if path.is_file() and not left_out:
            found[str(path.relative_to(folder))] = digest(read_content(path))
    return found


def read_content(path):
    """The bytes of a file; of weights the tensors, of a training's log all columns but seconds."""
    if path.suffix == ".safetensors":
        tensors = load_file(path)
        return b"".join(name.encode() + tensors[name].tobytes() for name in sorted(tensors))
    if path.name == "log.csv":
        rows = csv.DictReader(path.read_text().splitlines())
        kept = [{name: row[name] for name in row if "seconds" not in name} for row in rows]
        return json.dumps(kept).encode()
    return path.read_bytes()


def digest(content):
    """SHA-256 without what is a run's own or a clock's."""
    for before, now in WORDS.items():
        content = content.replace(before, now)
    return hashlib.sha256(TIMES.sub(b"", OWN.sub(b"", content))).hexdigest()


def main():
    """Run both, print what differs, and exit with 1 if anything does."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkouts", nargs=2, type=Path)
    parser.add_argument("--json", type=Path)
    words = parser.parse_args()
    results = []
    for checkout in words.checkouts:
        with tempfile.TemporaryDirectory() as name:
            results.append(run_checkout(checkout.resolve(), Path(name)))
    old, new = results
    differ = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
    for name in differ:
        print(f"differs: {name}")
    print(f"{len(old)} files and outputs compared, {len(differ)} differ")
    if words.json:
        words.json.write_text(json.dumps({"compared": len(old), "differ": differ}, indent=1) + "\n")
    sys.exit(bool(differ))


if __name__ == "__main__":
    main()
