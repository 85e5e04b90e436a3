"""The numbers of docs/experiments.md, each from the committed tallies alone."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from shorter import ABOVE, FOUR, NOTHING, at_draws, draws_needed, rules, stopped_early

import simplicert as sc
from simplicert.metrics import (
    Study,
    abstention_rate,
    accuracy_curve,
    average_radius,
    average_radius_change,
    certified_accuracy,
    mcnemar_test,
    mean_expectations,
    measure_improvement,
    share_above,
    share_by_region,
    top1_accuracy,
)
from simplicert.tables import TableOptions, make_table
from simplicert.types import Certificates, Floats

BAR = 0.5  # of E0: Cohen's radius needs more
SIGMAS = ("0.12", "0.25", "0.5", "1")
MACER = ("0.25", "1")
RADII = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5)  # of Cohen et al.'s own table for CIFAR-10
THREE = ("sigma-{}", "macer-{}", "control-{}")  # runs of one sigma
PAIRED = 1000  # draws at which MACER and its control are compared
LEAST = 0.05  # of a base, in units of sigma: a ratio over almost nothing says little


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
        "top1": top1_accuracy(counts).value,
        "improved": asdict(measure_improvement(counts)),
        "means": {name: float(counts.column(name).mean()) for name in names},
        "correct": {name: average_radius(counts, name).value for name in names},
        "expectations": {"multinomial": expectations(counts)},
        "regions": {"multinomial": regions(counts)},
    }


def rows(one: Study) -> dict[str, Any]:
    """What Tables 1 and 2 of the paper measure, over all inputs and over the correct ones."""
    found: dict[str, Any] = {}
    for population in ("all", "correct"):
        asked = TableOptions(population=population)
        (first,) = make_table([one], "paper1", asked).records
        second = make_table([one], "paper2", replace(asked, column="ensemble")).records[0]
        found[population] = {"table_1": dict(first), "table_2": dict(second)}
    return found


def curves(one: Study) -> dict[str, Any]:
    """Where one radius certifies more inputs than another, over all radii at which either drops.

    Accuracies of improved_dp less those of another: by softmax scores over Lecuyer, by counts over
    Li, with the last radius at which it is ahead and the first at which it is behind.
    """
    found: dict[str, Any] = {"sigma": one.sigma}
    for name, kind, base in (("lecuyer", "softmax", "lecuyer"), ("li", "multinomial", "li")):
        made = one.certificates(kind)
        new, old = made.column("improved_dp"), made.column(base)
        at = np.unique(np.concatenate([[0.0], new, old]))
        lead = accuracy_curve(made, at, "improved_dp").hits - accuracy_curve(made, at, base).hits
        found[name] = {
            "ahead": int((lead > 0).sum()),
            "behind": int((lead < 0).sum()),
            "last_ahead": float(at[lead > 0].max()) if (lead > 0).any() else None,
            "first_behind": float(at[lead < 0].min()) if (lead < 0).any() else None,
            "inputs_below": int((new < old).sum()),
            "certified": int((old > 0).sum()),
            "least_ratio": float((new[old > 0] / old[old > 0]).min()),
        }
    counts = one.certificates("multinomial")
    e0, gains = counts.known.e0, counts.column("ensemble") > counts.column("cohen") * (1 + 1e-12)
    rest = np.maximum(counts.column("cohen"), counts.column("li"))
    live = (rest > 0) & ~counts.abstained
    ratio = counts.column("improved_dp")[live] / rest[live]
    found["improved"] = {
        "below_half": float(gains[e0 <= BAR].mean()) if (e0 <= BAR).any() else None,
        "above_half": float(gains[e0 > BAR].mean()),
        "cohen_below_half": int((counts.column("cohen")[~(e0 > BAR)] > 0).sum()),
        "largest_ratio": float(ratio.max()),
        "above_two": int((ratio > 2).sum()),  # noqa: PLR2004
    }
    return found


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


def macer(plain: Study, moved: Study, control: Study) -> dict[str, Any]:
    """MACER beside its control and the network both began from, all at the same draws."""
    three = {"gaussian": plain, "control": control, "macer": moved}
    made = {name: at_draws(one, PAIRED) for name, one in three.items()}
    shift = average_radius_change(made["control"], made["macer"])
    return {
        "draws": PAIRED,
        "networks": {name: network(made[name]) for name in three},
        "shift": {"difference": shift.difference, "low": shift.low, "high": shift.high},
        "accuracy": [switched(made["control"], made["macer"], at) for at in (0.25, 0.5, 1.0)],
    }


def network(made: Certificates) -> dict[str, Any]:
    """One network in few numbers."""
    return {
        "top1": top1_accuracy(made).value,
        "average_radius": average_radius(made).value,
        "certified": {str(at): certified_accuracy(made, at).value for at in (0.0, 0.25, 0.5, 1.0)},
        "expectations": expectations(made),
        "regions": regions(made),
    }


def switched(first: Certificates, second: Certificates, at: float) -> dict[str, float]:
    """Certified accuracy at one radius, paired."""
    found = mcnemar_test(first, second, at)
    return {
        "at": at,
        "control": found.first.value,
        "macer": found.second.value,
        "gained": int(found.gained.size),
        "lost": int(found.lost.size),
        "p": found.p,
    }
