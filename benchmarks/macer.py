"""What MACER moves: certificates of a network fine-tuned by it beside its control's.

    python benchmarks/macer.py RUN RUN [RUN ...] [--json FILE]

Each RUN is a run folder over the same inputs. For each: certified accuracy at radii, mean radius,
mean E_0 and E_1, and of the inputs with a certificate the share for which each of the paper's
mechanisms is the largest. docs/training.md has the commands that make the runs.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

import simplicert as sc

RADII = (0.0, 0.25, 0.5, 0.75, 1.0)


def summary(folder: Path) -> dict[str, Any]:
    """Numbers of one run, over all its inputs unless said."""
    frame = sc.open_run(folder).certify().to_frame()
    correct = np.where(frame["correct"], frame["radius"], 0.0)
    issued = ~frame["abstained"]
    return {
        "inputs": len(frame),
        "draws": int(frame["draws"].iloc[0]),
        "sigma": float(frame["sigma"].iloc[0]),
        "certified_accuracy": {str(r): float(np.mean(correct > r)) for r in RADII},
        "mean_radius": float(correct.mean()),
        "issued": float(issued.mean()),
        "mean_e0_of_issued": float(frame["e0"][issued].mean()),
        "mean_e1_of_issued": float(frame["e1"][issued].mean()),
        "largest_of_issued": frame["winner"][issued].value_counts(normalize=True).to_dict(),
    }


def main() -> None:
    """Print, and write JSON where asked."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("runs", type=Path, nargs="+")
    arguments.add_argument("--json", type=Path)
    chosen = arguments.parse_args()
    result = {run.name: summary(run) for run in chosen.runs}
    print(json.dumps(result, indent=2))
    if chosen.json:
        chosen.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
