"""Say what two runs of the same inputs show: the verdict, its tests, and what differs.

`compare_verdict` is the sentence to read first, `compare_tiles` the numbers beside it,
`compare_sentences` says at which radii one run is ahead and by which tests, `radii_table` has the
test at each radius, and `differences_table` the settings that are not the same.
"""

from collections.abc import Sequence

import numpy as np

from simplicert.metrics.changes import Comparison
from simplicert.metrics.differences import SWAPS
from simplicert.metrics.numbers import (
    format_down,
    format_p_value,
    format_percentage_points,
    format_share_down,
    format_toward_zero,
    format_up,
)
from simplicert.noises.words import describe_units
from simplicert.report.headline import Tile
from simplicert.report.views import View
from simplicert.tables import Grid
from simplicert.tables.settings import settings_record

LEVEL = 0.05  # from which on a difference is called one

SAME_BY_NATURE = ("run",)  # settings that differ between any two runs


def compare_verdict(both: Comparison) -> str:
    """Say in one sentence which run certifies farther, or that this is not shown."""
    first, second = both.names
    change, p = both.average_radius, both.average_radius_p
    if change is None or p is None:
        return (
            f"{first} and {second} certify the same class for {both.agreement['same']} of "
            f"{len(both.index)} inputs, and different ones for {both.agreement['flipped']}."
        )
    shown = format_p_value(float(np.nextafter(p, 0)))  # 1/10,000 is below the float nearest to it
    numbers = (
        f"average certified radius {format_down(change.second.value)} against "
        f"{format_down(change.first.value)} for {first}, a change of "
        f"{format_toward_zero(change.difference)} (95 % interval "
        f"{_format_ends(change.low, change.high)}; p = {shown})"
    )
    if p > LEVEL:
        return f"Neither is shown to certify farther: {second} has an {numbers}."
    ahead, behind = (second, first) if change.difference > 0 else (first, second)
    return f"{ahead} certifies farther than {behind}: {second} has an {numbers}."


def compare_tiles(both: Comparison) -> list[Tile]:
    """Return the numbers to see first."""
    agreed, total = both.agreement, len(both.index)
    tiles = []
    if both.average_radius is not None:
        change = format_toward_zero(both.average_radius.difference)
        tiles.append(Tile(change, "average certified radius"))
    what = "certified accuracy at 0" if both.labelled else "share certified"
    tiles += [
        Tile(f"{_points(both, 0)} points", what),
        Tile(f"{agreed['same']} of {total}", "certified as one class by both"),
        Tile(str(agreed["flipped"]), "flipped to another class"),
        Tile(str(agreed["only_second"]), f"certified by {both.names[1]} alone"),
        Tile(str(agreed["only_first"]), f"certified by {both.names[0]} alone"),
    ]
    return tiles


def compare_sentences(both: Comparison) -> list[str]:
    """Say at which radii one run is ahead, which tests say so, and what they take for granted."""
    curve = both.difference
    what = "certified accuracy" if both.labelled else "share of inputs certified"
    ahead = [
        f"for {name} {_say_ranges(curve.at, mask)}"
        for name, mask in ((both.names[1], curve.low > 0), (both.names[0], curve.high < 0))
        if mask.any()
    ]
    sure = f"the {100 * curve.confidence:g} % band of the difference, over all radii together"
    band = f"The {what} is higher {', and '.join(ahead)}: there {sure}, leaves out 0."
    if not ahead:
        band = f"At no radius is a difference in the {what} shown: {sure}, holds 0 throughout."
    confidence = f"{100 * curve.confidence:g} %"
    tests = [
        f"The band around the difference holds at all {len(curve.at)} radii together with "
        f"{confidence} confidence: Agresti and Min's interval for matched shares, "
        f"{format_up(curve.errors, 2)} standard errors wide on either side, for many inputs.",
        "p at one radius is McNemar's exact test, two-sided, of the inputs gained and lost there, "
        "for that radius by itself.",
    ]
    if both.average_radius is not None:
        tests.append(
            "The average certified radius counts a wrong class and an abstention as 0. Its p is "
            f"from {SWAPS:,} random swaps of the two runs' radii, input by input, two-sided; its "
            f"interval from {both.average_radius.resamples:,} paired bootstrap resamples."
        )
    else:
        tests.append(
            "Not both runs have labels: nothing is said of accuracy, and an input is gained or "
            "lost as any class."
        )
    return [
        band,
        *tests,
        "All of them take the inputs as drawn independently, and are about these two runs: they do "
        "not say whether another training would differ as much, and they say nothing about alpha.",
    ]


