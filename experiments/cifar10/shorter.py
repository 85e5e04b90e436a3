"""The same runs with fewer draws: parts of them, looks at them, and what a longer one adds."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

import simplicert as sc
from simplicert.metrics import (
    Study,
    abstention_rate,
    measure_improvement,
    share_above,
    subsample_tally,
    top1_accuracy,
)
from simplicert.types import Certificates
from simplicert.types.tally import select_inputs

FOUR = ("cohen", "li", "improved_dp", "ensemble")
ABOVE = 0.05  # the paper's "certified proportion" is of radii above it
NOTHING = 1e-9  # a radius that is none
PARTS = 10  # random parts of the long run, to see how much they differ


def at_draws(one: Study, draws: int, seed: int = 0) -> Certificates:
    """The run as if it had been this short."""
    tally = one.tally
    short = subsample_tally(tally, draws, seed) if int(tally.draws.min()) > draws else tally
    return sc.certify(sc.bound(short, one.run.manifest.alpha))


def rules(one: Study) -> tuple[str, ...]:
    """Questions that a user of this noise would ask: a small radius, a large one, any at all."""
    return (f"radius={one.sigma / 2:g}", f"radius={one.sigma:g}", "rtol=0.05", "decided")


def stopped_early(one: Study, rule: str) -> dict[str, Any]:
    """These very draws, looked at as the rule's plan would have: what it leaves undrawn.

    Each look is a random part of the next, as in a run that grows.
    """
    whole = one.tally
    until = sc.Until(rule, one.run.manifest.alpha)
    plan = until.plan(int(whole.draws.min())).reserved(kept_back(whole))
    looks = nested(whole, plan.looks)
    used, found = np.zeros(len(whole), np.int64), np.zeros(len(whole))
    going = np.arange(len(whole))
    for look in plan.looks:
        tally = replace(select_inputs(looks[look], going), plan=plan, looks=None)
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


def kept_back(whole: sc.Tally) -> float:
    """The share of alpha that a run of one look keeps in reserve."""
    return 0.0 if whole.plan is None else 1 - whole.plan.weights[0]


def nested(whole: sc.Tally, looks: Sequence[int], seed: int = 0) -> dict[int, sc.Tally]:
    """A shorter run out of each longer one, from the last look to the first, each at one share."""
    random = np.random.default_rng(seed)
    plain = sc.Tally(
        whole.counts,
        whole.sigma,
        whole.labels,
        invalid=whole.invalid,
        index=whole.index,
        plan=whole.plan,
    )
    found = {looks[-1]: plain}
    for longer, shorter in pairwise(reversed(looks)):
        found[shorter] = subsample_tally(found[longer], shorter, random)
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


def misread(one: Study, draws: int) -> dict[str, float]:
    """How often so few draws have another top class than all of the run's: mean over parts.

    Of the inputs that the whole run certifies; `cohen` is of those with a radius by Cohen.
    """
    whole = one.certificates("multinomial")
    parts = [subsample_tally(one.tally, draws, seed).counts.argmax(axis=1) for seed in range(PARTS)]
    wrong = np.mean([part != whole.known.top for part in parts], axis=0)
    return {
        "draws": draws,
        "all": float(wrong.mean()),
        "certified": float(wrong[~whole.abstained].mean()),
        "cohen": float(wrong[whole.column("cohen") > 0].mean()),
    }


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
            "top1": top1_accuracy(made).value,
            "refused": abstention_rate(made).value,
            "improved": measure_improvement(made).improved.value,
            "above": share_above(made, ABOVE, "cohen").value,
            "means": {name: float(made.column(name).mean()) for name in (*FOUR, "two_sided")},
            "agree": float((made.known.top == whole.known.top).mean()),
            "gained": int((made.abstained & ~whole.abstained).sum()),
            "gained_by_cohen": int((made.abstained & (whole.column("cohen") > 0)).sum()),
        }
        for name, made in rows
    ]
    return {"rows": described, "parts": PARTS, "spread": float(spread)}
