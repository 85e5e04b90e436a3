"""What a neighbour is worth on CIFAR-10, against the same number of draws at the input itself.

    python benchmarks/geometry.py --data cifar10:DIR --json benchmarks/results/geometry.json

Every 200th test image, two networks of the zoo. What the file holds already is kept: the settings
of the first division of the draws were fixed before its first draw, the second division was added
when the pilot had turned down every neighbour of the first.

shared  the sound procedure, as `simplicert geometry --compare` runs it: draws at x, a pilot, and
        fresh draws at the neighbour if the pilot chose one, 2,000 in all. The rival has as many
        draws at x as each input got, and all of alpha.
free    no certificate of anything, but what the geometry alone does: the best point of the pilot,
        though it may be worse than x; the pilot costs nothing, x and x' have 1,000 draws and all
        of alpha each, and the same noise.
"""

import argparse
import json
import tempfile
import time
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import simplicert as sc
from simplicert.attack.attacked_input import SmoothedPoint
from simplicert.geometry import NeighbourSearch, box_radius, compare_radii, open_search, search_run
from simplicert.geometry.job import make_forecasts
from simplicert.geometry.opening import OpenedSearch
from simplicert.geometry.search import Forecasts, choose_neighbour
from simplicert.store.neighbours import list_records

MODELS = {0.25: "zoo:cifar10-small-0.25", 1.0: "zoo:cifar10-small-1"}
STEP = 200  # every so many test images
DIVISIONS = ((1000, 440), (500, 940))  # draws at x, and at its neighbour
SEARCH = NeighbourSearch(pilot=128, copies=16, steps=1, share=0.5, seed=0)
FREE = 1000  # draws at x, and at x'
ALPHA = 0.001
KEPT = ("index", "radius", "own", "found", "plain", "same_draws", "distance", "pilot_draws")


def measure_network(
    model: str, data: str, sigma: float, division: tuple[int, int], folder: Path
) -> dict[str, Any]:
    """Draw the run, search every input, and compare."""
    began = time.perf_counter()
    draws, fresh = division
    drawn = sc.draw(
        model,
        data,
        sigma,
        draws,
        folder / f"{sigma:g}-{draws}",
        select=slice(None, None, STEP),
        alpha=ALPHA,
        reserve=0.0,
        device="cpu",
        compile=False,
        warn=print,
    )
    opened = open_search(drawn.run, model, data, replace(SEARCH, draws=fresh))
    inputs = np.sort(drawn.run.tally().inputs)
    rows = search_run(opened, inputs, compare=True)
    first = division == DIVISIONS[0]
    free = [measure_free(opened, item) for item in inputs.tolist()] if first else []
    return {
        "model": model,
        "sigma": sigma,
        "draws": draws,
        "fresh": fresh,
        "summary": compare_radii(rows),
        "mean": {name: _mean(rows, name) for name in ("radius", "plain", "same_draws")},
        "median": {name: _median(rows, name) for name in ("radius", "plain", "same_draws")},
        "without_candidate": sum(pair is None for pair in free) if first else None,
        "free": summarise_free([pair for pair in free if pair is not None]) if first else None,
        "free_pairs": free,
        "rows": [{name: record[name] for name in KEPT} for record in list_records(rows)],
        "seconds": time.perf_counter() - began,
    }


def measure_free(opened: OpenedSearch, item: int) -> tuple[float, float] | None:
    """Radii by the best neighbour of the pilot and by x itself; None if x - r g is in the box."""
    target, search, known = opened.target, opened.search, opened.plain.known
    row = int(np.flatnonzero(known.index == item)[0])
    centre, smoothed = target.input(item), SmoothedPoint(target.sampler, item, "multinomial")
    gradient = opened.gradients(target.sampler, search.copies, target.seed("gradients", item))
    honest = make_forecasts(opened, row, FREE)
    always = Forecasts(lambda counts: -1.0, honest.at_neighbour)
    point = choose_neighbour(centre, smoothed, gradient, search, always)
    if point is None:
        return None
    classes, radii = [], []
    for place in (point, centre):
        fresh = SmoothedPoint(target.sampler, item, "multinomial").draw_fresh(place, FREE)
        tally = sc.Tally(fresh.counts, fresh.sigma, invalid=fresh.invalid)
        found = sc.certify(sc.bound(tally, ALPHA, known.kind, known.scheme, known.method))
        classes.append(int(found.known.top[0]))
        radii.append(float(found.radius[0]))
    around = radii[0] if classes[0] == classes[1] else 0.0
    return box_radius(centre, point, around), radii[1]


def summarise_free(pairs: list[tuple[float, float]]) -> dict[str, float]:
    """How often the neighbour is better, and by how much."""
    by_neighbour, own = np.array(pairs).reshape(-1, 2).T
    certified = own > 0
    ratios = by_neighbour[certified] / own[certified] if certified.any() else np.array([np.nan])
    return {
        "inputs": len(pairs),
        "better": int((by_neighbour > own).sum()),
        "worse": int((by_neighbour < own).sum()),
        "median_ratio": float(np.median(ratios)),
        "largest_ratio": float(ratios.max()),
    }


def _mean(rows: list[Any], name: str) -> float:
    return float(np.mean([getattr(row, name) for row in rows]))


def _median(rows: list[Any], name: str) -> float:
    return float(np.median([getattr(row, name) for row in rows]))


def main() -> None:
    """Measure what the file does not hold yet, and write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--json", type=Path, required=True)
    asked = parser.parse_args()
    found = json.loads(asked.json.read_text())["networks"] if asked.json.exists() else []
    held = {(network["sigma"], network["draws"], network["fresh"]) for network in found}
    for (sigma, model), division in product(MODELS.items(), DIVISIONS):
        if (sigma, *division) in held:
            continue
        with tempfile.TemporaryDirectory() as folder:
            network = measure_network(model, asked.data, sigma, division, Path(folder))
        print(sigma, division, network["summary"], network["free"], f"{network['seconds']:.0f} s")
        found = sorted([*found, network], key=lambda one: (-one["draws"], one["sigma"]))
        search = {name: getattr(SEARCH, name) for name in ("pilot", "copies", "steps", "share")}
        result = {
            "alpha": ALPHA,
            "step": STEP,
            "free_draws": FREE,
            "search": search,
            "networks": found,
        }
        asked.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
