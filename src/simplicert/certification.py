"""Turn confidence bounds (Expectations) into certified radii (Certificates).

`certify` computes the radii of a whole tally, `certify_point` those at one point of the simplex,
`radius` one mechanism's at given expectations. The rule e0 > e1 for radii, and the check of every
radius against the Neyman-Pearson limit, are in `mechanisms.evaluation`; the schemes in `bounds`
apply the rule once more, to hide what they do not prove. Mechanisms give radii at sigma 1: sigma
and sensitivity enter only here, in `radius_scale` and `_scale_radii`.
"""

from __future__ import annotations  # help() shows types as they are written here

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from simplicert.errors import (
    InvalidInput,
    KindMismatch,
    MissingEvidence,
    check_positive,
    choose,
    require,
)
from simplicert.mechanisms import MECHANISMS, Mechanism, splitting
from simplicert.mechanisms.choice import (
    MechanismChoice,
    MechanismLike,
    choose_mechanisms,
    find_mechanism,
    require_threat,
)
from simplicert.mechanisms.evaluation import require_finite, unit_radius
from simplicert.mechanisms.threats import Threat, find_threat, margin_divisor, threat_of
from simplicert.noises import GAUSSIAN, NOISES, choose_scale
from simplicert.noises.stage import check_stage
from simplicert.types import KINDS, Certificates, Expectations, Floats
from simplicert.types.arrays import check_probabilities

LARGEST = float(np.finfo(np.float32).max)  # a larger sigma does not fit in single precision

HALF_STEP = 2.0**-24  # largest relative error of rounding to single precision


def certify(
    known: Expectations,
    mechanisms: MechanismChoice = None,
    sensitivity: float = 1.0,
    *,
    norm: str | None = None,
    size: int | None = None,
) -> Certificates:
    """Compute radii by every mechanism valid for the kind (or those named), and the ensemble.

    All of them hold whenever the expectations do, so the largest costs no extra alpha. With
    `sensitivity` L they are radii of the input x of a first stage that is Lipschitz in l2 with
    constant L, where `known` is about noise that was added to the output of that stage. `norm` asks
    for radii in another norm that the noise certifies ("linf" of Gaussian noise, which needs
    `size`, the number of features): they are other numbers, of another threat.

    >>> import simplicert as sc
    >>> known = sc.bound(sc.Tally([[990, 8, 2]], sigma=0.5), alpha=0.001)
    >>> sc.certify(known)
    Certificates(1 of 1 inputs certified, median radius 0.9915; multinomial, scheme gated, ...)
    >>> list(sc.certify(known, mechanisms=["cohen", "two_sided"]).radii)
    ['cohen', 'two_sided']
    """
    made = isinstance(known, Expectations)
    require(made, f"known must be what bound(tally) makes, got {type(known).__name__}")
    if norm is not None:
        scaled = "scaled " if known.norm.startswith("scaled ") else ""
        known = replace(known, norm=scaled + norm.removeprefix("scaled "))
    threat = threat_of(known.noise, known.norm, size)
    if size is not None:  # the certificates say by which size they were computed
        known = replace(known, noise=known.noise.sized(size))
    return _certify_at_sigma(known, mechanisms, drawn_sigma(known), sensitivity, threat)


def certify_point(
    e0: float, e1: float, sigma: float = 1.0, sensitivity: float = 1.0, kind: str = "multinomial"
) -> Certificates:
    """Compute all radii at one point of the simplex, as if (e0, e1) were known exactly."""
    top, rest = (check_probabilities(name, value) for name, value in (("e0", e0), ("e1", e1)))
    known = Expectations(
        np.zeros(1, np.int64),
        top.reshape(1),
        rest.reshape(1),
        sigma,
        kind=choose("kind", kind, KINDS),
    )
    threat = threat_of(known.noise, known.norm)
    return _certify_at_sigma(known, None, known.sigma, sensitivity, threat)


