"""Tables about the simplex: one point, a comparison of mechanisms, a soundness check.

`point_table` shows every mechanism at one point, `comparison_table` and `winner_table` compare
mechanisms over the whole simplex, and `soundness_table` shows which rules a mechanism keeps. The
`_record` functions give the same for JSON.
"""

import math
from dataclasses import asdict
from typing import Any

from simplicert.mechanisms import MECHANISMS
from simplicert.mechanisms.evaluation import ALLOWANCE
from simplicert.mechanisms.naming import describe_scale, describe_threat, describe_unit
from simplicert.mechanisms.threats import Threat
from simplicert.metrics.numbers import format_exactly
from simplicert.simplex import GAUSSIAN
from simplicert.simplex.probes import BrokenRule
from simplicert.simplex.soundness import Soundness, Wins, list_rules
from simplicert.tables.grid import Grid, to_one_line
from simplicert.types import Certificates
from simplicert.types.certificates import format_radius_down


def point_table(certificates: Certificates) -> Grid:
    """Show every mechanism at one point of the simplex, with its share of the limit."""
    known, best = certificates.known, certificates.radius[0]
    rows: list[tuple[str, ...]] = []
    for name, values in {**certificates.radii, "ensemble": certificates.ensemble}.items():
        source = MECHANISMS[name].source if name in MECHANISMS else _ensemble_source(certificates)
        share = f"{100 * values[0] / best:.1f} %" if best > 0 else ""
        rows.append((name, format_radius_down(values[0], 6), share, source))
    stage = certificates.sensitivity
    title = (
        f"E0 = {format_exactly(known.e0[0])}, E1 = {format_exactly(known.e1[0])}, "
        f"sigma = {format_exactly(known.sigma)}, "
        f"{'' if stage == 1 else f'sensitivity {format_exactly(stage)}, '}{known.kind}"
    )
    notes = () if best > 0 else ("no certificate: E0 must be larger than E1",)
    return Grid(title, ("mechanism", "radius", "of the limit", "source"), rows, notes, name="point")


def _ensemble_source(certificates: Certificates) -> str:
    """Say which member's radius the ensemble has."""
    winner = str(certificates.winner[0])
    return f"the paper's: {winner}" if winner else "the paper's"


def point_record(certificates: Certificates) -> dict[str, Any]:
    """Return one point at full precision, as values that JSON can hold."""
    known = certificates.known
    return {
        "e0": float(known.e0[0]),
        "e1": float(known.e1[0]),
        "sigma": known.sigma,
        "sensitivity": certificates.sensitivity,
        "kind": known.kind,
        "radii": {name: float(values[0]) for name, values in certificates.radii.items()},
        "ensemble": float(certificates.ensemble[0]),
        "winner": str(certificates.winner[0]) or None,
        "radius": float(certificates.radius[0]),
    }


NOTHING = 1e-9  # a smaller share of the area is rounding

SIGNS = {"ratio": "/", "difference": "-"}  # between the two sides in a title


def comparison_table(record: dict[str, Any], threat: Threat = GAUSSIAN) -> Grid:
    """Show the extremes of a ratio or difference, where they are, and which side is larger."""
    left, right = ", ".join(record["left"]), ", ".join(record["right"])
    rows = [(name, *_extreme_cells(record[name])) for name in ("largest", "smallest")]
    notes = [
        f"{left} larger on {_format_area_percent(record['left_larger'])} of the area, smaller on "
        f"{_format_area_percent(record['right_larger'])}, equal on "
        f"{_format_area_percent(record['equal'])}",
        f"largest of all: {_list_area_shares(record)}",
    ]
    if record["map"] == "ratio" and record["only_left"]:
        notes.append(
            f"infinite on {_format_area_percent(record['only_left'])}, where only {left} certifies"
        )
    if record.get("neither"):
        notes.append(f"neither certifies on {_format_area_percent(record['neither'])}")
    return Grid(
        f"{left} {SIGNS[record['map']]} {right}, {record['kind']}, "
        f"{_describe_measure(record, threat)}",
        ("", "value", "E0", "E1", ""),
        rows,
        (*notes, *_simplex_footnotes(record, threat)),
        name="comparison",
    )


def winner_table(record: dict[str, Any], threat: Threat = GAUSSIAN) -> Grid:
    """Show each mechanism's share of the area, and its largest lead over the best other.

    Below the mechanisms stand the ties, and the rest of the area where nothing certifies.
    """
    shares = record["shares"]
    rows = [
        (name, _format_area_percent(shares[name]), *_extreme_cells(record["leads"][name]))
        for name in record["mechanisms"]
    ]
    ties = {name: share for name, share in shares.items() if name not in record["leads"]}
    rows += [
        (name, _format_area_percent(share), "", "", "", "a tie") for name, share in ties.items()
    ]
    if not threat.of_paper and (rest := 1 - sum(shares.values())) > NOTHING:
        rows.append(("(none)", _format_area_percent(rest), "", "", "", "nothing certifies"))
    return Grid(
        f"largest radius over the simplex, {record['kind']}, {_describe_any_scale(threat)}",
        ("mechanism", "share of area", "over the next, at best", "E0", "E1", ""),
        rows,
        _simplex_footnotes(record, threat),
        name="winner",
    )


