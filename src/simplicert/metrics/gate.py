"""Check requirements such as accuracy@0.5>=0.6 on a run, so that a CI build can fail.

`parse_requirement` reads a requirement, and `check_requirements` checks several over all inputs and
over each group of them, from `read_groups` or `group_by_label`. `tables.gate` shows the result.
"""

import csv
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import numpy as np

from simplicert.errors import InvalidInput, choose, require
from simplicert.files import read_text
from simplicert.metrics.numbers import format_exactly
from simplicert.metrics.statement import CONFIDENCE, statement_from_hits
from simplicert.metrics.study import Study, explain_no_comparison
from simplicert.types import Bools, Certificates, Floats, Ints
from simplicert.types.certificates import covers_radius

NOT_DISPROVED = "the stated level is not disproved by the audit"
ALL = "all"  # name of the group that holds every input
NUMBER = re.compile("[0-9]{1,18}")  # an input's number, which fits into 64 bits
SLACK = 1e-12  # rounding of a share, which must not move the digits that are shown
REQUIREMENT_PATTERN = re.compile(r"\s*([a-z_]+)(?:@([0-9.eE+-]+))?\s*(>=|<=)\s*([0-9.eE+-]+)\s*")
SIDES: dict[str, Callable[[float, float], bool]] = {">=": operator.ge, "<=": operator.le}


class CertificateRows(NamedTuple):
    """The columns that requirements are about, for some inputs of a run."""

    correct: Bools
    radius: Floats
    abstained: Bools
    level: float
    norm: str
    closed: bool = False  # radii cover changes that are exactly as large

    def certified_at(self, radius: float) -> Bools:
        """(N,) where the label is certified for every change of this size."""
        return self.correct & covers_radius(self.radius, radius, closed=self.closed)

    def chosen(self, which: Bools | Ints) -> "CertificateRows":
        """Return some of the rows, or all of them in another order."""
        return self._replace(
            correct=self.correct[which], radius=self.radius[which], abstained=self.abstained[which]
        )


Measure = Callable[[CertificateRows, float, float], float]  # rows, radius, confidence

# name -> (whether a radius must follow after @, the function that measures it)
MEASURES: dict[str, tuple[bool, Measure]] = {
    "accuracy": (True, lambda rows, at, _: float(rows.certified_at(at).mean())),
    "statement": (
        True,
        lambda rows, at, confidence: (
            statement_from_hits(rows.certified_at(at), at, confidence, rows.level, rows.norm).share
        ),
    ),
    "average_radius": (False, lambda rows, *_: float((rows.correct * rows.radius).mean())),
    "median_radius": (False, lambda rows, *_: float(np.median(rows.radius))),
    "abstained": (False, lambda rows, *_: float(rows.abstained.mean())),
}


POPULATION = "population"  # measured by simplicert.populations, on a run drawn for a design

# Whether a radius must follow after @, for everything that can be required.
NAMES_RADIUS = {name: row[0] for name, row in MEASURES.items()} | {POPULATION: True}


@dataclass(frozen=True)
class Requirement:
    """A requirement such as accuracy@0.5>=0.6."""

    measure: str
    at: float | None
    side: str
    limit: float

    @property
    def text(self) -> str:
        """The requirement as a user writes it."""
        at = "" if self.at is None else f"@{format_exactly(self.at)}"
        return f"{self.measure}{at}{self.side}{format_exactly(self.limit)}"


@dataclass(frozen=True)
class RequirementCheck:
    """Whether one requirement holds on one group of inputs."""

    requirement: str
    group: str
    inputs: int
    value: float  # in a comparison with a baseline, the loss
    holds: bool
    shown: str = ""  # the value in words, where a number alone would mislead
    p: float | None = None  # of a comparison: p-value of "the true loss is at most max_drop"
    level: float | None = None  # the loss counts where p is at most this


