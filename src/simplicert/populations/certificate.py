"""Certify a population: the share of inputs on which a classifier is right everywhere within r.

Let p be the probability of the label's class under noise at a random input, S the number of its k
draws that give that class, and c the design's coefficients, with E c_S <= 1[p > Phi(r / sigma)].
Where p > Phi(r / sigma) the smoothed classifier gives the label everywhere within r. So the mean
of c_S over inputs is at most the share of such inputs, and a lower confidence limit for the mean
(bounds.bets) is one for the share.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from simplicert.bounds.bets import betting_lower
from simplicert.errors import InvalidInput, MissingEvidence, require
from simplicert.metrics.numbers import (
    format_down,
    format_exactly,
    format_percent_exactly,
)
from simplicert.noises import GAUSSIAN
from simplicert.noises.stage import check_stage
from simplicert.populations.design import PopulationDesign, RadiusDesign, read_design
from simplicert.store import Run
from simplicert.store.label_warning import recorded_label_warning
from simplicert.store.manifest import Manifest
from simplicert.types import Bools, Tally
from simplicert.types.tally import select_inputs

NORMS = ("l2", "scaled l2")  # of Gaussian noise, for which Phi(r / sigma) is the threshold

SCOPE = (
    "The inputs count as drawn independently from what they are said to be like. For a listed set "
    "the same number holds if the inputs were drawn from it at random, or are all of it"
)


@dataclass(frozen=True)
class PopulationShare:
    """The share that is certified at one radius."""

    radius: float
    share: float  # lower limit, at least 0
    mean: float  # of the coefficients that were seen: what the limit is about
    sentence: str


@dataclass(frozen=True)
class PopulationCertificate:
    """The shares at the radii of a design; together they hold with its confidence.

    >>> import simplicert as sc
    >>> design = sc.design_population(sigma=0.5, radii=[0.25], draws=16, inputs=200)
    >>> tally = sc.Tally([[16, 0]] * 180 + [[7, 9]] * 20, sigma=0.5, labels=[0] * 200)
    >>> certificate = sc.population(tally, design)
    >>> round(certificate.share(0.25), 2), certificate.inputs
    (0.81, 200)
    """

    shares: tuple[PopulationShare, ...]
    inputs: int
    draws: int  # of each input
    left_out: int  # inputs of the run that belong to the pilot
    confidence: float
    classifier: str
    norm: str
    fingerprint: str  # of the design
    remarks: tuple[str, ...] = ()  # what could not be checked, and what it holds for

    def share(self, radius: float) -> float:
        """Return the share certified at a radius of the design."""
        for item in self.shares:
            if item.radius == radius:
                return item.share
        known = ", ".join(format_exactly(item.radius) for item in self.shares)
        raise InvalidInput(
            f"radius must be one of the design's, {known}, got {format_exactly(radius)}"
        )

    def record(self) -> dict[str, Any]:
        """Return the certificate as values that JSON can hold."""
        return asdict(self)


def population(
    evidence: Tally | Run, design: PopulationDesign | Path | str, *, leave_out_pilot: bool = False
) -> PopulationCertificate:
    """Certify by a run that was drawn for this design, or by its tally.

    Refused are other settings than the design's, unfinished runs, plans that stop early, draws
    that began before the design was recorded, and inputs of the pilot, unless `leave_out_pilot`
    removes them: then the design counts the others.

    >>> import simplicert as sc
    >>> design = sc.design_population(sigma=0.5, radii=[0.25], draws=16, inputs=200)
    >>> tally = sc.Tally([[16, 0]] * 180 + [[7, 9]] * 20, sigma=0.5, labels=[0] * 200)
    >>> sc.population(tally, design).shares[0].sentence
    'With 99.9 % confidence at least ... % of inputs drawn like these are classified ...'
    """
    if isinstance(design, (str, Path)):
        design = read_design(design)
    require(
        isinstance(design, PopulationDesign),
        f"design must be a PopulationDesign or its file, got {type(design).__name__}",
    )
    if not isinstance(evidence, (Run, Tally)):
        raise MissingEvidence(
            f"a population certificate needs a run with counts or a tally, got "
            f"{type(evidence).__name__}"
        )
    remarks = [f"{SCOPE}."]
    if isinstance(evidence, Run):
        remarks += _check_run(evidence, design)
        tally, data = evidence.tally(), evidence.manifest.data_fingerprint
        if _has_other_data(data, design):
            remarks.append(
                "The pilot was drawn of other data: that none of its inputs is among these is the "
                "user's word."
            )
    else:
        tally, data = evidence, None
        remarks.append("That the design was fixed before the draws is the user's word: no record.")
    shared = _find_pilot_inputs(tally, data, design)
    if shared.any() and leave_out_pilot and not shared.all():
        tally = select_inputs(tally, ~shared)
    elif shared.any():
        raise InvalidInput(
            f"inputs must not be among the pilot's, from which the coefficients come, and "
            f"{int(shared.sum()):,} are: leave_out_pilot (--without-pilot) removes them"
        )
    left_out = len(shared) - len(tally)
    _check_tally(tally, design, left_out)
    return _certify_shares(tally, design, left_out, tuple(remarks))


def _check_run(run: Run, design: PopulationDesign) -> Iterator[str]:
    """Refuse a run that was not drawn for the design; yield what it does not tell."""
    declared = run.manifest
    require(
        declared.sensitivity == design.sensitivity,
        f"sensitivity must be the design's {format_exactly(design.sensitivity)}, got "
        f"{format_exactly(declared.sensitivity)}",
    )
    if doubt := recorded_label_warning(declared):
        raise InvalidInput(f"labels must be of the model's classes: {doubt}")
    plan = declared.plan
    if plan is not None and plan.looks != (design.draws,):
        looks = ", ".join(map(str, plan.looks))
        raise InvalidInput(
            f"run must have one fixed look at the design's {design.draws} draws, got "
            f"{plan.rule} with looks at {looks}"
        )
    require(not run.missing, f"run must be complete, and {run.missing:,} inputs are missing")
    yield from _check_order(declared, design)
    if declared.source.get("seed") == design.seed:
        yield (
            "The noise has the seed that follows from the design: nobody saw these draws before "
            "it. Other draws of these inputs may have been seen, which no file shows."
        )
    else:
        yield (
            "The same inputs with the same seed have the same noise, however often they are drawn: "
            "that nobody saw these draws in an earlier run is the user's word. A run with seed "
            f"{design.seed}, which follows from the design, would show it."
        )


def _check_order(declared: Manifest, design: PopulationDesign) -> Iterator[str]:
    """Refuse draws that began before the design was recorded, as far as files tell."""
    began = declared.made.get("began")
    if not isinstance(began, str) or not design.recorded:
        yield (
            "That the design was fixed before the draws is the user's word: run.toml or the design "
            "does not record a time."
        )
        return
    try:
        early = datetime.fromisoformat(began) < datetime.fromisoformat(design.recorded)
    except (ValueError, TypeError):
        raise InvalidInput(
            f"began (run.toml) and recorded (design) must be times, got {began!r:.40} and "
            f"{design.recorded!r:.40}"
        ) from None
    require(
        not early,
        f"design must be recorded before the draws begin, and it was at {design.recorded}, the "
        f"draws began at {began}",
    )
    yield (
        f"The design was recorded at {design.recorded}, the draws began at {began}, by the clocks "
        "of these machines."
    )


def _find_pilot_inputs(tally: Tally, data: str | None, design: PopulationDesign) -> Bools:
    """Say which inputs may be the pilot's; of data that is known to be other, none is."""
    if design.pilot.index is None or _has_other_data(data, design):
        return np.zeros(len(tally), bool)
    return np.isin(tally.index, design.pilot.index)


