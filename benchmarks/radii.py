"""Radii per second against scipy's SLSQP on the paper's own problem, and how sound each is.

    python benchmarks/radii.py [--points 400] [--json FILE]

One run, one machine, the same points: a ratio, not a time, is the result. The rival is what the
paper suggests ("any conventional constrained numerical optimisation tools"): scipy's SLSQP on eq.
(NewDP) in (L, epsilon, delta), started where a careful user would start it.
"""

import argparse
import json
import time
import tracemalloc
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_ndtr, ndtr

import simplicert as sc
from simplicert.mechanisms import MECHANISMS
from simplicert.search import evaluate_in_blocks

SEED = 0
OURS = 500_000


def slsqp(e0: float, e1: float) -> float:
    """Paper eq. (NewDP) by SLSQP: maximise L over (L, epsilon, delta) under its two constraints."""

    def tight_dp_noise(x: np.ndarray) -> float:
        shift, epsilon, delta = x
        u, v = shift / 2 - epsilon / shift, -shift / 2 - epsilon / shift
        return delta - (ndtr(u) - np.exp(epsilon + log_ndtr(v)))

    def separation(x: np.ndarray) -> float:
        _, epsilon, delta = x
        return e0 - e1 * np.exp(2 * epsilon) - (1 + np.exp(epsilon)) * delta

    largest = np.log(e0 / e1) / 2
    found = minimize(
        lambda x: -x[0],
        x0=[0.1, largest / 2, (e0 - e1) / 4],
        bounds=[(1e-6, 20.0), (0.0, largest), (0.0, 1.0)],
        constraints=[
            {"type": "ineq", "fun": tight_dp_noise},
            {"type": "ineq", "fun": separation},
        ],
        method="SLSQP",
    )
    return float(found.x[0])


def points(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Half uniform over the simplex, half spread over its corners (both tails logarithmic)."""
    random = np.random.default_rng(SEED)
    cells = np.sort(random.dirichlet([1, 1, 1], count // 2), axis=1)
    logit = random.uniform(-7, 7, count - count // 2)
    e0 = 1 / (1 + np.exp(-logit))
    e1 = np.minimum(e0, 1 - e0) * 10 ** -random.uniform(0.01, 5, len(e0))
    return np.concatenate([cells[:, 2], e0]), np.concatenate([cells[:, 1], e1])


def rate(work: object, count: int, repeats: int = 3) -> float:
    """Points a second, the best of a few repeats."""
    best = np.inf
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return count / best


def against_slsqp(count: int) -> dict[str, float]:
    """improved_dp and SLSQP on the same points; the exact radius is ours to 1e-8."""
    e0, e1 = points(count)
    rival = np.empty(count)
    slow = rate(
        lambda: rival.put(range(count), [slsqp(a, b) for a, b in zip(e0, e1, strict=True)]),
        count,
        1,
    )
    many0, many1 = points(OURS)
    radius = MECHANISMS["improved_dp"].radius
    fast = rate(lambda: evaluate_in_blocks(radius, many0, many1), OURS)
    same = rate(
        lambda: evaluate_in_blocks(radius, np.tile(e0, 1250), np.tile(e1, 1250)), 1250 * count
    )
    exact = radius(e0, e1)
    off = rival / exact - 1
    return {
        "points": count,
        "slsqp_per_second": slow,
        "ours_per_second_same_points": same,
        "ours_per_second_half_a_million_points": fast,
        "ratio_same_points": same / slow,
        "slsqp_unsound": int((rival > exact + 1e-8 * exact + 1e-11).sum()),
        "slsqp_too_large_by_more_than_1e-6": int((off > 1e-6).sum()),
        "slsqp_too_small_by_more_than_1_percent": int((off < -0.01).sum()),
        "slsqp_largest_excess_percent": 100 * float(off.max()),
        "slsqp_largest_shortfall_percent": -100 * float(off.min()),
    }


def whole_grid() -> dict[str, float]:
    """All five mechanisms, the ensemble and the winner on half a million points, in one call."""
    e0, e1 = points(OURS)
    known = sc.Expectations(np.zeros(OURS, np.int64), e0, e1)
    start = time.perf_counter()
    sc.certify(known)
    seconds = time.perf_counter() - start
    tracemalloc.start()
    sc.certify(known)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    each = {
        f"{name}_per_second": rate(lambda row=row: evaluate_in_blocks(row.radius, e0, e1), OURS, 1)
        for name, row in MECHANISMS.items()
        if row.needs == "pair"
    }
    return {"points": OURS, "seconds": seconds, "peak_megabytes": peak / 1e6, **each}


def count_table() -> dict[str, float]:
    """Clopper-Pearson and the gate for 50,000 inputs of 1,000 classes."""
    random = np.random.default_rng(SEED)
    rows, classes = 50_000, 1000
    counts = random.integers(0, 60, (rows, classes))
    counts[np.arange(rows), random.integers(classes, size=rows)] += random.integers(0, 70_000, rows)
    start = time.perf_counter()
    tally = sc.Tally(counts, sigma=1.0)
    built = time.perf_counter() - start
    start = time.perf_counter()
    known = sc.bound(tally)
    bounded = time.perf_counter() - start
    start = time.perf_counter()
    sc.certify(known)
    certified = time.perf_counter() - start
    return {
        "inputs": rows,
        "classes": classes,
        "tally_seconds": built,
        "bound_seconds": bounded,
        "certify_seconds": certified,
    }


def main() -> None:
    """Run the three measurements, print them, write JSON where asked."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--points", type=int, default=400, help="points for SLSQP")
    arguments.add_argument("--json", type=Path, help="where to write the result")
    chosen = arguments.parse_args()
    result = {
        "improved_dp_against_slsqp": against_slsqp(chosen.points),
        "five_mechanisms_on_a_grid": whole_grid(),
        "count_table": count_table(),
    }
    for title, numbers in result.items():
        print(title.replace("_", " "))
        for name, value in numbers.items():
            print(f"  {name.replace('_', ' '):48} {value:14,.6g}")
    if chosen.json:
        chosen.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
