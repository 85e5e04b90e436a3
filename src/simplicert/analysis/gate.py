"""A gate for build servers: requirements on a run's certificates, each held or not."""

import csv
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from simplicert.analysis.evidence import top_alone_sentence
from simplicert.analysis.statement import CONFIDENCE, of_hits
from simplicert.analysis.study import Study
from simplicert.analysis.tables.grid import Grid
from simplicert.analysis.tables.numbers import down, up
from simplicert.errors import InvalidInput, choose, require
from simplicert.files import read_text
from simplicert.types import Bools, Certificates, Floats, Ints

NOT_DISPROVED = "the stated level is not disproved by the audit"
ALL = "all"  # the group of every input
NUMBER = re.compile("[0-9]{1,18}")  # of an input
SLACK = 1e-12  # of a number that is shown
WRITTEN = re.compile(r"\s*([a-z_]+)(?:@([0-9.eE+-]+))?\s*(>=|<=)\s*([0-9.eE+-]+)\s*")
SIDES: dict[str, Callable[[float, float], bool]] = {">=": operator.ge, "<=": operator.le}


class Rows(NamedTuple):
    """What is asked of, for some inputs of a run."""

    correct: Bools
    radius: Floats
    abstained: Bools
    level: float
    norm: str

    def chosen(self, which: Bools | Ints) -> "Rows":
        """Some of them, or all in another order."""
        return self._replace(
            correct=self.correct[which], radius=self.radius[which], abstained=self.abstained[which]
        )


def rows_of(certificates: Certificates) -> Rows:
    """All inputs."""
    known = certificates.known
    return Rows(
        np.asarray(certificates.correct),
        certificates.column("radius"),
        np.asarray(certificates.abstained),
        known.level,
        known.norm,
    )


Measure = Callable[[Rows, float, float], float]  # rows, radius, confidence

# name -> (does it need a radius after @, how it is measured)
MEASURES: dict[str, tuple[bool, Measure]] = {
    "accuracy": (True, lambda rows, at, _: float((rows.correct & (rows.radius > at)).mean())),
    "statement": (
        True,
        lambda rows, at, confidence: (
            of_hits(rows.correct & (rows.radius > at), at, confidence, rows.level, rows.norm).share
        ),
    ),
    "average_radius": (False, lambda rows, *_: float((rows.correct * rows.radius).mean())),
    "median_radius": (False, lambda rows, *_: float(np.median(rows.radius))),
    "abstained": (False, lambda rows, *_: float(rows.abstained.mean())),
}


@dataclass(frozen=True)
class Requirement:
    """Such as accuracy@0.5>=0.6."""

    measure: str
    at: float | None
    side: str
    limit: float

    @property
    def text(self) -> str:
        """As it is written."""
        at = "" if self.at is None else f"@{self.at:g}"
        return f"{self.measure}{at}{self.side}{self.limit:g}"


@dataclass(frozen=True)
class Check:
    """One requirement on one group of inputs."""

    requirement: str
    group: str
    inputs: int
    value: float  # of a comparison with a baseline: the loss
    holds: bool
    shown: str = ""  # the value in words, where a number alone would mislead
    p: float | None = None  # of a comparison: that the true loss is no larger than it may be
    level: float | None = None  # at which p counts


def parse(text: str) -> Requirement:
    """MEASURE[@RADIUS]>=NUMBER, or <=."""
    found = WRITTEN.fullmatch(text)
    if found is None:
        raise InvalidInput(
            f"require must be like accuracy@0.5>=0.6, with one of {', '.join(MEASURES)}, "
            f"got {text!r}"
        )
    name, at, side, limit = found.groups()
    wants, _ = choose("require", name, MEASURES)
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


