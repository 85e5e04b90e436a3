"""CIFAR-10 in l1: our small networks under three noises, beside what others published.

    python benchmarks/l1.py --json benchmarks/results/l1.json [--arrays GITDIR]

Our rows come from the committed runs of experiments/cifar10 (`make -C experiments/cifar10 l1`).
With --arrays, a local copy of the git repository that published_l1.toml names, the rows of Levine
and Feizi 2021 are counted again from the arrays they published; without it, those of the result
file before are kept. No array is copied: only numbers computed from them, and a checksum.
"""

import argparse
import hashlib
import io
import json
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import numpy as np

import simplicert as sc
from simplicert.metrics import abstention_rate, certified_accuracy, top1_accuracy
from simplicert.noises import NOISES, say_noise
from simplicert.types import Certificates

ROOT = Path(__file__).parent.parent
RUNS = ROOT / "experiments" / "cifar10" / "runs"
OURS = ("laplace-0.2", "laplace-0.8", "uniform-0.5", "uniform-2", "splitting-0.5", "splitting-2")
NEARER = (0.125, 0.25, 0.375)  # radii below the first that others publish
FAMILIES = {
    "cifar_uniform": "uniform, by Levine and Feizi",
    "cifar_uniform_stabilized": "uniform, by Levine and Feizi, stability training",
    "cifar_split_derandomized": "splitting (DSSN), Levine and Feizi",
    "cifar_split_derandomized_stabilized": "splitting (DSSN), stability training",
}
ARRAYS = re.compile(r"checkpoints/(cifar_(?:uniform|split_derandomized))_([\d.]+)(_stabilized)?")


def measure_run(name: str, radii: list[float]) -> dict[str, Any]:
    """Certified accuracy of one committed run, by its best radius and by the literature's."""
    run = sc.open_run(RUNS / name)
    certificates = run.certify()
    known = certificates.known
    return {
        "run": name,
        "noise": known.noise.name,
        "what": say_noise(known.noise, known.sigma),
        "draws": int(run.tally().draws.max()),
        "alpha": known.alpha,
        "inputs": len(known),
        "top1": top1_accuracy(certificates).value,
        "abstained": abstention_rate(certificates).value,
        "percent": accuracies(certificates, radii, "radius"),
        "one_sided": accuracies(certificates, radii, "one_sided")
        if "one_sided" in certificates.columns
        else None,
    }


def accuracies(certificates: Certificates, radii: list[float], column: str) -> list[float]:
    """Certified accuracy at each radius, in percent."""
    return [100 * certified_accuracy(certificates, radius, column).value for radius in radii]


def count_arrays(folder: Path, radii: list[float]) -> list[dict[str, Any]]:
    """The largest accuracy over all scales at each radius, from the arrays of a git repository."""
    names = _git(folder, "ls-tree", "-r", "HEAD", "--name-only").decode().split()
    best: dict[str, np.ndarray] = {}
    sums: dict[str, Any] = {}
    for name in sorted(names):
        found = ARRAYS.fullmatch(name.removesuffix("/radius_l1.npy"))
        if found is None or not name.endswith("/radius_l1.npy"):
            continue
        family = found[1] + (found[3] or "")
        parts = [name.replace("radius_l1", one) for one in ("radius_l1", "labels")]
        guess = name.replace("radius_l1", "predicted_labels")
        parts.append(guess if guess in names else name.replace("radius_l1", "preds"))
        content = [_git(folder, "show", f"HEAD:{part}") for part in parts]
        radius, labels, predicted = (
            np.load(io.BytesIO(one), allow_pickle=False) for one in content
        )
        classes = predicted.argmax(axis=1) if predicted.ndim > 1 else predicted
        hit = [100 * np.mean((classes == labels) & (radius >= at)) for at in radii]
        best[family] = np.maximum(best.get(family, np.zeros(len(radii))), hit)
        sums.setdefault(family, hashlib.sha256()).update(b"".join(content))
    return [
        {
            "name": FAMILIES[family],
            "percent": [round(float(one), 2) for one in values],
            "paths": f"checkpoints/{family}_*/",
            "sha256": sums[family].hexdigest(),
        }
        for family, values in best.items()
    ]


def _git(folder: Path, *words: str) -> bytes:
    return subprocess.run(
        ["git", "-C", str(folder), *words], capture_output=True, check=True
    ).stdout


def main() -> None:
    """Measure, print and keep the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--arrays", type=Path)
    options = parser.parse_args()
    published = tomllib.loads((Path(__file__).parent / "published_l1.toml").read_text())
    radii = published["radii"]
    if options.arrays is not None:
        counted = count_arrays(options.arrays, radii)
    else:
        kept = options.json is not None and options.json.exists()
        counted = json.loads(options.json.read_text())["arrays"] if kept else []
    near = [*NEARER, *radii]
    ours = [measure_run(name, near) for name in OURS if (RUNS / name / "run.toml").exists()]
    assert all(row["noise"] in NOISES for row in ours)
    result = {
        "radii": radii,
        "nearer": list(NEARER),
        "ours": ours,
        "published": published["row"],
        "arrays": counted,
    }
    for row in (*ours, *published["row"], *counted):
        blank = [] if len(row["percent"]) > len(radii) else [""] * len(NEARER)
        shown = "  ".join([f"{word:5}" for word in blank] + [f"{v:5.1f}" for v in row["percent"]])
        print(f"{row.get('what', row.get('name')):52} {shown}")
    if options.json is not None:
        options.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
