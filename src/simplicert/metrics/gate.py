"""Check requirements such as accuracy@0.5>=0.6 on a run, so that a CI build can fail.

`parse_requirement` reads a requirement, and `check_requirements` checks several over all inputs and
over each group of them, from `read_groups` or `group_by_label`. `simplicert.gate` does all of it,
and `tables.gate` shows the result.
"""

import csv
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from simplicert.errors import InvalidInput, choose, require
from simplicert.files import read_text
from simplicert.metrics.measures import (
    MEASURES,
    certificate_rows,
    check_radius,
    find_interval,
    read_radius,
)
from simplicert.metrics.numbers import format_down, format_exactly, format_up
from simplicert.metrics.statement import CONFIDENCE
from simplicert.metrics.study import Study, explain_no_comparison
from simplicert.types import Bools, Ints

NOT_DISPROVED = "the stated level is not disproved by the audit"
ALL = "all"  # name of the group that holds every input
NUMBER = re.compile("[0-9]{1,18}")  # an input's number, which fits into 64 bits
SLACK = 1e-12  # rounding of a share, which must not move the digits that are shown
REQUIREMENT_PATTERN = re.compile(r"\s*([a-z_]+)(?:@([0-9.eE+-]+))?\s*(>=|<=)\s*([0-9.eE+-]+)\s*")
SIDES: dict[str, Callable[[float, float], bool]] = {">=": operator.ge, "<=": operator.le}


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
    low: float | None = None  # 95 % interval of the value over the choice of inputs
    high: float | None = None

    @property
    def words(self) -> str:
        """The value with its interval, rounded to the safe side, and whether it is enough."""
        said = self.shown or format_check_value(self)
        if self.low is not None and self.high is not None:
            said += f" (95 % interval {format_down(self.low, 4)} to {format_up(self.high, 4)})"
        whose = (
            f"{self.inputs} inputs" if self.group == ALL else f"{self.group}, {self.inputs} inputs"
        )
        return f"{self.requirement} {'holds' if self.holds else 'FAILS'}: {said}, {whose}"

    def record(self) -> dict[str, Any]:
        """Return the check as values that JSON can hold."""
        return {**vars(self), "words": self.words}


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
    radius = read_radius("require", text, name, at, wants=wants)
    try:
        return Requirement(name, radius, side, float(limit))
    except ValueError:
        raise InvalidInput(f"require must hold numbers, got {text!r}") from None


def format_check_value(check: RequirementCheck) -> str:
    """Round to the safe side; SLACK keeps a share of six tenths from being shown as .5999."""
    least = ">=" in check.requirement
    return format_down(check.value + SLACK, 4) if least else format_up(check.value - SLACK, 4)


def check_requirements(
    study: Study,
    requirements: Sequence[Requirement],
    groups: dict[str, Bools] | None = None,
    confidence: float = CONFIDENCE,
) -> list[RequirementCheck]:
    """Check every requirement over all inputs and over each group."""
    study.require_labels("a gate")
    require(not study.run.missing, f"run {study.name} must be complete: {study.lacking}")
    for wanted in requirements:
        check_radius("require", wanted.text, wanted.at, study)
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
            low, high = find_interval(wanted.measure, some, wanted.at)
            checks.append(
                RequirementCheck(
                    wanted.text, name, int(mask.sum()), value, holds, low=low, high=high
                )
            )
    return checks


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