def radius(  # noqa: PLR0913
    mechanism: str | MechanismLike,
    e0: ArrayLike,
    e1: ArrayLike,
    sigma: float | None = None,
    sensitivity: float = 1.0,
    *,
    noise: str = "gaussian",
    scale: float | None = None,
    norm: str | None = None,
    size: int | None = None,
    keep: int | None = None,
    rate: float | None = None,
) -> Floats | float:
    """Compute the certified radius at given expectations, in units of the input; broadcasts.

    It is 0 where e0 <= e1; e1 is clipped to 1 - e0. `mechanism` is a name of the table of its
    noise and norm (MECHANISMS for Gaussian noise and l2), or a function (e0, e1) -> radius at
    scale 1. An infinite radius (two_sided at e1 = 0) is an error. The scale is 1 unless given:
    `sigma` of Gaussian noise, `scale` of other noise. `size` is the number of features, where the
    norm needs it; `keep` belongs to ablation, `rate` to deletion, whose radii are whole numbers.

    >>> import simplicert as sc
    >>> round(sc.radius("improved_dp", e0=0.7, e1=0.2, sigma=0.5), 4)
    0.3222
    >>> sc.radius("cohen", [0.4, 0.7, 0.9], 0.1).round(4)
    array([0.    , 0.5244, 1.2816])
    >>> round(sc.radius("two_sided", 0.9, 0.01, noise="laplace", scale=0.5), 4)  # in l1
    1.3804
    >>> sc.radius("two_sided", 0.9, 0.05, noise="ablation", size=784, keep=45)  # pixels
    9.0
    """
    threat = find_threat(noise, norm, size=size, keep=keep, rate=rate)
    check_stage(noise, threat.norm, sensitivity)
    factor = radius_scale(choose_scale(noise, sigma, scale), sensitivity)
    top, rest = (check_probabilities(name, value) for name, value in (("e0", e0), ("e1", e1)))
    try:
        top, rest = np.broadcast_arrays(top, rest)
    except ValueError:
        raise InvalidInput(
            f"e0 and e1 must broadcast, got shapes {top.shape} and {rest.shape}"
        ) from None
    name = mechanism if isinstance(mechanism, str) else "mechanism"
    top_flat, rest_flat = top.ravel(), rest.ravel()
    row = find_mechanism(mechanism, threat)
    require_threat(row, threat.noise, threat.norm)
    unit = require_finite(name, unit_radius(name, row, top_flat, rest_flat), top_flat, rest_flat)
    out = _scale_radii(unit, None if threat.whole else factor)
    steps = NOISES[noise].steps
    out = (out if steps is None else splitting.whole_steps(out, steps)).reshape(top.shape)
    return out if out.ndim else float(out)


def _certify_at_sigma(
    known: Expectations,
    mechanisms: MechanismChoice,
    sigma: float,
    sensitivity: float,
    threat: Threat,
) -> Certificates:
    """Compute the certificates at a sigma that is taken as given."""
    check_stage(threat.noise, known.norm, sensitivity)
    scale = None if threat.whole else sigma
    if scale is not None and NOISES[threat.noise].steps is None:
        scale = radius_scale(sigma, sensitivity)
    if known.margin is not None and not known.has_pair:
        return _certify_margin(known, known.margin, mechanisms, scale, sensitivity)
    table = choose_mechanisms(mechanisms, known.kind, threat)
    if mechanisms is None:
        table = {name: row for name, row in table.items() if _has_needed(row, known)}
    for row in table.values():
        require_threat(row, threat.noise, threat.norm)
    ensemble = threat.ensembles[known.kind]
    compute = certified_radii if NOISES[threat.noise].steps is None else _step_radii
    radii = {name: compute(name, row, known, scale) for name, row in table.items()}
    members = [
        radii[name]
        if table.get(name) is threat.mechanisms[name]  # the caller's own may go by the same name
        else compute(name, threat.mechanisms[name], known, scale)
        for name in ensemble
    ]
    best = np.max(members, axis=0)
    winner = np.where(best > 0, np.array(ensemble)[np.argmax(members, axis=0)], "")
    return Certificates(known, radii, best, winner, sensitivity)


def _certify_margin(
    known: Expectations,
    margin: Floats,
    mechanisms: MechanismChoice,
    scale: float | None,
    sensitivity: float,
) -> Certificates:
    """Scale the two-sided radius that was bounded itself; refuse all others, which need a pair."""
    plain = known.noise == GAUSSIAN and known.norm.removeprefix("scaled ") == "l2"
    require(
        plain,
        f"norm must be l2 with scheme {known.scheme}, method {known.method}, which bounds no e0 "
        f"and e1, got {known.norm}",
    )
    table = choose_mechanisms(("two_sided",) if mechanisms is None else mechanisms, known.kind)
    for name, row in table.items():
        if row is not MECHANISMS["two_sided"]:
            raise KindMismatch(
                f"{name!r} cannot be computed with scheme {known.scheme}, method {known.method}: "
                "it bounds the two-sided radius and no e0 and e1; ask for two_sided alone, or "
                "choose another method before the counts are seen"
            )
    radii = _scale_radii(np.nan_to_num(margin, nan=0.0), scale)
    no_ensemble, no_winner = np.full(len(known), np.nan), np.full(len(known), "")
    columns = tuple(choose_mechanisms(None, known.kind))  # in the order of every other scheme
    return Certificates(
        known, dict.fromkeys(table, radii), no_ensemble, no_winner, sensitivity, uncomputed=columns
    )


