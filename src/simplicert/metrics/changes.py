"""What changes from one run to another, input by input: the object that `compare` returns.

Everything is about one column of radii, by default the largest that is proved, and reads "second
less first". An abstention has radius 0 and no class. At radius r an input *counts* if it is
certified as its label beyond r; without labels, if it is certified beyond r as any class. Then

    gained     it counts in the second run alone
    lost       it counts in the first run alone
    flipped    both certify it, as different classes; at any radius

Without labels nothing is said of accuracy or of the average certified radius, which needs to know
who is right: the shares that remain are of inputs certified, and of those on which both agree.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from simplicert.errors import require
from simplicert.metrics.differences import DifferenceCurve
from simplicert.metrics.intervals import RateCurve, check_finite
from simplicert.metrics.pairing import AverageRadiusChange
from simplicert.types import Bools, Floats, Ints
from simplicert.types.certificates import covers_radius

NO_CLASS = -1  # of an abstention

CURVE_COLUMNS = ("radius", "first", "second", "value", "low", "high", "gained", "lost", "p")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two runs of the same N inputs, which stand in rising order of their numbers.

    >>> import simplicert as sc
    >>> labels = [0, 0, 1]
    >>> first = sc.Tally([[900, 80, 20], [400, 350, 250], [990, 8, 2]], 0.5, labels=labels)
    >>> second = sc.Tally([[990, 8, 2], [600, 250, 150], [8, 990, 2]], 0.5, labels=labels)
    >>> both = sc.compare(*(sc.certify(sc.bound(tally)) for tally in (first, second)))
    >>> both.index[both.gained(0.75)], both.index[both.lost(0.75)], both.index[both.flipped]
    (array([0, 2]), array([], dtype=int64), array([2]))
    >>> both.agreement
    {'same': 1, 'flipped': 1, 'only_first': 0, 'only_second': 1, 'neither': 0}
    >>> round(both.average_radius.difference, 3), both.average_radius_p
    (0.522, 0.2488)
    """

    names: tuple[str, str]
    column: str
    norm: str
    sign: str  # between a radius and the r that it reaches: > or >=
    index: Ints  # (N,) numbers of the inputs
    labels: Ints | None  # (N,) None unless both runs have labels
    first_radius: Floats  # (N,) 0 where abstained
    second_radius: Floats  # (N,)
    first_class: Ints  # (N,) the certified class, -1 where abstained
    second_class: Ints  # (N,)
    first_pair: Floats  # (N, 2) E_0 and E_1, NaN where abstained or where there is no pair
    second_pair: Floats  # (N, 2)
    radii: tuple[float, ...]  # those to show in a table
    first: RateCurve  # the share that counts, at radii from 0 to the largest
    second: RateCurve
    difference: DifferenceCurve
    average_radius: AverageRadiusChange | None  # None without labels
    average_radius_p: float | None  # of random swaps, two-sided

    @property
    def labelled(self) -> bool:
        """Whether shares are of inputs certified as their label."""
        return self.labels is not None

    @property
    def flipped(self) -> Bools:
        """(N,) certified by both runs, as different classes."""
        return np.asarray(self._both & (self.first_class != self.second_class))

    @property
    def _both(self) -> Bools:
        return np.asarray((self.first_class != NO_CLASS) & (self.second_class != NO_CLASS))

    @cached_property
    def agreement(self) -> dict[str, int]:
        """How many inputs both runs certify as one class, as two, one run alone, or neither."""
        had, has = self.first_class != NO_CLASS, self.second_class != NO_CLASS
        masks = {
            "same": self._both & ~self.flipped,
            "flipped": self.flipped,
            "only_first": had & ~has,
            "only_second": has & ~had,
            "neither": ~had & ~has,
        }
        return {name: int(mask.sum()) for name, mask in masks.items()}

    def counts(self, radius: float) -> tuple[Bools, Bools]:
        """Return (N,) which inputs count at a radius, in the first run and in the second."""
        at = check_finite("radius", [radius], (1,))
        require(bool(at >= 0), f"radius must not be negative, got {radius}")
        first, second = (
            counted_inputs(classes, radii, at, self.labels, closed=self.sign == ">=")[:, 0]
            for classes, radii in (
                (self.first_class, self.first_radius),
                (self.second_class, self.second_radius),
            )
        )
        return first, second

    def gained(self, radius: float) -> Bools:
        """(N,) inputs that count at this radius in the second run alone."""
        first, second = self.counts(radius)
        return second & ~first

    def lost(self, radius: float) -> Bools:
        """(N,) inputs that count at this radius in the first run alone."""
        first, second = self.counts(radius)
        return first & ~second

    def record(self) -> dict[str, Any]:
        """Return everything as JSON can hold it: numbers, curves, and one entry per input."""
        average, curve = self.average_radius, self.difference
        return {
            "names": list(self.names),
            "column": self.column,
            "norm": self.norm,
            "sign": self.sign,
            "inputs": len(self.index),
            "share": "certified as the label" if self.labelled else "certified",
            "agreement": self.agreement,
            "average_radius": average
            and {
                "first": average.first.value,
                "second": average.second.value,
                "difference": average.difference,
                "low": average.low,
                "high": average.high,
                "p": self.average_radius_p,
                "resamples": average.resamples,
                "seed": average.seed,
            },
            "confidence": curve.confidence,
            "band_errors": curve.errors,
            "curve": [
                dict(zip(CURVE_COLUMNS, row, strict=True))
                for row in zip(
                    curve.at.tolist(),
                    self.first.value.tolist(),
                    self.second.value.tolist(),
                    *(getattr(curve, name).tolist() for name in CURVE_COLUMNS[3:]),
                    strict=True,
                )
            ],
            "rows": self._input_records(),
        }

    def _input_records(self) -> list[dict[str, Any]]:
        """Return one entry per input; an abstention has no class."""
        labels = [None] * len(self.index) if self.labels is None else self.labels.tolist()
        return [
            {
                "index": index,
                "label": label,
                "first_class": None if old == NO_CLASS else old,
                "second_class": None if new == NO_CLASS else new,
                "first_radius": before,
                "second_radius": after,
            }
            for index, label, old, new, before, after in zip(
                self.index.tolist(),
                labels,
                self.first_class.tolist(),
                self.second_class.tolist(),
                self.first_radius.tolist(),
                self.second_radius.tolist(),
                strict=True,
            )
        ]

    def __repr__(self) -> str:
        """Say who agrees with whom in one line."""
        agreed = self.agreement
        return (
            f"Comparison({self.names[1]} against {self.names[0]}, {len(self.index)} inputs: "
            f"{agreed['same']} certified by both as one class, {agreed['flipped']} flipped, "
            f"{agreed['only_first']} by {self.names[0]} alone, "
            f"{agreed['only_second']} by {self.names[1]} alone, {agreed['neither']} by neither)"
        )


def counted_inputs(
    classes: Ints, radii: Floats, at: Floats, labels: Ints | None, *, closed: bool
) -> Bools:
    """(N, R) which inputs are certified beyond each radius, as their label where there are any."""
    right = classes != NO_CLASS if labels is None else (classes != NO_CLASS) & (classes == labels)
    reached = covers_radius(radii[:, None], at[None, :], closed=closed)
    return np.asarray(right[:, None] & reached)
