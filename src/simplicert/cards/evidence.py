"""Gather what a card speaks of: certificates, verification, attack, population, decisions.

`gather_evidence` reads a run once, and verifies it without drawing any input again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from simplicert.errors import DamagedRun, SimplicertError, require
from simplicert.metrics.intervals import CONFIDENCE, RateCurve, rate_curve
from simplicert.metrics.radii import PAPERS, choose_radii, reached_radii
from simplicert.metrics.statement import Statement, make_statement
from simplicert.metrics.study import Study
from simplicert.noises import NOISES
from simplicert.populations import PopulationCertificate, population
from simplicert.populations.design import read_design
from simplicert.report.views import View, make_views
from simplicert.smoothed.operational import keeps_class
from simplicert.store import ImportedRun, Run
from simplicert.store.attacks import AttackRow, read_attack
from simplicert.tables.grid import MOST_RADII
from simplicert.verification import VerificationCheck, verify_run

DRAWS, ALPHA, BETA = (
    1000,
    0.001,
    0.01,
)  # of `predict`: its draws, its alpha, and how rarely it fails


@dataclass(frozen=True, eq=False)
class CardEvidence:
    """All that a card is written from."""

    view: View
    checks: tuple[VerificationCheck, ...]
    attack: tuple[AttackRow, ...]
    population: PopulationCertificate | None
    radii: tuple[float, ...]  # of the table of accuracies
    radius: float  # of the statement
    asked: bool  # whether the caller chose that radius
    draws: int  # of a decision by `predict`

    @property
    def study(self) -> Study:
        """The run under its name."""
        return self.view.study

    @property
    def run(self) -> Run | ImportedRun:
        """The run itself."""
        return self.view.study.run

    @property
    def failed(self) -> list[VerificationCheck]:
        """The checks that do not hold."""
        return [check for check in self.checks if check.holds is False]

    @property
    def believable(self) -> bool:
        """Whether sentences about the certificates may be quoted: nothing disproves them."""
        broken = any(row.broken for row in self.attack)
        return not (self.failed or self.study.disproofs or broken)

    @cached_property
    def accuracy(self) -> RateCurve | None:
        """Certified accuracy at each radius, with its interval; None without labels."""
        if self.view.labels is None:
            return None
        view, at = self.view, np.array(self.radii)
        right = view.radius[view.correct]
        return rate_curve(right, at, len(view.frame), CONFIDENCE, inclusive=view.closed)

    @cached_property
    def statement(self) -> Statement | None:
        """What may be said of inputs drawn like these; None where nothing may."""
        certificates = self.view.certificates
        if certificates is None or self.view.labels is None or self.study.disproofs:
            return None
        try:
            return make_statement(certificates, self.radius)
        except SimplicertError:  # settings that were not declared before the draws
            return None

    @cached_property
    def answered(self) -> tuple[int, ...] | None:
        """At each radius, how many labels `predict` is bound to answer; None where unknown."""
        certificates = self.view.certificates
        if certificates is None or self.view.labels is None:
            return None
        if certificates.known.certain or not self.believable:
            return None
        bounds = {"draws": self.draws, "alpha": ALPHA, "beta": BETA}
        try:
            kept = [keeps_class(certificates, radius, **bounds) for radius in self.radii]  # type: ignore[arg-type]
        except SimplicertError:  # noise or bounds of which nothing is known at a distance
            return None
        return tuple(int((self.view.correct & mask).sum()) for mask in kept)


def gather_evidence(
    study: Study,
    *,
    attack: Path | None = None,
    design: Path | None = None,
    certificates: Sequence[Path] = (),
    radius: float | None = None,
    radii: Sequence[float] | None = None,
    draws: int = DRAWS,
) -> CardEvidence:
    """Read and verify a run, its attack and its population certificate."""
    require(draws > 0, f"draws must be positive, got {draws}")
    for value in (*(radii or ()), *(() if radius is None else (radius,))):
        require(0 <= value < np.inf, f"radius must be a number from 0 on, got {value!r}")
    view = _declared_view(study)
    found = None
    if design is not None:
        found = population(study.run, read_design(design))  # type: ignore[arg-type]
    chosen = _statement_radius(view) if radius is None else float(radius)
    shown = {chosen, *(_choose_card_radii(view) if radii is None else map(float, radii))}
    return CardEvidence(
        view=view,
        checks=tuple(verify_run(study.run.folder, certificates, sensitivity=study.sensitivity)),
        attack=tuple(_find_attack(study, view, attack)),
        population=found,
        radii=tuple(sorted(shown)),
        radius=chosen,
        asked=radius is not None,
        draws=draws,
    )


def _declared_view(study: Study) -> View:
    """Return the certificates by the settings that the run declared, and no others."""
    if isinstance(study.run, ImportedRun) and study.run.holds == "radii":
        return make_views([study])[0]
    certificates = study.certificates()
    return View(study, 0, certificates.known.kind, certificates.to_frame(), certificates)


def _find_attack(study: Study, view: View, path: Path | None) -> list[AttackRow]:
    """Read the attack in the run's folder, or the one that is named, which must be of this run."""
    if path is None:  # distances in another norm have no place beside these radii
        return [row for row in study.attack(view.kind) if row.norm == view.norm]
    rows, own = read_attack(path), (study.run.manifest.id, view.kind, view.norm)
    if any((row.run, row.kind, row.norm) != own for row in rows):
        raise DamagedRun(f"{path} is of another run, kind or norm: it does not belong here")
    return rows


def _choose_card_radii(view: View) -> tuple[float, ...]:
    """Return the radii of every table: round ones that an input reaches."""
    if view.certificates is not None:
        return choose_radii([view.certificates], MOST_RADII)
    right = view.radius if view.labels is None else view.radius[view.correct]
    largest = float(right.max(initial=0.0))
    return reached_radii(largest, MOST_RADII, whole=view.whole, usual=view.norm in PAPERS)


def _statement_radius(view: View) -> float:
    """Return half the noise's scale, which was known before the draws; of whole numbers, 1."""
    return view.study.sigma / 2 if NOISES[view.study.noise.name].scale is not None else 1.0