def parse_requirement(text: str) -> Requirement:
    """Read MEASURE[@RADIUS]>=NUMBER, or the same with <=."""
    match = REQUIREMENT_PATTERN.fullmatch(text)
    if match is None:
        raise InvalidInput(
            f"require must be like accuracy@0.5>=0.6, with one of {', '.join(NAMES_RADIUS)}, "
            f"got {text!r}"
        )
    name, at, side, limit = match.groups()
    wants = choose("require", name, NAMES_RADIUS)
    require(
        wants == (at is not None),
        f"require must name a radius after {name}@, got {text!r}"
        if wants
        else f"require must not name a radius after {name}, got {text!r}",
    )
    try:
        numbers = (None if at is None else float(at)), float(limit)
    except ValueError:
        raise InvalidInput(f"require must hold numbers, got {text!r}") from None
    require(numbers[0] is None or numbers[0] >= 0, f"require must have a radius >= 0, got {text!r}")
    return Requirement(name, numbers[0], side, numbers[1])


def check_requirements(
    study: Study,
    requirements: Sequence[Requirement],
    groups: dict[str, Bools] | None = None,
    confidence: float = CONFIDENCE,
) -> list[RequirementCheck]:
    """Check every requirement over all inputs and over each group."""
    study.require_labels("a gate")
    require(not study.run.missing, f"run {study.name} must be complete: {study.lacking}")
    rows = certificate_rows(study.certificates())
    checks = [
        RequirementCheck(NOT_DISPROVED, "the log", len(rows.radius), 1.0, False, shown="disproved")
        for _ in study.disproofs[:1]
    ]
    for name, mask in ({ALL: np.ones(len(rows.radius), bool)} | (groups or {})).items():
        some = rows.chosen(mask)
        for wanted in requirements:
            measure = MEASURES[wanted.measure][1]
            value = measure(some, wanted.at or 0.0, confidence)
            holds = bool(SIDES[wanted.side](value, wanted.limit))
            checks.append(RequirementCheck(wanted.text, name, int(mask.sum()), value, holds))
    return checks


def certificate_rows(certificates: Certificates) -> CertificateRows:
    """Return the rows of all inputs."""
    known = certificates.known
    return CertificateRows(
        np.asarray(certificates.correct),
        certificates.column("radius"),
        np.asarray(certificates.abstained),
        known.level,
        known.norm,
        certificates.closed,
    )


def read_groups(path: Path, index: Ints) -> dict[str, Bools]:
    """Read a CSV with columns index and group; inputs that it does not name are in no group."""
    try:
        lines = list(csv.DictReader(StringIO(read_text(path))))
    except (InvalidInput, csv.Error) as error:
        raise InvalidInput(f"groups must be a CSV file, and {path.name} is none: {error}") from None
    fields = set(lines[0]) if lines else set()
    require(
        {"index", "group"} <= fields,
        f"groups must have the columns index and group, got {sorted(map(str, fields))}",
    )
    groups: dict[str, Bools] = {}
    for number, line in enumerate(lines, 2):
        text, name = (line["index"] or "").strip(), (line["group"] or "").strip()
        require(
            NUMBER.fullmatch(text) is not None and bool(name) and name != ALL,
            f"groups must have a number and a name in line {number}, got {text[:40]!r}, "
            f"{name[:40]!r}",
        )
        mask = groups.setdefault(name, np.zeros(len(index), bool))
        mask |= index == int(text)
    empty = [name for name, mask in groups.items() if not mask.any()]
    require(not empty, f"groups must hold inputs of the run, and {', '.join(empty)} holds none")
    return groups


def group_by_label(study: Study) -> dict[str, Bools]:
    """Make one group for each true class."""
    study.require_labels("groups by label")
    labels, names = study.labels, study.class_names
    assert labels is not None
    return {
        f"label {names[item] if names else item}": labels == item
        for item in np.unique(labels).tolist()
    }


def list_run_remarks(study: Study) -> list[str]:
    """List what a reader must know about the run before believing the gate's numbers."""
    wrong = [f"the stated level is disproved: {text}" for text in study.disproofs]
    if wrong:
        wrong.append(
            "no statement is made of certificates whose level is disproved: import the log again "
            "with an alpha, draws and sigma that fit it"
        )
    others = (study.label_doubt, explain_no_comparison(study.certificates()))
    return [*wrong, *filter(None, others)]
