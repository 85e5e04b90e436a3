"""Hold another tool's certificates as they were written, and compute what they still imply.

`Log` holds the rows of a log before anything is computed from them, and `StatedSettings` what the
importer must add. `build_log` makes a log from the columns of a table.
`log_expectations` computes E0 from the counts of a log, or else from its radii. E1 is 1 - E0,
because a log counts no other class; so only `cohen` and `two_sided` apply, and they agree.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from simplicert.bounds import binomial
from simplicert.errors import require
from simplicert.logs import table as cells
from simplicert.logs.table import LogTable, PrintedNumbers, printed_intervals
from simplicert.noises import GAUSSIAN, NoiseModel
from simplicert.store.imported import SCHEME
from simplicert.types import Bools, Expectations, Floats, Ints

# How the cells of each column, by our name, are parsed, and what they must be.
CELLS: dict[str, tuple[Any, str]] = {
    "index": (cells.parse_integer, "an integer"),
    "label": (cells.parse_integer, "an integer"),
    "predict": (cells.parse_class, "a class (negative: none)"),
    "radius": (cells.parse_number_text, "a finite number"),
    "correct": (cells.parse_boolean, "0 or 1, True or False"),
    "seconds": (cells.parse_seconds, "seconds or H:MM:SS"),
    "draws": (cells.parse_integer, "an integer"),
    "count": (cells.parse_integer, "an integer"),
    "bound": (cells.parse_number_text, "a finite number"),
}

# Fields of Log whose names are not those of their columns.
FIELDS = {"predict": "predicted", "radius": "radius_text", "bound": "bound_text"}

# scipy's ndtr errs by a few units in the last place, relative to the smaller tail; this allows it.
SLACK = 256 * np.finfo(float).eps


class StatedSettings(NamedTuple):
    """What the importer must state because the log does not: noise, failure probability, draws."""

    sigma: float
    alpha: float
    draws: int | None = None
    noise: NoiseModel = GAUSSIAN


@dataclass(frozen=True, eq=False)
class Log:
    """A log: one row per input, in the order of the file, with radii and bounds kept as text."""

    index: Ints  # (N,)
    predicted: Ints  # (N,) negative: no class; -1 abstained, -2 skipped as misclassified
    radius_text: tuple[str, ...]  # (N,) "" where the log gives no radius
    label: Ints | None = None  # (N,)
    correct: Ints | None = None  # (N,) as written, in whatever meaning
    seconds: Floats | None = None  # (N,)
    draws: Ints | None = None  # (N,)
    count: Ints | None = None  # (N,) draws that chose the class
    bound_text: tuple[str, ...] | None = None  # (N,) lower bounds on the class's probability
    bound_is_e0: bool = False  # E0 is the bound: radii are of other noise, or not used
    cohen: bool = True  # the radius is sigma * Phi^-1(bound), and can be read backwards
    own_index: bool = True  # False: the log numbers no inputs, and `index` counts its rows
    left_out: tuple[str, ...] = ()  # lines that are no rows
    notes: tuple[str, ...] = field(default=())  # what is known about every log of this format

    @cached_property
    def radius(self) -> PrintedNumbers:
        """The radii, and the intervals they may have been in before they were printed."""
        return printed_intervals(self.radius_text)

    @property
    def bounds(self) -> Floats:
        """(N,) the bounds, below those that were rounded to single precision; NaN without one."""
        assert self.bound_text is not None
        held = np.array([float(text) if text else np.nan for text in self.bound_text], np.float32)
        return np.asarray(np.nextafter(held, np.float32(0)), dtype=float)

    @property
    def live(self) -> Bools:
        """(N,) whether a row claims a class and a radius."""
        if self.bound_is_e0:
            return np.asarray((self.predicted >= 0) & ~np.isnan(self.bounds))
        return np.asarray((self.predicted >= 0) & ~np.isnan(self.radius.value))

    def __len__(self) -> int:
        """N, the number of rows."""
        return len(self.index)

    def columns(self) -> dict[str, Any]:
        """Return everything that was read, as columns under the names that a run keeps."""
        texts = {"radius_text": self.radius_text, "bound_text": self.bound_text}
        numbers = ("index", "label", "predicted", "correct", "seconds", "draws", "count")
        held = {name: getattr(self, name) for name in numbers} | texts
        return {name: values for name, values in held.items() if values is not None}


def build_log(table: LogTable, places: Mapping[str, int | None], **more: Any) -> Log:
    """Make a log from the columns of a table, given by our names; without an index, rows count."""
    fields: dict[str, Any] = {"index": np.arange(len(table.rows))}
    for name, place in places.items():
        if place is not None:
            values = table.column(place, *CELLS[name])
            texts = name in ("radius", "bound")
            fields[FIELDS.get(name, name)] = tuple(values) if texts else np.array(values)
    numbered = places.get("index") is not None
    return Log(**fields, own_index=numbered, left_out=table.left_out, **more)


def log_expectations(log: Log, stated: StatedSettings) -> Expectations:
    """Compute E0 from the count if the log has one, else from the radius; NaN where abstained.

    A log whose bound is E0 itself says so.
    """
    method = "bound" if log.bound_is_e0 else "radius" if log.count is None else "count"
    if log.bound_is_e0:
        e0 = log.bounds
    elif log.count is not None:
        e0 = _e0_from_counts(log, stated)
    else:
        e0 = _e0_from_radii(log, stated.sigma)
    known = log.live & (e0 > 1 - e0)
    reasons = np.select(
        [known, log.live, log.predicted < -1], ["certified", "overlap", "skipped"], "abstained"
    )
    return Expectations(
        top=np.maximum(log.predicted, 0),  # a row without a class abstains: its top says nothing
        e0=np.where(known, e0, np.nan),
        e1=np.where(known, 1 - e0, np.nan),
        sigma=stated.sigma,
        alpha=stated.alpha,
        scheme=SCHEME,
        method=method,
        level=stated.alpha,
        labels=log.label,
        index=log.index,
        draws=_log_draws(log, stated),
        reason=reasons,
        noise=stated.noise,
    )


def _e0_from_radii(log: Log, sigma: float) -> Floats:
    """Return Phi(r / sigma), rounded down, for the smallest r that prints as the log's radius."""
    return cdf_rounded_down(np.nextafter(log.radius.lower / sigma, -np.inf))


def _e0_from_counts(log: Log, stated: StatedSettings) -> Floats:
    """Return the one-sided Clopper-Pearson lower limit at alpha: other draws chose the class."""
    draws = _log_draws(log, stated)
    assert log.count is not None and draws is not None  # the importer requires --draws
    worst = int((log.count - draws).argmax())
    require(
        bool((log.count >= 0).all() and (log.count <= draws).all()),
        f"draws must be at least every raw_count, got {draws[worst]} draws for a count of "
        f"{log.count[worst]} at index {log.index[worst]}",
    )
    return binomial.clopper_pearson_lower(log.count, draws, np.full(len(log), stated.alpha))[0]


def _log_draws(log: Log, stated: StatedSettings) -> Ints | None:
    """Return (N,) the draws that the log gives, else those stated, else None."""
    if log.draws is not None or stated.draws is None:
        return log.draws
    return np.full(len(log), stated.draws)


def cdf_rounded_down(z: Floats) -> Floats:
    """Return Phi(z) rounded down, never 1; near 1 it is 1 minus the other tail rounded up."""
    tail = ndtr(-np.abs(z))
    high = np.nextafter(1 - tail * (1 + SLACK), 0.0)
    return np.asarray(np.where(z >= 0, high, tail * (1 - SLACK)))
