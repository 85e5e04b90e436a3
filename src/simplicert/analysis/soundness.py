"""Is a mechanism sound? A million points of the simplex, and every rule that a radius must keep.

No true radius that is a function of (E_0, E_1) is above two_sided, and one that is never above it
promises nothing false, whatever its own proof says. The other rules find mistakes in the code.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from simplicert.analysis import simplex
from simplicert.analysis.answers import Finding, Function, quietly
from simplicert.analysis.extremes import Extreme, extreme
from simplicert.analysis.probes import probes
from simplicert.analysis.rules import allowed, broken_rules
from simplicert.certification import Own, chosen
from simplicert.errors import InvalidInput, require
from simplicert.importing import said
from simplicert.mechanisms import MECHANISMS, PAPER_ENSEMBLE, Mechanism
from simplicert.types import Floats, Kind

POINTS = 1_000_000
FEWEST, MOST = 2000, 100_000_000
STEPS = 300  # of the grid on which it is compared with others
ORDINARY = (0.7, 0.2)  # where any mechanism answers


@dataclass(frozen=True)
class Wins:
    """Where a mechanism is larger than every rival: share of the area, and the largest ratio."""

    over: tuple[str, ...]
    share: float
    best: Extreme


@dataclass(frozen=True)
class Soundness:
    """What a check found; a mechanism is compared with others only if it is sound."""

    name: str
    kind: Kind
    points: int
    seed: int
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    wins: Wins | None

    @property
    def sound(self) -> bool:
        """Whether no rule was broken."""
        return not self.findings


def check(
    mechanism: str | Own,
    kind: Kind = "multinomial",
    points: int = POINTS,
    seed: int = 0,
    name: str | None = None,
) -> Soundness:
    """Put a mechanism to the test at so many points: a name of ours, a function or a Mechanism.

    Rounding is allowed for as certification does: 1e-9 of the value, and 1e-9.
    """
    label = name or (mechanism if isinstance(mechanism, str) else simplex.own_name(mechanism))
    row = chosen({label: mechanism}, kind)[label]
    require(
        row.needs == "pair",
        f"mechanism must be one that reads (e0, e1), got {label!r}, which needs {row.needs}",
    )
    require(
        isinstance(points, int) and FEWEST <= points <= MOST,
        f"points must be a whole number in {FEWEST}..{MOST}, got {points!r}",
    )
    answers_somewhere(label, row.radius)
    where = probes(points, seed)
    limited = (row.noise, row.norm) == ("gaussian", "l2")
    findings = broken_rules(row.radius, where, limited)
    silent = {"answers", "shape"} & {finding.rule for finding in findings}
    notes = [] if silent else remarks(row.radius)
    if not limited:
        notes.append(
            f"no limit is known for {row.noise} noise and {row.norm}: that rule is left out"
        )
    wins = None if findings else compared(label, row, kind)
    return Soundness(label, kind, len(where.e0), seed, tuple(findings), tuple(notes), wins)


def answers_somewhere(name: str, function: Function) -> None:
    """Refuse what is no mechanism at all: a function of other arguments."""
    e0, e1 = (np.array([value]) for value in ORDINARY)
    try:
        quietly(function, e0, e1)
    except Exception as error:  # the user's own code may raise anything
        raise InvalidInput(
            f"mechanism {name} must answer for arrays e0 and e1, and at e0 = {ORDINARY[0]}, "
            f"e1 = {ORDINARY[1]} it raises {said(error)}"
        ) from error


def remarks(function: Function) -> list[str]:
    """What it does where certification never asks, or only a caller who gives E_1 = 0 himself."""
    half = np.linspace(0.05, 0.5, 10)
    square = np.full((2, 3), 0.7), np.full((2, 3), 0.2)
    said_of = (
        beyond(function, np.concatenate([half, half]), np.concatenate([half, np.sqrt(half / 2)])),
        odd(function, half, np.zeros(10), "at E1 = 0, which no bound gives"),
        odd(function, *square, "for arrays of two dimensions, which certification does not use"),
    )
    return [note for note in said_of if note]


def beyond(function: Function, e0: Floats, e1: Floats) -> str:
    """What it returns at E_0 <= E_1, if it is not 0."""
    why = "where E0 <= E1: certification gives 0 there without asking"
    found = aside(function, e0, e1)
    if isinstance(found, str):
        return f"{found} {why}"
    wrong = found.shape == e0.shape and found != 0
    if not np.any(wrong):
        return ""
    at = int(np.argmax(wrong))
    return f"returns {found[at]:.6g} at e0 = {e0[at]:.6g}, e1 = {e1[at]:.6g}, {why}"


def odd(function: Function, e0: Floats, e1: Floats, where: str) -> str:
    """That it raises, or returns something else than a number for each point."""
    found = aside(function, e0, e1)
    if isinstance(found, str):
        return f"{found} {where}"
    if found.shape != e0.shape:
        return f"returns an array of shape {found.shape} for {e0.shape} {where}"
    return f"returns NaN {where}" if np.isnan(found).any() else ""


def aside(function: Function, e0: Floats, e1: Floats) -> Floats | str:
    """An answer that no rule depends on, or what it raises instead."""
    try:
        return np.asarray(quietly(function, e0.copy(), e1.copy()), dtype=float)
    except Exception as error:  # the user's own code may raise anything
        return f"raises {said(error)}"


def compared(name: str, row: Mechanism, kind: Kind) -> Wins:
    """Where it is larger than the paper's ensemble, itself left out."""
    rivals = [other for other in PAPER_ENSEMBLE[kind] if MECHANISMS[other].radius != row.radius]
    known = simplex.grid(STEPS, kind)
    ours, theirs = simplex.largest({name: row}, known), simplex.largest(rivals, known)
    best = extreme(partial(simplex.ratio, {name: row}, rivals), kind, 1.0)
    return Wins(tuple(rivals), float(np.mean(ours - theirs > allowed(theirs))), best)
