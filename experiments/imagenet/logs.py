"""Numbers of the ImageNet logs that Cohen et al. (2019) published, from a local copy of them.

    git clone https://github.com/locuslab/smoothing
    python experiments/imagenet/logs.py smoothing

Writes logs.json beside this file: for each log its path, commit and checksum, the alpha that its
radii allow, and what Table 1 of the paper measures, over all rows and over the correct ones. The
logs themselves are not part of this project. `make paper` reads logs.json alone.
"""

import argparse
import hashlib
import json
import subprocess
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from simplicert.logs import import_log
from simplicert.logs.audit import find_disproofs
from simplicert.metrics import Study
from simplicert.tables import TableOptions, make_table

HERE = Path(__file__).resolve().parent
REPOSITORY = "github.com/locuslab/smoothing"
LOG = "data/certify/imagenet/resnet50/noise_{0}/test/sigma_{0}"
SIGMAS = {"0.25": "0.25", "0.5": "0.50", "1": "1.00"}  # ours: theirs
DRAWS = 100_000  # of their paper
ALPHAS = (0.001, 0.01)  # of their paper, and of their code's usual examples


def read_log(copy: Path, sigma: str) -> dict[str, Any]:
    """One log: where it is from, and its numbers over both populations."""
    path = copy / LOG.format(SIGMAS[sigma])
    rows = [line.split("\t") for line in path.read_text().splitlines()[1:]]
    with tempfile.TemporaryDirectory() as folder:
        runs = {
            alpha: import_log(
                "cohen", path, float(sigma), Path(folder, f"{alpha}"), alpha=alpha, draws=DRAWS
            )
            for alpha in ALPHAS
        }
        study = Study(sigma, runs[ALPHAS[-1]])
        disproofs = {f"{alpha:g}": list(find_disproofs(run)) for alpha, run in runs.items()}
        tables = {
            population: make_table([study], "paper1", TableOptions(population=population)).records
            for population in ("all", "correct")
        }
    return {
        "sigma": float(sigma),
        "path": LOG.format(SIGMAS[sigma]),
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "rows": len(rows),
        "largest_radius": max(float(row[3]) for row in rows),
        "disproofs": disproofs,
        **{
            population: {
                "inputs": records[0]["inputs"],
                "top1": records[0]["top1"],
                # Of the radii as the log prints them; E0 and back would round them down.
                "median": median(float(row[3]) for row in rows if _belongs(row, population)),
                "above": records[0]["cohen_above_0.05"],
            }
            for population, records in tables.items()
        },
    }


def _belongs(row: list[str], population: str) -> bool:
    """Whether a row of a log belongs to a population."""
    return population == "all" or row[4] == "1"


def main() -> None:
    """Read the logs of a copy and write logs.json."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("copy", type=Path, help="a clone of locuslab/smoothing")
    copy = parser.parse_args().copy
    told = ["git", "-C", str(copy), "rev-parse", "HEAD"]
    commit = subprocess.run(told, check=True, capture_output=True, text=True).stdout.strip()
    found = {
        "repository": REPOSITORY,
        "commit": commit,
        "draws": DRAWS,
        "logs": {sigma: read_log(copy, sigma) for sigma in SIGMAS},
    }
    (HERE / "logs.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print("wrote logs.json: rows", *(log["rows"] for log in found["logs"].values()))


if __name__ == "__main__":
    main()
