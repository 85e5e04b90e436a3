"""Certified accuracy, average radius and the other averages over the inputs of a run.

Each metric is taken over a named population: "all" inputs, or the "correct" ones, which are
certified as the class of their label. Each reads one column: a mechanism, "ensemble", or "radius",
which is the best. A radius is in units of the input, and 0 where there is no certificate.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from simplicert.errors import require
from simplicert.mechanisms.threats import ensemble_members
from simplicert.metrics.intervals import (
    CONFIDENCE,
    Rate,
    RateCurve,
    check_finite,
    population_mask,
    population_share,
    rate_curve,
)
from simplicert.types import Certificates, Floats


@dataclass(frozen=True)
class Mean:
    """A mean over `total` inputs, and its standard error, which is None for a single input.

    >>> import simplicert as sc
    >>> counts = [[990, 8, 2], [900, 80, 20], [40, 35, 25]]
    >>> certificates = sc.certify(sc.bound(sc.Tally(counts, sigma=0.5, labels=[0, 1, 0])))
    >>> mean = sc.metrics.average_radius(certificates)
    >>> round(mean.value, 3), round(mean.standard_error, 3), mean.total
    (0.331, 0.331, 3)
    """

    value: float
    standard_error: float | None
    total: int


@dataclass(frozen=True)
class MeanExpectations:
    """Mean E_0 and E_1 over `total` inputs; `left_out` of the population have no such bounds.

    >>> import simplicert as sc
    >>> counts = [[990, 8, 2], [900, 80, 20], [40, 35, 25]]
    >>> certificates = sc.certify(sc.bound(sc.Tally(counts, sigma=0.5, labels=[0, 1, 0])))
    >>> mean = sc.metrics.mean_expectations(certificates)
    >>> round(mean.e0, 3), round(mean.e1, 3), mean.total, mean.left_out
    (0.92, 0.067, 2, 1)
    """

    e0: float
    e1: float
    total: int
    left_out: int


def top1_accuracy(
    certificates: Certificates, *, population: str = "all", confidence: float = CONFIDENCE
) -> Rate:
    """Share of inputs whose most frequent class is the label, certified or not; the paper's T1.

    This estimates the accuracy under noise and promises nothing; `certified_accuracy` at 0 does.
    An imported log does not name the class of an abstained input, which then counts as wrong.

    >>> import simplicert as sc
    >>> counts = [[990, 8, 2], [900, 80, 20], [40, 35, 25]]
    >>> certificates = sc.certify(sc.bound(sc.Tally(counts, sigma=0.5, labels=[0, 1, 0])))
    >>> rate = sc.metrics.top1_accuracy(certificates)
    >>> rate.hits, rate.total
    (2, 3)
    """
    labels = certificates.known.labels
    require(labels is not None, "labels are needed to say what is correct")
    right = certificates.known.top == labels
    if certificates.known.scheme == "imported":
        right &= ~certificates.abstained
    return population_share(certificates, right, population, confidence)


def abstention_rate(
    certificates: Certificates, *, population: str = "all", confidence: float = CONFIDENCE
) -> Rate:
    """Share of inputs for which no mechanism certifies anything.

    >>> import simplicert as sc
    >>> counts = [[990, 8, 2], [900, 80, 20], [40, 35, 25]]
    >>> certificates = sc.certify(sc.bound(sc.Tally(counts, sigma=0.5, labels=[0, 1, 0])))
    >>> rate = sc.metrics.abstention_rate(certificates)
    >>> rate.hits, rate.total
    (1, 3)
    """
    return population_share(certificates, certificates.abstained, population, confidence)


def certified_accuracy(
    certificates: Certificates,
    radius: float,
    column: str = "radius",
    *,
    inclusive: bool = False,
    population: str = "all",
    confidence: float = CONFIDENCE,
) -> Rate:
    """c_A(r), the share of inputs that are correct with a radius > r; paper Sec. (dataindpt).

    `inclusive` counts a radius >= r, as the paper's results and much of the field do. A radius
    of 0 is no certificate, so both agree at r = 0. Radii that are whole numbers, and those of
    deterministic noise, cover changes as large as themselves and always count so; there a radius
    of 0 certifies the input itself. Over the "correct" population the denominator is the number of
    correct inputs.

    >>> import simplicert as sc
    >>> counts = [[990, 8, 2], [900, 80, 20], [40, 35, 25]]
    >>> certificates = sc.certify(sc.bound(sc.Tally(counts, sigma=0.5, labels=[0, 1, 0])))
    >>> rate = sc.metrics.certified_accuracy(certificates, 0.5)
    >>> rate.hits, rate.total
    (1, 3)
    >>> sc.metrics.certified_accuracy(certificates, 0.5, population="correct").value
    1.0
    """
    at = float(_check_radii("radius", radius, ()))
    reached = certificates.reaches(at, column, inclusive=inclusive)
    return population_share(certificates, certificates.correct & reached, population, confidence)


def accuracy_curve(
    certificates: Certificates,
    radii: ArrayLike,
    column: str = "radius",
    *,
    inclusive: bool = False,
    population: str = "all",
    confidence: float = CONFIDENCE,
) -> RateCurve:
    """Return `certified_accuracy` at each of many radii; the inputs are sorted only once.

    >>> import simplicert as sc
    >>> counts = [[990, 8, 2], [900, 80, 20], [40, 35, 25]]
    >>> certificates = sc.certify(sc.bound(sc.Tally(counts, sigma=0.5, labels=[0, 1, 0])))
    >>> sc.metrics.accuracy_curve(certificates, [0, 0.5, 1, 1.5]).hits
    array([1, 1, 0, 0])
    >>> sc.metrics.accuracy_curve(certificates, [0, 0.5, 1, 1.5], "two_sided").hits
    array([1, 1, 0, 0])
    """
    at, values = _check_radii("radii", radii, (None,)), certificates.column(column)
    mask = population_mask(certificates, population)
    certified = values[mask & certificates.correct & certificates.reaches(0.0, column)]
    closed = inclusive or certificates.closed
    return rate_curve(certified, at, int(mask.sum()), confidence, inclusive=closed)


def share_above(
    certificates: Certificates,
    radius: float,
    column: str = "radius",
    *,
    population: str = "all",
    confidence: float = CONFIDENCE,
) -> Rate:
    """Share of inputs certified beyond r, the wrongly predicted ones included; the paper's `>`.

    Radii that cover changes as large as themselves (`Certificates.closed`) count from r on.

    >>> import simplicert as sc
    >>> counts = [[990, 8, 2], [900, 80, 20], [40, 35, 25]]
    >>> certificates = sc.certify(sc.bound(sc.Tally(counts, sigma=0.5, labels=[0, 1, 0])))
    >>> rate = sc.metrics.share_above(certificates, 0.5)
    >>> rate.hits, rate.total
    (2, 3)
    """
    at = float(_check_radii("radius", radius, ()))
    return population_share(certificates, certificates.reaches(at, column), population, confidence)


def average_radius(
    certificates: Certificates, column: str = "radius", *, population: str = "all"
) -> Mean:
    """The field's average certified radius (ACR): a wrong or abstained input counts as radius 0.

    Over the "correct" population it is the mean radius of the correct inputs. The standard error
    is about the choice of inputs, as every interval is.

    >>> import simplicert as sc
    >>> counts = [[990, 8, 2], [900, 80, 20], [40, 35, 25]]
    >>> certificates = sc.certify(sc.bound(sc.Tally(counts, sigma=0.5, labels=[0, 1, 0])))
    >>> round(sc.metrics.average_radius(certificates).value, 3)
    0.331
    >>> round(sc.metrics.average_radius(certificates, "cohen", population="correct").value, 3)
    0.978
    """
    mask = population_mask(certificates, population)
    counted = np.where(certificates.correct, certificates.column(column), 0.0)[mask]
    total = len(counted)
    error = float(counted.std(ddof=1) / np.sqrt(total)) if total > 1 else None
    return Mean(float(counted.mean()), error, total)


def median_radius(
    certificates: Certificates, column: str = "radius", *, population: str = "all"
) -> float:
    """Median radius, zeros and wrongly predicted inputs included; the paper's M.

    >>> import simplicert as sc
    >>> counts = [[990, 8, 2], [900, 80, 20], [40, 35, 25]]
    >>> certificates = sc.certify(sc.bound(sc.Tally(counts, sigma=0.5, labels=[0, 1, 0])))
    >>> round(sc.metrics.median_radius(certificates), 3)
    0.579
    """
    return float(np.median(certificates.column(column)[population_mask(certificates, population)]))


def share_largest(
    certificates: Certificates, *, population: str = "all", confidence: float = CONFIDENCE
) -> dict[str, Rate]:
    """Share of inputs for which each member of the ensemble is the largest; the paper's L.

    A tie goes to the first in the paper's order, and an input whose radii are all 0 to no member,
    so the shares sum to at most 1. The paper's own sum to 1.13 at sigma 5, as if every mechanism
    were the largest where all are 0.

    >>> import simplicert as sc
    >>> counts = [[990, 8, 2], [900, 80, 20], [40, 35, 25]]
    >>> certificates = sc.certify(sc.bound(sc.Tally(counts, sigma=0.5, labels=[0, 1, 0])))
    >>> {name: rate.hits for name, rate in sc.metrics.share_largest(certificates).items()}
    {'cohen': 2, 'li': 0, 'improved_dp': 0}
    """
    regions = share_by_region(certificates, population=population, confidence=confidence)
    return {name: regions[name] for name in ensemble_members(certificates.known)}


def share_by_region(
    certificates: Certificates, *, population: str = "all", confidence: float = CONFIDENCE
) -> dict[str, Rate]:
    """Share of inputs in each region of the simplex, named by the member that is largest there.

    "none" is where no member certifies. The shares sum to 1, and each interval holds by itself.

    >>> import simplicert as sc
    >>> counts = [[990, 8, 2], [900, 80, 20], [40, 35, 25]]
    >>> certificates = sc.certify(sc.bound(sc.Tally(counts, sigma=0.5, labels=[0, 1, 0])))
    >>> {name: rate.hits for name, rate in sc.metrics.share_by_region(certificates).items()}
    {'cohen': 2, 'li': 0, 'improved_dp': 0, 'none': 1}
    """
    certificates.column("ensemble")  # raises an error where the scheme computed none
    regions = {name: name for name in ensemble_members(certificates.known)} | {"none": ""}
    return {
        region: population_share(
            certificates, certificates.winner == winner, population, confidence
        )
        for region, winner in regions.items()
    }


def mean_expectations(certificates: Certificates, *, population: str = "all") -> MeanExpectations:
    """Mean E_0 and mean E_1 over the certified inputs; elsewhere they are not bounds.

    >>> import simplicert as sc
    >>> counts = [[990, 8, 2], [900, 80, 20], [40, 35, 25]]
    >>> certificates = sc.certify(sc.bound(sc.Tally(counts, sigma=0.5, labels=[0, 1, 0])))
    >>> mean = sc.metrics.mean_expectations(certificates)
    >>> round(mean.e0, 3), round(mean.e1, 3)
    (0.92, 0.067)
    """
    mask, known = population_mask(certificates, population), certificates.known
    # A radius can be proved without bounding the pair; such an input has no E_0 to average.
    live = mask & ~certificates.abstained & ~np.isnan(known.e0)
    total = int(live.sum())
    require(
        total > 0,
        f"population {population!r} holds no certified input with E_0 and E_1: "
        f"none of its {mask.sum()} inputs is one",
    )
    return MeanExpectations(
        float(known.e0[live].mean()), float(known.e1[live].mean()), total, int(mask.sum()) - total
    )


def _check_radii(name: str, values: ArrayLike, shape: tuple[int | None, ...]) -> Floats:
    """Return the radii to compare with as an array, all finite and not negative."""
    at = check_finite(name, values, shape)
    require(bool((at >= 0).all()), f"{name} must not be negative, got {values!r:.80}")
    return at