def _has_other_data(data: str | None, design: PopulationDesign) -> bool:
    """Say whether both data sets are known and differ; they may still share inputs."""
    pilot = design.pilot.data_fingerprint
    return None not in (data, pilot) and data != pilot


def _check_tally(tally: Tally, design: PopulationDesign, left_out: int) -> None:
    """Refuse other settings than the design's."""
    if tally.labels is None:
        raise MissingEvidence("labels are needed to say what is correct, and there are none")
    require(
        tally.sigma == design.sigma,
        f"sigma must be the design's {format_exactly(design.sigma)}, got "
        f"{format_exactly(tally.sigma)}",
    )
    require(
        tally.noise == GAUSSIAN,
        f"noise must be Gaussian for a population certificate, got {tally.noise}",
    )
    require(tally.norm in NORMS, f"norm must be one of {', '.join(NORMS)}, got {tally.norm}")
    check_stage(tally.noise.name, tally.norm, design.sensitivity)
    fewest, most = int(tally.draws.min()), int(tally.draws.max())
    require(
        fewest == most == design.draws,
        f"draws must be the design's {design.draws} of every input, got {fewest} to {most}",
    )
    plan = tally.plan
    fixed = plan is None or (plan.rule == "fixed" and plan.looks == (design.draws,))
    require(
        fixed,
        f"plan must be one fixed look at {design.draws} draws, got {plan}: how long to draw must "
        "not be chosen",
    )
    besides = f" without the pilot's {left_out:,}" if left_out else ""
    require(
        len(tally) == design.inputs,
        f"inputs must be as many as the design's {design.inputs:,}, got {len(tally):,}{besides}",
    )


