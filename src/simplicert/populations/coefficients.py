"""Find coefficients c_0..c_k that promise much and prove it: E c_S <= target(p) for every p.

A linear programme maximises what is expected of the limit: at first E c_S, then the growth of a bet
b on it, E (b (c_S - m) - b^2 (c_S - m)^2 / 2), with b and m of the solution before and the square
replaced by tangents. It knows p on a grid only, so that what it finds is lowered by the excess that
`proof` proves between the points: the inequality is a theorem whatever the solver did.
"""

import numpy as np
from scipy.stats import binom

from simplicert.bounds.bets import betting_lower, choose_bets
from simplicert.errors import SimplicertError
from simplicert.populations.proof import ShareTarget, SmoothedTarget, bound_excess
from simplicert.types import Floats

GRID_POINTS = (400, 6)  # of the linear programme: these, and so many more for each draw
NEGLIGIBLE = 1e-13  # smaller probabilities only disturb the solver
TANGENTS = 25  # that stand for the square
ROUNDS = 2  # of the programme with the growth of a bet
STEP = 2.0**-30  # coefficients are multiples of it, which floats hold exactly
TOLERANCE = 2.0**-24  # how near the proved excess comes to the true one
SPARE = 2.0**-24  # lowered by this much more, so that the second proof is quick


def binomial_table(draws: int, at: Floats) -> Floats:
    """(M, k + 1) the probability of each count of right draws, for each p."""
    return np.asarray(binom.pmf(np.arange(draws + 1), draws, np.asarray(at)[:, None]))


def fit_coefficients(
    target: ShareTarget, chance: Floats, penalty: float, inputs: int, tail: float
) -> tuple[Floats, Floats]:
    """Return coefficients from -penalty to 1 that satisfy the inequality, and bets on their mean.

    `chance` (k + 1,) is the probability with which each count is expected.
    """
    programme = _Programme(target, chance, penalty)
    found = programme.solve()
    for _ in range(ROUNDS):
        bets = expect_bets(found, chance, inputs, tail)
        found = programme.solve(float(bets[1]), float(chance @ found))
    proved = prove_coefficients(np.clip(found, -penalty, 1.0), target)
    return proved, expect_bets(proved, chance, inputs, tail)


def expect_bets(coefficients: Floats, chance: Floats, inputs: int, tail: float) -> Floats:
    """Choose the bets for counts of these probabilities."""
    variance = float(chance @ coefficients**2 - (chance @ coefficients) ** 2)
    return choose_bets(variance, inputs, tail, float(np.ptp(coefficients)))


def expect_limit(
    coefficients: Floats, chance: Floats, bets: Floats, inputs: int, tail: float
) -> float:
    """Return about the limit to expect from so many inputs, if counts have these probabilities."""
    return max(betting_lower(coefficients, inputs * chance, bets, tail), 0.0)


def prove_coefficients(found: Floats, target: ShareTarget) -> Floats:
    """Round coefficients down and lower them by what they exceed the target at most."""
    rounded = np.floor(found / STEP) * STEP
    excess = bound_excess(rounded, target, TOLERANCE)
    lowered = np.floor((rounded - excess - SPARE) / STEP) * STEP
    if bound_excess(lowered, target) > 0:
        raise SimplicertError("the coefficients could not be proved: ask for a smaller radius")
    return np.asarray(lowered)


class _Programme:
    """The linear programme of one target, on a grid that is evenly spaced in the angle of p."""

    def __init__(self, target: ShareTarget, chance: Floats, penalty: float) -> None:
        from scipy import sparse

        draws = len(chance) - 1
        self.chance, self.penalty = chance, penalty
        at = _choose_grid(target, draws)
        table = binomial_table(draws, at)
        table[table < NEGLIGIBLE] = 0.0
        self.table, self.limit = sparse.csr_array(table), target.value(at)

    def solve(self, bet: float = 0.0, middle: float = 0.0) -> Floats:
        """Maximise the expected value or, with a bet, its expected growth around `middle`."""
        from scipy import sparse
        from scipy.optimize import linprog  # takes 0.2 s to import, which not every command needs

        size = len(self.chance)
        one = sparse.eye_array(size)
        rows = [sparse.hstack([self.table, sparse.csr_array((len(self.limit), size))])]
        limits = [self.limit]
        for point in np.linspace(-self.penalty, 1.0, TANGENTS) if bet else ():
            slope = 2 * (point - middle)  # the square is at least slope * c - height
            height = point**2 - middle**2
            rows.append(sparse.hstack([slope * one, -one]))
            limits.append(np.full(size, height))
        result = linprog(
            np.concatenate([-self.chance, bet / 2 * self.chance]),
            A_ub=sparse.vstack(rows).tocsr(),
            b_ub=np.concatenate(limits),
            bounds=[(-self.penalty, 1.0)] * size + [(0.0, None)] * size,
            method="highs",
        )
        if result.x is None or not np.isfinite(result.x).all():
            raise SimplicertError(f"the linear programme was not solved: {result.message}")
        return np.asarray(result.x[:size])


def _choose_grid(target: ShareTarget, draws: int) -> Floats:
    """Choose the points p at which the programme knows the target."""
    at = np.sin(np.linspace(0, np.pi / 2, GRID_POINTS[0] + GRID_POINTS[1] * draws)) ** 2
    if not isinstance(target, SmoothedTarget):
        return np.asarray(at)
    edge = target.threshold  # beyond it coefficients of at most 1 are enough
    near = edge - (edge * (1 - edge) / draws) ** 0.5 * np.geomspace(1e-4, 1, 60)
    return np.unique(np.concatenate([at[at < edge], near[near > 0], [edge * (1 - 1e-15)]]))
