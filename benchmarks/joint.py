"""The joint bound: draws it saves, its time for an input, and where it stands above the pair.

    python benchmarks/joint.py [--json FILE]

Rivals in time are the plain way to the same number, one incomplete beta function for every count of
the rival, 200 equal cells, fourteen bisections; and the search by cells of earlier versions (method
buehler). One run, one machine, the same inputs. Inputs a second are of `sc.bound`, all of them
different: by the clock, in threads and in one, and by the time of processors that was used, which
another job on the machine disturbs less.
"""

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.special import betainc, betaincc, ndtr, ndtri
from scipy.stats import binom

import simplicert as sc
from simplicert.bounds.joint import REGION, buehler, search
from simplicert.machine import available_cores

ALPHA = 0.001
SHARE = 0.9  # of alpha, for the radius
SEED = 0
POINTS = [
    (0.9, 0.08, 10**5),
    (0.55, 0.4, 10**4),
    (0.6, 0.05, 10**4),
    (0.3, 0.1, 10**3),
    (0.3, 0.1, 10**5),
    (0.15, 0.0224, 10**3),
    (0.05, 0.02, 10**5),
    (0.57, 0.001, 10**4),
    (0.999, 0.0008, 10**4),
]
GRIDS = {100: 40, 1000: 40, 10**4: 30, 10**5: 20}
SIZES = (100, 1000, 10**4, 10**5)
MANY = {1000: 2000, 10**4: 2000, 10**5: 2000, 10**6: 500}  # inputs of each batch
EARLIER = {1000: 200, 10**4: 200, 10**5: 100, 10**6: 40}
SPREAD = {10: 0.5, 1000: 0.02}  # classes -> concentration of the simulated probabilities
CLASSES = 1003
FEW = 4  # inputs that the plain way is timed on: seconds each


def filled(wins: int, rival: int, draws: int) -> np.ndarray:
    """Counts of many classes with these two the largest."""
    out = np.zeros(CLASSES, int)
    out[:2] = wins, rival
    left, at = draws - wins - rival, 2
    while left > 0:
        out[at] = min(rival, left)
        left, at = left - out[at], at + 1
    return out


