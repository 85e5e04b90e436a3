"""Estimate from a run what `predict` will cost: draws, latency, abstentions and money."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from simplicert.bounds import SCHEMES
from simplicert.bounds.joint import ALONE
from simplicert.errors import check_positive, require
from simplicert.noises import GAUSSIAN, scale_argument
from simplicert.plan.population import Population
from simplicert.store.manifest import Manifest
from simplicert.types import Certificates, Expectations, Floats, Ints

REPEATS = 20  # predictions simulated for each input
MILLION, HOUR = 1_000_000, 3600.0  # predictions that a price is for; seconds
SLOW_QUANTILE = 0.99  # share of predictions that are not slower than a "slow" one


@dataclass(frozen=True)
class ServiceSettings:
    """How predictions are made, and what an hour of one worker costs."""

    draws: int = 1000  # at most, per prediction
    alpha: float = 0.001
    seconds: float | None = None  # of one worker for one draw
    price: float | None = None  # of an hour of one worker

    def __post_init__(self) -> None:
        """Refuse draws that can decide nothing, and a price without the time of a draw."""
        from simplicert.smoothed.prediction import require_decidable  # `sample` loads this file

        require_decidable(self.draws, self.alpha)
        if self.price is not None:
            check_positive("price", self.price)
            require(
                self.seconds is not None,
                "price must come with the time of a draw: give throughput, or a run drawn here",
            )


@dataclass(frozen=True, eq=False)
class ServingEstimate:
    """What predictions of inputs like these will cost."""

    service: ServiceSettings
    source: str
    draws: Floats  # (N REPEATS,) draws of each simulated prediction
    abstained: float
    disagreed: float  # share that gives another class than the run's most frequent one
    radius: Floats | None  # (N,) operational radii of the run's inputs, in units of the input
    basis: str = ""  # which bounds the operational radius rests on, in a sentence
    function: dict[str, Any] | None = None  # the settings of the smoothed classifier that serves

    @property
    def mean(self) -> float:
        """Mean draws of a prediction."""
        return float(self.draws.mean())

    @property
    def slow(self) -> float:
        """Draws of a slow prediction."""
        return float(np.quantile(self.draws, SLOW_QUANTILE, method="higher"))

    @property
    def million(self) -> float | None:
        """Price of a million predictions."""
        service = self.service
        if service.price is None or service.seconds is None:
            return None
        return MILLION * self.mean * service.seconds / HOUR * service.price


def estimate_serving(
    service: ServiceSettings,
    population: Population,
    radius: Floats | None = None,
    seed: int = 0,
    *,
    basis: str = "",
    function: dict[str, Any] | None = None,
) -> ServingEstimate:
    """Simulate predictions of each input with a fixed seed, from the shares of the population."""
    cells = np.repeat(population.cells, REPEATS, axis=0)
    top = np.repeat(population.top, REPEATS)
    used, classes = _simulate_predictions(cells, service, np.random.default_rng(seed))
    given = classes >= 0
    return ServingEstimate(
        service,
        population.source,
        used.astype(float),
        float(1 - given.mean()),
        float((given & (classes != top)).mean()),
        radius,
        basis,
        function,
    )


def serving_settings(known: Expectations) -> dict[str, Any]:
    """Return the settings that make `Smoothed` the run's function; a noise scale by fingerprint."""
    held: dict[str, Any] = {"sigma": known.sigma, "kind": known.kind}
    if known.noise != GAUSSIAN:
        named = {"noise" if name == "name" else name: v for name, v in known.noise.record().items()}
        held = {**named, **scale_argument(known.noise, known.sigma), "kind": known.kind}
    if known.grid is not None:
        held["grid"] = known.grid
    return held | ({} if known.reading is None else known.reading.record())


def serving_scheme(declared: Manifest, kind: str) -> str:
    """Return the run's own scheme if it bounds both expectations of this kind, else gated."""
    own = declared.scheme
    return own if own in SCHEMES[kind] and declared.method != ALONE else "gated"


def describe_radius_basis(declared: Manifest, certificates: Certificates) -> str:
    """Say which bounds an operational radius rests on, and how likely they are to be wrong."""
    known = certificates.known
    own = (known.kind, known.scheme) == (declared.kind, declared.scheme)
    whose = "the run's own bounds" if own else "bounds beside the run's own"
    says = (
        f"operational radius: from {whose}, scheme {known.scheme}, kind {known.kind}; of each "
        f"input wrong with probability at most {known.level:.15g}"
    )
    if known.level > known.alpha:
        says += f", which is what is proved of it at alpha {known.alpha:.15g}"
    if declared.method == ALONE:
        says += f"; method {ALONE} bounds the radius and neither expectation, so it gives none"
    elif not own:
        says += f"; the run declared kind {declared.kind}, scheme {declared.scheme}"
    if known.noise != GAUSSIAN:
        says += f"; a distance in {known.norm}"
    if certificates.stage:
        says += f"; a distance of {certificates.space}"
    return says


def _simulate_predictions(
    cells: Floats, service: ServiceSettings, random: np.random.Generator
) -> tuple[Ints, Ints]:
    """Return (M,) draws and classes, -1 where undecided; the last cell is for no class."""
    from simplicert.smoothed.prediction import look_shares, p_values, prediction_looks

    plan = prediction_looks(service.draws, service.alpha)
    votes = np.zeros(cells.shape, np.int64)
    used, classes = np.zeros(len(cells), np.int64), np.full(len(cells), -1)
    going = np.arange(len(cells))
    for (first, look), share in zip(pairwise((0, *plan)), look_shares(len(plan)), strict=True):
        votes[going] += random.multinomial(look - first, cells[going])
        used[going] = look
        top, p = p_values(votes[going][:, :-1], float(share))
        decided = p <= service.alpha
        classes[going[decided]] = top[decided]
        going = going[~decided]
        if not going.size:
            break
    return used, classes
