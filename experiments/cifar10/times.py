"""What a certificate costs after the draws: bounds and each mechanism, timed here and now.

    python experiments/cifar10/times.py [RUN]

Writes times.json. Drawing is as the run recorded it: seconds of the clock of one process with one
thread. Mechanisms and bounds are of all inputs at once, divided by their number; `alone` is one
input by itself.
"""

import json
import sys
from pathlib import Path

import numpy as np

import simplicert as sc
from simplicert.metrics import Study, measure_cost, measure_seconds
from simplicert.types.tally import select_inputs

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Measure and keep."""
    name = sys.argv[1] if len(sys.argv) > 1 else "sigma-1"
    study = Study(name, sc.open_run(HERE / "runs" / name))
    found = measure_cost(study)
    kept = {
        "run": name,
        "inputs": found.inputs,
        "draws": found.draws.tolist(),
        "drawing": found.drawing.tolist(),
        "bounds": found.bounds.tolist(),
        "mechanisms": {key: values.tolist() for key, values in found.mechanisms.items()},
        "beyond": beyond(study),
    }
    (HERE / "times.json").write_text(json.dumps(kept, indent=1) + "\n")
    hundred = 100 * found.drawing[-1] / found.draws[-1]
    print(f"100 draws: {hundred:.4f} s of one core")
    last = {key: values[-1] for key, values in found.mechanisms.items()}
    for key, value in {**last, "bounds": found.bounds[-1], **kept["beyond"]}.items():
        print(f"{key}: {value:.2e} s, {value / hundred:.1e} of 100 draws")


def beyond(study: Study) -> dict[str, float]:
    """Seconds an input for what the paper has not, and for one input by itself."""
    alpha, tally = study.run.manifest.alpha, study.tally
    inputs, one = len(tally), select_inputs(tally, np.arange(1))
    soft = sc.bound(tally, alpha, "softmax")
    of_all = {
        "bounds, joint": lambda: sc.bound(tally, alpha, scheme="joint"),
        "bounds, softmax": lambda: sc.bound(tally, alpha, "softmax"),
        "all softmax radii, cdf among them": lambda: sc.certify(soft),
    }
    return {
        **{name: measure_seconds(job) / inputs for name, job in of_all.items()},
        "one input alone, bounds and all five": measure_seconds(
            lambda: sc.certify(sc.bound(one, alpha))
        ),
    }


if __name__ == "__main__":
    main()
