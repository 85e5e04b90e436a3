"""Rates of wrong certificates from exact draws: every scheme, kind and way to look at the draws.

A certificate is wrong where its class is not the smoothed class, its radius, the largest of all
mechanisms', is above the true one, or E0 or E1 is wrong. Each rate has a 95 % Clopper-Pearson
interval, and beside it stands the level that `sc.bound` states for it.
"""

import time
from dataclasses import dataclass

import numpy as np
from known_draws import Drawn
from truths import EDGE_DRAWS, POINTS_OF, Slabs

import simplicert as sc
from simplicert.metrics.intervals import rate_limits
from simplicert.types.tally import select_inputs

ALPHAS = (0.05, 0.01)
AT_ONCE = 5_000_000  # numbers of a tally in memory
ROUNDING = 1e-12  # of expectations that are sums of normal distribution functions
JOINT = 0.2  # share of repeats where the joint bound is asked at several looks

# kind -> (scheme, method, histograms kept)
WAYS = {
    "multinomial": [
        ("gated", "clopper_pearson", False),
        ("gated", "one_sided", False),
        ("joint", "buehler+pair", False),
        ("paper", "clopper_pearson", False),
        ("split", "clopper_pearson", False),
        ("split", "one_sided", False),
    ],
    "softmax": [
        ("gated", "bentkus+betting", True),
        ("gated", "bentkus+betting", False),
        ("gated", "bentkus+bernstein", True),
        ("gated", "bentkus+bernstein", False),
        ("gated", "hoeffding", False),
        ("paper", "hoeffding", False),
        ("split", "bentkus+betting", True),
        ("split", "hoeffding", False),
    ],
}


def summary(wrong):
    """How many, of how many; the rate and its 95 % interval."""
    low, high = rate_limits(np.array(int(wrong.sum())), len(wrong), 0.95)
    rate = float(wrong.mean())
    return {"rate": rate, "low": float(low), "high": float(high), "of": len(wrong)}


def judge(slabs, kind, certificates, inflated=1.0):
    """(N,) whether each certificate is wrong."""
    known = certificates.known
    radius = certificates.radius / known.sigma * inflated
    wrong = (radius > slabs.radius(kind)) | ((radius > 0) & (known.top != slabs.top(kind)))
    return wrong | misses_pair(slabs, kind, known)


def misses_pair(slabs, kind, known):
    """(N,) whether E0 or E1 is given and wrong; they are NaN where they are not given."""
    means = slabs.masses() @ slabs.vectors(kind)
    first, second = np.sort(means)[[-1, -2]]
    other = np.where(known.top == means.argmax(), second, first)
    return (known.e0 > means[known.top] + ROUNDING) | (known.e1 < other - ROUNDING)


def certified(tally, alpha, kind, way):
    """Certificates by every mechanism that the way allows."""
    return sc.certify(sc.bound(tally, alpha, kind, way[0], way[1]))


def row(slabs, way, level, wrong, **settings):
    """One measured rate: kind, mode, point, draws and alpha are its settings."""
    scheme, method, histograms = way
    named = method + (", histograms" if histograms else "")
    return {
        **settings,
        "scheme": scheme,
        "method": named,
        "classes": slabs.classes,
        "level": level,
        "wrong": summary(wrong),
    }


