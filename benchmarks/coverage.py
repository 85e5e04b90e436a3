"""How often a certificate is wrong, where the truth is known; beside the level that is promised.

    python benchmarks/coverage.py [--quick] [--scale 1] [--json FILE]

1. fixed: every kind, scheme and method, two to a thousand classes, at ties, near-ties, equal rivals
   and just under certified values. Counts are drawn from the exact probabilities.
2. looked: stopped by a rule, by the worst of all rules, extended with and without a reserve.
3. runs: the same through a real classifier, real noise and run folders that are interrupted.
4. controls: certificates that are wrong on purpose. They must be caught.
5. low_bits: a classifier that reads floating-point rounding, in the default and in grid mode.

FILE is written after each part, and parts it holds already are not measured again.
Exit code 1 if the interval of a rate lies above its level, or a control is not caught.
"""

import argparse
import json
import sys
from pathlib import Path

import low_bits
from coverage_controls import controls
from coverage_rates import failures, fixed, looked, timed
from coverage_runs import CASES, through_runs

import simplicert as sc

QUICK = {
    "fixed": lambda scale: fixed(int(100 * scale), (100,), 4),
    "looked": lambda scale: looked(int(60 * scale), 300, 3),
    "runs": lambda scale: through_runs(int(60 * scale), 160, CASES[1:5]),
    "controls": lambda scale: controls(int(2000 * scale)),
    "low_bits": lambda scale: low_bits.measured(1000),
}
WHOLE = {
    "fixed": lambda scale: fixed(int(8000 * scale)),
    "looked": lambda scale: looked(int(1000 * scale)),
    "runs": lambda scale: through_runs(int(1000 * scale)),
    "controls": lambda scale: controls(int(8000 * scale)),
    "low_bits": lambda scale: low_bits.measured(),
}


def measured(quick, scale, path):
    """All parts, those that the file has not."""
    result = {"version": sc.__version__, "confidence": 0.95, "quick": quick, "scale": scale}
    held = json.loads(path.read_text()) if path is not None and path.exists() else {}
    if all(held.get(name) == value for name, value in result.items()):
        result = held
    for name, work in (QUICK if quick else WHOLE).items():
        if name not in result:
            result[name], seconds = timed(name, lambda work=work: work(scale))
            result.setdefault("seconds", {})[name] = seconds
            if path is not None:
                path.write_text(json.dumps(result) + "\n")
    return result


def main():
    """Measure, say what must not be, write JSON where asked; the tables are in docs/coverage.md."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="few repeats and points")
    arguments.add_argument("--scale", type=float, default=1.0, help="times as many repeats")
    arguments.add_argument("--json", type=Path)
    chosen = arguments.parse_args()
    result = measured(chosen.quick, chosen.scale, chosen.json)
    for name in ("fixed", "looked", "runs"):
        worst = max(row["wrong"]["rate"] / row["level"] for row in result[name])
        print(f"{name}: {len(result[name])} rates, the largest {worst:.2f} of its level")
    wrong = failures(result)
    print("\n".join(wrong) or "every rate is at most its level, every control was caught")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
