"""How often a certificate is wrong, where the truth is known; beside the level that is promised.

    python benchmarks/coverage.py [--quick] [--json FILE]

1. fixed: every kind, scheme and method, two to a thousand classes, at ties, near-ties, equal rivals
   and just under certified values. Counts are drawn from the exact probabilities.
2. looked: stopped by a rule, by the worst of all rules, extended with and without a reserve.
3. runs: the same through a real classifier, real noise and run folders that are interrupted.
4. controls: certificates that are wrong on purpose. They must be caught.
5. low_bits: a classifier that reads floating-point rounding, in the default and in grid mode.

Exit code 1 if the interval of a rate lies above its level, or a control is not caught.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import low_bits
from coverage_controls import controls
from coverage_rates import fixed, looked, timed
from coverage_runs import CASES, through_runs
from coverage_table import above, tables

import simplicert as sc


def measured(quick):
    """All parts, with the seconds they took."""
    start = time.perf_counter()
    parts = {
        "fixed": lambda: fixed(*((100, (100,), 4) if quick else (20_000,))),
        "looked": lambda: looked(*((60, 300, 3) if quick else (5000,))),
        "runs": lambda: through_runs(*((60, 160, CASES[1:5]) if quick else (4000,))),
        "controls": lambda: controls(2000 if quick else 20_000),
        "low_bits": lambda: low_bits.measured(1000 if quick else low_bits.DRAWS),
    }
    result = {"version": sc.__version__, "confidence": 0.95}
    result |= {name: timed(name, work) for name, work in parts.items()}
    return {**result, "seconds": round(time.perf_counter() - start)}


def failures(result):
    """What must not be, in words."""
    words = [f"above its level: {row}" for row in above(result)]
    words += [
        f"not caught: {row['control']}"
        for row in result["controls"]
        if row["wrong"]["low"] <= row["alpha"]
    ]
    seen = {row["mode"]: row["contradiction"] for row in result["low_bits"]}
    if seen != {"default": True, "grid": False}:
        words.append(f"low bits: {seen}")
    return words


def main():
    """Measure, print the tables, write JSON where asked."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument(
        "--quick", action="store_true", help="few repeats and points, half a minute"
    )
    arguments.add_argument("--json", type=Path)
    chosen = arguments.parse_args()
    result = measured(chosen.quick)
    for name, text in tables(result).items():
        print(f"\n{name}\n")
        print("\n".join(text))
    print(f"\n{result['seconds']} seconds")
    if chosen.json:
        chosen.json.write_text(json.dumps(result, indent=1) + "\n")
    wrong = failures(result)
    print("\n".join(wrong) or "every rate is at most its level, every control was caught")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
