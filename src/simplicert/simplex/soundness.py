"""Check whether a mechanism is sound: a million points, and every rule that a radius must keep.

No true radius that is a function of (E_0, E_1) is above two_sided, and one that is never above it
promises nothing false, whatever its own proof says. The other rules find mistakes in the code.

RULES lists the rules. `check_soundness` runs the whole check and, for a sound mechanism, says where
it beats the paper's ensemble. Every noise and norm has a limit of its own, or none that is proved;
`list_rules` says which rules a mechanism of that threat is held to.
"""

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from simplicert import simplex
from simplicert.errors import InvalidInput, require
from simplicert.importing import describe_error
from simplicert.mechanisms import Mechanism
from simplicert.mechanisms.choice import MechanismLike
from simplicert.mechanisms.evaluation import ALLOWANCE
from simplicert.mechanisms.threats import Threat
from simplicert.search import evaluate_in_blocks
from simplicert.simplex import GAUSSIAN
from simplicert.simplex.extremes import Extreme, find_extreme
from simplicert.simplex.probes import (
    NODES,
    BrokenRule,
    Function,
    ProbeOutputs,
    Probes,
    call_mechanism,
    call_quietly,
    make_probes,
)
from simplicert.types import Bools, Floats, Kind

RULES = {
    "answers": "raises nothing",
    "shape": "one real number for each point",
    "number": "no NaN",
    "sign": "never negative",
    "finite": "finite where E1 > 0",
    "limit": "never above two_sided",
    "rising": "never falls as E0 rises",
    "falling": "never rises as E1 rises",
    "inputs": "leaves its inputs alone",
    "repeatable": "the same when asked again",
    "neighbours": "the same whatever is asked beside it",
}

WHOLE = "whole"  # this rule is for radii that count something

WHOLE_WORDS = "a whole number"

POINTS = 1_000_000  # checked unless the caller says otherwise
FEWEST, MOST = 2000, 100_000_000  # points that a caller may choose
REPEATED_POINTS, SINGLE_POINTS = 2048, 64  # points called again: in another order, one by one
STEPS = 300  # of the grid on which a mechanism is compared with others
ORDINARY = (0.7, 0.2)  # a point where any mechanism must return a value


@dataclass(frozen=True)
class Wins:
    """Where a mechanism is larger than every rival: share of the area, and the largest ratio."""

    over: tuple[str, ...]
    share: float
    best: Extreme


@dataclass(frozen=True)
class Soundness:
    """The result of a check; a mechanism is compared with others only if it is sound."""

    name: str
    kind: Kind
    points: int
    seed: int
    findings: tuple[BrokenRule, ...]
    notes: tuple[str, ...]
    wins: Wins | None
    threat: Threat = field(default=GAUSSIAN, compare=False)

    @property
    def sound(self) -> bool:
        """Whether no rule was broken."""
        return not self.findings


def list_rules(threat: Threat) -> dict[str, str]:
    """Return the rules for mechanisms of a threat, with their words.

    >>> from simplicert.mechanisms.threats import find_threat
    >>> "limit" in list_rules(find_threat("exponential-linf"))
    False
    """
    rules = {rule: words for rule, words in RULES.items() if rule != "limit" or threat.limit}
    return {**rules, WHOLE: WHOLE_WORDS} if threat.whole else rules


def check_soundness(
    mechanism: str | MechanismLike,
    kind: Kind = "multinomial",
    points: int = POINTS,
    seed: int = 0,
    name: str | None = None,
    threat: Threat = GAUSSIAN,
) -> Soundness:
    """Check a mechanism, given by name, as a function or as a Mechanism, at about this many points.

    Rounding is allowed for as in certification: 1e-9 of the value, and 1e-9.
    """
    label = name or (mechanism if isinstance(mechanism, str) else simplex.mechanism_name(mechanism))
    row = simplex.choose_compared({label: mechanism}, kind, threat)[label]
    require(
        row.needs == "pair",
        f"mechanism must be one that reads (e0, e1), got {label!r}, which needs {row.needs}",
    )
    require(
        isinstance(points, int) and FEWEST <= points <= MOST,
        f"points must be a whole number in {FEWEST}..{MOST}, got {points!r}",
    )
    _require_some_output(label, row.radius)
    where = make_probes(points, seed)
    findings = _find_broken_rules(row.radius, where, threat)
    silent = {"answers", "shape"} & {finding.rule for finding in findings}
    notes = [] if silent else _describe_edge_cases(row.radius)
    if threat.limit is None:
        notes.append(
            f"no limit is known for {threat.noise} noise and {threat.norm}: that rule is left out"
        )
    wins = None if findings else _compare_with_ensemble(label, row, kind, threat)
    return Soundness(label, kind, len(where.e0), seed, tuple(findings), tuple(notes), wins, threat)


