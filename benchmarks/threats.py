"""What the second expectation, and the tight radius, are worth under each noise, over the simplex.

    python benchmarks/threats.py [--steps 300] [--json FILE]

No data and no draws: every number is a radius at a point, a share of the area of the simplex, or
the largest ratio that a search found. Radii of two threats are never compared.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

import simplicert as sc
from simplicert import simplex
from simplicert.mechanisms.naming import describe_threat, describe_unit, example_threats
from simplicert.mechanisms.threats import Threat, find_threat
from simplicert.simplex.extremes import find_extreme
from simplicert.types import Expectations

POINTS = ((0.7, 0.2), (0.99, 0.001), (0.9, 0.01), (0.99, 0.0001))

MORE = (  # whole numbers depend on the noise's own numbers
    ("ablation", {"size": 784, "keep": 20}),
    ("ablation", {"size": 3072, "keep": 75}),
    ("deletion", {"rate": 0.5}),
    ("deletion", {"rate": 0.95}),
)

RIVALS = {  # of the limit under Laplace noise
    "one_sided": ("one_sided",),
    "lecuyer": ("lecuyer",),
    "teng": ("teng",),
    "ensemble": ("one_sided", "li", "teng", "improved_dp"),
}


def compare_laplace(steps: int) -> dict[str, Any]:
    """Laplace noise in l1: the published radii beside the limit, and who is largest where."""
    threat, known = find_threat("laplace"), simplex.make_grid(steps)
    published = [name for name in threat.mechanisms if name != "two_sided"]
    improved = simplex.radius_ratio("improved_dp", "lecuyer", known, threat) > 1 + 1e-9
    li = simplex.radius_ratio("li", "improved_dp", known, threat)
    return {
        "points": [
            {
                "e0": e0,
                "e1": e1,
                **{n: sc.radius(n, e0, e1, noise="laplace") for n in threat.mechanisms},
            }
            for e0, e1 in POINTS
        ],
        "shares": simplex.winning_shares(published, known, threat),
        "limit_over": {
            name: measure_gain(threat, ("two_sided",), rivals, known)
            for name, rivals in RIVALS.items()
        },
        "improved_dp_over_lecuyer": {
            **measure_gain(threat, ("improved_dp",), ("lecuyer",), known),
            "least_li_over_it_there": float(li[improved].min()),
        },
        "li_over_teng": measure_gain(threat, ("li",), ("teng",), known),
    }


def measure_gain(
    threat: Threat, ours: tuple[str, ...], theirs: tuple[str, ...], known: Expectations
) -> dict[str, Any]:
    """How much larger one radius is than others: over the area, and at most."""
    ratio = simplex.radius_ratio(ours, theirs, known, threat)
    both = np.isfinite(ratio)
    best = find_extreme(
        lambda where: simplex.radius_ratio(ours, theirs, where, threat), "multinomial", 1.0
    )
    return {
        "larger": float(np.mean(ratio > 1 + 1e-9)),
        "more_than_5_percent": float(np.mean(ratio > 1.05)),
        "only_ours": float(np.mean(~both)),
        "mean_where_both": float(ratio[both].mean()),
        "largest": {"value": best.value, "e0": best.e0, "e1": best.e1, "towards": best.towards},
    }


def value_second_expectation(threat: Threat, steps: int) -> dict[str, Any]:
    """What E_1 buys: the radius that reads E_0 alone against the two-sided one."""
    known, first = simplex.make_grid(steps), next(iter(threat.mechanisms))
    one, two = (simplex.largest_side_radius(n, known, threat) for n in (first, "two_sided"))
    right = known.e0 > 0.5
    return {
        "threat": describe_threat(threat),
        "unit": describe_unit(threat),
        "one_sided": first,
        "limit_is_proved": threat.limit is not None,
        "neither": float(np.mean(two == 0)),
        "only_two_sided": float(np.mean((two > 0) & (one == 0))),
        "equal": float(np.mean((two > 0) & (two <= one * (1 + 1e-9)))),
        "both_but_larger": float(np.mean((one > 0) & (two > one * (1 + 1e-9)))),
        "mean_one_sided": float(one[right].mean()),
        "mean_two_sided": float(two[right].mean()),
    }


def main() -> None:
    """Print the numbers as JSON, or write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    threats = [*example_threats(), *(find_threat(noise, **numbers) for noise, numbers in MORE)]
    result = {
        "steps": options.steps,
        "laplace": compare_laplace(options.steps),
        "second": [value_second_expectation(threat, options.steps) for threat in threats],
    }
    text = json.dumps(result, indent=1)
    if options.json:
        options.json.write_text(text + "\n")
    else:
        print(text)


if __name__ == "__main__":
    main()
