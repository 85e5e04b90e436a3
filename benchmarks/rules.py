"""Stopping rules against a fixed number of draws and against rivals, on the same streams of draws.

    python benchmarks/rules.py [--quick] [--json FILE]

A stream is the classes of one input's draws in their order. They are drawn with a fixed seed from
expectations: those of CIFAR-10 networks are the shares counted in committed runs (half a draw is
spread over all classes, so that none is impossible), those of ImageNet are made from published
certified accuracies (simplicert.plan). Every rule sees the same streams, from the first draw on, up
to the same most draws; pilots are the first draws of the stream and count as draws.

alpha = .001 without a reserve; sigma is 1, so that radii and tolerances are in units of sigma.
Beside each rule stands `gated` at a fixed n: at as many draws as the rule took on average, and how
many draws it needs for the rule's mean radius. Rivals: benchmarks/sequences.py, and ISS, which
chooses n by a pilot: the least with which Cohen's radius would lie at most X below the one at most
draws, whatever probability in the pilot's 99.9 % interval is true (Chen et al. 2022, but with draws
of the pilot not counted again, without which the level would not be alpha).
`pilot` is our own two-stage rule: the same with both numbers bounded and n bought at a price;
`longer pilot` has three times as many draws to choose n by.
Beside the rivals that bound one number stands Cohen's fixed n too: the bound costs them more than
the rule. `oracle` knows what no rule does and shows the most that dealing out draws can gain.
Seconds are of deciding and bounding over all inputs; the draws are made beforehand.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import sequences
from streams import (
    ALPHA,
    PILOT,
    SEED,
    Streams,
    cohen_radius,
    fixed_cohen_radii,
    fixed_radii,
    radii_of,
    tally_of,
)

import simplicert as sc
from simplicert.bounds import binomial
from simplicert.plan import published_population
from simplicert.stopping import FUTILITY, Until
from simplicert.stopping.projection import apportion_counts, project_hopeful

MOST = 100_000
LONG_PILOT = 1000  # draws that choose how many more are made
LONGER_PILOT = 3000  # the same, to see whether a longer one pays
RUNS = Path(__file__).parents[1] / "experiments" / "cifar10" / "runs"
GROWTH = 1.1  # of the moments at which sequences are looked at
OURS = ("atol=0.01", "atol=0.02", "atol=0.05", "atol=0.1", "rtol=0.01", "rtol=0.05", "rtol=0.1")
TOLERANCES = (0.02, 0.05, 0.1)
TARGETS = (0.25, 0.5, 1.0)
PRICES = (3e-7, 1e-6, 3e-6)  # radius that a draw must bring, for a pilot and for one who knows


def cifar10(run):
    """Expectations (N, K + 1) of a committed run; the last cell is the invalid draws'."""
    tally = sc.open_run(RUNS / run).tally()
    counts = np.column_stack([tally.counts, tally.invalid])
    return (counts + 0.5 / counts.shape[1]) / (counts.sum(axis=1, keepdims=True) + 0.5)


POPULATIONS = {
    "CIFAR-10, sigma 1": lambda: cifar10("sigma-1-long"),
    "CIFAR-10, sigma 0.25": lambda: cifar10("sigma-0.25"),
    "ImageNet, sigma 1": lambda: published_population(10, 500).cells,
}


def follow_looks(streams, rule):
    """(draws, radius) of a rule of the package by its own plan."""
    until = Until(rule, ALPHA)
    plan = until.plan(streams.most)
    used, radius = np.zeros(len(streams), np.int64), np.zeros(len(streams))
    going = np.arange(len(streams))
    for look in plan.looks:
        tally = tally_of(streams.count(look)[going], plan)
        used[going], radius[going] = look, radii_of(tally)
        going = going[until(tally) == ""]
        if not going.size:
            break
    return used, radius


def moments(most, pilot):
    """Numbers of draws at which a sequence is looked at: a tenth more each time."""
    steps = np.arange(np.log(most / PILOT) / np.log(GROWTH))
    grown = np.ceil(PILOT * GROWTH**steps).astype(int)
    return [pilot + int(n) for n in grown if pilot + n < most * 0.98] + [most]


def bounded_by(name, pilot_counts):
    """A function of (counts without the pilot's, number of the look) to radii."""
    return {
        "three cells": lambda counts, rows, look: sequences.three_cells(counts, ALPHA)[1],
        "Voracek, bets": lambda counts, rows, look: sequences.one_number(
            counts, pilot_counts[rows], ALPHA
        )[1],
        "Voracek, looks": lambda counts, rows, look: sequences.spent_looks(
            counts, pilot_counts[rows], ALPHA, look
        )[1],
    }[name]


SEQUENCES = {"three cells": 0, "Voracek, bets": PILOT, "Voracek, looks": PILOT}  # draws of a pilot


