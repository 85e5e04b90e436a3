"""benchmarks/l1.py: CIFAR-10 in l1 under three noises, beside published rows, for threats.md."""

from typing import Any

from measured import format_table, round_down

Result = dict[str, Any]


def tabulate_l1(l1: Result) -> str:
    """Certified accuracy in percent: ours, then the literature's best over its scales."""
    head = ["", "draws", "top-1", *(f"{radius:g}" for radius in (*l1["nearer"], *l1["radii"]))]
    rows = [
        [
            f"ours, {row['what']}",
            f"{row['draws']:,}",
            round_down(100 * row["top1"], 1),
            *(round_down(value, 1) for value in row["percent"]),
        ]
        for row in l1["ours"]
    ]
    for row in (*l1["published"], *l1["arrays"]):
        blank = [""] * (2 + len(l1["nearer"]))
        rows.append([row["name"], *blank, *(f"{value:g}" for value in row["percent"])])
    return format_table(head, rows)


def describe_l1(l1: Result) -> str:
    """What the second expectation adds to the published one-sided radius on the same draws."""
    radii = (*l1["nearer"], *l1["radii"])
    gains = [
        (two - one, row["what"], radius)
        for row in l1["ours"]
        if row["one_sided"] is not None
        for two, one, radius in zip(row["percent"], row["one_sided"], radii, strict=True)
    ]
    most, what, radius = max(gains)
    return (
        "The tight radius with both expectations certifies up to "
        f"{round_down(most, 1)} points more than the one-sided radius of the literature on the "
        f"same draws ({what}, at {radius:g})."
    )