def _format_ends(low: float, high: float) -> str:
    """Write an interval of a difference, never narrower than it is."""
    ends = (format_down(low), format_up(high))
    return " to ".join(f"+{text}" if float(text) > 0 else text for text in ends)


def _say_ranges(at: np.ndarray, mask: np.ndarray) -> str:
    """Name the radii that a mask marks, as ranges."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])))
    spans = zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
    words = [
        f"r = {at[start]:g}" if past == start + 1 else f"r from {at[start]:g} to {at[past - 1]:g}"
        for start, past in spans
    ]
    return "at " + ", ".join(words)


def reading_texts(both: Comparison) -> list[list[str]]:
    """Return for each radius both shares, the difference, its band and p, as they are shown."""
    curve = both.difference
    return [
        [
            format_share_down(int(both.first.hits[place]), curve.total),
            format_share_down(int(both.second.hits[place]), curve.total),
            _points(both, place),
            format_down(100 * curve.low[place], 1),
            format_up(100 * curve.high[place], 1),
            format_p_value(float(curve.p[place])),
        ]
        for place in range(len(curve.at))
    ]


def _points(both: Comparison, place: int) -> str:
    """Return the difference at one radius in percentage points, toward zero."""
    curve = both.difference
    net = int(curve.gained[place]) - int(curve.lost[place])
    return format_percentage_points(net, curve.total)


def radii_table(both: Comparison) -> Grid:
    """Return the test at each round radius."""
    texts, curve = reading_texts(both), both.difference
    rows = []
    for radius in both.radii:
        place = int(np.searchsorted(curve.at, radius))
        first, second, change, low, high, p = texts[place]
        gained, lost = str(curve.gained[place]), str(curve.lost[place])
        row = (f"r {both.sign} {radius:g}", first, second, change, f"{low} to {high}")
        rows.append((*row, gained, lost, p))
    what = "certified as its label" if both.labelled else "certified, as any class"
    heads = ("difference (points)", "95 % band", "gained", "lost", "p, by itself")
    return Grid(
        "At round radii",
        ("", *both.names, *heads),
        rows,
        (
            f"an input counts at r if it is {what} with a radius {both.sign} r, "
            f"{describe_units(both.norm)}; gained: {both.names[1]} alone has it, lost: "
            f"{both.names[0]} alone",
        ),
        name="radii",
    )


def differences_table(views: Sequence[View], names: Sequence[str]) -> Grid:
    """Return the settings in which the two runs differ."""
    records = []
    for view in views:
        assert view.certificates is not None
        manifest = view.study.run.manifest
        records.append(
            {
                "model": manifest.made.get("model"),
                **settings_record(view.study, view.certificates),
                "seed": manifest.source.get("seed"),
            }
        )
    keys = [key for key in dict.fromkeys((*records[0], *records[1])) if key not in SAME_BY_NATURE]
    rows = [
        (key.replace("_", " "), *(_show(record.get(key)) for record in records))
        for key in keys
        if records[0].get(key) != records[1].get(key)
    ]
    note = "" if rows else "every setting that is recorded is the same"
    return Grid(
        "What differs", ("setting", *names), rows, (note,) if note else (), name="differences"
    )


def _show(value: object) -> str:
    """Write a setting as text."""
    if value is None or value == "":
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def compare_cautions(both: Comparison, views: Sequence[View]) -> list[str]:
    """Warn of what makes the two runs not quite like with like."""
    cautions = []
    for name, view in zip(both.names, views, strict=True):
        assert view.certificates is not None
        if lacking := view.study.lacking:
            cautions.append(f"{name} is incomplete: {lacking}")
        if view.study.label_doubt:
            cautions.append(f"{name}: {view.study.label_doubt}")
        if view.study.disproofs:
            cautions.append(f"{name}: an imported log whose stated level is disproved")
    first, second = (view.certificates for view in views)
    assert first is not None and second is not None
    if first.known.alpha != second.known.alpha:
        cautions.append(
            f"the certificates are of different alpha: {first.known.alpha:g} and "
            f"{second.known.alpha:g}"
        )
    return cautions


def simplex_note(both: Comparison, views: Sequence[View]) -> str:
    """Say what an arrow on the simplex is worth."""
    if np.isnan(both.first_pair[:, 0]).all() or np.isnan(both.second_pair[:, 0]).all():
        return "No arrows: one of the runs has no E0 and E1 to show."
    first, second = (view.study for view in views)
    if first.strength == second.strength and first.noise == second.noise:
        return "Both runs have the same noise, so a place is worth the same radius in both."
    return (
        "The runs have different noise, so the same place is worth different radii: an arrow shows "
        "how sure the class is under each run's own noise, not how far it reaches."
    )