def follow_sequence(streams, name, tolerance=None, target=None):
    """(draws, radius) of a sequence that holds at any time, stopped as atol or radius=R would."""
    pilot = SEQUENCES[name]
    first, times = streams.count(pilot), moments(streams.most, pilot)
    bounded = bounded_by(name, first)
    used, radius = np.zeros(len(streams), np.int64), np.zeros(len(streams))
    going, end = np.arange(len(streams)), streams.most - pilot
    for look, n in enumerate(times, start=1):
        counts = streams.count(n)[going] - first[going]
        now = bounded(counts, going, look)
        used[going], radius[going] = n, now
        if n == times[-1]:
            break
        if target is None:
            likely = bounded(apportion_counts(counts, end), going, len(times))
            stopped = likely - now <= tolerance
        else:
            best = project_hopeful(tally_of(counts, sc.Plan((end,))), FUTILITY)
            hopeful = np.column_stack([best.counts, best.invalid])
            stopped = (now >= target) | (bounded(hopeful, going, len(times)) < target)
        going = going[~stopped]
        if not going.size:
            break
    return used, radius


def follow_iss(streams, tolerance, batch=200):
    """(draws, radius) of input-specific sampling with a pilot of its own."""
    first = streams.count(LONG_PILOT)
    top = first.argmax(axis=1)
    seen = first[np.arange(len(first)), top]
    sides = np.array(ALPHA / 2)
    low, _ = binomial.clopper_pearson_lower(seen, np.full(len(seen), LONG_PILOT), sides)
    high = binomial.clopper_pearson_upper(seen, np.full(len(seen), LONG_PILOT), sides)
    most = (streams.most - LONG_PILOT) // batch * batch
    numbers = np.arange(batch, most + 1, batch)
    shares = 0.5 + 0.001 * np.arange(501)
    best = cohen_radius(np.floor(most * shares).astype(int), np.full(501, most))
    wanted = np.zeros(501, np.int64)  # draws by probability; 0 where not even all are worth it
    for at in np.flatnonzero(best > tolerance):
        found = cohen_radius(np.floor(numbers * shares[at]).astype(int), numbers)
        enough = found >= best[at] - tolerance
        wanted[at] = numbers[enough.argmax()] if enough.any() else most
    begin = np.clip(np.floor((low - 0.5) * 1000), 0, 500).astype(int)
    stop = np.clip(np.ceil((high - 0.5) * 1000), 0, 500).astype(int)
    more = np.array([wanted[a : b + 1].max() for a, b in zip(begin, stop, strict=True)])
    counts = streams.count_from(LONG_PILOT, LONG_PILOT + more)
    own = counts[np.arange(len(counts)), top]
    radius = np.where(more > 0, cohen_radius(own, np.maximum(more, 1)), 0.0)
    return LONG_PILOT + more, radius


def follow_pilot(streams, price, pilot=LONG_PILOT):
    """(draws, radius) where a pilot of its own buys each input's further draws at a price.

    n is the one whose radius, at the pilot's shares, less the price of n draws is largest. The
    pilot is not counted again, so that n is fixed for the draws that are: all of alpha, no looks.
    """
    first = streams.count(pilot)
    numbers = np.unique(np.geomspace(300, streams.most - pilot, 28).astype(int))
    likely = [radii_of(tally_of(apportion_counts(first, n))) for n in numbers.tolist()]
    worth = np.stack(likely, axis=1) - price * numbers
    more = np.where(worth.max(axis=1) > 0, numbers[worth.argmax(axis=1)], 0)
    going, radius = more > 0, np.zeros(len(streams))
    counts = streams.count_from(pilot, pilot + more)
    radius[going] = radii_of(tally_of(counts[going]))
    return pilot + more, radius


def follow_oracle(streams, price):
    """(draws, radius) of one who knows all expectations and bounds once, with all of alpha.

    Each input gets the n whose radius, counts at their expectation, less the price of n draws is
    largest: no other way to deal out as many draws in advance has a larger mean.
    """
    numbers = np.unique(np.geomspace(20, streams.most, 45).astype(int)).tolist()
    expected = [radii_of(tally_of(apportion_counts(streams.shares, n))) for n in numbers]
    worth = np.stack(expected, axis=1) - price * np.array(numbers)
    best = worth.argmax(axis=1)
    drawn = worth.max(axis=1) > 0
    used = np.where(drawn, np.array(numbers)[best], 0)
    found = np.stack([fixed_radii(streams, n) for n in numbers], axis=1)
    return used, np.where(drawn, found[np.arange(len(found)), best], 0.0)