def _certify_shares(
    tally: Tally, design: PopulationDesign, left_out: int, remarks: tuple[str, ...]
) -> PopulationCertificate:
    """Count how often each number of right draws occurred, and compute the limits."""
    assert tally.labels is not None
    right = tally.counts[np.arange(len(tally)), tally.labels]
    counts = np.bincount(right, minlength=design.draws + 1).astype(float)
    shares = []
    for item in design.radii:
        limit = betting_lower(item.coefficients, counts, item.bets, design.tail)
        share, mean = max(limit, 0.0), float(counts @ item.coefficients / len(tally))
        shares.append(
            PopulationShare(item.radius, share, mean, _say_share(design, item, share, tally.norm))
        )
    return PopulationCertificate(
        tuple(shares),
        len(tally),
        design.draws,
        left_out,
        design.confidence,
        design.classifier,
        tally.norm,
        design.fingerprint,
        remarks,
    )


def say_draws(count: int) -> str:
    """Say how many draws: "1 draw", "64 draws"."""
    return "1 draw" if count == 1 else f"{count} draws"


def _say_share(design: PopulationDesign, item: RadiusDesign, share: float, norm: str) -> str:
    """Say what is certified, its number rounded down."""
    stage = ""
    if design.sensitivity != 1:
        stage = f" of what goes into a first stage of sensitivity {design.sensitivity:g}"
    where = f"within {norm} distance {format_exactly(item.radius)}{stage}"
    percent = format_down(100 * share, 1)
    start = f"With {format_percent_exactly(design.confidence)} % confidence"
    count = len(design.radii)
    which = {2: "both"}.get(count, f"all {count}")
    also = f", for {which} radii of the design together," if count > 1 else ""
    basis = f"({say_draws(design.draws)} of each of {design.inputs:,} inputs)"
    if design.classifier == "randomised":
        return (
            f"{start}{also} the randomised classifier, which answers by one noisy copy, is right "
            f"on average for at least {percent} % of inputs drawn like these, whatever "
            f"perturbation {where} each of them has before the noise {basis}."
        )
    return (
        f"{start}{also} at least {percent} % of inputs drawn like these are classified correctly "
        f"by the smoothed classifier everywhere {where} {basis}."
    )
