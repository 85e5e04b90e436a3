"""What a check of a mechanism found, as rows of text and for machines."""

import math
from dataclasses import asdict
from typing import Any

from simplicert.analysis.answers import Finding
from simplicert.analysis.rules import RULES
from simplicert.analysis.soundness import Soundness, Wins
from simplicert.analysis.tables.grid import Grid, one_line
from simplicert.certification import ALLOWANCE


def soundness_table(found: Soundness) -> Grid:
    """Every rule, kept or broken, with the worst place of a broken one; then where it wins."""
    broken = {finding.rule: finding for finding in found.findings}
    rows = [(words, *cells(broken.get(rule))) for rule, words in RULES.items()]
    verdict = "sound" if found.sound else f"{len(broken)} of {len(RULES)} rules broken"
    return Grid(
        f"{found.name}: {verdict}; {found.points:,} points, {found.kind}",
        ("rule", "", "E0", "E1", "value", "limit", "points", ""),
        rows,
        (*found.notes, *wins_words(found), rounding_words(found)),
    )


def cells(finding: Finding | None) -> tuple[str, ...]:
    """A rule that was kept, or the worst place at which it was not."""
    if finding is None:
        return ("kept", "", "", "", "", "", "")
    place = (repr(finding.e0), repr(finding.e1))  # exact, to be asked again
    numbers = ("" if x is None else f"{x:.9g}" for x in (finding.value, finding.limit))
    return ("BROKEN", *place, *numbers, f"{finding.points:,}", one_line(finding.says))


def wins_words(found: Soundness) -> tuple[str, ...]:
    """Where it is larger than the paper's ensemble; nothing of one that is not sound."""
    return () if found.wins is None else (win_words(found.wins),)


def win_words(wins: Wins) -> str:
    """One sentence."""
    best, over = wins.best, ", ".join(wins.over)
    at = f"{best.value:.4f} times their largest, at E0 = {best.e0:.7g}, E1 = {best.e1:.7g}"
    on = f" (the margin of {' and '.join(best.towards)})" if best.towards else ""
    if not wins.share:
        return f"nowhere on the grid larger than {over}: at most {at}{on}"
    return f"larger than {over} on {100 * wins.share:.1f} % of the area: at most {at}{on}"


def rounding_words(found: Soundness) -> str:
    """What is allowed for, and how to see the same points again."""
    return (
        f"rounding of {ALLOWANCE:g} of a value and {ALLOWANCE:g} is forgiven, except below 0, "
        f"which certification refuses; points of seed {found.seed}"
    )


def soundness_record(found: Soundness) -> dict[str, Any]:
    """The same for machines; what is no finite number is a word."""
    findings = [
        {name: plain(value) for name, value in asdict(finding).items()}
        for finding in found.findings
    ]
    return {"sound": found.sound, **asdict(found), "findings": findings, "allowance": ALLOWANCE}


def plain(value: Any) -> Any:
    """JSON has no infinity."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
