"""The inputs that a plan assumes: expectations from a point, published logs or a pilot run."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from simplicert.errors import MissingEvidence, require
from simplicert.plan.declared import DeclaredSettings
from simplicert.stopping.projection import apportion_counts
from simplicert.types import FIXED_POINT, Floats, Ints, Plan, Tally

# Share of 500 ImageNet inputs certified at radius R / sigma by 100,000 draws, sigma = 1, in the
# published logs of Cohen et al. (2019). We assume that none lies beyond FARTHEST, and that inputs
# which were not certified at all have a top class with a share in ABSTAINED_RANGE.
PUBLISHED_CERTIFIED = {
    0.0: 0.704,
    0.25: 0.598,
    0.5: 0.524,
    1.0: 0.425,
    1.5: 0.325,
    2.0: 0.233,
    3.0: 0.134,
}

FARTHEST = 6.0
ABSTAINED_RANGE = (0.15, 0.5)
LARGEST_RIVAL_SHARE = 0.95  # the most that a rival gets, as a share of the top class
UNSEEN_DRAWS = 0.5  # added to a pilot's two leading classes: what it did not see may exist


@dataclass(frozen=True, eq=False)
class Population:
    """M inputs, given by their true expectations."""

    shares: Floats  # (M, K); what is missing to 1 has no class
    source: str  # where they come from, in words
    variance: Floats | None = None  # (M, K) of a draw's score; None: scores are 0 or 1

    def __len__(self) -> int:
        """Return M, the number of inputs."""
        return len(self.shares)

    @property
    def cells(self) -> Floats:
        """(M, K + 1) expectations that sum to 1; the last cell is for no class."""
        return np.column_stack([self.shares, np.maximum(1 - self.shares.sum(axis=1), 0.0)])

    @property
    def top(self) -> Ints:
        """(M,) the class with the largest expectation."""
        return np.asarray(self.shares.argmax(axis=1))

    def true_radii(self, declared: DeclaredSettings) -> Floats:
        """(M,) radii that endless draws would certify, at the noise.

        The cell for no class is a rival too.
        """
        rows, others = np.arange(len(self)), self.cells
        own = others[rows, self.top]
        others[rows, self.top] = 0.0
        return declared.exact_radii(own, others.max(axis=1))

    def some(self, rows: Ints) -> "Population":
        """Return these inputs; an input may be chosen several times."""
        variance = None if self.variance is None else self.variance[rows]
        return Population(self.shares[rows], self.source, variance)


def point_population(pa: float, pb: float | None, classes: int) -> Population:
    """Make one input of two leading expectations; the rest is spread over the other classes."""
    require(0 < pa < 1, f"pa must lie strictly between 0 and 1, got {pa}")
    pb = 1 - pa if pb is None else pb
    require(
        0 < pb < pa and pa + pb <= 1 + 1e-9,
        f"pb must be positive, less than pa = {pa:g} and at most {1 - pa:g}, got {pb:g}",
    )
    rest, others = max(1 - pa - pb, 0.0), classes - 2
    require(
        rest <= others * pb + 1e-9,
        f"pb must be at least {(1 - pa) / (classes - 1):g} with pa = {pa:g} and classes = "
        f"{classes}, or another class would be the runner-up, got {pb:g}",
    )
    shares = np.array([[pa, pb, *[rest / max(others, 1)] * others]])
    return Population(shares, f"one input with pA = {pa:g}, pB = {pb:g}")


def published_population(classes: int, inputs: int) -> Population:
    """Make inputs as in PUBLISHED_CERTIFIED, at even steps of their distribution.

    The logs hold the top class only, so the runner-up is assumed to have half of the rest.
    """
    at = (np.arange(inputs) + 0.5) / inputs
    radii, certified = np.array([*PUBLISHED_CERTIFIED.items(), (FARTHEST, 0.0)]).T
    pa = ndtr(np.interp(-at, -certified, radii))
    low = at > certified[0]
    pa[low] = np.linspace(*ABSTAINED_RANGE, int(low.sum()) + 2)[1:-1]
    least = (1 - pa) / (classes - 1)
    pb = np.maximum(np.minimum((1 - pa) / 2, LARGEST_RIVAL_SHARE * pa), least)
    rest = np.maximum(1 - pa - pb, 0.0) / max(classes - 2, 1)
    shares = np.column_stack([pa, pb, *[rest] * (classes - 2)])
    return Population(
        shares,
        "as in ImageNet logs at sigma 1 (Cohen et al. 2019), half of the rest to the runner-up",
    )


def pilot_population(tally: Tally, kind: str) -> Population:
    """Take the inputs of a pilot run: the shares that were seen, and a little for the unseen."""
    fewest, most = int(tally.draws.min()), int(tally.draws.max())
    each = f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,}"
    words = f"as in a pilot of {len(tally):,} inputs, {each} draws each"
    if kind == "softmax":
        if tally.softmax_sums is None:
            raise MissingEvidence("kind 'softmax' needs a pilot run with softmax_sums")
        unit = (tally.draws << FIXED_POINT)[:, None]
        mean = tally.softmax_sums / unit
        squares = mean if tally.softmax_squares is None else tally.softmax_squares / unit
        variance = np.maximum(squares - mean**2, 0.0)
        return Population(
            _shares_with_unseen(mean * tally.draws[:, None], tally.draws), words, variance
        )
    return Population(_shares_with_unseen(tally.counts.astype(float), tally.draws), words)


def _shares_with_unseen(counts: Floats, draws: Ints) -> Floats:
    """Return the shares of the counts, with half a draw added to each of the two largest."""
    leading = np.argsort(-counts, axis=1, kind="stable")[:, :2]
    added = np.take_along_axis(counts, leading, axis=1) + UNSEEN_DRAWS
    out = counts.copy()
    np.put_along_axis(out, leading, added, axis=1)
    return np.asarray(out / (draws + 2 * UNSEEN_DRAWS)[:, None])


def expected_tally(
    declared: DeclaredSettings, population: Population, draws: int, plan: Plan
) -> Tally:
    """Make the tally in which every class comes up as often as expected."""
    cells = apportion_counts(population.cells, draws)  # type: ignore[arg-type]
    sums, squares = sum_scores(population, lambda mean, _: mean * draws, draws)
    return declared.tally(cells, plan, population.top, sums, squares)


def sum_scores(
    population: Population, total: Callable[[Floats, Floats], Floats], draws: int
) -> tuple[Ints | None, Ints | None]:
    """Sums and squares of scores in units of 2^-40; `total` maps (mean, variance) to the sums."""
    if population.variance is None:
        return None, None
    sums = total(population.shares, population.variance)
    squares = np.minimum(sums, sums**2 / draws * (1 + 1e-12) + draws * population.variance)
    unit = 2.0**FIXED_POINT
    return np.floor(sums * unit).astype(np.int64), np.floor(squares * unit).astype(np.int64)