def checks(
    study: Study,
    requirements: Sequence[Requirement],
    groups: dict[str, Bools] | None = None,
    confidence: float = CONFIDENCE,
) -> list[Check]:
    """Every requirement, over all inputs and over each group."""
    study.require_labels("a gate")
    require(not study.run.missing, f"run {study.name} must be complete: {study.lacking}")
    rows = rows_of(study.certificates())
    found = [
        Check(NOT_DISPROVED, "the log", len(rows.radius), 1.0, False, shown="disproved")
        for _ in study.disproofs[:1]
    ]
    for name, mask in ({ALL: np.ones(len(rows.radius), bool)} | (groups or {})).items():
        some = rows.chosen(mask)
        for wanted in requirements:
            measure = MEASURES[wanted.measure][1]
            value = measure(some, wanted.at or 0.0, confidence)
            holds = bool(SIDES[wanted.side](value, wanted.limit))
            found.append(Check(wanted.text, name, int(mask.sum()), value, holds))
    return found


def read_groups(path: Path, index: Ints) -> dict[str, Bools]:
    """A CSV with columns index and group; inputs that it does not name are in no group."""
    try:
        lines = list(csv.DictReader(StringIO(read_text(path))))
    except (InvalidInput, csv.Error) as error:
        raise InvalidInput(f"groups must be a CSV file, and {path.name} is none: {error}") from None
    fields = set(lines[0]) if lines else set()
    require(
        {"index", "group"} <= fields,
        f"groups must have the columns index and group, got {sorted(map(str, fields))}",
    )
    found: dict[str, Bools] = {}
    for number, line in enumerate(lines, 2):
        text, name = (line["index"] or "").strip(), (line["group"] or "").strip()
        require(
            NUMBER.fullmatch(text) is not None and bool(name) and name != ALL,
            f"groups must have a number and a name in line {number}, got {text[:40]!r}, "
            f"{name[:40]!r}",
        )
        mask = found.setdefault(name, np.zeros(len(index), bool))
        mask |= index == int(text)
    empty = [name for name, mask in found.items() if not mask.any()]
    require(not empty, f"groups must hold inputs of the run, and {', '.join(empty)} holds none")
    return found


def by_label(study: Study) -> dict[str, Bools]:
    """One group for each true class."""
    study.require_labels("groups by label")
    labels, names = study.labels, study.class_names
    assert labels is not None
    return {
        f"label {names[item] if names else item}": labels == item
        for item in np.unique(labels).tolist()
    }


def rounded(item: Check) -> str:
    """To the safe side; shares are of whole numbers: six tenths are not to be shown as .5999."""
    least = ">=" in item.requirement
    return down(item.value + SLACK, 4) if least else up(item.value - SLACK, 4)


def remarks(study: Study) -> list[str]:
    """What a reader must know of the run before believing a number of the gate."""
    wrong = [f"the stated level is disproved: {text}" for text in study.disproofs]
    if wrong:
        wrong.append(
            "no statement is made of certificates whose level is disproved: import the log again "
            "with an alpha, draws and sigma that fit it"
        )
    others = (study.label_doubt, top_alone_sentence(study.certificates()))
    return [*wrong, *filter(None, others)]


def gate_table(found: Sequence[Check], stage: str = "") -> Grid:
    """Failed requirements in bold; `stage` is what comes before the noise, in words."""
    rows = [
        (
            item.requirement,
            item.group,
            str(item.inputs),
            item.shown or rounded(item),
            "holds" if item.holds else "FAILS",
        )
        for item in found
    ]
    failed = sum(not item.holds for item in found)
    title = f"{len(found) - failed} of {len(found)} requirements hold"
    bold = frozenset((place, 4) for place, item in enumerate(found) if not item.holds)
    headings = ("requirement", "inputs of", "inputs", "value", "")
    notes = (f"radii are distances of the input of {stage}",) if stage else ()
    return Grid(title, headings, rows, notes, keys=2, bold=bold)


def gate_record(
    found: Sequence[Check],
    said: Sequence[dict[str, Any]],
    noted: Sequence[str] = (),
    sensitivity: float = 1.0,
) -> dict[str, Any]:
    """For machines."""
    return {
        "passed": all(item.holds for item in found),
        "checks": [vars(item) for item in found],
        "statements": list(said),
        "sensitivity": sensitivity,
        "remarks": list(noted),
    }
