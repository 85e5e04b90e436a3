"""Tables about the simplex: one point, a comparison of mechanisms, a soundness check.

`point_table` shows every mechanism at one point, `comparison_table` and `winner_table` compare
mechanisms over the whole simplex, and `soundness_table` shows which rules a mechanism keeps. The
`_record` functions give the same for JSON.
"""

import math
from dataclasses import asdict
from typing import Any

from simplicert.certification import ALLOWANCE
from simplicert.mechanisms import MECHANISMS
from simplicert.simplex.probes import BrokenRule
from simplicert.simplex.soundness import RULES, Soundness, Wins
from simplicert.tables.grid import Grid, to_one_line
from simplicert.types import Certificates
from simplicert.types.certificates import format_radius_down


def point_table(certificates: Certificates) -> Grid:
    """Every mechanism at one point of the simplex, with its share of the limit."""
    known, best = certificates.known, certificates.radius[0]
    rows: list[tuple[str, ...]] = []
    for name, values in {**certificates.radii, "ensemble": certificates.ensemble}.items():
        source = MECHANISMS[name].source if name in MECHANISMS else _ensemble_source(certificates)
        share = f"{100 * values[0] / best:.1f} %" if best > 0 else ""
        rows.append((name, format_radius_down(values[0], 6), share, source))
    title = f"E0 = {known.e0[0]:g}, E1 = {known.e1[0]:g}, sigma = {known.sigma:g}, {known.kind}"
    notes = () if best > 0 else ("no certificate: E0 must be larger than E1",)
    return Grid(title, ("mechanism", "radius", "of the limit", "source"), rows, notes)


def _ensemble_source(certificates: Certificates) -> str:
    """Whose radius the ensemble's is."""
    winner = str(certificates.winner[0])
    return f"the paper's: {winner}" if winner else "the paper's"


def point_record(certificates: Certificates) -> dict[str, Any]:
    """The same for machines, at full precision."""
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


SIGNS = {"ratio": "/", "difference": "-"}


def comparison_table(record: dict[str, Any]) -> Grid:
    """The extremes of a ratio or difference with their places, and who is larger where."""
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
    return Grid(
        f"{left} {SIGNS[record['map']]} {right}, {record['kind']}, {_describe_sigma(record)}",
        ("", "value", "E0", "E1", ""),
        rows,
        (*notes, *_simplex_footnotes(record)),
    )


def winner_table(record: dict[str, Any]) -> Grid:
    """Each mechanism's share of the area, and its largest lead over the best of the others."""
    rows = [
        (name, _format_area_percent(record["shares"][name]), *_extreme_cells(record["leads"][name]))
        for name in record["mechanisms"]
    ]
    return Grid(
        f"largest radius over the simplex, {record['kind']}, whatever sigma",
        ("mechanism", "share of area", "over the next, at best", "E0", "E1", ""),
        rows,
        _simplex_footnotes(record),
    )


def _extreme_cells(extreme: dict[str, Any]) -> tuple[str, str, str, str]:
    """A value, its place, and whether it goes on past it."""
    sides = " and ".join(extreme["towards"])
    on = f"at the margin of {sides}" if sides else ""
    return f"{extreme['value']:.4f}", f"{extreme['e0']:.7g}", f"{extreme['e1']:.7g}", on


def _describe_sigma(record: dict[str, Any]) -> str:
    """A ratio is the same for every sigma, a difference is proportional to it."""
    return "whatever sigma" if record["map"] == "ratio" else "sigma 1 (proportional to it)"


def _list_area_shares(record: dict[str, Any]) -> str:
    """Who is the largest of all on how much."""
    return ", ".join(
        f"{name} {_format_area_percent(value)}" for name, value in record["shares"].items()
    )


def _format_area_percent(share: float) -> str:
    """A share of the area, to what the grid can tell."""
    return f"{100 * share:.1f} %"


def _simplex_footnotes(record: dict[str, Any]) -> tuple[str, ...]:
    """How the numbers were found."""
    count = len(record["lines"])
    return (
        f"shares of {record['steps'] ** 2:,} cells of equal area; extremes keep "
        f"{record['margin']:g} from E1 = 0 and E0 = E1, and at that margin a value may go on",
        f"exact lines where the larger one changes: {count or 'none'}"
        + ("; their points are in --json" if count else ""),
    )


def soundness_table(found: Soundness) -> Grid:
    """Every rule, kept or broken, with the worst place of a broken one; then where it wins."""
    broken = {finding.rule: finding for finding in found.findings}
    rows = [(words, *_rule_cells(broken.get(rule))) for rule, words in RULES.items()]
    verdict = "sound" if found.sound else f"{len(broken)} of {len(RULES)} rules broken"
    return Grid(
        f"{found.name}: {verdict}; {found.points:,} points, {found.kind}",
        ("rule", "", "E0", "E1", "value", "limit", "points", ""),
        rows,
        (*found.notes, *_wins_notes(found), _describe_rounding(found)),
    )


def _rule_cells(finding: BrokenRule | None) -> tuple[str, ...]:
    """A rule that was kept, or the worst place at which it was not."""
    if finding is None:
        return ("kept", "", "", "", "", "", "")
    place = (repr(finding.e0), repr(finding.e1))  # exact, to be asked again
    numbers = ("" if x is None else f"{x:.9g}" for x in (finding.value, finding.limit))
    return ("BROKEN", *place, *numbers, f"{finding.points:,}", to_one_line(finding.says))


def _wins_notes(found: Soundness) -> tuple[str, ...]:
    """Where it is larger than the paper's ensemble; nothing of one that is not sound."""
    return () if found.wins is None else (_describe_wins(found.wins),)


def _describe_wins(wins: Wins) -> str:
    """One sentence."""
    best, over = wins.best, ", ".join(wins.over)
    at = f"{best.value:.4f} times their largest, at E0 = {best.e0:.7g}, E1 = {best.e1:.7g}"
    on = f" (the margin of {' and '.join(best.towards)})" if best.towards else ""
    if not wins.share:
        return f"nowhere on the grid larger than {over}: at most {at}{on}"
    return f"larger than {over} on {100 * wins.share:.1f} % of the area: at most {at}{on}"


def _describe_rounding(found: Soundness) -> str:
    """What is allowed for, and how to see the same points again."""
    return (
        f"rounding of {ALLOWANCE:g} of a value and {ALLOWANCE:g} is forgiven, except below 0, "
        f"which certification refuses; points of seed {found.seed}"
    )


def soundness_record(found: Soundness) -> dict[str, Any]:
    """The same for machines; what is no finite number is a word."""
    findings = [
        {name: _to_json_value(value) for name, value in asdict(finding).items()}
        for finding in found.findings
    ]
    return {"sound": found.sound, **asdict(found), "findings": findings, "allowance": ALLOWANCE}


def _to_json_value(value: Any) -> Any:
    """JSON has no infinity."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