def list_rules(most):
    """Each rule by name: a function of streams to (draws, radius)."""
    every = {"fixed": fixed_radii, "fixed, Cohen": fixed_cohen_radii}
    rules = {
        name: lambda s, bounded=bounded: (np.full(len(s), most), bounded(s, most))
        for name, bounded in every.items()
    }
    rules |= {rule: lambda s, rule=rule: follow_looks(s, rule) for rule in (*OURS, "decided")}
    for name in SEQUENCES:
        for x in TOLERANCES:
            rules[f"{name}, {x:g}"] = lambda s, name=name, x=x: follow_sequence(s, name, x)
    for price in PRICES:
        rules[f"pilot, {price:g}"] = lambda s, price=price: follow_pilot(s, price)
        rules[f"oracle, {price:g}"] = lambda s, price=price: follow_oracle(s, price)
        if most > 2 * LONGER_PILOT:
            rules[f"longer pilot, {price:g}"] = lambda s, price=price: follow_pilot(
                s, price, LONGER_PILOT
            )
    rules |= {f"ISS, {x:g}": lambda s, x=x: follow_iss(s, x) for x in TOLERANCES}
    return rules


def describe(streams, follow, ladder):
    """One row: a rule beside a fixed n at equal draws, and the n that has the same mean radius."""
    start, busy = time.perf_counter(), time.process_time()
    used, radius = follow(streams)
    seconds, busy = time.perf_counter() - start, time.process_time() - busy
    draws, mean = float(used.mean()), float(radius.mean())
    beside = fixed_radii(streams, round(draws))
    numbers, means = np.array(list(ladder)), np.array(list(ladder.values()))
    needed = float(np.exp(np.interp(mean, means, np.log(numbers))))
    return {
        "draws": draws,
        "median_draws": float(np.median(used)),
        "mean_radius": mean,
        "certified": float((radius > 0).mean()),
        "fixed_mean_radius": float(beside.mean()),
        "fixed_certified": float((beside > 0).mean()),
        "fixed_cohen_mean_radius": float(fixed_cohen_radii(streams, round(draws)).mean()),
        "fixed_draws_for_radius": needed if means[0] < mean < means[-1] else None,
        "seconds": seconds,
        "processor_seconds": busy,
    }


def climb(streams):
    """Mean radii of fixed numbers of draws."""
    grown = np.unique(np.geomspace(100, streams.most, 60).astype(int))
    return {int(n): float(fixed_radii(streams, int(n)).mean()) for n in grown}


def measure_rules(streams):
    """Rules that ask for the radius itself."""
    ladder, rows = climb(streams), []
    for name, follow in list_rules(streams.most).items():
        row = {"rule": name, **describe(streams, follow, ladder)}
        rows.append(row)
        gain = row["mean_radius"] / row["fixed_mean_radius"] - 1
        print(
            f"  {name:22s} {row['draws']:9,.0f} draws, radius {row['mean_radius']:.4f} (fixed "
            f"{row['fixed_mean_radius']:.4f}, {gain:+.2%}), certified {row['certified']:.3f} "
            f"(fixed {row['fixed_certified']:.3f}), {row['seconds']:.1f} s",
            flush=True,
        )
    return rows


def measure_decisions(streams):
    """Rules that ask whether the radius reaches R: draws, and how many are certified at R."""
    rows = []
    for target in TARGETS:
        ways = {"radius=R": lambda s, t=target: follow_looks(s, f"radius={t:g}")}
        for name in SEQUENCES:
            ways[name] = lambda s, name=name, t=target: follow_sequence(s, name, target=t)
        fixed = fixed_radii(streams, streams.most)
        cohen = fixed_cohen_radii(streams, streams.most)
        for name, follow in ways.items():
            start, busy = time.perf_counter(), time.process_time()
            used, radius = follow(streams)
            row = {
                "target": target,
                "rule": name,
                "draws": float(used.mean()),
                "certified": float((radius >= target).mean()),
                "certified_fixed": float((fixed >= target).mean()),
                "certified_fixed_cohen": float((cohen >= target).mean()),
                "seconds": time.perf_counter() - start,
                "processor_seconds": time.process_time() - busy,
            }
            rows.append(row)
            print(f"  R = {target:g}, {name}: {row['draws']:,.0f} draws, {row['certified']:.3f}")
    return rows


def main():
    """Measure, print, write JSON where asked."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument(
        "--quick", action="store_true", help="fewer inputs, a tenth of the draws"
    )
    arguments.add_argument("--json", type=Path)
    chosen = arguments.parse_args()
    most = MOST // 10 if chosen.quick else MOST
    result = {"version": sc.__version__, "alpha": ALPHA, "most": most, "seed": SEED}
    result |= {"pilot": PILOT, "long_pilot": LONG_PILOT, "longer_pilot": LONGER_PILOT}
    result |= {"growth": GROWTH, "populations": {}}
    for name, shares in POPULATIONS.items():
        print(name, flush=True)
        streams = Streams(shares()[:: 10 if chosen.quick else 1], most)
        found = {"inputs": len(streams), "rules": measure_rules(streams)}
        if name == next(iter(POPULATIONS)):
            found["decisions"] = measure_decisions(streams)
        result["populations"][name] = found
    if chosen.json:
        chosen.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
