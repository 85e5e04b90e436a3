"""The numbers of docs/experiments.md, each from the committed tallies alone."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import simplicert as sc
from simplicert.analysis.comparison import improvement
from simplicert.analysis.metrics import (
    abstention_rate,
    average_radius,
    certified_accuracy,
    mean_expectations,
    share_above,
    share_by_region,
    top1,
)
from simplicert.analysis.pairing import average_radius_shift, mcnemar
from simplicert.analysis.study import Study
from simplicert.analysis.subsample import subsample
from simplicert.types import Certificates, Floats

SIGMAS = ("0.12", "0.25", "0.5", "1")
MACER = ("0.25", "1")
ABOVE = 0.05  # the paper's "certified proportion" is of radii above it
RADII = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5)  # of Cohen et al.'s own table for CIFAR-10
FOUR = ("cohen", "li", "improved_dp", "ensemble")
THREE = ("sigma-{}", "macer-{}", "control-{}")  # runs of one sigma
PAIRED = 1000  # draws at which MACER and its control are compared
NOTHING = 1e-9  # a radius that is none
LEAST = 0.05  # of a base, in units of sigma: a ratio over almost nothing says little
PARTS = 10  # random parts of the long run, to see how much they differ


def study(folder: Path, name: str) -> Study:
    """One committed run."""
    return Study(name, sc.open_run(folder / name))


def gaussian(one: Study) -> dict[str, Any]:
    """What one network's draws say, both kinds."""
    counts, scores = one.certificates("multinomial"), one.certificates("softmax")
    found = columns(one)
    return basics(one) | {
        "refused": abstention_rate(counts).value,
        "average_radius": average_radius(counts).value,
        "expectations": {kind: expectations(made) for kind, made in both(counts, scores)},
        "regions": {kind: regions(made) for kind, made in both(counts, scores)},
        "above": {name: share_above(counts, ABOVE, name).value for name in FOUR},
        "accuracy": [certified_accuracy(counts, at, "cohen").value for at in RADII],
        "median_percent": median_percent(counts),
        "heaviest": heaviest(counts),
        "means": {name: float(values.mean()) for name, values in found.items()},
        "right": right(counts),
        "radii": {
            name: gain(found[new], found[base], one.sigma) for name, (new, base) in PAIRS.items()
        },
        "softmax_methods": softmax_methods(one),
        "adaptive": [stopped_early(one, rule) for rule in rules(one)],
        "draws_needed": draws_needed(one),
    }


def basics(one: Study) -> dict[str, Any]:
    """Of the counts alone, what networks are compared by."""
    counts = one.certificates("multinomial")
    names = (*FOUR, "two_sided")
    return {
        "sigma": one.sigma,
        "inputs": len(counts),
        "draws": int(one.tally.draws.min()),
        "top1": top1(counts).value,
        "improved": asdict(improvement(counts)),
        "means": {name: float(counts.column(name).mean()) for name in names},
        "correct": {name: average_radius(counts, name).value for name in names},
        "expectations": {"multinomial": expectations(counts)},
        "regions": {"multinomial": regions(counts)},
    }


def regions(made: Certificates) -> dict[str, float]:
    """The share of inputs by the radius that is the largest."""
    return {name: rate.value for name, rate in share_by_region(made).items()}


def described(one: Study) -> dict[str, Any]:
    """What a row of a table rests on."""
    tally, made = one.tally, one.run.manifest
    return {
        "name": one.name,
        "model": made.made["model"],
        "sigma": one.sigma,
        "inputs": len(tally),
        "of": made.inputs,
        "draws": int(tally.draws.max()),
        "fewest": int(tally.draws.min()),
        "seconds": one.run.seconds,
        "alpha": made.alpha,
        "precision": "bfloat16" if made.source["autocast"] else "float32",
    }


def both(counts: Certificates, scores: Certificates) -> list[tuple[str, Certificates]]:
    """The two kinds by name."""
    return [("multinomial", counts), ("softmax", scores)]


def expectations(made: Certificates) -> dict[str, float]:
    """Mean E_0 and E_1 of the certified inputs."""
    found = mean_expectations(made)
    return {"e0": found.e0, "e1": found.e1}


PAIRS = {  # a radius, and the one that it goes past
    "ensemble over cohen": ("ensemble", "cohen"),
    "two_sided over cohen": ("two_sided", "cohen"),
    "two_sided over ensemble": ("two_sided", "ensemble"),
    "joint over two_sided": ("two_sided, joint", "two_sided"),
    "softmax: improved_dp over lecuyer": ("softmax improved_dp", "softmax lecuyer"),
    "softmax: two_sided over improved_dp": ("softmax two_sided", "softmax improved_dp"),
    "softmax: cdf over two_sided": ("softmax cdf", "softmax two_sided"),
}