def _require_some_output(name: str, function: Function) -> None:
    """Refuse what is not a mechanism at all, such as a function of other arguments."""
    e0, e1 = (np.array([value]) for value in ORDINARY)
    try:
        call_quietly(function, e0, e1)
    except Exception as error:  # the user's own code may raise anything
        raise InvalidInput(
            f"mechanism {name} must answer for arrays e0 and e1, and at e0 = {ORDINARY[0]}, "
            f"e1 = {ORDINARY[1]} it raises {describe_error(error)}"
        ) from error


def _find_broken_rules(function: Function, probes: Probes, threat: Threat) -> list[BrokenRule]:
    """Find the rules that are broken, in their order."""
    outputs = call_mechanism(function, probes.e0, probes.e1)
    findings = [
        *outputs.findings,
        *_check_values(outputs, probes, threat),
        *_check_monotone_lines(outputs.values, probes),
        *check_repeated_calls(function, outputs, probes),
    ]
    order = list(list_rules(threat))
    return sorted(findings, key=lambda finding: order.index(finding.rule))


def _check_values(outputs: ProbeOutputs, probes: Probes, threat: Threat) -> list[BrokenRule]:
    """Check single values: a number, not negative, finite, not above the limit, whole if it is."""
    values, limited = outputs.values, threat.limit is not None
    limit = np.full(values.shape, np.inf)
    if threat.limit is not None:
        limit = evaluate_in_blocks(threat.limit, probes.e0, probes.e1)
    with np.errstate(invalid="ignore"):
        excess = values - limit
        rules = [
            ("number", outputs.answered & np.isnan(values), excess, None),
            ("sign", values < 0, -values, np.zeros(values.shape)),
            ("finite", np.isinf(values) & (values > 0), excess, limit if limited else None),
            ("limit", np.isfinite(values) & (excess > _rounding_allowance(limit)), excess, limit),
        ]
        if threat.whole:
            broken = np.isfinite(values) & (values != np.floor(values))
            rules.append((WHOLE, broken, values - np.floor(values), np.floor(values)))
    where = (probes.e0, probes.e1, values)
    return [
        _report_worst_point(rule, broken, by, where, bound, _rounding_hint(rule, by[broken]))
        for rule, broken, by, bound in rules
        if broken.any()
    ]


def _rounding_hint(rule: str, by: Floats) -> str:
    """Name the commonest mistakes: nearly equal quantiles are subtracted, fractions are kept."""
    if rule == WHOLE:
        return "np.floor(radius) mends it, if the radius is true"
    rounding = rule == "sign" and by.max() <= ALLOWANCE
    return "rounding alone: np.maximum(radius, 0) mends it" if rounding else ""


def _check_monotone_lines(values: Floats, probes: Probes) -> list[BrokenRule]:
    """Compare each point with all before it on its line: radii rise with E_0 and fall with E_1."""
    split = probes.columns * NODES
    end = split + probes.rows * NODES
    lines = (
        ("falling", slice(0, split), 1.0, np.minimum, "more than at a smaller E1"),
        ("rising", slice(split, end), -1.0, np.maximum, "less than at a smaller E0"),
    )
    findings = []
    for rule, part, sign, best, says in lines:
        e0, e1, line = (
            column[part].reshape(-1, NODES) for column in (probes.e0, probes.e1, values)
        )
        whole = np.isfinite(line).all(axis=1)
        e0, e1, line = e0[whole], e1[whole], line[whole]
        before = best.accumulate(line, axis=1)[:, :-1]
        by = sign * (line[:, 1:] - before)
        broken = by > _rounding_allowance(before)
        if broken.any():
            where = (e0[:, 1:], e1[:, 1:], line[:, 1:])
            findings.append(_report_worst_point(rule, broken, by, where, before, says))
    return findings


