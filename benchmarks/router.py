"""A smoothed router that chooses sigma, against every single sigma at equal draws.

    python benchmarks/router.py --json FILE                                 compare
    python benchmarks/router.py --json FILE --data cifar10:DIR --cache DIR  choose, then compare

Routers are chosen on 1,000 images of the test set that are certified nowhere (router_choice.py:
minutes of two cores, resumes in the cache), and compared on the 500 of the committed runs, where
the router's draws and the branch's are parts of the runs at their sigmas. A router is chosen for
each radius, and for the mean of the certified accuracies at each of some pairs of radii.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from router_choice import (
    ALPHA,
    DRAWS,
    FRESH,
    LEAST_SHARE,
    RADII,
    ROUTER_ALPHA,
    ROUTER_DRAWS,
    SIGMAS,
    Others,
    draw_scores,
    try_routers,
)
from routing import RoutedCertificates, compose_certificates

import simplicert as sc
from simplicert.metrics import subsample_tally
from simplicert.types.scores import LAYOUTS

ROOT = Path(__file__).parents[1]
RUNS = ROOT / "experiments" / "cifar10" / "runs"
TESTED = ("classes", "confident")  # families whose votes the committed tallies hold
PAIRS = ((0.0, 0.5), (0.0, 0.75), (0.0, 1.0), (0.1, 0.75), (0.2, 0.75), (0.2, 1.0))
AGAIN = (0.0, 1.0)  # the one goal with a router ahead on the certified inputs
SEED = 0


def choose(data: str, cache: Path) -> dict[str, Any]:
    """Try every family on the other inputs; the best of each at each radius and pair of radii."""
    from router_trained import try_trained

    draw_scores(data, cache)
    others = Others(cache)
    single = {sigma: accuracies(radii) for sigma, radii in others.single.items()}
    goals = [(r, r) for r in RADII] + list(PAIRS)
    best: dict[str, list[Any]] = {}
    tried: dict[str, int] = {}
    for family, how, found in try_routers(others):
        curve = dict(zip(RADII, accuracies(found), strict=True))
        tried[family] = tried.get(family, 0) + 1
        rows = best.setdefault(family, [(-1.0, {})] * len(goals))
        for place, (near, far) in enumerate(goals):
            score = (curve[near] + curve[far]) / 2
            if score > rows[place][0]:
                rows[place] = (score, how)
    return {
        "inputs": len(others.labels),
        "draws_of_a_copy": others.draws,
        "single": single,
        "any_router": accuracies(np.max(list(others.branch.values()), axis=0)),
        "tried": tried,
        "goals": [
            {
                "radii": [near, far],
                "single": max(mean_of_two(curve, near, far) for curve in single.values()),
                "best_single": max(SIGMAS, key=lambda s: mean_of_two(single[s], near, far)),
                **{family: {"score": row[0], **row[1]} for family, row in rows.items()},
            }
            for (near, far), rows in zip(goals, _by_goal(best), strict=True)
        ],
        "trained": try_trained(others),
    }


def look_again(data: str, cache: Path, goal: dict[str, Any]) -> dict[str, Any]:
    """The router of classes chosen for one goal on inputs that no choice has seen."""
    how, rival = goal["classes"], goal["best_single"]
    sigmas = tuple(s for s in SIGMAS if s in {*how["branches"], how["sigma"], rival})
    draw_scores(data, cache, FRESH, sigmas, seed=50_000)
    fresh = Others(cache, sigmas)
    hard = fresh.logits[how["sigma"]].argmax(-1)
    routed = fresh.route(how["sigma"], np.isin(hard, how["classes"]).sum(1))
    found = fresh.compose(routed, tuple(how["branches"]))
    return {
        "inputs": len(fresh.labels),
        "radii": goal["radii"],
        "router": {name: value for name, value in how.items() if name != "score"},
        "accuracy": accuracies(found),
        "single": {sigma: accuracies(fresh.single[sigma]) for sigma in sigmas},
        **_difference(found, fresh.single[rival], goal),
    }


def _by_goal(best: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(best, row, strict=True)) for row in zip(*best.values(), strict=True)]


def mean_of_two(curve: list[float], near: float, far: float) -> float:
    """The mean of the certified accuracies at two radii."""
    return (curve[RADII.index(near)] + curve[RADII.index(far)]) / 2


def accuracies(radii: np.ndarray) -> list[float]:
    """Certified accuracy at each radius, of radii that are 0 where the class is wrong."""
    return [float((radii > r).mean()) for r in RADII]


def router_tally(tally: sc.Tally, how: dict[str, Any]) -> sc.Tally:
    """Votes for the two branches, from the counts or the score histograms of a run."""
    if "classes" in how:
        ones = tally.counts[:, how["classes"]].sum(axis=1)
    else:
        # A threshold above one half is passed by one class at most, so the votes add up.
        assert tally.histograms is not None and how["threshold"] > 0.5
        thresholds = LAYOUTS[tally.histograms.shape[2]]
        first = int(np.searchsorted(thresholds, how["threshold"])) + 1
        assert thresholds[first - 1] == how["threshold"]
        ones = tally.histograms[:, :, first:].sum(axis=(1, 2))
    zeros = tally.draws - tally.invalid - ones
    return sc.Tally(
        np.stack([zeros, ones], axis=1), tally.sigma, index=tally.index, invalid=tally.invalid
    )


def certify_routed(
    tallies: dict[str, sc.Tally], how: dict[str, Any], free: bool = False
) -> RoutedCertificates:
    """Certificates of a routed classifier, with parts of the runs as its draws.

    Router and branch of one sigma may share draws: each tally has the distribution of a shorter
    run, and the proof needs no more (docs/router.md). If it is `free`, both have all draws and all
    of alpha: no certificate, but more than any way to share them can give.
    """
    random = np.random.default_rng(SEED)
    votes, router_alpha = router_tally(tallies[how["sigma"]], how), ALPHA
    parts, branch_alpha = [plain(tallies[sigma]) for sigma in how["branches"]], ALPHA
    if not free:
        votes, router_alpha = subsample_tally(votes, ROUTER_DRAWS, random), ROUTER_ALPHA
        branch_alpha = ALPHA - ROUTER_ALPHA
        parts = [subsample_tally(part, DRAWS - ROUTER_DRAWS, random) for part in parts]
    return compose_certificates(
        sc.certify(sc.bound(votes, router_alpha)),
        [sc.certify(sc.bound(part, branch_alpha)) for part in parts],
        labels=tallies[how["sigma"]].labels,
    )


def plain(tally: sc.Tally) -> sc.Tally:
    """The counts alone: all of alpha is spent at one look."""
    return sc.Tally(
        tally.counts, tally.sigma, tally.labels, index=tally.index, invalid=tally.invalid
    )


def compare(goals: list[dict[str, Any]]) -> dict[str, Any]:
    """The chosen routers and every single sigma on the inputs of the committed runs."""
    tallies = {sigma: sc.open_run(RUNS / f"sigma-{sigma}").tally() for sigma in SIGMAS}
    made = {sigma: sc.certify(sc.bound(plain(t), ALPHA)) for sigma, t in tallies.items()}
    single = {sigma: np.where(c.correct, c.radius, 0.0) for sigma, c in made.items()}
    rows = []
    for goal in goals:
        family = max(TESTED, key=lambda name: goal[name]["score"])
        how = {name: value for name, value in goal[family].items() if name != "score"}
        certificates, free = certify_routed(tallies, how), certify_routed(tallies, how, free=True)
        found, most = (np.where(c.correct, c.radius, 0.0) for c in (certificates, free))
        rows.append(
            {"radii": goal["radii"], "router": how, "accuracy": accuracies(found)}
            | {"shares": [float((certificates.route == branch).mean()) for branch in (0, 1)]}
            | {"route_beyond": accuracies(certificates.router.radius)}
            | {"draws": int(certificates.draws.max())}
            | _difference(found, single[goal["best_single"]], goal)
            | {"free": _difference(most, single[goal["best_single"]], goal)}
        )
    return {
        "inputs": len(tallies["1"]),
        "single": {sigma: accuracies(radii) for sigma, radii in single.items()},
        "mean_radius": {sigma: float(radii.mean()) for sigma, radii in single.items()},
        "any_router": accuracies(np.max(list(single.values()), axis=0)),
        "by_true_class": best_by_class(single, np.asarray(tallies["1"].labels)),
        "routers": rows,
    }


def best_by_class(single: dict[str, np.ndarray], labels: np.ndarray) -> list[float]:
    """Certified accuracy if every class had the sigma that is best for it in hindsight."""
    found = np.zeros(len(RADII))
    for label in np.unique(labels):
        curves = [accuracies(np.where(labels == label, radii, 0.0)) for radii in single.values()]
        found += np.max(curves, axis=0)
    return found.tolist()


def _difference(found: np.ndarray, rival: np.ndarray, goal: dict[str, Any]) -> dict[str, Any]:
    """Router less the sigma that was best on the other inputs, at the goal's radii, paired."""
    near, far = goal["radii"]
    ours, theirs = (((v > near).astype(float) + (v > far)) / 2 for v in (found, rival))
    gap = ours - theirs
    spread = 1.96 * float(gap.std(ddof=1)) / len(gap) ** 0.5
    middle = float(gap.mean())
    return {
        "rival": goal["best_single"],
        "gained": int((gap > 0).sum()),
        "lost": int((gap < 0).sum()),
        "difference": middle,
        "low": middle - spread,
        "high": middle + spread,
    }


def main() -> None:
    """Choose where data is given, compare, print, write."""
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--json", type=Path, required=True, help="the result, read and written")
    arguments.add_argument("--data", help="cifar10:DIR, to choose the routers anew")
    arguments.add_argument("--cache", type=Path, help="where the drawn scores are kept")
    asked = arguments.parse_args()
    if asked.data:
        if asked.cache is None:
            arguments.error("--data needs --cache, a folder for the drawn scores")
        chosen = choose(asked.data, asked.cache)
        goal = next(goal for goal in chosen["goals"] if goal["radii"] == list(AGAIN))
        fresh = look_again(asked.data, asked.cache / "fresh", goal)
    else:
        held = json.loads(asked.json.read_text())
        chosen, fresh = held["others"], held["fresh"]
    settings = {"radii": RADII, "draws": DRAWS, "router_draws": ROUTER_DRAWS, "alpha": ALPHA}
    settings |= {"router_alpha": ROUTER_ALPHA, "least_share": LEAST_SHARE}
    result = {"settings": settings, "others": chosen, "certified": compare(chosen["goals"])}
    result["fresh"] = fresh
    for row in result["certified"]["routers"]:
        print(row["radii"], row["router"], row["rival"], round(row["difference"], 4))
    asked.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
