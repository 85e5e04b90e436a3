"""Make the design of a population certificate, from a pilot of other inputs or from a prior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import beta

from simplicert.errors import InvalidInput, MissingEvidence, check_positive, choose, require
from simplicert.machine import current_time
from simplicert.metrics.numbers import format_exactly
from simplicert.populations.coefficients import binomial_table, fit_coefficients
from simplicert.populations.design import (
    MOST_DRAWS,
    PilotInputs,
    PopulationDesign,
    RadiusDesign,
)
from simplicert.populations.proof import MOST_COEFFICIENT, TARGETS, radius_in_sigmas
from simplicert.store import Run
from simplicert.types import Floats, Tally

PENALTY = 1.0  # how far an input's value may go below 0
PRIOR = (0.5, 0.5)  # of a Beta distribution: many inputs clear, some in between
PRIOR_POINTS = 1000  # at even steps of the prior's distribution
NEAREST = 1e-12  # that a probability of the prior comes to 0 or 1
UNSEEN_DRAWS = 0.5  # added to the right and to the wrong draws of a pilot's input


def design_population(  # noqa: PLR0913
    sigma: float,
    radii: Sequence[float],
    draws: int,
    inputs: int,
    confidence: float = 0.999,
    *,
    pilot: Tally | Run | None = None,
    prior: tuple[float, float] = PRIOR,
    classifier: str = "smoothed",
    penalty: float = PENALTY,
    sensitivity: float = 1.0,
) -> PopulationDesign:
    """Fix all that a population certificate needs, before its draws are made.

    `draws` is k, the draws of each of so many `inputs`. The pilot, a run or tally with labels on
    inputs that are not among them, says how the probabilities are distributed: the better it
    fits, the larger the share that can be promised. Without one a Beta distribution is assumed.
    Whatever is assumed, the certificate is true. `classifier` is "smoothed", or "randomised" for
    the classifier that answers by one noisy copy.

    >>> import simplicert as sc
    >>> pilot = sc.Tally([[95, 5], [60, 40], [8, 92]], sigma=0.5, labels=[0, 0, 1])
    >>> design = sc.design_population(0.5, [0.25, 0.5], draws=16, inputs=1000, pilot=pilot)
    >>> [item.radius for item in design.radii], design.pilot.source
    ([0.25, 0.5], 'a pilot of 3 inputs, 100 draws each')
    """
    sigma, penalty = check_positive("sigma", sigma), check_positive("penalty", penalty)
    require(
        penalty < MOST_COEFFICIENT, f"penalty must be below {MOST_COEFFICIENT:g}, got {penalty}"
    )
    target = choose("classifier", classifier, TARGETS)
    at, source = _read_prior(prior) if pilot is None else _read_pilot(pilot, sigma)
    count = _whole(draws)
    # Checks every setting before the work; coefficients of -1 promise nothing.
    low = np.full(count + 1 if type(count) is int and 0 < count <= MOST_DRAWS else 1, -1.0)
    nothing = [RadiusDesign(radius, low, np.full(3, 0.1)) for radius in _read_radii(radii)]
    empty = PopulationDesign(
        sigma,
        count,
        _whole(inputs),
        tuple(nothing),
        float(confidence) if isinstance(confidence, Real) else confidence,
        classifier,
        sensitivity,
        penalty,
        source,
    )
    chance = binomial_table(draws, at).mean(axis=0)
    rows = []
    for item in empty.radii:
        goal = target(radius_in_sigmas(item.radius, sigma, empty.sensitivity))
        found, bets = fit_coefficients(goal, chance, penalty, empty.inputs, empty.tail)
        rows.append(RadiusDesign(item.radius, found, bets))
    return replace(empty, radii=tuple(rows), recorded=current_time())


def _whole(value: object) -> int:
    """Take integers of any kind, and leave the refusal of others to the design."""
    return int(value) if isinstance(value, np.integer) else value  # type: ignore[return-value]


def _read_radii(radii: Sequence[float]) -> list[float]:
    """Return the radii as floats; whether they are in reach is the design's to say."""
    try:
        return [float(radius) for radius in radii]
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(f"radii must be a list of numbers, got {radii!r:.80}") from None


def _read_prior(prior: ArrayLike) -> tuple[Floats, PilotInputs]:
    """Return probabilities at even steps of a Beta distribution."""
    try:
        given = np.asarray(prior, dtype=float)
    except (TypeError, ValueError):
        given = np.zeros(0)
    require(
        given.shape == (2,) and bool(((given > 0) & np.isfinite(given)).all()),
        f"prior must be the two positive parameters of a Beta distribution, got {prior!r:.80}",
    )
    at = beta.ppf((np.arange(PRIOR_POINTS) + 0.5) / PRIOR_POINTS, *given)
    require(bool(np.isfinite(at).all()), f"prior must be less extreme, got {prior!r:.80}")
    at = np.clip(at, NEAREST, 1 - NEAREST)
    return np.asarray(at), PilotInputs(f"a prior: Beta({given[0]:g}, {given[1]:g})")


def _read_pilot(pilot: Tally | Run, sigma: float) -> tuple[Floats, PilotInputs]:
    """Return the probability of the label of each input of the pilot, and say where it is from."""
    tally = pilot.tally() if isinstance(pilot, Run) else pilot
    require(isinstance(tally, Tally), f"pilot must be a run or a tally, got {type(pilot).__name__}")
    if tally.labels is None:
        raise MissingEvidence("pilot must have labels, and it has none")
    require(
        tally.sigma == sigma,
        f"pilot must be drawn at sigma = {format_exactly(sigma)}, got "
        f"{format_exactly(tally.sigma)}: probabilities at another sigma are others",
    )
    at = label_probabilities(tally)
    fewest, most = int(tally.draws.min()), int(tally.draws.max())
    each = f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,}"
    words = f"a pilot of {len(tally):,} inputs, {each} draws each"
    if isinstance(pilot, Run):
        words += f", run {pilot.manifest.id}"
        return at, PilotInputs(words, tally.index, pilot.manifest.data_fingerprint)
    return at, PilotInputs(words, tally.index)


def label_probabilities(tally: Tally) -> Floats:
    """Estimate the probability of each input's label, with half a draw for what was not seen."""
    assert tally.labels is not None
    right = tally.counts[np.arange(len(tally)), tally.labels]
    return np.asarray((right + UNSEEN_DRAWS) / (tally.draws + 2 * UNSEEN_DRAWS))
