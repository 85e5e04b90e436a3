"""Warn readers of what they must know before they believe a number of a view."""

import numpy as np

from simplicert.bounds import bound
from simplicert.certification import certify
from simplicert.errors import SimplicertError
from simplicert.report.views import View
from simplicert.stopping.projection import unanimous_tally
from simplicert.store import ImportedRun, Run
from simplicert.tables.summary import (
    FIXED,
    describe_scaled_norm,
    draws_sentence,
    stopping_rule,
)
from simplicert.types import Certificates, Tally
from simplicert.types.certificates import format_radius_down

FEW = 1000  # draws: at alpha .001 no radius can then exceed about 2.4 sigma

SAME = 1e-9  # share of a radius: the largest reachable one, up to rounding


def view_cautions(view: View) -> list[str]:
    """Return the warnings, one sentence each, the gravest first."""
    run = view.study.run
    cautions = []
    if lacking := view.study.lacking:
        cautions.append(
            f"incomplete: {lacking}, and everything here is over the {len(view.frame)} that are "
            "there, with the draws they have"
        )
    if view.certificates is not None and view.certificates.exploratory:
        declared = run.manifest
        cautions.append(
            f"exploratory: the run declared alpha {declared.alpha:g}, kind {declared.kind}, "
            f"scheme {declared.scheme}; alpha covers other settings only if they were fixed "
            "before the draws"
        )
    if view.certificates is not None and view.certificates.stage:
        cautions.append(
            f"radii are distances of {view.certificates.space}, which is taken as given"
            + ("" if view.study.stage == run.manifest.sensitivity else _declared_stage_clause(run))
        )
    rule = stopping_rule(view.study)
    if view.certificates is not None and rule != FIXED:
        cautions.append(f"stopped early: {draws_sentence(view.certificates, rule)}")
    if isinstance(run, ImportedRun):
        wrong = view.study.disproofs
        cautions += [f"imported log, its stated level is disproved: {text}" for text in wrong]
        cautions += [f"imported log: {text}" for text in run.audit if text not in wrong]
    else:
        cautions += _draws_cautions(view, run)
        if run.manifest.random:
            cautions.append("the model is random by itself: drawn again, its tallies would differ")
        if run.noise_scale is not None:
            cautions.append(describe_scaled_norm(run.noise_scale))
    if view.study.label_doubt:
        cautions.insert(0, view.study.label_doubt)
    if view.labels is None:
        cautions.append("no labels: nothing is said of accuracy, and risk goes by the radius alone")
    return cautions


def _format_radius(view: View, radius: float) -> str:
    """Format a radius, rounded down; a whole number without decimals."""
    return format_radius_down(radius, 0 if view.whole else 4)


def _declared_stage_clause(run: Run | ImportedRun) -> str:
    """Name the stage before the noise that the run declared, where another one was used."""
    return f"; the run itself declares sensitivity {run.manifest.sensitivity:g}"


def _draws_cautions(view: View, run: Run) -> list[str]:
    """Warn of few draws, and of inputs whose radius the draws limit rather than the model."""
    assert view.certificates is not None
    tally = view.study.tally
    cautions, most, saturated = [], int(tally.draws.max()), 0
    reachable = 0.0
    for draws in np.unique(tally.draws).tolist():
        limit = largest_reachable_radius(view.certificates, tally, draws)
        if limit is None:
            return []
        reachable = max(reachable, limit)
        same = tally.draws == draws
        saturated += int((view.radius[same] >= (1 - SAME) * limit).sum()) if limit > 0 else 0
    if most < FEW:
        reach = (
            f"reach no radius above {_format_radius(view, reachable)}"
            if reachable
            else "reach nothing"
        )
        cautions.append(f"few draws: {most} per input, and even draws that all agree {reach}")
    if saturated:
        cautions.append(
            f"saturation: {saturated} of {len(tally)} inputs hit the ceiling of their draws (at "
            f"most {_format_radius(view, reachable)}); more draws may raise them"
        )
    return cautions


def largest_reachable_radius(certificates: Certificates, tally: Tally, draws: int) -> float | None:
    """Return what unanimous draws would certify by the same settings; None if that is unknown."""
    known = certificates.known
    try:
        agreed = unanimous_tally(tally, draws)
        bounds = bound(agreed, known.alpha, known.kind, known.scheme, known.method)
        found = certify(
            bounds,
            sensitivity=certificates.sensitivity,
            norm=known.norm,
            size=None if known.noise == tally.noise else known.noise.size,
        )
        return float(found.radius[0])
    except SimplicertError:  # evidence that only real draws have
        return None