def columns(one: Study) -> dict[str, Floats]:
    """(N,) radii by every mechanism of either kind, and by the joint bound."""
    counts, scores = one.certificates("multinomial"), one.certificates("softmax")
    joint = one.run.certify(kind="multinomial", scheme="joint").column("two_sided")
    return {
        **{name: counts.column(name) for name in FOUR},
        "two_sided": counts.column("two_sided"),
        "two_sided, joint": joint,
        **{f"softmax {name}": scores.column(name) for name in ("lecuyer", "improved_dp")},
        **{f"softmax {name}": scores.column(name) for name in ("two_sided", "cdf")},
    }


def gain(new: Floats, base: Floats, sigma: float) -> dict[str, float]:
    """Means over all inputs, refused ones as 0; the largest ratio over a base that is no trifle."""
    live = base > LEAST * sigma
    return {
        "mean": float(new.mean()),
        "base_mean": float(base.mean()),
        "ratio": float(new.mean() / base.mean()) if base.mean() > 0 else float("inf"),
        "best": float((new - base).max()),
        "best_ratio": float((new[live] / base[live]).max()) if live.any() else 1.0,
        "from_nothing": int(((base <= NOTHING) & (new > NOTHING)).sum()),
    }


def right(made: Certificates) -> dict[str, float]:
    """How often the certified inputs with and without a Cohen radius have the label's class."""
    live = made.column("cohen") > 0
    return {
        "with_cohen": float(made.correct[live].mean()),
        "without_cohen": float(made.correct[~live & ~made.abstained].mean()),
    }


def percentages(made: Certificates) -> tuple[Floats, Floats]:
    """Cohen's radii, and what the ensemble adds in percent: 0 to nothing, infinite from nothing."""
    base, new = made.column("cohen"), made.column("ensemble")
    more = np.where(new > base, np.inf, 0.0)
    live = base > 0
    more[live] = 100 * (new[live] / base[live] - 1)
    return base, more


def median_percent(made: Certificates) -> float:
    """Over all inputs, those without a Cohen radius included."""
    return float(np.median(percentages(made)[1]))


def heaviest(made: Certificates) -> dict[str, float]:
    """The input that moves the mean percentage over Cohen most, and the mean without it."""
    base, more = percentages(made)
    base, more = base[base > 0], more[base > 0]
    first = int(more.argmax())
    return {"base": float(base[first]), "without": float(np.delete(more, first).mean())}


def softmax_methods(one: Study) -> dict[str, float]:
    """Mean two-sided softmax radius by each limit, refused inputs as 0."""
    return {
        name: float(one.run.certify(kind="softmax", method=name).column("two_sided").mean())
        for name in ("hoeffding", "bentkus+bernstein")
    }


def rules(one: Study) -> tuple[str, ...]:
    """Questions that a user of this noise would ask: a small radius, a large one, any at all."""
    return (f"radius={one.sigma / 2:g}", f"radius={one.sigma:g}", "rtol=0.05", "decided")


def stopped_early(one: Study, rule: str) -> dict[str, Any]:
    """These very draws, looked at as the rule's plan would have: what it leaves undrawn.

    Each look is a random part of the next, as in a run that grows.
    """
    whole = one.tally
    until = sc.Until(rule, one.run.manifest.alpha)
    plan = until.plan(int(whole.draws.min()))
    looks = nested(whole, plan.looks)
    used, found = np.zeros(len(whole), np.int64), np.zeros(len(whole))
    going = np.arange(len(whole))
    for look in plan.looks:
        tally = sc.Tally(
            looks[look].counts[going], whole.sigma, invalid=looks[look].invalid[going], plan=plan
        )
        used[going] = look
        found[going] = sc.certify(sc.bound(tally, until.alpha), ["two_sided"]).radius
        going = going[until(tally) == ""]
        if not going.size:
            break
    fixed = one.certificates("multinomial").column("two_sided")
    name, target = until.parsed()
    goal = target if name == "radius" else NOTHING
    return {
        "rule": rule,
        "share_of_draws": float(used.mean() / plan.looks[-1]),
        "median_draws": int(np.median(used)),
        "reached_fixed": float((fixed >= goal).mean()),
        "reached": float((found >= goal).mean()),
        "mean_fixed": float(fixed.mean()),
        "mean": float(found.mean()),
    }


def nested(whole: sc.Tally, looks: Sequence[int], seed: int = 0) -> dict[int, sc.Tally]:
    """A shorter run out of each longer one, from the last look to the first."""
    random = np.random.default_rng(seed)
    plain = sc.Tally(
        whole.counts, whole.sigma, whole.labels, invalid=whole.invalid, index=whole.index
    )
    found = {looks[-1]: plain}
    for longer, shorter in pairwise(reversed(looks)):
        found[shorter] = subsample(found[longer], shorter, random)
    return found


