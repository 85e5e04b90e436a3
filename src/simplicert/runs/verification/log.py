"""An imported log: does what was kept of it follow from what it printed?"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from simplicert.errors import SimplicertError
from simplicert.runs.known import KnownRun
from simplicert.runs.logs.cells import number_text
from simplicert.runs.logs.expectations import expectations
from simplicert.runs.logs.log import Log, Stated
from simplicert.runs.verification.check import Check, listed

ROUNDING = 1e-9  # share by which other versions of the libraries may move a number
LAST_BIT = 2.0**-50  # of 1 - E0, whose own size may be as small
FIELDS = ("label", "correct", "seconds", "draws", "count")
ABOUT = "draws"
# What columns that contradict each other make the reading below raise.
UNREADABLE = (SimplicertError, LookupError, ValueError, TypeError, AttributeError, ArithmeticError)


def log_checks(run: KnownRun) -> Iterator[Check]:
    """Rows, and every number that was computed from the log's own text."""
    held, wanted = run.columns, run.manifest.inputs
    rows = len(held["index"])
    says = f"the imported log matches its checksum and holds {rows} of {wanted} inputs"
    yield Check("files", rows == wanted, says)
    if "radius_text" not in held:
        yield Check(ABOUT, False, "the text of the log's radii is not there")
        return
    try:
        wrong = list(differences(run, held))
    except UNREADABLE as error:
        yield Check(ABOUT, False, f"the imported log contradicts itself: {error}")
        return
    if wrong:
        says = f"what was kept of the log does not follow from its text: {listed(wrong, 3)}"
        yield Check(ABOUT, False, says)
        return
    said = "sha256 of the log: " + str(run.manifest.source.get("sha256", "not kept"))
    says = f"{run.holds} follow from the text of the log; that the text is its author's is not"
    yield Check(ABOUT, True, f"{says} shown here ({said})")


def differences(run: KnownRun, held: dict[str, Any]) -> Iterator[str]:
    """Each column that the log's text does not give, with the first input."""
    log = Log(
        index=held["index"],
        predicted=held["predicted"],
        radius_text=tuple(number_text(text) for text in held["radius_text"]),
        **{name: held[name] for name in FIELDS if name in held},
    )
    if run.holds == "radii":
        wanted: dict[str, Any] = {"radius": log.radius.value}
    else:
        if log.count is not None and log.draws is None:
            raise ValueError("it has counts and no draws")
        run.expectations()  # refuses what no expectations are
        known = expectations(log, Stated(run.manifest.sigma, run.manifest.alpha))
        wanted = {"e0": known.e0, "e1": known.e1, "reason": known.reason}
        if known.method != run.manifest.source.get("method"):
            yield f"the method is {known.method}"
    for name, values in wanted.items():
        same = _same(np.asarray(held[name]), values)
        if not same.all():
            row = int(np.argmin(same))
            yield f"{name} of input {log.index[row]} is {values[row]}, not {held[name][row]}"


def _same(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """(N,) whether two columns agree, numbers up to rounding."""
    if other.dtype.kind != "f":
        return np.asarray(one == other)
    return np.asarray(np.isclose(one, other, rtol=ROUNDING, atol=LAST_BIT, equal_nan=True))