def both(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Radii by the gated pair and by the joint bound, at sigma 1."""
    tally = sc.Tally(counts, sigma=1.0)
    gated = sc.certify(sc.bound(tally, ALPHA), ["two_sided"]).radii["two_sided"]
    return gated, sc.certify(sc.bound(tally, ALPHA, scheme="joint")).radius


def gain() -> list[dict[str, float]]:
    """Counts at their expectation: slack is true less certified, and falls as 1 / sqrt(n)."""
    rows = []
    for top, rival, draws in POINTS:
        counts = filled(round(top * draws), round(rival * draws), draws)[None]
        true = (ndtri(top) - ndtri(rival)) / 2
        gated, joint = (float(r[0]) for r in both(counts))
        share = ((true - joint) / (true - gated)) ** 2
        rows.append(
            {"p_top": top, "p_rival": rival, "draws": draws, "true": float(true)}
            | {"gated": gated, "joint": joint, "share_of_draws": float(share)}
        )
    return rows


def grid(draws: int, steps: int) -> dict[str, float]:
    """All (p_A, p_B) of a grid over the simplex, and its edges a few counts wide."""
    shares = np.linspace(0, 1, steps + 1)
    some = {(round(a * draws), round(b * draws)) for a in shares for b in shares}
    some |= {(draws - i, j) for i in (0, 1, 2, 5, 10, 20) for j in (0, 1, 2, 5, 10)}
    rows = [
        filled(a, b, draws)
        for a, b in sorted(some)
        if a > b and a + b <= draws and (b * (CLASSES - 1) >= draws - a)
    ]
    gated, joint = both(np.array(rows))
    live = gated > 0
    ratio = joint[live] / gated[live]
    return {
        "draws": draws,
        "points": len(rows),
        "certified_by_the_pair": int(live.sum()),
        "by_joint_alone": int((~live & (joint > 0)).sum()),
        "smallest_ratio": float(ratio.min()),
        "median_ratio": float(np.median(ratio)),
        "largest_ratio": float(ratio.max()),
    }


def plain(case: buehler.BuehlerCase) -> float:
    """The same limit without the package's shortcuts; proved by its cells all the same."""
    tail = buehler.make_case_tail(case, 6.0)
    assert tail is not None
    n, b, least = case.draws, tail.rivals, tail.least
    possible = least <= n - b

    def largest(r: float) -> float:
        x = np.linspace(case.low - 2 * r, min(case.high, -r), 201)
        rival = ndtr(x[:-1])
        top = np.minimum(ndtr(x[1:] + 2 * r), 1 - rival)
        q = np.minimum(top / (1 - rival), 1.0)[:, None]
        survival = betainc(least, np.where(possible, n - b - least + 1, 1), q) * possible
        inside = (binom.pmf(b, n, rival[:, None]) * survival).sum(axis=1)
        below = betaincc(b[0], n - b[0] + 1.0, rival) if b[0] > 0 else 0.0
        return float((below + inside + survival[:, -1]).max())

    low, high = case.pair, case.estimate
    for _ in range(14):
        middle = (low + high) / 2
        low, high = (middle, high) if largest(middle) <= case.level * 0.9999 else (low, middle)
    return low


def counts_of(inputs: int, draws: int) -> tuple[np.ndarray, np.ndarray]:
    """Two counts of each of many inputs, all over the simplex."""
    random = np.random.default_rng(SEED)
    p = -np.sort(-random.dirichlet(np.full(10, 0.5), inputs), axis=1)
    counts = -np.sort(-random.multinomial(draws, p), axis=1)
    return counts[:, 0], counts[:, 1]


def seconds(draws: int) -> dict[str, float]:
    """Processor's time for an input of a batch, and for one by the plain way."""
    wins, rivals = counts_of(200, draws)
    made = np.full(200, draws), np.full(200, SHARE * ALPHA)
    columns = buehler.describe_cases(wins, rivals, *made, REGION)
    some = search.take_cases(columns, np.flatnonzero(columns.pair > 0)[: search.TOGETHER])
    few = list(
        buehler.make_cases(some.wins, some.rival, some.draws, made[1][: len(some.wins)], REGION)
    )[:FEW]
    search.search_radii(search.take_cases(some, slice(FEW)))
    ours, fast = timed(lambda: search.search_radii(some))
    theirs, slow = timed(lambda: np.array([plain(case) for case in few]))
    return {
        "draws": draws,
        "milliseconds": 1e3 * fast,
        "plain_milliseconds": 1e3 * slow,
        "times_as_fast": slow / fast,
        "smallest_ratio_of_radii": float((ours[:FEW] / theirs).min()),
    }


def timed(limits: Callable[[], np.ndarray]) -> tuple[np.ndarray, float]:
    """The limits, and the processor's seconds for one of them."""
    start = time.process_time()
    found = limits()
    return found, (time.process_time() - start) / len(found)


def speed(draws: int, classes: int) -> dict[str, float]:
    """Different inputs a second: whole batches of `sc.bound`, now and by the earlier method."""
    row: dict[str, float] = {"draws": draws, "classes": classes, "cores": available_cores()}
    row["load"] = os.getloadavg()[0]
    for name, method, inputs in (
        ("ours", "buehler+pair", MANY[draws]),
        ("earlier", "buehler", EARLIER[draws]),
    ):
        tally = sc.Tally(different_counts(inputs, draws, classes), sigma=1.0)
        sc.bound(sc.Tally(tally.counts[:20], sigma=1.0), ALPHA, scheme="joint", method=method)
        start, used = time.perf_counter(), time.process_time()
        known = sc.bound(tally, ALPHA, scheme="joint", method=method)
        clock, used = time.perf_counter() - start, time.process_time() - used
        row |= {
            f"{name}_inputs": inputs,
            f"{name}_certified": int((~known.abstained).sum()),
            f"{name}_a_second": inputs / clock,
            f"{name}_milliseconds": 1e3 * used / inputs,
        }
    row["times_as_fast"] = row["earlier_milliseconds"] / row["ours_milliseconds"]
    row["one_thread_a_second"] = speed_of_one_thread(draws, classes)
    return row


def speed_of_one_thread(draws: int, classes: int) -> float:
    """Inputs a second when one thread does it all."""
    tally = sc.Tally(different_counts(MANY[draws], draws, classes), sigma=1.0)
    usual, search.MOST_THREADS = search.MOST_THREADS, 1
    start = time.perf_counter()
    sc.bound(tally, ALPHA, scheme="joint")
    clock = time.perf_counter() - start
    search.MOST_THREADS = usual
    return len(tally) / clock


def different_counts(inputs: int, draws: int, classes: int) -> np.ndarray:
    """Counts of simulated inputs that would be certified or nearly, no two with the same pair."""
    random, rows, seen = np.random.default_rng(SEED), [], set()
    while len(rows) < inputs:
        p = random.dirichlet(np.full(classes, SPREAD[classes]))
        counts = random.multinomial(draws, p)
        rival, wins = np.sort(counts)[-2:].tolist()
        if wins - rival > 4 * np.sqrt(wins + rival) and (wins, rival) not in seen:
            seen.add((wins, rival))
            rows.append(counts)
    return np.array(rows)


def main() -> None:
    """Run the four measurements, print them, write JSON where asked."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--json", type=Path, help="where to write the result")
    chosen = arguments.parse_args()
    result = {
        "gain": gain(),
        "grid": [grid(draws, steps) for draws, steps in GRIDS.items()],
        "time": [seconds(draws) for draws in SIZES],
        "speed": [speed(draws, classes) for classes in SPREAD for draws in MANY],
    }
    for title, rows in result.items():
        print(title)
        for row in rows:
            print("  " + "  ".join(f"{name} {value:.6g}" for name, value in row.items()))
    if chosen.json:
        chosen.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
