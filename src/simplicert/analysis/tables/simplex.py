"""Comparisons over the simplex as rows of text."""

from typing import Any

from simplicert.analysis.tables.grid import Grid

SIGNS = {"ratio": "/", "difference": "-"}


def comparison_table(record: dict[str, Any]) -> Grid:
    """The extremes of a ratio or difference with their places, and who is larger where."""
    left, right = ", ".join(record["left"]), ", ".join(record["right"])
    rows = [(name, *placed(record[name])) for name in ("largest", "smallest")]
    notes = [
        f"{left} larger on {percent(record['left_larger'])} of the area, smaller on "
        f"{percent(record['right_larger'])}, equal on {percent(record['equal'])}",
        f"largest of all: {shares(record)}",
    ]
    if record["map"] == "ratio" and record["only_left"]:
        notes.append(f"infinite on {percent(record['only_left'])}, where only {left} certifies")
    return Grid(
        f"{left} {SIGNS[record['map']]} {right}, {record['kind']}, {sigma_words(record)}",
        ("", "value", "E0", "E1", ""),
        rows,
        (*notes, *footnotes(record)),
    )


def winner_table(record: dict[str, Any]) -> Grid:
    """Each mechanism's share of the area, and its largest lead over the best of the others."""
    rows = [
        (name, percent(record["shares"][name]), *placed(record["leads"][name]))
        for name in record["mechanisms"]
    ]
    return Grid(
        f"largest radius over the simplex, {record['kind']}, whatever sigma",
        ("mechanism", "share of area", "over the next, at best", "E0", "E1", ""),
        rows,
        footnotes(record),
    )


def placed(extreme: dict[str, Any]) -> tuple[str, str, str, str]:
    """A value, its place, and whether it goes on past it."""
    sides = " and ".join(extreme["towards"])
    on = f"at the margin of {sides}" if sides else ""
    return f"{extreme['value']:.4f}", f"{extreme['e0']:.7g}", f"{extreme['e1']:.7g}", on


def sigma_words(record: dict[str, Any]) -> str:
    """A ratio is the same for every sigma, a difference is proportional to it."""
    return "whatever sigma" if record["map"] == "ratio" else "sigma 1 (proportional to it)"


def shares(record: dict[str, Any]) -> str:
    """Who is the largest of all on how much."""
    return ", ".join(f"{name} {percent(value)}" for name, value in record["shares"].items())


def percent(share: float) -> str:
    """A share of the area, to what the grid can tell."""
    return f"{100 * share:.1f} %"


def footnotes(record: dict[str, Any]) -> tuple[str, ...]:
    """How the numbers were found."""
    count = len(record["lines"])
    return (
        f"shares of {record['steps'] ** 2:,} cells of equal area; extremes keep "
        f"{record['margin']:g} from E1 = 0 and E0 = E1, and at that margin a value may go on",
        f"exact lines where the larger one changes: {count or 'none'}"
        + ("; their points are in --json" if count else ""),
    )