def draws_needed(one: Study) -> dict[str, Any]:
    """Draws with which ensemble and two_sided certify the share that Cohen does with all of them.

    These draws are thinned to each n of a ladder, every step a random part of the next; the share
    is of radii above 0.05. `there` is Cohen's own share with the draws that two_sided needs.
    """
    counts = one.certificates("multinomial")
    goal = share_above(counts, ABOVE, "cohen").value
    most = int(one.tally.draws.min())
    ladder = np.unique(np.geomspace(100, most, 60).astype(int)).tolist()
    shorter = nested(one.tally, ladder)
    alpha = one.run.manifest.alpha
    made = {n: sc.certify(sc.bound(tally, alpha)) for n, tally in shorter.items()}
    needed = {
        name: min(n for n in ladder if share_above(made[n], ABOVE, name).value >= goal)
        for name in ("ensemble", "two_sided")
    }
    there = share_above(made[needed["two_sided"]], ABOVE, "cohen").value
    return {"cohen": goal, "draws": most, **needed, "there": there}


def joint_saves(one: Study) -> dict[str, float]:
    """The part of the draws with which the joint bound has the mean radius of all by the pair.

    In steps of a twentieth, by halving: the last step seen not to reach it is one below.
    """
    most, alpha = int(one.tally.draws.min()), one.run.manifest.alpha
    goal = float(one.certificates("multinomial").column("two_sided").mean())
    parts = [round(most * twentieths / 20) for twentieths in range(1, 21)]
    shorter = nested(one.tally, parts)

    def reached(draws: int) -> bool:
        known = sc.bound(shorter[draws], alpha, scheme="joint")
        return float(sc.certify(known, ["two_sided"]).radius.mean()) >= goal

    short = bisect_left(parts, True, hi=len(parts) - 1, key=reached)
    return {"pair": goal, "draws": parts[short], "share": parts[short] / most}


def longer(short: Study, long: Study) -> dict[str, Any]:
    """The short run, as long a part of the long one, and the long one: precision, then draws."""
    draws = int(short.tally.draws.min())
    whole = long.certificates("multinomial")
    parts = [at_draws(long, draws, seed) for seed in range(PARTS)]
    rows = [
        (short.name, short.certificates("multinomial")),
        (f"{long.name}, a part", parts[0]),
        (long.name, whole),
    ]
    spread = np.std([part.column("cohen").mean() for part in parts], ddof=1)
    described = [
        {
            "name": name,
            "draws": draws if made is not whole else int(long.tally.draws.min()),
            "top1": top1(made).value,
            "refused": abstention_rate(made).value,
            "improved": improvement(made).improved.value,
            "above": share_above(made, ABOVE, "cohen").value,
            "means": {name: float(made.column(name).mean()) for name in (*FOUR, "two_sided")},
            "agree": float((made.known.top == whole.known.top).mean()),
            "gained": int((made.abstained & ~whole.abstained).sum()),
            "gained_by_cohen": int((made.abstained & (whole.column("cohen") > 0)).sum()),
        }
        for name, made in rows
    ]
    return {"rows": described, "parts": PARTS, "spread": float(spread)}


def macer(plain: Study, moved: Study, control: Study) -> dict[str, Any]:
    """MACER beside its control and the network both began from, all at the same draws."""
    three = {"gaussian": plain, "control": control, "macer": moved}
    made = {name: at_draws(one, PAIRED) for name, one in three.items()}
    shift = average_radius_shift(made["control"], made["macer"])
    return {
        "draws": PAIRED,
        "networks": {name: network(made[name]) for name in three},
        "shift": {"difference": shift.difference, "low": shift.low, "high": shift.high},
        "accuracy": [switched(made["control"], made["macer"], at) for at in (0.25, 0.5, 1.0)],
    }


def at_draws(one: Study, draws: int, seed: int = 0) -> Certificates:
    """The run as if it had been this short."""
    tally = one.tally
    short = subsample(tally, draws, seed) if int(tally.draws.min()) > draws else tally
    return sc.certify(sc.bound(short, one.run.manifest.alpha))


def network(made: Certificates) -> dict[str, Any]:
    """One network in few numbers."""
    return {
        "top1": top1(made).value,
        "average_radius": average_radius(made).value,
        "certified": {str(at): certified_accuracy(made, at).value for at in (0.0, 0.25, 0.5, 1.0)},
        "expectations": expectations(made),
        "regions": regions(made),
    }


def switched(first: Certificates, second: Certificates, at: float) -> dict[str, float]:
    """Certified accuracy at one radius, paired."""
    found = mcnemar(first, second, at)
    return {
        "at": at,
        "control": found.first.value,
        "macer": found.second.value,
        "gained": int(found.gained.size),
        "lost": int(found.lost.size),
        "p": found.p,
    }