def blocks(slabs, repeats):
    """Numbers of inputs that together are the repeats, none too large for memory."""
    size = max(AT_ONCE // (slabs.classes * 4), 50)
    return [min(size, repeats - at) for at in range(0, repeats, size)]


def repeats_of(kind, classes, most, way=None):
    """Fewer where one costs more."""
    share = (1.0 if kind == "multinomial" else 0.25) * (1.0 if classes < 1000 else 0.2)
    if way is not None and way[0] == "joint" and classes > 2:
        share *= JOINT
    return int(most * share)


def fixed(most, sizes=(100, EDGE_DRAWS), every=1):
    """One look at a fixed number of draws, at one point in `every`."""
    out = []
    for kind in WAYS:
        for seed, point in enumerate(list(POINTS_OF[kind])[::every]):
            for draws in sizes:
                out += at_once(kind, point, draws, most, seed)
    return out


def at_once(kind, point, draws, most, seed):
    """Every way and alpha on the same tallies."""
    slabs, wrong, level = POINTS_OF[kind][point], {}, {}
    for number, inputs in enumerate(blocks(slabs, repeats_of(kind, slabs.classes, most))):
        for histograms in sorted({way[2] for way in WAYS[kind]}):
            people = Drawn(slabs, kind, inputs, (seed, draws, number), histograms)
            people.draw(draws)
            tally = people.tally()
            for way in (way for way in WAYS[kind] if way[2] == histograms):
                for alpha in ALPHAS:
                    found = certified(tally, alpha, kind, way)
                    wrong.setdefault((way, alpha), []).append(judge(slabs, kind, found))
                    level[way, alpha] = found.known.level
    settings = {"kind": kind, "mode": "fixed", "point": point, "draws": draws}
    return [
        row(slabs, way, level[way, alpha], np.concatenate(found), alpha=alpha, **settings)
        for (way, alpha), found in wrong.items()
    ]


RULED = {  # point -> rules that stop where a certificate is wrong, if they can
    "multinomial": {
        "tie": ("decided", "radius=0.02"),
        "radius .5": ("radius=0.5", "rtol=0.05"),
        "tie of two, third .2": ("decided", "radius=0.02"),
        "unequal .58 .31 .11": ("radius=0.349", "decided"),
        "tie of two among ten": ("decided",),
        "999 equal rivals": ("decided",),
    },
    "softmax": {
        "hard tie": ("decided",),
        "hard .58 .31 .11": ("radius=0.349",),
        "stairs, tie": ("decided",),
        "stairs among ten": ("decided", "rtol=0.05"),
        "stairs among 1,000, tie": ("decided",),
    },
}


def looked(most, draws=600, every=1):
    """Stopped by a rule; by the worst of all rules; and extended, with and without a reserve."""
    out = []
    for kind, points in RULED.items():
        for seed, (point, rules) in enumerate(list(points.items())[::every]):
            slabs = POINTS_OF[kind][point]
            for way in WAYS[kind]:
                repeats = repeats_of(kind, slabs.classes, most, way)
                for alpha in ALPHAS:
                    case = Case(slabs, kind, way, alpha, draws, repeats, (seed, draws))
                    rates = {f"until {rule}": case.until(rule) for rule in rules}
                    rates |= {"any rule": case.any_rule()} | case.extended()
                    settings = {"kind": kind, "point": point, "draws": draws, "alpha": alpha}
                    for mode, (level, wrong) in rates.items():
                        out.append(row(slabs, way, level, wrong, mode=mode, **settings))
    return out


@dataclass(frozen=True)
class Case:
    """One point, way and alpha, looked at more than once."""

    slabs: Slabs
    kind: str
    way: tuple
    alpha: float
    draws: int
    repeats: int
    seed: tuple

    def people(self):
        """Fresh inputs, block by block."""
        for number, inputs in enumerate(blocks(self.slabs, self.repeats)):
            yield Drawn(self.slabs, self.kind, inputs, (*self.seed, number), self.way[2])

    def judged(self, tally):
        """(the level stated, (N,) wrong)."""
        found = certified(tally, self.alpha, self.kind, self.way)
        return found.known.level, judge(self.slabs, self.kind, found)

    def until(self, rule):
        """Drawn look by look until the rule lets each input go; certified there."""
        rules = sc.Until(rule, self.alpha, self.kind, *self.way[:2])
        plan, wrong, level = rules.plan(self.draws), [], 0.0
        for people in self.people():
            mine, left, before = np.zeros(len(people.held), bool), np.arange(len(people.held)), 0
            for look in plan.looks:
                people.draw(look - before, left)
                before = look
                tally = people.tally(left, plan)
                stopped = rules(tally) != ""
                if stopped.any():
                    level, mine[left[stopped]] = self.judged(select_inputs(tally, stopped))
                left = left[~stopped]
                if not left.size:
                    break
            wrong.append(mine)
        return level, np.concatenate(wrong)

    def any_rule(self):
        """Wrong at some look of a plan: what a rule that knows the truth would stop at."""
        return self.at_looks(sc.Until("decided").plan(self.draws), later_only=False)

    def extended(self):
        """A fixed plan extended once: the later certificates, and all ever made with a reserve."""
        plan, longer = sc.Plan((self.draws // 2,)), self.draws
        return {
            "extended": self.at_looks(plan.extended(longer), later_only=True),
            "reserve, extended, ever made": self.at_looks(
                plan.reserved(0.5).extended(longer), later_only=False
            ),
        }

    def at_looks(self, plan, later_only):
        """(the largest level stated, wrong at the last look, or at any)."""
        wrong, level = [], 0.0
        for people in self.people():
            mine, before = np.zeros(len(people.held), bool), 0
            for look in plan.looks:
                people.draw(look - before)
                before = look
                if look == plan.looks[-1] or not later_only:
                    level, here = self.judged(people.tally(plan=plan))
                    mine |= here
            wrong.append(mine)
        return level, np.concatenate(wrong)


def timed(name, work):
    """The rows of a part, and the processor seconds they took: the machine may be shared."""
    start = time.process_time()
    rows = work()
    seconds = round(time.process_time() - start)
    print(f"{name}: {len(rows)} rates in {seconds} s", flush=True)
    return rows, seconds


def above(result):
    """Rates whose whole interval lies above the level stated: there must be none."""
    rows = result["fixed"] + result["looked"] + result["runs"]
    return [row for row in rows if row["wrong"]["low"] > row["level"]]


def failures(result):
    """What must not be, in words."""
    words = [f"above its level: {row}" for row in above(result)]
    words += [
        f"not caught: {row['control']}"
        for row in result["controls"]
        if row["wrong"]["low"] <= row["alpha"]
    ]
    seen = {row["mode"]: row["contradiction"] for row in result["low_bits"]}
    if seen != {"default": True, "grid": False}:
        words.append(f"low bits: {seen}")
    return words