def _extreme_cells(extreme: dict[str, Any]) -> tuple[str, str, str, str]:
    """Return an extreme value, where it is, and at which margin it lies, if any."""
    sides = " and ".join(extreme["towards"])
    on = f"at the margin of {sides}" if sides else ""
    return f"{extreme['value']:.4f}", f"{extreme['e0']:.7g}", f"{extreme['e1']:.7g}", on


def _describe_any_scale(threat: Threat) -> str:
    """Say of which threat radii are, and that they are compared at every scale."""
    named = "" if threat.of_paper else describe_threat(threat)
    return ", ".join(part for part in (named, describe_scale(threat)) if part)


def _describe_measure(record: dict[str, Any], threat: Threat) -> str:
    """Say that a ratio is the same at every scale, or a difference proportional to it."""
    if record["map"] == "ratio":
        return _describe_any_scale(threat)
    if threat.of_paper:
        return "sigma 1 (proportional to it)"
    return f"{describe_threat(threat)}, difference of {describe_unit(threat)}"


def _list_area_shares(record: dict[str, Any]) -> str:
    """List each mechanism's share of the area."""
    return ", ".join(
        f"{name} {_format_area_percent(value)}" for name, value in record["shares"].items()
    )


def _format_area_percent(share: float) -> str:
    """Format a share of the area, with the decimals that the grid supports."""
    return f"{100 * share:.1f} %"


def _simplex_footnotes(record: dict[str, Any], threat: Threat) -> tuple[str, ...]:
    """Say how the numbers were checked."""
    count = len(record["lines"])
    searched = "radii are whole numbers: an extreme is the best step that a search found"
    return (
        *((searched,) if threat.whole else ()),
        f"shares of {record['steps'] ** 2:,} cells of equal area; extremes keep "
        f"{record['margin']:g} from E1 = 0 and E0 = E1, and at that margin a value may go on",
        f"exact lines where the larger one changes: {count or 'none'}"
        + ("; their points are in --json" if count else ""),
    )


def soundness_table(check: Soundness) -> Grid:
    """Show every rule, kept or broken with its worst point, and where the mechanism wins."""
    broken = {finding.rule: finding for finding in check.findings}
    rules = list_rules(check.threat)
    rows = [(words, *_rule_cells(broken.get(rule))) for rule, words in rules.items()]
    verdict = "sound" if check.sound else f"{len(broken)} of {len(rules)} rules broken"
    threat = "" if check.threat.of_paper else f", {describe_threat(check.threat)}"
    return Grid(
        f"{check.name}: {verdict}; {check.points:,} points, {check.kind}{threat}",
        ("rule", "", "E0", "E1", "value", "limit", "points", ""),
        rows,
        (*check.notes, *_wins_notes(check), _describe_rounding(check)),
        name="soundness",
    )


def _rule_cells(finding: BrokenRule | None) -> tuple[str, ...]:
    """Return the cells of a rule that was kept, or of the worst point that breaks it."""
    if finding is None:
        return ("kept", "", "", "", "", "", "")
    place = (repr(finding.e0), repr(finding.e1))  # exact, so that the point can be tried again
    numbers = ("" if x is None else f"{x:.9g}" for x in (finding.value, finding.limit))
    return ("BROKEN", *place, *numbers, f"{finding.points:,}", to_one_line(finding.says))


def _wins_notes(check: Soundness) -> tuple[str, ...]:
    """Say where it is larger than the paper's ensemble, if it is sound."""
    return () if check.wins is None else (_describe_wins(check.wins),)


def _describe_wins(wins: Wins) -> str:
    """Say in one sentence where a mechanism is larger than its rivals."""
    best, over = wins.best, ", ".join(wins.over)
    at = f"{best.value:.4f} times their largest, at E0 = {best.e0:.7g}, E1 = {best.e1:.7g}"
    on = f" (the margin of {' and '.join(best.towards)})" if best.towards else ""
    if not wins.share:
        return f"nowhere on the grid larger than {over}: at most {at}{on}"
    return f"larger than {over} on {100 * wins.share:.1f} % of the area: at most {at}{on}"


def _describe_rounding(check: Soundness) -> str:
    """Say what rounding is allowed for, and which seed gives the same points again."""
    return (
        f"rounding of {ALLOWANCE:g} of a value and {ALLOWANCE:g} is forgiven, except below 0, "
        f"which certification refuses; points of seed {check.seed}"
    )


def soundness_record(check: Soundness) -> dict[str, Any]:
    """Return a check as values that JSON can hold; infinite numbers and NaN become words."""
    findings = [
        {name: _to_json_value(value) for name, value in asdict(finding).items()}
        for finding in check.findings
    ]
    threat = check.threat
    named = {"noise": threat.noise, "norm": threat.norm, **threat.numbers}
    return {
        "sound": check.sound,
        "name": check.name,
        "kind": check.kind,
        "points": check.points,
        "seed": check.seed,
        "findings": findings,
        "notes": check.notes,
        "wins": None if check.wins is None else asdict(check.wins),
        "allowance": ALLOWANCE,
        **({} if threat.of_paper else named),
    }


def _to_json_value(value: Any) -> Any:
    """Return a number that is not finite as a word, because JSON has none."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
