"""The rules that a mechanism's values must keep, each a function from values to a finding."""

import numpy as np

from simplicert.analysis.answers import Answers, Finding, Function, ask
from simplicert.analysis.probes import NODES, Probes
from simplicert.certification import ALLOWANCE
from simplicert.mechanisms import MECHANISMS
from simplicert.search import in_blocks
from simplicert.types import Bools, Floats

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
AGAIN, ALONE = 2048, 64  # points asked again in another order, and one by one


def broken_rules(function: Function, probes: Probes, limited: bool) -> list[Finding]:
    """Every rule that is broken, in the order of RULES; `limited`: two_sided is its limit."""
    found = ask(function, probes.e0, probes.e1)
    findings = [
        *found.findings,
        *pointwise(found, probes, limited),
        *on_lines(found.values, probes),
        *asked_again(function, found, probes),
    ]
    order = list(RULES)
    return sorted(findings, key=lambda finding: order.index(finding.rule))


def pointwise(found: Answers, probes: Probes, limited: bool) -> list[Finding]:
    """What is wrong with single values."""
    values, no_limit = found.values, np.full(found.values.shape, np.inf)
    limit = in_blocks(MECHANISMS["two_sided"].radius, probes.e0, probes.e1) if limited else no_limit
    with np.errstate(invalid="ignore"):
        excess = values - limit
        rules = [
            ("number", found.answered & np.isnan(values), excess, None),
            ("sign", values < 0, -values, np.zeros(values.shape)),
            ("finite", np.isinf(values) & (values > 0), excess, limit if limited else None),
            ("limit", np.isfinite(values) & (excess > allowed(limit)), excess, limit),
        ]
    where = (probes.e0, probes.e1, values)
    return [
        worst(rule, broken, by, where, bound, hint(rule, by[broken]))
        for rule, broken, by, bound in rules
        if broken.any()
    ]


def hint(rule: str, by: Floats) -> str:
    """The commonest mistake: two nearly equal quantiles, subtracted."""
    rounding = rule == "sign" and by.max() <= ALLOWANCE
    return "rounding alone: np.maximum(radius, 0) mends it" if rounding else ""


def allowed(value: Floats) -> Floats:
    """What certification forgives: other rounding than ours."""
    return ALLOWANCE * (1 + np.abs(value))


def worst(
    rule: str,
    broken: Bools,
    by: Floats,
    where: tuple[Floats, Floats, Floats],
    limit: Floats | None,
    says: str = "",
) -> Finding:
    """The finding at the point that breaks a rule by the most."""
    at = np.unravel_index(np.where(broken, np.nan_to_num(by), -np.inf).argmax(), broken.shape)
    e0, e1, value = (float(values[at]) for values in where)
    bound = None if limit is None else float(limit[at])
    return Finding(rule, e0, e1, value, bound, int(broken.sum()), says)


def on_lines(values: Floats, probes: Probes) -> list[Finding]:
    """Each point against all before it on its line: E_0 may only help, E_1 may only harm."""
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
        broken = by > allowed(before)
        if broken.any():
            where = (e0[:, 1:], e1[:, 1:], line[:, 1:])
            findings.append(worst(rule, broken, by, where, before, says))
    return findings


def asked_again(function: Function, found: Answers, probes: Probes) -> list[Finding]:
    """Some points once more: in the same order twice, backwards, and one by one."""
    usable = np.flatnonzero(np.isfinite(found.values))
    some = usable[np.linspace(0, len(usable) - 1, min(AGAIN, len(usable))).astype(int)]
    if not len(some):
        return []
    e0, e1, base = probes.e0[some], probes.e1[some], found.values[some]
    once, twice = (ask(function, e0, e1).values for _ in range(2))
    if (other := differ(once, twice)).any():
        return [worst("repeatable", other, np.abs(once - twice), (e0, e1, twice), once)]
    backwards = ask(function, e0[::-1], e1[::-1]).values[::-1]
    single = slice(0, len(some), max(len(some) // ALONE, 1))
    alone = base.copy()
    alone[single] = [
        ask(function, *pair).values[0]
        for pair in zip(e0[single, None], e1[single, None], strict=True)
    ]
    ways = (("among fewer others", once), ("in another order", backwards), ("alone", alone))
    return [
        worst(
            "neighbours", differ(base, new), np.abs(base - new), (e0, e1, new), base, f"asked {how}"
        )
        for how, new in ways
        if differ(base, new).any()
    ][:1]


def differ(one: Floats, other: Floats) -> Bools:
    """Where two answers are not the same; none at all is another."""
    near = np.abs(one - other) <= allowed(one)
    return ~(near | (np.isnan(one) & np.isnan(other)))
