"""Certificates as a log that other people's scripts read."""

from collections.abc import Callable
from datetime import timedelta
from decimal import ROUND_FLOOR, Context, Decimal

from simplicert.errors import choose, require
from simplicert.types import Certificates

ABSTAIN = -1
ALL_DIGITS = Context(prec=17, rounding=ROUND_FLOOR)  # enough to tell any two radii apart


def cohen(certificates: Certificates, column: str, seconds: float) -> str:
    """Cohen et al.'s (2019) log: idx, label, predict, radius, correct, time between tabs.

    Radii are rounded down, at their last digit: theirs are to the nearest of three digits, which
    can be too large, and which an audit then has to allow for.
    `seconds` is the mean time of an input, as a run keeps no other.
    """
    known = certificates.known
    require(known.labels is not None, "labels are needed for Cohen's log, which has a column label")
    assert known.labels is not None and known.index is not None
    radii, spent = certificates.column(column), timedelta(seconds=round(seconds, 3))
    lines = ["idx\tlabel\tpredict\tradius\tcorrect\ttime"]
    for row, item in enumerate(known.index.tolist()):
        live = not certificates.abstained[row] and radii[row] > 0
        predict = int(known.top[row]) if live else ABSTAIN
        radius = ALL_DIGITS.plus(Decimal(float(radii[row]))) if live else Decimal(0)
        label = int(known.labels[row])
        correct = int(predict == label)
        lines.append(f"{item}\t{label}\t{predict}\t{radius:f}\t{correct}\t{spent}")
    return "\n".join(lines) + "\n"


EXPORTS: dict[str, Callable[[Certificates, str, float], str]] = {"cohen": cohen}


def export(certificates: Certificates, name: str, column: str, seconds: float = 0.0) -> str:
    """The log of this name."""
    return choose("format", name, EXPORTS)(certificates, column, seconds)
