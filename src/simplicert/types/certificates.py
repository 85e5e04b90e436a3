"""Certificates: one certified radius per input, and the mechanisms it comes from.

`Certificates` holds the radii of every mechanism and turns them into a table.
`format_radius_down` writes a radius as text that is never larger than the number.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from simplicert.errors import check_positive, require
from simplicert.noises import GAUSSIAN, NOISES, say_noise
from simplicert.noises.words import name_norm
from simplicert.types.arrays import (
    Bools,
    Floats,
    Ints,
    ReadOnlyArrays,
    Texts,
    freeze_array,
    read_only,
)
from simplicert.types.expectations import Expectations

if TYPE_CHECKING:
    import pandas as pd

# Columns of the table that are not mechanisms, in their order; radii stand between e1 and ensemble.
COLUMNS_BEFORE_RADII = (
    "index",
    "label",
    "top",
    "predicted",
    "correct",
    "abstained",
    "radius",
    "e0",
    "e1",
)

COLUMNS_AFTER_RADII = ("ensemble", "winner", "draws", "sigma", "alpha", "kind", "scheme")

HISTORY_COLUMNS = ("looks", "alpha_spent", "stopped")  # where inputs were drawn look by look

LAST_COLUMNS = ("method", "level", "count_top", "count_second", "sensitivity", "grid")

THREAT_COLUMNS = ("noise", "norm")  # where these are not Gaussian and l2

RESERVED_COLUMNS = frozenset(
    COLUMNS_BEFORE_RADII + COLUMNS_AFTER_RADII + HISTORY_COLUMNS + LAST_COLUMNS + THREAT_COLUMNS
)

NOTEBOOK_ROWS = 10  # rows shown in a notebook

DIGITS = Context(prec=400)  # the largest float has 309 digits before the point


@dataclass(frozen=True, eq=False, repr=False)
class Certificates(ReadOnlyArrays):
    """Radii in units of the input, 0 where abstained; `radius` is the best that is proved.

    The ensemble is the paper's, whatever mechanisms were asked for; `winner` names its largest
    member, "" where all are 0, the first of the paper's order on a tie. Where a margin is known and
    no pair, `two_sided` is all there is: the ensemble is NaN, `winner` is "".

    >>> import simplicert as sc
    >>> certificates = sc.certify(sc.bound(sc.Tally([[990, 8, 2], [40, 35, 25]], sigma=0.5)))
    >>> certificates.abstained
    array([False,  True])
    >>> certificates.to_frame()[["top", "radius", "winner"]].round(3)
       top  radius winner
    0    0   0.992  cohen
    1    0   0.000   <NA>
    """

    known: Expectations
    radii: Mapping[str, Floats]  # mechanism -> (N,)
    ensemble: Floats  # (N,)
    winner: Texts  # (N,)
    sensitivity: float = 1.0  # of the stage before the noise: radii are of what goes into it
    exploratory: bool = False  # settings other than those declared before the counts were seen
    uncomputed: tuple[str, ...] = ()  # columns left empty unless in `radii`: no alpha was left

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: a view of a dictionary cannot be."""
        return {**self.__dict__, "radii": dict(self.radii)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the fields, as unwritable as they were."""
        for values in state["radii"].values():
            read_only(values)
        super().__setstate__({**state, "radii": MappingProxyType(state["radii"])})

    def __post_init__(self) -> None:
        """Refuse NaN, negative radii, and radii where nothing is known."""
        set_field = object.__setattr__
        set_field(self, "sensitivity", check_positive("sensitivity", self.sensitivity))
        require(bool(self.radii), "mechanisms must name at least one mechanism, got none")
        copied = {name: np.array(r, float) for name, r in self.radii.items()}
        set_field(self, "radii", MappingProxyType(copied))
        set_field(self, "ensemble", np.array(self.ensemble, float))
        set_field(self, "winner", freeze_array("winner", np.array(self.winner, str), (None,)))
        self.ensemble.setflags(write=False)
        for name, values in self._computed().items():
            sound = values.shape == self.known.top.shape and bool(
                (np.isfinite(values) & (values >= 0)).all()
            )
            require(sound, f"radii of {name} must be finite and not negative")
            require(
                not (values[self.known.abstained] > 0).any(),
                f"radii of {name} must be 0 where the input is abstained",
            )
            values.setflags(write=False)
        require(
            "ensemble" in self.columns or bool(np.isnan(self.ensemble).all()),
            "ensemble must be NaN where a margin is known and no pair",
        )
        require(
            np.array_equal(self.winner != "", self.ensemble > 0),
            "winner must name a mechanism exactly where the ensemble certifies",
        )

    def _computed(self) -> dict[str, Floats]:
        """Return the radii by column; without a pair there is no ensemble."""
        together = {"ensemble": self.ensemble} if self.known.has_pair else {}
        return {**self.radii, **together}

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the radii that were computed: the mechanisms, and the ensemble if any."""
        return tuple(self._computed())

    @property
    def space(self) -> str:
        """The space the radii are measured in, in words: the input, or the input of a stage."""
        return "the input" if self.sensitivity == 1 else f"the input of {self.stage}"

    @property
    def stage(self) -> str:
        """The stage that comes before the noise, in words; "" where there is none."""
        return "" if self.sensitivity == 1 else f"a first stage of sensitivity {self.sensitivity:g}"

    @cached_property
    def radius(self) -> Floats:
        """(N,) the largest radius that is proved: all of them hold on the same event."""
        return read_only(np.max(list(self._computed().values()), axis=0))

    @cached_property
    def abstained(self) -> Bools:
        """(N,) where there is no certificate: nothing is promised, not even the class."""
        if self.known.certain and self.known.margin is not None:  # the counts say who wins a tie
            return self.known.abstained
        if self.closed:  # then a radius of 0 still promises the class of the input itself
            return read_only(~(self.known.e0 > self.known.e1))
        return read_only(~(self.radius > 0))

    @property
    def closed(self) -> bool:
        """Whether a radius covers changes that are exactly as large, as whole numbers do."""
        return NOISES[self.known.noise.name].closed

    def reaches(self, radius: float, column: str = "radius", *, inclusive: bool = False) -> Bools:
        """(N,) where the class is certified for every change of size `radius`, right or wrong.

        A ball is open: its radius must be larger than that. A radius that is a whole number of
        features or edits covers as many. `inclusive` counts an open ball of this very radius too,
        as much of the field does.
        """
        reached = covers_radius(
            self.column(column), radius, closed=self.closed, inclusive=inclusive
        )
        return np.asarray(reached & ~self.abstained)

    @cached_property
    def predicted(self) -> Ints:
        """(N,) the certified class; -1 where abstained (the table shows an empty cell)."""
        return read_only(np.where(self.abstained, -1, self.known.top))

    @cached_property
    def correct(self) -> Bools:
        """(N,) where the certified class is the label; an error without labels."""
        require(self.known.labels is not None, "labels are needed to say what is correct")
        return read_only(~self.abstained & (self.known.top == self.known.labels))

    def column(self, name: str) -> Floats:
        """Return (N,) the radii of one column: a mechanism, "ensemble" or "radius"."""
        columns = {**self._computed(), "radius": self.radius}
        require(
            name in columns or name not in (*self.uncomputed, "ensemble"),
            f"column must be one of {', '.join(columns)}: scheme {self.known.scheme}, method "
            f"{self.known.method}, bounds that radius alone, got {name!r}",
        )
        require(name in columns, f"column must be one of {', '.join(columns)}, got {name!r}")
        return columns[name]

    def to_frame(self) -> "pd.DataFrame":
        """Make a table with one row per input.

        The settings are columns, so that a saved table explains itself.
        """
        import pandas as pd

        known, hidden = self.known, self.abstained
        rows = len(known)
        correct = pd.array([pd.NA] * rows, dtype="boolean")
        if known.labels is not None:
            correct = pd.array(self.correct, dtype="boolean")
        predicted = pd.array(known.top, dtype="Int64")
        predicted[hidden] = pd.NA
        return pd.DataFrame(
            {
                "index": known.index,
                "label": self._whole(known.labels),
                "top": known.top,
                "predicted": predicted,
                "correct": correct,
                "abstained": hidden,
                "radius": self.radius,
                "e0": np.where(hidden, np.nan, known.e0),
                "e1": np.where(hidden, np.nan, known.e1),
                **dict.fromkeys(self.uncomputed, np.full(rows, np.nan)),
                **self.radii,
                "ensemble": self.ensemble,
                "winner": pd.array([name or None for name in self.winner], dtype="string"),
                "draws": self._whole(known.draws),
                "sigma": known.sigma,
                "alpha": known.alpha,
                "kind": known.kind,
                "scheme": known.scheme,
                **self._history(),
                "method": known.method,
                "level": known.level,
                "count_top": self._whole(known.count_top),
                "count_second": self._whole(known.count_second),
                "sensitivity": self.sensitivity,
                "grid": np.nan if known.grid is None else known.grid,
                **self.threat_columns(),
            }
        )

    def _whole(self, values: Ints | None) -> "pd.api.extensions.ExtensionArray":
        """Make a column of whole numbers, with empty cells where there are no values."""
        import pandas as pd

        return pd.array([pd.NA] * len(self) if values is None else values, dtype="Int64")

    def threat_columns(self) -> dict[str, str]:
        """Return noise and norm, where they are not the usual ones."""
        known = self.known
        if known.noise == GAUSSIAN and known.norm.removeprefix("scaled ") == "l2":
            return {}
        return dict(zip(THREAT_COLUMNS, (str(known.noise), known.norm), strict=True))

    def _history(self) -> dict[str, Any]:
        """Return how each input was drawn, if it was drawn look by look."""
        known = self.known
        if known.looks is None:
            return {}
        why = known.stopped if known.stopped is not None else np.full(len(known), "")
        return dict(zip(HISTORY_COLUMNS, (known.looks, known.spent, why), strict=True))

    def __len__(self) -> int:
        """Return N, the number of inputs."""
        return len(self.known)

    def __repr__(self) -> str:
        """Show how many inputs are certified, and how far, in one line."""
        known, live = self.known, ~self.abstained
        middle = format_radius_down(float(np.median(self.radius))) if len(self) else "none"
        return (
            f"Certificates({int(live.sum())} of {len(self)} inputs certified, "
            f"median radius {middle}; {known.kind}, scheme {known.scheme}, "
            f"{say_noise(known.noise, known.sigma)}, "
            f"{'' if self.sensitivity == 1 else f'sensitivity {self.sensitivity:g}, '}"
            f"{known.surety}{', exploratory' if self.exploratory else ''}"
            f"{'' if known.norm == 'l2' else f', {name_norm(known.norm)}'})"
        )

    def _repr_html_(self) -> str:
        """Show a notebook the summary line and the first rows."""
        from html import escape

        frame = self.to_frame().head(NOTEBOOK_ROWS)
        for name in ("radius", *self.columns):  # shown radii are rounded down too
            frame[name] = [format_radius_down(value) for value in frame[name]]
        table = frame.to_html(index=False, na_rep="", float_format="{:.4g}".format)
        more = (
            f"<p>first {NOTEBOOK_ROWS} of {len(self)} inputs</p>"
            if len(self) > NOTEBOOK_ROWS
            else ""
        )
        return f"<p>{escape(repr(self))}</p>{table}{more}"


def covers_radius(
    radii: Floats, at: float | Floats, *, closed: bool, inclusive: bool = False
) -> Bools:
    """Say which certified radii cover changes of this size, where there is a certificate.

    This is the only place where certified radii are compared with a radius that is asked for. A
    closed radius covers the changes that are as large as itself, and at 0 the input alone. The
    radius of an open ball must be larger, and 0 is no certificate; with `inclusive` it may be as
    large, which is the convention of many tables and no promise about the sphere.

    >>> covers_radius(np.array([0.0, 1.0, 2.0]), 1.0, closed=True)
    array([False,  True,  True])
    >>> covers_radius(np.array([0.0, 1.0, 2.0]), 1.0, closed=False)
    array([False, False,  True])
    """
    if closed:
        return np.asarray(radii >= at)
    return np.asarray((radii > 0) & (radii >= at) if inclusive else radii > at)


def format_radius_down(radius: float, decimals: int = 4) -> str:
    """Write a radius with this many decimals, rounded toward zero by exact arithmetic."""
    if not 0 <= radius < float("inf"):
        return f"{radius:g}"
    return str(quantize_float(radius, decimals, ROUND_FLOOR))


def quantize_float(value: float, decimals: int, direction: str) -> Decimal:
    """Round a finite float to this many decimals in exact arithmetic, in the given direction."""
    return Decimal(value).quantize(Decimal(1).scaleb(-decimals), direction, DIGITS)
