"""A shorter run out of a longer one: some of its recorded draws, chosen at random."""

from numbers import Integral

import numpy as np

from simplicert.bounds.looks import alpha_spent
from simplicert.errors import MissingEvidence, require
from simplicert.types import Ints, Plan, Tally

MOST_DRAWS = 10**9  # beyond it numpy does not draw without replacement


def subsample(tally: Tally, draws: int, random: np.random.Generator | int = 0) -> Tally:
    """`draws` of each input's recorded draws, without replacement: exactly a run of that length.

    An input's draws are independent and alike, so any that are chosen without looking at them are
    what a shorter run would have seen. That holds for class counts, drawn invalid ones as a cell of
    their own; of softmax scores only the sum is kept, which does not say what a part of them adds
    up to, so scores, their histograms and their votes are left out. A pilot is separate and stays.
    The shorter run looks once, at its end, with the share of alpha that the plan's only look has:
    what a run keeps in reserve stays in reserve. A run of several looks holds no shorter run.
    """
    held = tally.draws
    fewest, most = int(held.min()), int(held.max())
    whole = isinstance(draws, Integral) and not isinstance(draws, bool)
    require(
        whole and 1 <= draws <= fewest,
        f"draws must be a whole number in 1..{fewest}, which every input has, got {draws!r}",
    )
    require(most < MOST_DRAWS, f"draws must be fewer than 10^9 an input to choose from, got {most}")
    plan = _shorter_plan(tally, int(draws))
    assert tally.invalid is not None
    kept = without_replacement(
        np.column_stack([tally.counts, tally.invalid]), int(draws), np.random.default_rng(random)
    )
    return Tally(
        kept[:, :-1],
        sigma=tally.sigma,
        labels=tally.labels,
        index=tally.index,
        invalid=kept[:, -1],
        pilot=tally.pilot,
        plan=plan,
        norm=tally.norm,
        grid=tally.grid,
        reading=tally.reading,
    )


def _shorter_plan(tally: Tally, draws: int) -> Plan | None:
    """One look at the end, at the share of alpha of the only look that the tally was drawn for."""
    plan = tally.plan
    if plan is None:
        return None
    if plan.rule != "fixed" or len(plan.looks) > 1:
        how = "was extended" if plan.rule == "fixed" else f"stopped by {plan.rule!r}"
        raise MissingEvidence(
            f"a run that {how} holds no shorter run: how many draws an input has may depend on "
            "what they were, so its looks have only their shares of alpha"
        )
    alpha_spent(tally, 1.0)  # refuses draws that were broken off between looks
    return Plan((draws,), plan.weights)


def without_replacement(cells: Ints, draws: int, random: np.random.Generator) -> Ints:
    """(N, cells) multivariate hypergeometric counts: `draws` of each row's."""
    out = np.zeros_like(cells)
    for row, count in enumerate(cells):
        seen = np.flatnonzero(count)  # of a thousand classes most were never drawn
        out[row, seen] = random.multivariate_hypergeometric(count[seen], draws)
    return out


def ladder(most: int, first: int = 10) -> tuple[int, ...]:
    """Numbers of draws from `first` up to `most`, three a decade, and `most` itself."""
    decades = range(len(str(most)))
    steps = [digit * 10**decade for decade in decades for digit in (1, 2, 5)]
    return (*(step for step in steps if first <= step < most), most)
