"""Simulate a plan: the radius its draws can reach, and how many draws its stopping rule takes.

`largest_radius` and `smallest_draws` say what draws can reach at best. They call `bound` on draws
that all agree, and use no formula of their own. `simulate_plan` follows every input through the
looks of the plan on simulated draws, with the rule that would stop them.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from simplicert.plan.declared import DeclaredSettings
from simplicert.plan.population import Population, sum_scores
from simplicert.stopping import Until
from simplicert.types import Floats, Ints

SIMULATED_INPUTS = 1000  # the population's inputs are repeated or thinned out to about this many
SHUFFLES = 20  # random ways to deal inputs out to workers, whose average counts


@dataclass(frozen=True, eq=False)
class SimulatedPlan:
    """The draws and the radii of M inputs when the rule stopped them."""

    rule: str
    draws: Ints  # (M,)
    radius: Floats  # (M,)


def largest_radius(
    declared: DeclaredSettings, draws: int, share: float = 1.0, mechanism: str = "two_sided"
) -> float:
    """Return the radius if all draws agree, at a look with this share of alpha."""
    declared.require_draws(draws)
    return float(declared.radii(declared.unanimous_tally(draws, share), mechanism)[0])


def smallest_draws(
    declared: DeclaredSettings, radius: float = 0.0, share: float = 1.0
) -> int | None:
    """Return the fewest draws that reach a radius if all agree (0: any radius), or None.

    The radius rises with the number of draws that all agree. The result is the end of a search that
    saw the radius reached there, and not reached with one draw less.
    """

    def reached(draws: int) -> bool:
        if radius == 0 and declared.threat.whole:  # a certificate of 0 features is one
            return declared.certifies(declared.unanimous_tally(draws, share))
        largest = largest_radius(declared, draws, share)
        return largest > 0 and largest >= radius

    low, high = 0, 1
    while not reached(high):
        if high == declared.most:
            return None
        low, high = high, min(2 * high, declared.most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def simulate_plan(
    declared: DeclaredSettings, population: Population, rule: str, draws: int, seed: int = 0
) -> SimulatedPlan:
    """Follow every input of the population through the looks of the rule's plan."""
    declared.require_draws(draws)
    names = ("alpha", "kind", "scheme", "method", "sensitivity")
    until = Until(rule, *(getattr(declared, name) for name in names))
    plan, random = until.plan(draws).reserved(declared.reserve), np.random.default_rng(seed)
    used, radii = np.zeros(len(population), np.int64), np.zeros(len(population))
    going = np.arange(len(population))
    cells = np.zeros(population.cells.shape, np.int64)
    sums = np.zeros(population.shares.shape)
    for first, look in pairwise((0, *plan.looks)):
        left = population.some(going)
        cells[going] += random.multinomial(look - first, left.cells)
        if left.variance is not None:
            sums[going] += _draw_score_sums(left, look - first, random)
        held = sum_scores(left, lambda *_, now=sums[going]: now, look)
        tally = declared.tally(cells[going], plan, left.top, *held)
        stopped = until(tally) != ""
        used[going] = look
        radii[going] = declared.radii(tally)
        going = going[~stopped]
        if not going.size:
            break
    return SimulatedPlan(rule, used, radii)


def resample_inputs(population: Population, inputs: int = SIMULATED_INPUTS) -> Population:
    """Return about this many inputs of the population, evenly chosen or evenly repeated."""
    size = len(population)
    if size >= inputs:
        return population.some((2 * np.arange(inputs) + 1) * size // (2 * inputs))
    return population.some(np.tile(np.arange(size), -(-inputs // size)))


def slowest_worker_draws(outcome: SimulatedPlan, inputs: int, workers: int, seed: int = 0) -> float:
    """Return the draws of the busiest worker, on average over ways to deal the inputs out."""
    random = np.random.default_rng(seed)
    if workers == 1:
        return inputs * float(outcome.draws.mean())
    worker = np.arange(inputs) % workers  # as inputs are dealt to shards
    most = []
    for _ in range(SHUFFLES):
        dealt = random.choice(outcome.draws, inputs)
        most.append(np.bincount(worker, dealt, workers).max())
    return float(np.mean(most))


def _draw_score_sums(population: Population, draws: int, random: np.random.Generator) -> Floats:
    """Draw (M, K) sums of scores by the normal law, class by class; at most the draws in all."""
    assert population.variance is not None
    noise = random.standard_normal(population.shares.shape)
    total = draws * population.shares + np.sqrt(draws * population.variance) * noise
    total = np.clip(total, 0.0, draws)
    return np.asarray(total * np.minimum(1.0, draws / np.maximum(total.sum(axis=1), 1e-9))[:, None])
