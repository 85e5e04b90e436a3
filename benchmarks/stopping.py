"""Stopping early, measured: draws, certified accuracy, wall time, rate of false certificates.

The parts of benchmarks/draws.py that follow inputs from look to look.
"""

import time

import numpy as np
import torch
from scipy.special import ndtr, ndtri

import simplicert as sc
from simplicert.metrics.intervals import rate_limits
from simplicert.models.architectures import ARCHITECTURES
from simplicert.plan import DeclaredSettings, Population, published_population, simulate_plan
from simplicert.plan.population import ABSTAINED_RANGE, PUBLISHED_CERTIFIED

DRAWS = 100_000


def literal(radius, inputs):
    """The share of the column above Phi(R), spread evenly over (Phi(R), 1); the rest as given."""
    above = round(PUBLISHED_CERTIFIED[radius] * inputs)
    at = np.linspace(0, 1, above + 2)[1:-1]
    pa = np.concatenate(
        [ndtr(radius) + (1 - ndtr(radius)) * at, np.linspace(*ABSTAINED_RANGE, inputs - above)]
    )
    rest = (1 - pa) / 2
    return Population(np.column_stack([pa, rest, *[rest / 8] * 8]), "literal")


def against_fixed(inputs):
    """Deciding "radius >= R" at sigma 1: share of 100,000 draws, certified accuracy by each."""
    one, pair = DeclaredSettings(method="one_sided"), DeclaredSettings()
    cases = {
        "published, one_sided": (one, lambda radius: published_population(10, inputs)),
        "published, two numbers": (pair, lambda radius: published_population(10, inputs)),
        "literal, one_sided": (one, lambda radius: literal(radius, inputs)),
    }
    rows = []
    for name, (declared, people) in cases.items():
        for radius in list(PUBLISHED_CERTIFIED)[1:]:
            population = people(radius)
            adaptive = simulate_plan(declared, population, f"radius={radius:g}", DRAWS, seed=1)
            fixed = simulate_plan(declared, population, "fixed", DRAWS, seed=2)
            rows.append(
                {
                    "case": name,
                    "radius": radius,
                    "share_of_draws": float(adaptive.draws.mean() / DRAWS),
                    "median_draws": float(np.median(adaptive.draws)),
                    "certified_fixed": float((fixed.radius >= radius).mean()),
                    "certified_adaptive": float((adaptive.radius >= radius).mean()),
                }
            )
    return rows


class Centred(torch.nn.Module):
    """An untrained network whose classes come up about equally often over its inputs."""

    passes = 0  # of all copies of it: a sampler draws from its own

    def __init__(self, net, batch):
        """`batch`: noisy inputs whose logits are taken to the same mean and spread."""
        super().__init__()
        self.net = net
        with torch.inference_mode():
            logits = net(batch)
        self.mean, self.spread = logits.mean(0), logits.std(0)

    def forward(self, x):
        """Standardised logits."""
        Centred.passes += 1
        return (self.net(x) - self.mean) / self.spread


def mixed_set(inputs, sigma, architecture):
    """A network and inputs, some of them clear, some of them near a tie."""
    torch.manual_seed(0)
    random = np.random.default_rng(0)
    base = random.random((10, 3, 4, 4))
    weights = random.dirichlet(np.full(10, 0.15), inputs)
    coarse = np.einsum("nk,kchw->nchw", weights, base)
    images = np.kron(coarse, np.ones((1, 1, 4, 4))).astype(np.float32)
    net = ARCHITECTURES[architecture](10, (3, 16, 16)).eval()
    noisy = images + sigma * random.standard_normal(images.shape).astype(np.float32)
    return Centred(net, torch.from_numpy(noisy)).eval(), images


def wall_time(inputs, draws, rounds, rule="radius=0.025", sigma=0.05, architecture="small_cnn"):
    """The same inputs by a fixed plan and by one that stops, turn by turn in one process."""
    model, images = mixed_set(inputs, sigma, architecture)
    ways = {"fixed": {}, "adaptive": {"until": sc.Until(rule)}}
    seconds, busy = ({name: [] for name in ways} for _ in range(2))
    passes, held, common = {}, {}, {"compile": False, "batch_size": 256}
    for way in ways.values():  # what libraries load when they are first used counts for neither
        sc.sample(model, images[:2], sigma, 512, **common, **way)
    for turn in range(rounds):
        for name in list(ways) if turn % 2 else list(ways)[::-1]:
            Centred.passes = 0
            start, used = time.perf_counter(), time.process_time()
            held[name] = sc.sample(model, images, sigma, draws, **common, **ways[name])
            seconds[name].append(time.perf_counter() - start)
            busy[name].append(time.process_time() - used)
            passes[name] = Centred.passes
    whole = {name: sum(values) for name, values in seconds.items()}  # the machine is shared
    worked = {name: sum(values) for name, values in busy.items()}
    drawn = {name: int(tally.draws.sum()) for name, tally in held.items()}
    saved_draws = 1 - drawn["adaptive"] / drawn["fixed"]
    saved_time = 1 - whole["adaptive"] / whole["fixed"]
    stops, counts = np.unique(held["adaptive"].draws, return_counts=True)
    return {
        "network": f"{architecture}, 16 x 16",
        "rule": rule,
        "inputs": inputs,
        "draws": draws,
        "rounds": rounds,
        "threads": torch.get_num_threads(),
        "seconds": whole,
        "all_seconds": seconds,
        "processor_seconds": worked,
        "forward_passes": passes,
        "inputs_by_draws": {str(n): int(count) for n, count in zip(stops, counts, strict=True)},
        "draws_saved": saved_draws,
        "time_saved": saved_time,
        "ratio": saved_time / saved_draws,
        "passes_ratio": (1 - passes["adaptive"] / passes["fixed"]) / saved_draws,
        "processor_ratio": (1 - worked["adaptive"] / worked["fixed"]) / saved_draws,
    }


