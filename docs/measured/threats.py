"""The simplex of every threat (docs/threats.md): who is largest where, and what E_1 buys."""

from typing import Any

from measured import format_table, percent_down, round_down, round_up

NAMES = {
    "one_sided": "`one_sided`",
    "lecuyer": "`lecuyer`",
    "teng": "`teng`",
    "li": "`li`",
    "improved_dp": "`improved_dp`",
    "two_sided": "`two_sided`",
}


def tabulate_laplace_points(threats: dict[str, Any]) -> str:
    """Every radius at a few points, and how much larger the limit is than the published pair's."""
    rows = [
        (
            f"({point['e0']:g}, {point['e1']:g})",
            *(round_down(point[name], 3) for name in NAMES),
            round_down(point["two_sided"] / point["teng"], 2),
            round_down(point["two_sided"] / point["one_sided"], 2),
        )
        for point in threats["laplace"]["points"]
    ]
    head = ("(E0, E1)", *NAMES.values(), "limit / `teng`", "limit / `one_sided`")
    return format_table(head, rows)


def describe_laplace_regions(threats: dict[str, Any]) -> str:
    """Who is largest among the published radii, and where the paper's own is more than privacy."""
    laplace = threats["laplace"]
    shares, over = laplace["shares"], laplace["improved_dp_over_lecuyer"]
    tie, li = max(shares, key=lambda name: shares[name]), laplace["li_over_teng"]["largest"]
    best = over["largest"]
    return (
        f"`li` is the largest on {percent_down(shares['li'])} of the area, up to "
        f"{round_down(li['value'], 2)} times `teng` at {_place(li)}. On the other "
        f"{percent_down(shares[tie])} three formulas are equal: {tie.replace(' = ', ', ')}. "
        f"`improved_dp` is larger than `lecuyer` on {percent_down(over['larger'])} of the area, at "
        f"most by {round_up(100 * (best['value'] - 1), 1)} % at {_place(best)}, and everywhere "
        "there `li` is larger still: the paper's own radius wins nowhere under Laplace noise."
    )


def tabulate_laplace_limit(threats: dict[str, Any]) -> str:
    """The limit against the published radii over the whole area."""
    rows = [
        (
            NAMES.get(name, "the largest of all published"),
            percent_down(gain["only_ours"]),
            percent_down(gain["more_than_5_percent"]),
            _largest(gain),
        )
        for name, gain in threats["laplace"]["limit_over"].items()
    ]
    head = (
        "`two_sided` against",
        "certifies alone",
        "more than 5 % larger",
        "largest ratio found, at E1 >= 1e-6",
    )
    return format_table(head, rows)


def _largest(gain: dict[str, Any]) -> str:
    """The largest ratio and where; without bound where the other radius begins at E0 = 1/2."""
    best = gain["largest"]
    if best["value"] > 1000:
        return "no bound: it begins at E0 = 1/2"
    return f"{round_down(best['value'], 2)} at {_place(best)}"


def _place(best: dict[str, Any]) -> str:
    return f"({best['e0']:.7g}, {best['e1']:.4g})"


def tabulate_second_expectation(threats: dict[str, Any]) -> str:
    """What E_1 buys, threat by threat, in shares and ratios alone: radii have different units."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for row in threats["second"]:
        shares = ("neither", "only_two_sided", "equal", "both_but_larger")
        without, both = row["mean_one_sided"], row["mean_two_sided"]
        cells = (
            *(percent_down(row[name]) for name in shares),
            round_down(both / without, 2) if without else "-",
        )
        groups.setdefault(cells, []).append(row["threat"])
    rows = [("; ".join(names), *cells) for cells, names in groups.items()]
    head = (
        "threat",
        "nothing certifies",
        "only with E1",
        "E1 adds nothing",
        "larger with E1",
        "mean radius at E0 > 1/2: with E1 over without",
    )
    return format_table(head, rows)
