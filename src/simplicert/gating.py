"""Check a run against requirements: `gate`, which the command of that name and tests call.

Requirements are those of `metrics.gate`; population@R is measured by `populations` on a run that
was drawn for a design, and a baseline is compared by `metrics.regressions`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simplicert.errors import InvalidInput, require
from simplicert.metrics.gate import (
    POPULATION,
    Requirement,
    RequirementCheck,
    check_requirements,
    group_by_label,
    list_run_remarks,
    parse_requirement,
    read_groups,
)
from simplicert.metrics.regressions import LEVEL, check_regressions, describe_regression_rule
from simplicert.metrics.statement import CONFIDENCE, Statement, make_statement
from simplicert.metrics.study import Study
from simplicert.populations import PopulationCertificate, PopulationDesign, population
from simplicert.populations.requirement import check_population
from simplicert.store import ImportedRun, Run, open_run
from simplicert.types import Bools

USUAL = ("l2", "scaled l2")  # norms that need no word

Gated = Study | Run | ImportedRun | Path | str


@dataclass(frozen=True)
class GateResult:
    """Whether a run meets its requirements, one check for each of them and each group of inputs.

    It is true where all of them hold, so `assert sc.gate(...)` does what it says.

    >>> import tempfile
    >>> import simplicert as sc
    >>> tally = sc.Tally([[990, 8, 2]] * 8 + [[40, 35, 25]] * 2, sigma=0.5, labels=[0] * 10)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = sc.create_run(f"{folder}/mine", sc.Manifest(sigma=0.5, inputs=10, classes=3), tally)
    ...     found = sc.gate(run, ["accuracy@0.25>=0.5", "abstained<=0.1"])
    >>> found.passed, [check.holds for check in found.checks]
    (False, [True, False])
    >>> print(found.checks[0].words)
    accuracy@0.25>=0.5 holds: 0.8000 (95 % interval 0.4438 to 0.9748), 10 inputs
    """  # noqa: E501

    checks: tuple[RequirementCheck, ...]
    statements: tuple[Statement, ...]  # what may be said of inputs like these, at each radius
    population: PopulationCertificate | None
    remarks: tuple[str, ...]  # to be read before the numbers are believed
    sensitivity: float
    norm: str

    @property
    def passed(self) -> bool:
        """Whether every requirement holds."""
        return all(check.holds for check in self.checks)

    def __bool__(self) -> bool:
        """Return whether every requirement holds."""
        return self.passed

    @property
    def stage(self) -> str:
        """The stage that comes before the noise, in words; "" where there is none."""
        return "" if self.sensitivity == 1 else f"a first stage of sensitivity {self.sensitivity:g}"

    @property
    def sentences(self) -> tuple[str, ...]:
        """What may be quoted: the statements, then what the population certificate says."""
        whole = self.population
        shares = () if whole is None else (*(s.sentence for s in whole.shares), *whole.remarks)
        return (*(item.sentence for item in self.statements), *shares)

    def record(self) -> dict[str, Any]:
        """Return the result as values that JSON can hold."""
        whole = [] if self.population is None else [self.population.record()]
        return {
            "passed": self.passed,
            "checks": [check.record() for check in self.checks],
            "statements": [item.record() for item in self.statements] + whole,
            "sensitivity": self.sensitivity,
            **({} if self.norm in USUAL else {"norm": self.norm}),
            "remarks": list(self.remarks),
        }


def gate(  # noqa: PLR0913
    run: Gated,
    requirements: Sequence[str],
    *,
    baseline: Gated | None = None,
    max_drop: float | None = None,
    drop_level: float | None = None,
    groups: Path | str | None = None,
    confidence: float = CONFIDENCE,
    design: PopulationDesign | Path | str | None = None,
    without_pilot: bool = False,
    sensitivity: float | None = None,
    norm: str | None = None,
    size: int | None = None,
) -> GateResult:
    """Check requirements such as accuracy@0.5>=0.6 on a run, or on the path of its folder.

    `baseline` is a run on the same inputs: a loss beyond `max_drop` fails where a paired test at
    `drop_level` finds it. `groups` is a CSV file with columns index and group, or "label". `design`
    is needed for population@R. The rest is as in the command `simplicert gate`.

    >>> import tempfile
    >>> import simplicert as sc
    >>> tally = sc.Tally([[990, 8, 2]] * 10, sigma=0.5, labels=[0] * 10)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = sc.create_run(f"{folder}/mine", sc.Manifest(sigma=0.5, inputs=10, classes=3), tally)
    ...     found = sc.gate(run, ["accuracy@0.25>=0.5"])
    >>> found.passed, found.checks[0].value
    (True, 1.0)
    """  # noqa: E501
    for name, value in (("max_drop", max_drop), ("drop_level", drop_level)):
        require(
            value is None or baseline is not None,
            f"{name} must come with baseline, got {value} alone",
        )
    asked, shares = _sort_requirements(requirements, design, baseline, groups, norm)
    study = _open_study(run, "", sensitivity, norm, size)
    checks = check_requirements(study, asked, _read_parts(groups, study), confidence)
    certificate = None
    if design is not None:
        certificate = population(study.run, design, leave_out_pilot=without_pilot)  # type: ignore[arg-type]
        checks += check_population(certificate, shares)
    remarks = list_run_remarks(study)
    if baseline is not None:
        before = _open_study(baseline, "baseline ", sensitivity, norm, size)
        most, level = max_drop or 0.0, LEVEL if drop_level is None else drop_level
        compared = check_regressions(study, before, asked, most, level)
        checks += compared
        remarks += [f"baseline: {text}" for text in list_run_remarks(before)]
        remarks.append(describe_regression_rule(compared, most, level))
    radii = [] if study.disproofs else sorted({item.at for item in asked if item.at is not None})
    return GateResult(
        checks=tuple(checks),
        statements=tuple(make_statement(study.certificates(), at, confidence) for at in radii),
        population=certificate,
        remarks=tuple(remarks),
        sensitivity=study.stage,
        norm=study.measured_in,
    )


def _sort_requirements(
    requirements: Sequence[str], design: object, baseline: object, groups: object, norm: str | None
) -> tuple[list[Requirement], list[Requirement]]:
    """Return what is asked of certificates and what of a population certificate."""
    require(
        not isinstance(requirements, str) and len(requirements) > 0,
        f"requirements must be a list such as ['accuracy@0.5>=0.6'], got {requirements!r}",
    )
    every = [parse_requirement(text) for text in requirements]
    shares = [item for item in every if item.measure == POPULATION]
    asked = [item for item in every if item.measure != POPULATION]
    require(
        bool(shares) == (design is not None),
        "design must be given for population@R: the file of `simplicert population design`"
        if shares
        else f"design has no place without --require population@R, got {design}",
    )
    require(
        bool(asked) or (baseline is None and groups is None),
        "baseline and groups need a requirement besides population, which has none of them",
    )
    require(
        norm is None or not shares,
        f"norm must be left out with population@R, whose radii are in l2, got {norm!r}",
    )
    return asked, shares


def _open_study(
    run: Gated, before: str, sensitivity: float | None, norm: str | None, size: int | None
) -> Study:
    """Open a run under its folder's name, with a word before it; a study is taken as it is."""
    if isinstance(run, Study):
        return run
    if not isinstance(run, Run | ImportedRun | Path | str):
        raise InvalidInput(
            f"run must be an opened run or the path of its folder, got {type(run).__name__}"
        )
    opened = run if isinstance(run, Run | ImportedRun) else open_run(run)
    return Study(f"{before}{opened.folder.resolve().name}", opened, sensitivity, norm, size)


def _read_parts(groups: Path | str | None, study: Study) -> dict[str, Bools] | None:
    """Read the groups of inputs that are checked one by one, if any."""
    if groups is None:
        return None
    if str(groups) == "label":
        return group_by_label(study)
    return read_groups(Path(groups), study.index)