def check_repeated_calls(
    function: Function, outputs: ProbeOutputs, probes: Probes
) -> list[BrokenRule]:
    """Call some points again: in the same order twice, backwards, and one by one."""
    usable = np.flatnonzero(np.isfinite(outputs.values))
    some = usable[np.linspace(0, len(usable) - 1, min(REPEATED_POINTS, len(usable))).astype(int)]
    if not len(some):
        return []
    e0, e1, base = probes.e0[some], probes.e1[some], outputs.values[some]
    once, twice = (call_mechanism(function, e0, e1).values for _ in range(2))
    if (other := _outputs_differ(once, twice)).any():
        return [
            _report_worst_point("repeatable", other, np.abs(once - twice), (e0, e1, twice), once)
        ]
    backwards = call_mechanism(function, e0[::-1], e1[::-1]).values[::-1]
    single = slice(0, len(some), max(len(some) // SINGLE_POINTS, 1))
    alone = base.copy()
    alone[single] = [
        call_mechanism(function, *pair).values[0]
        for pair in zip(e0[single, None], e1[single, None], strict=True)
    ]
    ways = (("among fewer others", once), ("in another order", backwards), ("alone", alone))
    return [
        _report_worst_point(
            "neighbours",
            _outputs_differ(base, new),
            np.abs(base - new),
            (e0, e1, new),
            base,
            f"asked {how}",
        )
        for how, new in ways
        if _outputs_differ(base, new).any()
    ][:1]


def _outputs_differ(one: Floats, other: Floats) -> Bools:
    """Return where two outputs are not the same; NaN equals only NaN."""
    near = np.abs(one - other) <= _rounding_allowance(one)
    return ~(near | (np.isnan(one) & np.isnan(other)))


def _report_worst_point(
    rule: str,
    broken: Bools,
    by: Floats,
    where: tuple[Floats, Floats, Floats],
    limit: Floats | None,
    says: str = "",
) -> BrokenRule:
    """Report the point that breaks a rule by the most."""
    at = np.unravel_index(np.where(broken, np.nan_to_num(by), -np.inf).argmax(), broken.shape)
    e0, e1, value = (float(values[at]) for values in where)
    bound = None if limit is None else float(limit[at])
    return BrokenRule(rule, e0, e1, value, bound, int(broken.sum()), says)


def _rounding_allowance(value: Floats) -> Floats:
    """Return the rounding that certification allows for."""
    return ALLOWANCE * (1 + np.abs(value))


def _describe_edge_cases(function: Function) -> list[str]:
    """Say what it does where certification never calls it, and at E_1 = 0."""
    half = np.linspace(0.05, 0.5, 10)
    square = np.full((2, 3), 0.7), np.full((2, 3), 0.2)
    notes = (
        _describe_nonzero_output(
            function, np.concatenate([half, half]), np.concatenate([half, np.sqrt(half / 2)])
        ),
        _describe_odd_output(function, half, np.zeros(10), "at E1 = 0, which no bound gives"),
        _describe_odd_output(
            function, *square, "for arrays of two dimensions, which certification does not use"
        ),
    )
    return [note for note in notes if note]


def _describe_nonzero_output(function: Function, e0: Floats, e1: Floats) -> str:
    """Say what it returns at E_0 <= E_1, if that is not 0."""
    why = "where E0 <= E1: certification gives 0 there without asking"
    output = _try_mechanism(function, e0, e1)
    if isinstance(output, str):
        return f"{output} {why}"
    wrong = output.shape == e0.shape and output != 0
    if not np.any(wrong):
        return ""
    at = int(np.argmax(wrong))
    return f"returns {output[at]:.6g} at e0 = {e0[at]:.6g}, e1 = {e1[at]:.6g}, {why}"


def _describe_odd_output(function: Function, e0: Floats, e1: Floats, where: str) -> str:
    """Say that it raises an error, or returns something else than one number per point."""
    output = _try_mechanism(function, e0, e1)
    if isinstance(output, str):
        return f"{output} {where}"
    if output.shape != e0.shape:
        return f"returns an array of shape {output.shape} for {e0.shape} {where}"
    return f"returns NaN {where}" if np.isnan(output).any() else ""


def _try_mechanism(function: Function, e0: Floats, e1: Floats) -> Floats | str:
    """Return an output that no rule depends on, or say which error was raised instead."""
    try:
        return np.asarray(call_quietly(function, e0.copy(), e1.copy()), dtype=float)
    except Exception as error:  # the user's own code may raise anything
        return f"raises {describe_error(error)}"


def _compare_with_ensemble(name: str, row: Mechanism, kind: Kind, threat: Threat) -> Wins | None:
    """Find where it is larger than the ensemble without itself; None where there is no other."""
    members = simplex.usual_mechanisms(threat, kind)
    rivals = [other for other in members if threat.mechanisms[other].radius != row.radius]
    if not rivals:
        return None
    known = simplex.make_grid(STEPS, kind)
    ours, theirs = (
        simplex.largest_side_radius({name: row}, known, threat),
        simplex.largest_side_radius(rivals, known, threat),
    )
    ratio = partial(simplex.radius_ratio, {name: row}, rivals, threat=threat)
    best = find_extreme(ratio, kind, 1.0)
    return Wins(tuple(rivals), float(np.mean(ours - theirs > _rounding_allowance(theirs))), best)
