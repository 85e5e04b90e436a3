"""What the claims are held against: committed findings, benchmarks, and the simplex, computed now.

`read_evidence` gathers it; nothing here is typed by hand but the paper's own numbers, which are in
experiments/paper.json.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import simplicert as sc
from simplicert.mechanisms.naming import example_threats
from simplicert.simplex import make_grid, make_points, radius_ratio
from simplicert.simplex.extremes import Compare, find_extreme
from simplicert.types import Expectations, Floats, Kind

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "paper": "experiments/paper.json",
    "cifar": "experiments/cifar10/findings.json",
    "times": "experiments/cifar10/times.json",
    "tiny": "experiments/tiny-imagenet/findings.json",
    "logs": "experiments/imagenet/logs.json",
    "training": "benchmarks/results/training.json",
    "radii": "benchmarks/results/radii.json",
    "coverage": "benchmarks/results/coverage.json",
    "geometry": "benchmarks/results/geometry.json",
}
STEPS = 300  # cells along a side, as `simplicert simplex` has by default
NAMES = ("cohen", "li", "lecuyer", "improved_dp", "two_sided")
LEAD = 1 + 1e-11  # a smaller lead is rounding
GAPS = (1e-2, 1e-4, 1e-6)  # of E0 and E1 from one half


@dataclass(frozen=True)
class Evidence:
    """Everything by name: files as they were read, and facts about the simplex."""

    paper: dict[str, Any]
    cifar: dict[str, Any]
    times: dict[str, Any]
    tiny: dict[str, Any]
    logs: dict[str, Any]
    training: dict[str, Any]
    radii: dict[str, Any]
    coverage: dict[str, Any]
    geometry: dict[str, Any]
    simplex: dict[str, Any]

    def table(self, number: str, sigma: str, population: str = "all") -> dict[str, Any]:
        """One row of Table 1 or 2 of CIFAR-10."""
        row: dict[str, Any] = self.cifar["rows"][sigma][population][f"table_{number}"]
        return row

    def trend(self, name: str, number: str = "1", population: str = "all") -> list[float]:
        """One column of Table 1 or 2 over the sigmas of CIFAR-10 that the paper has too."""
        return [self.table(number, f"{one['sigma']:g}", population)[name] for one in self.gaussian]

    def tiny_trend(self, name: str, sigmas: tuple[str, ...]) -> list[float] | None:
        """One column of Table 1 of Tiny ImageNet; None if one of these sigmas is not there."""
        if any("all" not in self.tiny.get(sigma, {}) for sigma in sigmas):
            return None
        return [self.tiny[sigma]["all"]["table_1"][name] for sigma in sigmas]

    def cifar_trend(self, name: str, sigmas: tuple[str, ...]) -> list[float] | None:
        """One column of Table 1 of CIFAR-10; None if one of these sigmas is not there."""
        if any(sigma not in self.cifar["rows"] for sigma in sigmas):
            return None
        return [self.table("1", sigma)[name] for sigma in sigmas]

    @property
    def gaussian(self) -> list[dict[str, Any]]:
        """Findings of the four sigmas of CIFAR-10."""
        found: list[dict[str, Any]] = self.cifar["gaussian"]
        return found


def read_evidence(simplex: dict[str, Any] | None = None) -> Evidence:
    """Read all files, and measure the simplex unless that was done before."""
    held = {name: json.loads((ROOT / path).read_text()) for name, path in FILES.items()}
    return Evidence(**held, simplex=measure_simplex() if simplex is None else simplex)


def measure_simplex(steps: int = STEPS) -> dict[str, Any]:
    """Shares of the area, extremes, and where each radius is the largest."""
    known = make_grid(steps)
    held = {name: sc.radius(name, known.e0, known.e1) for name in NAMES}
    cohen, li, lecuyer, ours, limit = (held[name] for name in NAMES)
    others = np.maximum.reduce([cohen, li, lecuyer])
    ensemble = np.maximum.reduce([cohen, li, ours])
    rest = 1 - known.e0 - known.e1
    wins = {"cohen": cohen, "li": li, "improved_dp": ours}
    where = {name: radii >= ensemble for name, radii in wins.items()}
    return {
        "cells": len(known),
        "ratio": _extreme(_ratio("cohen", "li", "lecuyer"), "multinomial", 1.0),
        "ratio_above_2": _share(ours > 2 * others),
        "softmax": _extreme(_ratio("lecuyer"), "softmax", 1.0),
        "softmax_least": _extreme(_ratio("lecuyer"), "softmax", -1.0),
        "softmax_above_5": _share(ours > 5 * lecuyer),
        "softmax_near_half": [_near_half(gap) for gap in GAPS],
        "wins": {name: _share(mask) for name, mask in where.items()},
        "cohen_over_li": _share(cohen > LEAD * li),
        "cohen_over_li_rest": float(rest[cohen > LEAD * li].max()),
        "cohen_wins_rest": float(rest[where["cohen"]].max()),
        "li_wins_least_e0": float(known.e0[where["li"]].min()),
        "li_wins_largest_e1": float(known.e1[where["li"]].max()),
        "lecuyer_over_li": _share(lecuyer > LEAD * li),
        "lecuyer_over_cohen": _share(lecuyer > LEAD * cohen),
        "lecuyer_over_both": _share((lecuyer > LEAD * cohen) & (lecuyer > LEAD * li)),
        "lecuyer_over_ours": _share(lecuyer > LEAD * ours),
        "ours_over_li_up_to": float(ours[ours > LEAD * li].max()),
        "ours_over_li_last": _extreme(_lead("improved_dp", "li"), "multinomial", 1.0),
        "li_over_ours_first": _extreme(_lead("li", "improved_dp"), "multinomial", -1.0),
        "ours_of_limit": float((ours / limit).max()),
        "limit_over_cohen_least": float((limit - cohen).min()),
        "limit_over_ensemble": float(np.median(limit / ensemble)),
        "limit_over_ensemble_most": float((limit / ensemble).max()),
        "linear": _measure_linearity(known.e0, known.e1, held),
        "softmax_mechanisms": [
            name for name, row in sc.MECHANISMS.items() if "softmax" in row.kinds
        ],
        "threats": [
            f"{threat.noise} ({threat.norm})"
            for threat in example_threats()
            if len(threat.ensembles.get("multinomial", ())) > 1
        ],
    }


def _share(mask: Floats) -> float:
    """Share of the area."""
    return float(np.mean(mask))


def _ratio(*others: str) -> Compare:
    """Improved_dp over the largest of the others."""
    return lambda known: radius_ratio("improved_dp", others, known)


def _lead(name: str, other: str) -> Compare:
    """The radius of one mechanism where it is larger than that of the other."""

    def compare(known: Expectations) -> Floats:
        mine, theirs = (sc.radius(each, known.e0, known.e1) for each in (name, other))
        return np.where(mine > LEAD * theirs, mine, np.nan)

    return compare


def _extreme(compare: Compare, kind: Kind, sign: float) -> dict[str, Any]:
    """The largest or smallest value, where it is, and at which margin it lies."""
    found = find_extreme(compare, kind, sign)
    return {"value": found.value, "e0": found.e0, "e1": found.e1, "towards": list(found.towards)}


def _near_half(gap: float) -> float:
    """The softmax ratio of improved_dp to Lecuyer where both expectations near one half."""
    half = np.array([0.5])
    known = make_points(half + gap / 2, half - gap / 2, "softmax")
    return float(radius_ratio("improved_dp", ("lecuyer",), known)[0])


def _measure_linearity(e0: Floats, e1: Floats, held: dict[str, Floats]) -> float:
    """The largest relative difference of radii at sigma 3 from three times those at sigma 1."""
    few = slice(None, None, 37)
    worst = 0.0
    for name, radii in held.items():
        at_three, once = sc.radius(name, e0[few], e1[few], sigma=3.0), radii[few]
        live = once > 0
        worst = max(worst, float(np.abs(at_three[live] / (3 * once[live]) - 1).max()))
    return worst
