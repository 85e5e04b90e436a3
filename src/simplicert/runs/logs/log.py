"""Log: another tool's certificates as they were written, before anything is made of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from simplicert.runs.logs import cells
from simplicert.runs.logs.printed import Printed, printed
from simplicert.runs.logs.table import Table
from simplicert.types import Bools, Floats, Ints


class Stated(NamedTuple):
    """What the log does not say and its importer must: noise, failure probability, draws."""

    sigma: float
    alpha: float
    draws: int | None = None


@dataclass(frozen=True, eq=False)
class Log:
    """One row an input, in the order of the file. The radii and bounds are kept as text."""

    index: Ints  # (N,)
    predicted: Ints  # (N,) negative: no class; -1 abstained, -2 skipped as misclassified
    radius_text: tuple[str, ...]  # (N,) "" where the log gives no radius
    label: Ints | None = None  # (N,)
    correct: Ints | None = None  # (N,) as written, whatever it means
    seconds: Floats | None = None  # (N,)
    draws: Ints | None = None  # (N,)
    count: Ints | None = None  # (N,) draws that chose the class
    bound_text: tuple[str, ...] | None = None  # (N,) lower bounds on the class's probability
    cohen: bool = True  # the radius is sigma * Phi^-1(bound), and can be read backwards
    left_out: tuple[str, ...] = ()  # lines that are no rows
    notes: tuple[str, ...] = field(default=())  # what is known of every log of this format

    @cached_property
    def radius(self) -> Printed:
        """The radii, and what they may have been before they were printed."""
        return printed(self.radius_text)

    @property
    def live(self) -> Bools:
        """(N,) rows that claim something: a class and a radius."""
        return np.asarray((self.predicted >= 0) & ~np.isnan(self.radius.value))

    def __len__(self) -> int:
        """N, the number of rows."""
        return len(self.index)

    def columns(self) -> dict[str, Any]:
        """Everything that was read, as columns under the names that a run keeps."""
        texts = {"radius_text": self.radius_text, "bound_text": self.bound_text}
        numbers = ("index", "label", "predicted", "correct", "seconds", "draws", "count")
        held = {name: getattr(self, name) for name in numbers} | texts
        return {name: values for name, values in held.items() if values is not None}


# How each of our names is read, and what its cells must be.
CELLS: dict[str, tuple[Any, str]] = {
    "index": (cells.whole, "an integer"),
    "label": (cells.whole, "an integer"),
    "predict": (cells.chosen_class, "a class (negative: none)"),
    "radius": (cells.number_text, "a finite number"),
    "correct": (cells.switch, "0 or 1, True or False"),
    "seconds": (cells.seconds, "seconds or H:MM:SS"),
    "draws": (cells.whole, "an integer"),
    "count": (cells.whole, "an integer"),
    "bound": (cells.number_text, "a finite number"),
}
FIELDS = {"predict": "predicted", "radius": "radius_text", "bound": "bound_text"}


def log_of(table: Table, places: Mapping[str, int | None], **more: Any) -> Log:
    """A log from the columns of a table, given under our names; rows are numbered without one."""
    found: dict[str, Any] = {"index": np.arange(len(table.rows))}
    for name, place in places.items():
        if place is not None:
            values = table.column(place, *CELLS[name])
            texts = name in ("radius", "bound")
            found[FIELDS.get(name, name)] = tuple(values) if texts else np.array(values)
    return Log(**found, left_out=table.left_out, **more)
