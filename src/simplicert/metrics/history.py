"""Follow the numbers of a gate from run to run: `trace_history` reads them by date and commit.

A run's date is when its drawing began, as its run.toml says, and its commit what the build server
called it then. Neither is proved by anything: they are what the run's maker wrote.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from simplicert.errors import require
from simplicert.metrics.comparable import require_same_units
from simplicert.metrics.gate import list_run_remarks
from simplicert.metrics.measures import (
    MEASURES,
    NamedMeasure,
    certificate_rows,
    check_radius,
    find_interval,
)
from simplicert.metrics.radii import choose_radii
from simplicert.metrics.statement import CONFIDENCE
from simplicert.metrics.study import Study

COMMIT = re.compile("[0-9a-fA-F]{7,64}")
FEW = 3  # radii of the accuracies that are followed unless others are asked for


@dataclass(frozen=True)
class MeasuredValue:
    """One measure of one run, and its 95 % interval over the choice of inputs."""

    measure: str
    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class HistoryPoint:
    """One run of a history: when it began, what it was made from, and its numbers."""

    run: str
    began: datetime | None
    commit: str | None
    inputs: int
    norm: str
    values: tuple[MeasuredValue, ...]
    remarks: tuple[str, ...]  # to be read before the numbers are believed

    @property
    def day(self) -> str:
        """The date in UTC, or "" where the run does not say."""
        return "" if self.began is None else self.began.strftime("%Y-%m-%d")

    def record(self) -> dict[str, Any]:
        """Return the point as values that JSON can hold."""
        return {
            "run": self.run,
            "began": None if self.began is None else self.began.isoformat(),
            "commit": self.commit,
            "inputs": self.inputs,
            "norm": self.norm,
            "values": [vars(value) for value in self.values],
            "remarks": list(self.remarks),
        }


def trace_history(
    studies: Sequence[Study], measures: Sequence[NamedMeasure] = ()
) -> list[HistoryPoint]:
    """Measure every run, the earliest first; as given, where one of them does not say its date.

    Without measures these are accuracies at a few radii that the runs reach, the average radius and
    the share of abstentions. Radii must be in one norm, and runs may be over different inputs.
    """
    for study in studies:
        study.require_labels("a history")
        require(not study.run.missing, f"run {study.name} must be complete: {study.lacking}")
    require_same_units(studies)
    asked = list(measures) or choose_measures(studies)
    for measure in asked:
        for study in studies:
            check_radius("measure", measure.text, measure.at, study)
    points = [_measure_run(study, asked) for study in studies]
    dates = [point.began for point in points]
    if all(date is not None for date in dates):
        points.sort(key=lambda point: point.began or datetime.max)  # stable: ties as given
    return points


def choose_measures(studies: Sequence[Study]) -> list[NamedMeasure]:
    """Return accuracies at radii that the runs reach, the average radius and the abstentions."""
    radii = choose_radii([study.certificates() for study in studies], FEW)
    shares = [NamedMeasure("accuracy", radius) for radius in radii]
    return [*shares, NamedMeasure("average_radius"), NamedMeasure("abstained")]


def _measure_run(study: Study, measures: Sequence[NamedMeasure]) -> HistoryPoint:
    """Measure one run by the settings that it declared."""
    rows, made = certificate_rows(study.certificates()), study.run.manifest.made
    values = [
        MeasuredValue(
            item.text,
            MEASURES[item.name][1](rows, item.at or 0.0, CONFIDENCE),
            *find_interval(item.name, rows, item.at),
        )
        for item in measures
    ]
    commit = str(made.get("commit", ""))
    return HistoryPoint(
        run=study.name,
        began=read_date(made.get("began")),
        commit=commit.lower() if COMMIT.fullmatch(commit) else None,
        inputs=len(rows.radius),
        norm=study.measured_in,
        values=tuple(values),
        remarks=tuple(list_run_remarks(study)),
    )


def read_date(text: object) -> datetime | None:
    """Read a date as run.toml has it, in UTC; None for anything else.

    >>> read_date("2026-11-17T22:30:00+00:00").day, read_date("yesterday")
    (17, None)
    """
    try:
        date = datetime.fromisoformat(str(text))
        return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
