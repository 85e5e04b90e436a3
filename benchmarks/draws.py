"""Draws needed for the same radius by six ways to spend alpha; and what stopping early saves.

    python benchmarks/draws.py [--quick] [--json FILE]

1. A grid of expectations and draws n: how many draws each way needs to reach the radius that the
   paper's scheme reaches with n, counts at their expectation; as shares of n, pilots included.
2. The same for real tallies: scikit-learn's digits, a small network.
3. Stopping early against fixed n = 100,000: draws, and certified accuracy lost.
4. Wall time of both on a mixed set of inputs, batches packed.
5. How often a certificate is false under repeated looks, stopping and one extension.

alpha = .001 and sigma = 1 unless said. Ways and rivals: benchmarks/rivals.py.
"""

import argparse
import json
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import stopping
import torch
from rivals import PILOT, WAYS

import simplicert as sc
from simplicert.data import load_data
from simplicert.metrics import subsample_tally
from simplicert.plan import point_population
from simplicert.stopping.projection import apportion_counts
from simplicert.training import train

ALPHA = 0.001
FEWEST, MOST, STEPS = 1 / 8, 64.0, 11  # shares of n searched, to about two in a thousand
ROUNDINGS = (0.125, 0.375, 0.625, 0.875)
GRID = [  # pA, pB, K
    (0.999, 0.0008, 1000),
    (0.9, 0.08, 10),
    (0.7, 0.2, 10),
    (0.55, 0.4, 10),
    (0.6, 0.05, 1000),
    (0.3, 0.1, 1000),
    (0.1, 0.02, 1000),
]
SIZES = (1000, 10_000, 100_000)
TRAINED, DIGITS, SIGMA, EPOCHS = 1200, 200, 0.5, 10


def whole_counts(shares, draws, first, second, up):
    """Counts of `draws` draws: the two leading classes rounded, one up where the other is down."""
    rest = shares.copy()
    rest[[first, second]] = 0.0
    counts = np.zeros(len(shares), int)
    counts[second] = int(draws * shares[second] + 1 - up)
    left = draws - counts[second]
    counts[first] = min(int(draws * shares[first] + up), left) if rest.any() else left
    if rest.any():
        counts += apportion_counts(rest[None], draws - counts.sum())[0]
    return counts


def mean_radii(way, shares, pilot, numbers):
    """(N,) radii with this many draws, counts at their expectation.

    An expected count is no whole number, and radii jump from one to the next: hence the mean over
    ways to round.
    """
    leading = np.argsort(-shares, axis=1, kind="stable")[:, :2]
    counts = [
        whole_counts(own, m, *pair, up)
        for up in ROUNDINGS
        for own, m, pair in zip(shares, numbers, leading, strict=True)
    ]
    found = WAYS[way][0](np.array(counts), np.tile(pilot, (len(ROUNDINGS), 1)), ALPHA)
    return found.reshape(len(ROUNDINGS), -1).mean(axis=0)


def draws_needed(way, shares, pilot, targets, n):
    """(N,) the fewest draws with which each input reaches its target; infinite if 64 n do not.

    `shares` (N, K) are taken to be exact.
    """

    def reached(numbers, rows):
        return mean_radii(way, shares[rows], pilot[rows], numbers) >= targets[rows]

    def whole(logs):
        return np.round(n * 2.0**logs).astype(int)

    rows = np.arange(len(shares))
    # Most ways need about as many draws as the paper's: a wide search is for the others only.
    middle, most = np.full(len(rows), np.log2(1.6)), np.full(len(rows), np.log2(MOST))
    near = reached(whole(middle), rows)
    low = np.where(near, np.log2(FEWEST), middle)
    high = np.where(near, middle, most)
    live = near.copy()
    if not near.all():
        live[~near] = reached(whole(most[~near]), rows[~near])
    live = np.flatnonzero(live)
    for _ in range(STEPS if live.size else 0):
        middle = (low[live] + high[live]) / 2
        enough = reached(whole(middle), live)
        high[live] = np.where(enough, middle, high[live])
        low[live] = np.where(enough, low[live], middle)
    found = np.full(len(rows), np.inf)
    found[live] = whole(high[live]) + WAYS[way][1]
    return found


def grid(sizes):
    """Shares of n by way, at each point of the grid."""
    rows = []
    for pa, pb, classes in GRID:
        shares = point_population(pa, pb, classes).shares
        pilot = apportion_counts(shares, PILOT)
        for n in sizes:
            target = mean_radii("paper", shares, pilot, [n])
            row = {"pa": pa, "pb": pb, "classes": classes, "draws": n, "radius": float(target[0])}
            if target[0] > 0:
                for way in WAYS:
                    needed = draws_needed(way, shares, pilot, target, n)[0] / n
                    row[way] = None if np.isinf(needed) else float(needed)
            rows.append(row)
            print("  " + line(row), flush=True)
    return rows