# (expectations, rules): at each point some rule's every certificate, or every one above the true
# radius, is false.
TOLERANT = ("decided", "rtol=0.05", "atol=0.05")
TIES, HALF = (*TOLERANT, "radius=0.02"), (*TOLERANT, "radius=0.5")
WORST = {
    "two classes, tie": ([0.5, 0.5], TIES),
    "two classes, radius .5": ([ndtr(0.5), ndtr(-0.5)], HALF),
    "tie of two": ([0.5, 0.5, 0.0], TIES),
    "tie of two beside a third": ([0.4, 0.4, 0.2], TIES),
    "radius .5": ([ndtr(0.5), ndtr(-0.5), 0.0], HALF),
    "unequal, radius .349": ([0.58, 0.31, 0.11], (*TOLERANT, "radius=0.349")),
}


def by_rows(function, counts):
    """A function of rows of counts, called once for each row that is different."""
    rows, where = np.unique(counts, axis=0, return_inverse=True)
    return [np.asarray(values)[where.ravel()] for values in function(rows)]


def judged(until, plan, point):
    """Rows of counts at a look: whether to stop there, and whether a certificate would be false."""
    truth = (ndtri(point[0]) - ndtri(point[1])) / 2

    def of(rows):
        tally = sc.Tally(rows, 1.0, plan=plan)
        known = sc.bound(tally, until.alpha)
        radius = sc.certify(known, ["two_sided"]).radius
        false = (radius > truth) | ((radius > 0) & (known.top != 0))
        return until(tally) != "", radius > 0, false

    return of


class Followed:
    """Inputs at one point on their way through looks; one draw of numbers a look, for all."""

    def __init__(self, point, repeats, seed):
        """Nothing drawn yet."""
        self.point, self.random = point, np.random.default_rng(seed)
        self.counts = np.zeros((repeats, len(point)), np.int64)

    def through(self, until, plan):
        """From where they stand until the rule lets each go: (certified, false) there."""
        certified, false = np.zeros((2, len(self.counts)), bool)
        going = np.ones(len(self.counts), bool)
        at = self.counts.sum(axis=1)
        for look in plan.looks:
            drawn = going & (at < look)
            if drawn.any():  # those that wait are all at the look before
                steps = (look - at[drawn]).astype(np.int64)
                self.counts[drawn] += self.random.multinomial(steps, self.point)
                at[drawn] = look
            here = going & (at == look)
            if here.any():
                found = by_rows(judged(until, plan, self.point), self.counts[here])
                certified[here], false[here] = found[1], found[2]
                going[np.flatnonzero(here)[found[0]]] = False
        return certified, false


def error_rates(repeats, draws, alphas=(0.05, 0.01)):
    """How often a certificate is issued and false, by rule, with and without one extension."""
    out = []
    for alpha in alphas:
        for number, (name, (point, rules)) in enumerate(WORST.items()):
            for rule in rules:
                until = sc.Until(rule, alpha)
                plan = until.plan(draws)
                people = Followed(point, repeats, seed=number)
                certified, false = people.through(until, plan)
                _, extended = people.through(until, plan.extended(2 * draws))
                # Earlier certificates where they were issued, later ones elsewhere.
                mixed = np.where(certified, false, extended)
                out.append(
                    {
                        "point": name,
                        "rule": rule,
                        "alpha": alpha,
                        "stopped": summary(false),
                        "extended": summary(extended),
                        "ever_made": summary(mixed),
                    }
                )
    return out


def adversary(repeats, draws, alphas=(0.05, 0.01)):
    """The worst of all rules: one that knows the truth and stops where a certificate is false.

    By the plan; by a plan of the same looks that gives each all of alpha, which is what looking
    without a plan does; by a plan with a reserve, extended once, all certificates ever made of it;
    by a plan without, extended once, the later certificates; and all of those ever made.
    """
    out = []
    for alpha in alphas:
        for number, (name, (point, _)) in enumerate(WORST.items()):
            for rule in ("decided", "fixed"):
                plan = sc.Until(rule).plan(draws)
                found = false_anywhere(plan, alpha, point, repeats, number)
                out.append({"point": name, "plan": rule, "alpha": alpha, **found})
    return out


def false_anywhere(plan, alpha, point, repeats, seed):
    """How often some look has a false certificate, by five ways to give out alpha."""
    longer, random = plan.extended(2 * plan.looks[-1]), np.random.default_rng(seed)
    kept = plan.reserved().extended(2 * plan.looks[-1])  # earlier looks keep their shares
    counts, before = np.zeros((repeats, len(point)), np.int64), 0
    planned, unplanned, extended, reserved = np.zeros((4, repeats), bool)
    for look in longer.looks:
        counts += random.multinomial(look - before, point, repeats)
        before = look
        if look in plan.looks:
            planned |= false_at(plan, alpha, point, counts)
            unplanned |= false_at(sc.Plan((look,)), alpha, point, counts)
        extended |= false_at(longer, alpha, point, counts)
        reserved |= false_at(kept, alpha, point, counts)
    return {
        "stopped": summary(planned),
        "without_plan": summary(unplanned),
        "reserved": summary(reserved),
        "extended": summary(extended),
        "ever_made": summary(planned | extended),
    }


def false_at(plan, alpha, point, counts):
    """Where a certificate at this look is false."""
    return by_rows(judged(sc.Until("fixed", alpha), plan, point), counts)[2]


def summary(false):
    """A rate and its 95 % interval."""
    low, high = rate_limits(np.array(int(false.sum())), len(false), 0.95)
    return {"rate": float(false.mean()), "low": float(low), "high": float(high), "of": len(false)}
