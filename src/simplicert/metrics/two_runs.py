"""Compare two runs of the same inputs: `compare` puts them in one order and counts.

What is counted stands in `changes`; the band of the difference and its tests are in `differences`.
"""

from __future__ import annotations  # help() shows types as they are written here

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from simplicert.errors import InvalidInput, require
from simplicert.metrics.changes import Comparison, counted_inputs
from simplicert.metrics.comparable import require_same_inputs, require_same_norm
from simplicert.metrics.differences import difference_curve, swap_means_p_value
from simplicert.metrics.intervals import CONFIDENCE, check_finite, rate_curve
from simplicert.metrics.pairing import average_radius_change, match_inputs
from simplicert.metrics.radii import STEPS, radius_sign, round_radii, whole_radii
from simplicert.metrics.study import Study
from simplicert.noises import NOISES
from simplicert.store import ImportedRun, Run, open_run
from simplicert.types import Certificates, Floats

MARKS = 6  # round radii after 0
POINTS = 100  # steps of a curve, at most, beside those


Comparable = Certificates | Study | Run | ImportedRun | Path | str


def compare(
    a: Comparable,
    b: Comparable,
    *,
    radii: ArrayLike | None = None,
    column: str = "radius",
    kind: str | None = None,
    names: Sequence[str] | None = None,
    confidence: float = CONFIDENCE,
) -> Comparison:
    """Compare two runs of the same inputs, input by input: what b gains on a, and what it loses.

    Each of them is certificates, an opened run or the path of its folder. Runs of different inputs,
    labels, norms or sensitivities are refused.

    >>> import simplicert as sc
    >>> first = sc.certify(sc.bound(sc.Tally([[900, 80, 20], [40, 35, 25]], 0.5, labels=[0, 0])))
    >>> second = sc.certify(sc.bound(sc.Tally([[990, 8, 2], [90, 8, 2]], 0.5, labels=[0, 0])))
    >>> sc.compare(first, second)
    Comparison(b against a, 2 inputs: 1 certified by both as one class, 0 flipped, 0 by a alone, 1 by b alone, 0 by neither)
    >>> sc.compare(first, second).difference.value[:3]
    array([0.5, 0.5, 0.5])
    """  # noqa: E501
    sides = [_open_side(name, side) for name, side in (("a", a), ("b", b))]
    studies = [side for side in sides if isinstance(side, Study)]
    if len(studies) == len(sides):
        require_same_inputs(studies)
        require_same_norm(studies)
    first, second = (side.certificates(kind) if isinstance(side, Study) else side for side in sides)
    _require_one_unit(first, second)
    called = _choose_names(sides, names)
    return _compare_certificates(called, first, second, column, radii, confidence)


def _open_side(name: str, side: Comparable) -> Study | Certificates:
    """Return certificates as they are, and anything else as a study."""
    if isinstance(side, Certificates | Study):
        return side
    if isinstance(side, Path | str):
        return Study(Path(side).resolve().name, open_run(side))
    if isinstance(side, Run | ImportedRun):
        return Study(side.folder.resolve().name, side)
    raise InvalidInput(
        f"{name} must be certificates, a run or the path of its folder, got {type(side).__name__}"
    )


def _choose_names(sides: Sequence[object], names: Sequence[str] | None) -> tuple[str, str]:
    """Return what the two are called: as asked, else by their folders, else a and b."""
    if names is not None:
        require(len(names) == len(sides), f"names must be two, got {names!r}")
        require(names[0] != names[1], f"names must be different, got {names[0]!r} twice")
        return (names[0], names[1])
    found = [side.name if isinstance(side, Study) else None for side in sides]
    if found[0] == found[1]:
        return ("a", "b") if found[0] is None else (f"{found[0]} (a)", f"{found[1]} (b)")
    return (found[0] or "a", found[1] or "b")


