"""Divide a budget of draws into inputs and draws per input, for the largest certified share.

Few draws of many inputs make a population certificate; many draws of few make certificates of each
input, whose hits are counted (metrics.statement). Both are worked out for inputs like a pilot's, at
the counts that are to be expected, without drawing anything.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simplicert.errors import MissingEvidence, require
from simplicert.metrics.statement import statement_from_hits
from simplicert.plan.declared import DeclaredSettings
from simplicert.plan.population import expected_tally, pilot_population
from simplicert.populations.coefficients import binomial_table, expect_limit, fit_coefficients
from simplicert.populations.designing import PENALTY, label_probabilities
from simplicert.populations.proof import TARGETS, radius_in_sigmas
from simplicert.types import Plan, Tally

POPULATION_DRAWS = (4, 8, 16, 32, 64, 128, 256)  # of each input
CERTIFICATE_DRAWS = (100, 1_000, 10_000, 100_000)
FEWEST_INPUTS = 20


class BudgetRow(NamedTuple):
    """One division, and the share it is expected to certify."""

    method: str  # "population" or "each input"
    draws: int
    inputs: int
    share: float


@dataclass(frozen=True)
class BudgetDivision:
    """What the divisions of a budget are expected to certify at one radius."""

    budget: int
    radius: float
    confidence: float
    source: str  # what inputs are assumed to be like
    true: float  # share that endless draws of endless inputs would certify
    rows: tuple[BudgetRow, ...]


def divide_budget(
    pilot: Tally,
    declared: DeclaredSettings,
    budget: int,
    radius: float,
    confidence: float,
    most_inputs: int | None = None,
    *,
    classifier: str = "smoothed",
    draws: Sequence[int] = POPULATION_DRAWS,
) -> BudgetDivision:
    """Work out every division for inputs like the pilot's; at most `most_inputs` can be drawn."""
    if pilot.labels is None:
        raise MissingEvidence("run must have labels to say what is correct, and it has none")
    require(0 < confidence < 1, f"confidence must lie strictly between 0 and 1, got {confidence}")
    require(
        most_inputs is None or most_inputs >= FEWEST_INPUTS,
        f"inputs must be at least {FEWEST_INPUTS}, got {most_inputs}",
    )
    require(
        budget >= FEWEST_INPUTS * min(draws),
        f"population must be at least {FEWEST_INPUTS * min(draws)} draws in all, got {budget}",
    )
    target = TARGETS[classifier](radius_in_sigmas(radius, declared.sigma, declared.sensitivity))
    at, tail = label_probabilities(pilot), 1 - confidence

    def count(each: int) -> int:
        return budget // each if most_inputs is None else min(budget // each, most_inputs)

    rows = []
    for each in draws:
        if (inputs := count(each)) >= FEWEST_INPUTS:
            chance = binomial_table(each, at).mean(axis=0)
            found, bets = fit_coefficients(target, chance, PENALTY, inputs, tail)
            share = expect_limit(found, chance, bets, inputs, tail)
            rows.append(BudgetRow("population", each, inputs, share))
    for each in CERTIFICATE_DRAWS if classifier == "smoothed" else ():
        if (inputs := count(each)) >= FEWEST_INPUTS:
            share = _expect_statement(pilot, declared, each, inputs, radius, confidence)
            rows.append(BudgetRow("each input", each, inputs, share))
    source = pilot_population(pilot, "multinomial").source
    true = float(target.value(at).mean())
    return BudgetDivision(budget, radius, confidence, source, true, tuple(rows))


def _expect_statement(
    pilot: Tally,
    declared: DeclaredSettings,
    draws: int,
    inputs: int,
    radius: float,
    confidence: float,
) -> float:
    """Return the share stated if as many inputs are hits as in the pilot, each drawn so often."""
    known = pilot_population(pilot, declared.kind)
    radii = declared.radii(expected_tally(declared, known, draws, Plan((draws,))))
    assert pilot.labels is not None
    share = float(((radii > radius) & (known.top == pilot.labels)).mean())
    hit = np.arange(inputs) < np.floor(share * inputs)
    return statement_from_hits(hit, radius, confidence, declared.alpha, pilot.norm).share
