"""Do two checkouts compute the same? Everything after the draws, and the demo, byte for byte.

    python benchmarks/same_results.py OLD NEW [--json FILE]

OLD and NEW are checkouts of this project. Each certifies the committed runs by every kind and
scheme, makes every style of table in every format, and a report; then it runs the demo. The files
are compared byte for byte. run.toml has an id of its own in every run, which is left out, and so
are times and the report's own size; parts are compared as tallies.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

RUNS = Path("experiments/cifar10/runs")
KINDS = {"multinomial": ("gated", "joint", "paper"), "softmax": ("gated", "paper")}
STYLES = ("field", "paper1", "paper2", "pairs")
SUFFIXES = ("md", "tex", "csv")
OWN = re.compile(rb'^(id|package) = ".*"$|# checksum of all lines above: .*$', re.MULTILINE)
TIMES = re.compile(rb'"(seconds|drawing)[^:]*": ?[^,}]*|\d+(\.\d+)? (s|seconds|min)\b')

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
        if path.is_file() and "parts" not in path.parts:
            found[str(path.relative_to(folder))] = digest(path.read_bytes())
    return found


def digest(content):
    """SHA-256 without what is a run's own or a clock's."""
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