def certified_radii(name: str, row: Mechanism, known: Expectations, scale: float | None) -> Floats:
    """Compute (N,) one mechanism's radii in units of the input, all of them finite."""
    if row.needs == "histograms":
        return _scale_radii(_band_radius(name, row, known), scale)
    if row.needs == "lipschitz":
        return _scale_radii(_lipschitz_radius(name, row, known), scale)
    divisor = margin_divisor(row)
    if known.margin is not None and divisor is not None:  # bounded itself
        margin = np.nan_to_num(known.margin, nan=0.0)
        return _scale_radii(margin if divisor == 1 else np.nextafter(margin / divisor, 0.0), scale)
    unit = unit_radius(name, row, known.e0, known.e1)
    return _scale_radii(require_finite(name, unit, known.e0, known.e1), scale)


def _step_radii(name: str, row: Mechanism, known: Expectations, scale: float | None) -> Floats:
    """Compute radii that are whole steps of a grid; exact counts know who wins a tie."""
    steps = NOISES[row.noise].steps
    assert steps is not None
    exact = known.margin is not None and row.radius is splitting.two_sided
    if exact:
        assert known.margin is not None
        unit = np.nan_to_num(known.margin, nan=0.0)
    else:
        unit = unit_radius(name, row, known.e0, known.e1)
    return splitting.whole_steps(_scale_radii(unit, scale), steps, ties_are_known=exact)


def _band_radius(name: str, mechanism: Mechanism, known: Expectations) -> Floats:
    """Compute L / sigma by a mechanism that reads the score bands; 0 where e0 <= e1 or NaN."""
    if known.bands is None:
        raise MissingEvidence(
            f"{name!r} needs score histograms, and these expectations were made without: sample "
            "with histograms and bound them by kind 'softmax', method 'bentkus+betting'"
        )
    live = known.e0 > known.e1
    out = np.zeros(live.shape)
    out[live] = mechanism.radius(known.bands.lower[live], known.bands.upper[live])
    return out


def _has_needed(row: Mechanism, known: Expectations) -> bool:
    """Return whether these expectations hold what a mechanism needs besides the pair."""
    needed = {"histograms": known.bands, "lipschitz": known.lipschitz}
    return row.needs not in needed or needed[row.needs] is not None


def _lipschitz_radius(name: str, mechanism: Mechanism, known: Expectations) -> Floats:
    """Compute L / sigma from a Lipschitz constant of the scores; 0 where e0 <= e1 or NaN."""
    if known.lipschitz is None:
        raise MissingEvidence(
            f"{name!r} needs a proved Lipschitz constant of the scores, and these expectations "
            "have none: sample with lipschitz (--lipschitz), or give the tally one that you can "
            "prove"
        )
    live = known.e0 > known.e1
    out = np.zeros(live.shape)
    unit = float(np.nextafter(known.lipschitz * drawn_sigma(known), np.inf))  # per unit of sigma
    out[live] = mechanism.radius(known.e0[live], known.e1[live], unit)
    return out


def drawn_sigma(known: Expectations) -> float:
    """Return a sigma that the noise behind these expectations had at least.

    Noise is drawn in single precision, so its sigma is float32(sigma), which may lie below sigma.
    With a share of sigma for each feature, every share is rounded by itself, by at most 2**-24 of
    its size. The scale of deterministic noise is a number of draws, and exact.
    """
    if known.certain:
        return known.sigma
    drawn = float(np.float32(known.sigma)) if known.sigma <= LARGEST else known.sigma
    require(drawn > 0, f"sigma must not vanish in single precision, got {known.sigma!r}")
    return (
        known.sigma * (1 - HALF_STEP)
        if known.norm.startswith("scaled ")
        else min(known.sigma, drawn)
    )


def radius_scale(sigma: float, sensitivity: float) -> float:
    """Return sigma over sensitivity, by which every radius is multiplied."""
    scale = check_positive("sigma", sigma) / check_positive("sensitivity", sensitivity)
    usual = np.finfo(float).tiny <= scale <= 1 / np.finfo(float).tiny
    require(bool(usual), f"sigma / sensitivity must be an ordinary number, got {scale}")
    return scale


def _scale_radii(unit: Floats, scale: float | None) -> Floats:
    """Scale radii to units of the input, rounded toward zero (twice: the scale, the product).

    Whole numbers have no scale (None) and stay as they are.
    """
    if scale is None:
        return unit
    return np.nextafter(np.nextafter(unit * scale, 0.0), 0.0)
