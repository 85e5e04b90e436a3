"""What a plan costs: its looks followed on made-up draws, with the rule that would stop them."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from simplicert.plan.declared import Declared
from simplicert.plan.population import Population, scores
from simplicert.stopping import Until
from simplicert.types import Floats, Ints

SIMULATED = 1000  # inputs followed: the population's own, repeated, or every so many of them
SHUFFLES = 20  # ways to deal inputs out to workers that are averaged


@dataclass(frozen=True, eq=False)
class Outcome:
    """What M inputs had been drawn and were certified when the rule let them go."""

    rule: str
    draws: Ints  # (M,)
    radius: Floats  # (M,)


def simulate(
    declared: Declared, population: Population, rule: str, draws: int, seed: int = 0
) -> Outcome:
    """Follow every input of the population through the looks of the rule's plan."""
    declared.require_draws(draws)
    names = ("alpha", "kind", "scheme", "method", "sensitivity")
    until = Until(rule, *(getattr(declared, name) for name in names))
    plan, random = until.plan(draws).reserved(declared.reserve), np.random.default_rng(seed)
    used, found = np.zeros(len(population), np.int64), np.zeros(len(population))
    going = np.arange(len(population))
    cells = np.zeros(population.cells.shape, np.int64)
    sums = np.zeros(population.shares.shape)
    for first, look in pairwise((0, *plan.looks)):
        left = population.some(going)
        cells[going] += random.multinomial(look - first, left.cells)
        if left.variance is not None:
            sums[going] += drawn_sums(left, look - first, random)
        held = scores(left, lambda *_, now=sums[going]: now, look)
        tally = declared.tally(cells[going], plan, left.top, *held)
        stopped = until(tally) != ""
        used[going] = look
        found[going] = declared.radii(tally)
        going = going[~stopped]
        if not going.size:
            break
    return Outcome(rule, used, found)


def drawn_sums(population: Population, draws: int, random: np.random.Generator) -> Floats:
    """(M, K) sums of scores by the normal law, each class by itself; no more than the draws."""
    assert population.variance is not None
    noise = random.standard_normal(population.shares.shape)
    total = draws * population.shares + np.sqrt(draws * population.variance) * noise
    total = np.clip(total, 0.0, draws)
    return np.asarray(total * np.minimum(1.0, draws / np.maximum(total.sum(axis=1), 1e-9))[:, None])


def enough(population: Population, inputs: int = SIMULATED) -> Population:
    """About so many inputs of the population, evenly chosen or evenly repeated."""
    size = len(population)
    if size >= inputs:
        return population.some((2 * np.arange(inputs) + 1) * size // (2 * inputs))
    return population.some(np.tile(np.arange(size), -(-inputs // size)))


def slowest_share(outcome: Outcome, inputs: int, workers: int, seed: int = 0) -> float:
    """Draws of the worker that has most to do, on average over ways to deal the inputs out."""
    random = np.random.default_rng(seed)
    if workers == 1:
        return inputs * float(outcome.draws.mean())
    worker = np.arange(inputs) % workers  # as shards are dealt
    most = []
    for _ in range(SHUFFLES):
        dealt = random.choice(outcome.draws, inputs)
        most.append(np.bincount(worker, dealt, workers).max())
    return float(np.mean(most))