def _require_one_unit(first: Certificates, second: Certificates) -> None:
    """Refuse certificates whose radii are numbers of different things."""
    norms, stages = ({first.known.norm, second.known.norm}, {first.sensitivity, second.sensitivity})
    require(
        len(norms) == 1,
        f"a and b must have radii in one norm to be compared, got {first.known.norm} and "
        f"{second.known.norm}",
    )
    require(
        len(stages) == 1,
        f"a and b must have radii of one sensitivity to be compared, got {first.sensitivity:g} and "
        f"{second.sensitivity:g}",
    )
    require(
        first.closed == second.closed,
        f"a and b must have radii of one kind to be compared, and only those of one cover changes "
        f"of exactly their size: got {first.known.noise.name} and {second.known.noise.name} noise",
    )


def _compare_certificates(
    names: tuple[str, str],
    first: Certificates,
    second: Certificates,
    column: str,
    radii: ArrayLike | None,
    confidence: float,
) -> Comparison:
    """Put both in one order, and count at every radius."""
    index, mine, its = match_inputs(first, second)
    require(index.size > 0, "a and b must hold at least one input, got none")
    labelled = first.known.labels is not None and second.known.labels is not None
    labels = first.known.labels[mine] if labelled and first.known.labels is not None else None
    sides = [(first.predicted[mine], first.column(column)[mine])]
    sides.append((second.predicted[its], second.column(column)[its]))
    shown, at = _choose_radii(first, max(float(side[1].max()) for side in sides), radii)
    hits = [counted_inputs(*side, at, labels, closed=first.closed) for side in sides]
    curves = [
        rate_curve(side[1][hit[:, 0]], at, index.size, confidence, inclusive=first.closed)
        for side, hit in zip(sides, hits, strict=True)
    ]
    change = None
    if labelled:
        change = average_radius_change(first, second, column, confidence=confidence)
    gains = [np.where(side[0] == labels, side[1], 0.0) for side in sides] if labelled else None
    return Comparison(
        names=names,
        column=column,
        norm=first.known.norm,
        sign=radius_sign(first),
        index=index,
        labels=labels,
        first_radius=sides[0][1],
        second_radius=sides[1][1],
        first_class=sides[0][0],
        second_class=sides[1][0],
        first_pair=_read_pairs(first)[mine],
        second_pair=_read_pairs(second)[its],
        radii=shown,
        first=curves[0],
        second=curves[1],
        difference=difference_curve(at, hits[0], hits[1], confidence),
        average_radius=change,
        average_radius_p=None if gains is None else swap_means_p_value(gains[1] - gains[0]),
    )


def _read_pairs(certificates: Certificates) -> Floats:
    """(N, 2) E_0 and E_1; an abstention has no bounds to show, and some schemes have no pair."""
    known = certificates.known
    hidden = certificates.abstained if known.has_pair else np.ones(len(known), bool)
    return np.where(hidden[:, None], np.nan, np.column_stack([known.e0, known.e1]))


def _choose_radii(
    certificates: Certificates, largest: float, asked: ArrayLike | None
) -> tuple[tuple[float, ...], Floats]:
    """Return the radii of the table, and all those of the curves, which begin at 0."""
    whole = NOISES[certificates.known.noise.name].whole
    if asked is not None:
        shown = np.unique(check_finite("radii", asked, (None,)))
        require(shown.size > 0 and shown[0] >= 0, f"radii must be at least 0, got {asked!r:.80}")
    elif whole:
        shown = np.array(whole_radii(largest, MARKS + 1))
    else:
        shown = np.array(round_radii(largest, MARKS))
    return tuple(shown.tolist()), _curve_radii(max(largest, shown[-1]), shown, whole=whole)


def _curve_radii(end: float, shown: Floats, *, whole: bool) -> Floats:
    """Return 0, even steps of a round size to beyond the end, and the radii of the table."""
    if whole:
        step = float(max(1, np.ceil(end / POINTS)))
        at = np.arange(0, end + step, step)
    elif end <= 0:
        at = np.array([0.0])
    else:
        power = 10.0 ** np.floor(np.log10(end / POINTS))
        step = min(size * power for size in (*STEPS, 10.0) if size * power >= end / POINTS)
        at = np.round(step * np.arange(np.ceil(end / step) + 1), 12)
    return np.unique(np.concatenate([at, shown]))
