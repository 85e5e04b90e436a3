"""benchmarks/draws.py: what stopping early saves, what it risks, and draws by scheme.

Deciding a radius, wall time, errors under repeated looks; then the draws that each way
to spend alpha needs. For docs/adaptive.md; single sentences for choosing.md and faq.md.
"""

from typing import Any

from measured import (
    format_rate,
    format_table,
    percent_down,
    percent_up,
    round_down,
    round_up,
)

Result = dict[str, Any]
WAYS = ("cohen", "bonferroni", "cpm", "paper", "gated", "joint")


def state_largest_share(draws: Result) -> str:
    """The most that deciding a radius took in any case."""
    return f"at most {percent_up(max(row['share_of_draws'] for row in draws['adaptive']))}"


def tabulate_decisions(draws: Result) -> str:
    """Deciding a radius: three populations side by side."""
    head = ["R / sigma", "certified by fixed n", "draws", "certified"]
    head += ["draws, two numbers", "certified (fixed n)", "draws, harsher", "certified (fixed n)"]
    rows = []
    for radius in sorted({row["radius"] for row in draws["adaptive"]}):
        one, pair, harsh = (row for row in draws["adaptive"] if row["radius"] == radius)
        cells = [f"{radius:g}", percent_down(one["certified_fixed"])]
        cells += [percent_up(one["share_of_draws"]), percent_down(one["certified_adaptive"])]
        for row in (pair, harsh):
            both = [percent_down(row[f"certified_{plan}"]) for plan in ("adaptive", "fixed")]
            cells += [percent_up(row["share_of_draws"]), f"{both[0]} ({both[1]})"]
        rows.append(cells)
    return format_table(head, rows)


def summarise_decisions(draws: Result) -> str:
    """The largest share of draws and the largest loss."""
    harsh = [row for row in draws["adaptive"] if row["case"].startswith("literal")]
    others = [row for row in draws["adaptive"] if row not in harsh]
    lost = max(row["certified_fixed"] - row["certified_adaptive"] for row in others)
    median = max(row["median_draws"] for row in draws["adaptive"])
    return (
        f"The first two took at most {percent_up(_largest_share(others))} of the draws and lost at "
        f"most {round_up(100 * lost, 2)} points of certified accuracy; the last took up to "
        f"{percent_up(_largest_share(harsh))}. An input took {median:,.0f} draws in the median."
    )


def _largest_share(rows: list[Result]) -> float:
    return max(row["share_of_draws"] for row in rows)


def describe_times(draws: Result) -> str:
    """Draws, forward passes and wall time saved."""
    found = draws["wall_time"]
    passes = 1 - found["forward_passes"]["adaptive"] / found["forward_passes"]["fixed"]
    name, _, size = found["network"].partition(", ")
    return (
        f"`{name}` on {found['inputs']} inputs of {size}, up to {found['draws']:,} draws each, "
        f"both plans turn by turn in one process, {found['rounds']} rounds in all: stopping at "
        f"`{found['rule']}` saved {percent_down(found['draws_saved'])} of the draws, "
        f"{percent_down(passes)} of the forward passes and {percent_down(found['time_saved'])} of "
        f"the wall time, {round_down(found['ratio'], 2)} of the share of draws."
    )


def state_errors_without_reserve(draws: Result) -> str:
    """The largest rate where certificates from before and after an extension are both kept."""
    worst = max(draws["adversary"], key=lambda row: row["ever_made"]["rate"] / row["alpha"])
    plan = "a fixed plan" if worst["plan"] == "fixed" else f"`{worst['plan']}`"
    rate = format_rate(worst["ever_made"], worst["alpha"])
    return f"{rate} alpha ({worst['point']}, {plan} extended once)"


def tabulate_tallies(draws: Result) -> str:
    """Draws by scheme over real tallies: the median, and how many get there."""
    rows = []
    for row in draws["real"]:
        inputs = row["certified_by_paper"]
        shares = [
            f"{round_up(row[way]['median'], 3)} ({round(row[way]['reached'] * inputs)})"
            for way in WAYS
        ]
        rows.append([f"{row['draws']:,}", inputs, *shares])
    return format_table(["n", "inputs", *(f"`{way}`" for way in WAYS)], rows)


def compare_schemes(draws: Result) -> str:
    """`joint` and `gated` against the paper's scheme, as a small table."""
    head = ["scheme", *(f"n = {row['draws']:,}" for row in draws["real"])]
    rows = [
        [f"`{way}`", *(percent_up(row[way]["mean"], 0) for row in draws["real"])]
        for way in ("joint", "gated")
    ]
    return format_table(head, rows)