def line(row):
    """A row of the grid as text."""
    shares = " ".join(f"{way} {text(row.get(way))}" for way in WAYS)
    at = f"pA {row['pa']:g} pB {row['pb']:g} K {row['classes']} n {row['draws']:,}"
    return f"{at}: radius {row['radius']:.4f}; {shares}"


def text(share):
    """A share of n, or that 64 n are not enough."""
    return "-" if share is None else f"{share:.3f}"


def digits(draws):
    """Tallies of a small network on digits it was not trained on."""
    test = load_data("digits", start=TRAINED, stop=TRAINED + 2 * DIGITS, step=2)
    with TemporaryDirectory() as out:
        known = load_data("digits", stop=TRAINED)
        model = train(known, out, test=test, recipe="digits", sigma=SIGMA, epochs=EPOCHS)
    labels = Labels(model.classifier)
    inputs, size = test.inputs[range(DIGITS)], 1024
    return sc.sample(
        labels, inputs, SIGMA, draws, pilot=PILOT, outputs="labels", num_classes=10, batch_size=size
    )


class Labels(torch.nn.Module):
    """A classifier that says its class and no scores: counts are all that is asked for here."""

    def __init__(self, net):
        """`net` gives logits."""
        super().__init__()
        self.net = net

    def forward(self, x):
        """The largest logit's class."""
        return self.net(x).argmax(1)


def real(tally, sizes):
    """Shares of n over real tallies: the median, the mean of those that get there, how many do."""
    out = []
    for n in sizes:
        part = subsample_tally(tally, n)
        counts, pilot = np.array(part.counts), np.array(part.pilot)
        shares = counts / n
        target = mean_radii("paper", shares, pilot, [n] * len(part))
        live = target > 0
        shares, pilot, target = shares[live], pilot[live], target[live]
        row = {"draws": n, "inputs": len(part), "certified_by_paper": int(live.sum())}
        for way in WAYS:
            needed = draws_needed(way, shares, pilot, target, n) / n
            row[way] = {
                "median": float(np.median(needed)) if np.isfinite(np.median(needed)) else None,
                "mean": float(needed[np.isfinite(needed)].mean()),
                "reached": float(np.isfinite(needed).mean()),
            }
        out.append(row)
        print("  " + f"n {n:,}: " + "; ".join(f"{way} {row[way]}" for way in WAYS), flush=True)
    return out


def show(rows):
    """Rows of numbers, one a line; rates of error as multiples of alpha."""
    for row in rows:
        alpha = row.get("alpha", 1.0)
        cells = (f"{name} {short(value, alpha)}" for name, value in row.items())
        print("  " + ", ".join(cells), flush=True)


def short(value, alpha):
    """A number or a rate as text."""
    if isinstance(value, dict) and "rate" in value:
        low, rate, high = (value[name] / alpha for name in ("low", "rate", "high"))
        return f"{rate:.2f} alpha [{low:.2f}, {high:.2f}]"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def measured(quick):
    """All parts, printed as they come."""
    began = time.perf_counter()
    result = {"version": sc.__version__, "alpha": ALPHA, "pilot": PILOT, "ways": list(WAYS)}

    def part(name, work):
        start = time.perf_counter()
        print(name, flush=True)
        result[name] = work()
        if name not in ("grid", "real"):
            show(result[name] if isinstance(result[name], list) else [result[name]])
        result.setdefault("seconds", {})[name] = round(time.perf_counter() - start, 1)

    n, sizes = (2000, (1000, 2000)) if quick else (10_000, (2000, 10_000))
    part("wall_time", lambda: stopping.wall_time(*((40, 800, 1) if quick else (40, 2000, 5))))
    part("grid", lambda: grid(SIZES[:1] if quick else SIZES))
    part("real", lambda: real(digits(n), sizes))
    part("adaptive", lambda: stopping.against_fixed(500 if quick else 4000))
    part("errors", lambda: stopping.error_rates(2000 if quick else 20_000, 1600))
    part("adversary", lambda: stopping.adversary(4000 if quick else 100_000, 1600))
    result["seconds"]["all"] = round(time.perf_counter() - began, 1)
    return result


def main():
    """Measure, print, write JSON where asked."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="smaller sizes, about a minute")
    arguments.add_argument("--json", type=Path)
    chosen = arguments.parse_args()
    print(f"{torch.get_num_threads()} threads")
    result = measured(chosen.quick)
    print(f"{result['seconds']} seconds")
    if chosen.json:
        chosen.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
