"""What a certificate costs after the draws: bounds and each mechanism, timed here and now.

    python experiments/cifar10/times.py [RUN]

Writes times.json. Drawing is as the run recorded it: seconds of one core.
"""

import json
import sys
from pathlib import Path

from simplicert.analysis.growth import cost
from simplicert.analysis.study import Study
from simplicert.runs import open_run

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Measure and keep."""
    name = sys.argv[1] if len(sys.argv) > 1 else "sigma-1"
    found = cost(Study(name, open_run(HERE / "runs" / name)))
    kept = {
        "run": name,
        "inputs": found.inputs,
        "draws": found.draws.tolist(),
        "drawing": found.drawing.tolist(),
        "bounds": found.bounds.tolist(),
        "mechanisms": {key: values.tolist() for key, values in found.mechanisms.items()},
    }
    (HERE / "times.json").write_text(json.dumps(kept, indent=1) + "\n")
    hundred = 100 * found.drawing[-1] / found.draws[-1]
    print(f"100 draws: {hundred:.4f} s of one core")
    for key, values in found.mechanisms.items():
        print(f"{key}: {values[-1]:.2e} s, {values[-1] / hundred:.1e} of 100 draws")


if __name__ == "__main__":
    main()
