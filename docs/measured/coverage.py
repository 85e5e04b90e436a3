"""docs/coverage.md: how often a certificate is wrong, and what the tests notice.

Rates at fixed draws and at looks, through whole runs, of certificates that are wrong on purpose,
and of a classifier that reads the last bits (benchmarks/coverage.py); then the faults that the
tests notice (benchmarks/mutants.py).
"""

from typing import Any

from measured import format_rate, format_table, percent_down, percent_up, round_down, round_up

Result = dict[str, Any]
Rows = list[dict[str, Any]]


def state_minutes(coverage: Result) -> str:
    """How long the harness took."""
    return f"{round_up(sum(coverage['seconds'].values()) / 60)} minutes of one core"


def summarise_rates(coverage: Result) -> str:
    """How many rates, and the largest against its level."""
    counted = coverage["fixed"] + coverage["looked"]
    rows = counted + coverage["runs"]
    above = sum(row["wrong"]["low"] > row["level"] for row in rows)
    numbers = sorted({row["draws"] for row in coverage["fixed"]})
    looks = max(row["draws"] for row in coverage["looked"])
    worst = max(row["wrong"]["rate"] / row["level"] for row in counted)
    return (
        f"{len(rows):,} rates were measured. Each is shown as a multiple of alpha with its "
        f"{percent_down(coverage['confidence'], 0)} Clopper-Pearson interval; beside it stands the "
        "level that `Expectations.level` promises: alpha, three alpha for the paper's scheme, half "
        f"as much again for a run that was extended without a reserve. {above or 'None'} of them "
        "has its interval above its level; the error budget of each is half of what its interval "
        f"leaves, {percent_up((1 - coverage['confidence']) / 2)}, were its true rate exactly its "
        f"level. With {' and '.join(map(str, numbers))} draws or looks "
        f"up to {looks} the largest of them is {round_up(worst, 2)} of its level, which for the "
        "largest of that many is no surprise where the true rate is about alpha: an exact limit is "
        "meant to be wrong that often."
    )


def tabulate_fixed(coverage: Result) -> str:
    """Fixed numbers of draws."""
    return _tabulate_ways(coverage["fixed"])


def tabulate_looks(coverage: Result) -> str:
    """Several looks, and draws added later."""
    return _tabulate_ways(coverage["looked"])


def _tabulate_ways(rows: Rows) -> str:
    """One line for each way and mode: for each alpha the point at which its rate was the largest.

    Largest against the level stated, which for "paper" and for a run that was extended without a
    reserve is more than alpha. All rules that stop are one mode.
    """
    groups: dict[tuple[str, ...], Rows] = {}
    for row in rows:
        mode = "until a rule" if row["mode"].startswith("until ") else row["mode"]
        groups.setdefault((row["kind"], row["scheme"], row["method"], mode), []).append(row)
    alphas = sorted({row["alpha"] for row in rows}, reverse=True)
    head = ["kind", "scheme", "method", "mode", "level / alpha", "rates"]
    for alpha in alphas:
        head += [f"worst at alpha {alpha:g}", "K", "n", "repeats", "rate / alpha"]
    lines = []
    for (kind, scheme, method, mode), mine in groups.items():
        worst = [_find_worst(mine, alpha) for alpha in alphas]
        levels = sorted({f"{row['level'] / row['alpha']:.2f}" for row in worst})
        cells = [kind, f"`{scheme}`", method, mode, " and ".join(levels), f"{len(mine)}"]
        for row in worst:
            cells += [row["point"], f"{row['classes']:,}", f"{row['draws']}"]
            cells += [f"{row['wrong']['of']:,}", format_rate(row["wrong"], row["alpha"])]
        lines.append(cells)
    return format_table(head, lines)


def _find_worst(rows: Rows, alpha: float) -> dict[str, Any]:
    """The row of this alpha with the largest rate for its level."""
    mine = [row for row in rows if row["alpha"] == alpha]
    return max(mine, key=lambda row: float(row["wrong"]["rate"] / row["level"]))


def tabulate_runs(coverage: Result) -> str:
    """Through the whole pipeline: one line for each rate."""
    head = ["kind", "scheme", "mode", "classifier", "K", "repeats", "rate / alpha", "level / alpha"]
    rows = []
    for row in coverage["runs"]:
        settings = [row["kind"], f"`{row['scheme']}`", row["mode"], row["point"]]
        rate = format_rate(row["wrong"], row["alpha"])
        level = f"{row['level'] / row['alpha']:.2f}"
        rows.append([*settings, f"{row['classes']:,}", f"{row['wrong']['of']:,}", rate, level])
    return format_table(head, rows)


def tabulate_controls(coverage: Result) -> str:
    """What must be caught: here a large rate is the claim, so it is rounded down."""
    rows = []
    for row in coverage["controls"]:
        alpha, wrong = row["alpha"], row["wrong"]
        rate, low = (round_down(wrong[name] / alpha, 2) for name in ("rate", "low"))
        interval = f"{rate} ({low} to {round_up(wrong['high'] / alpha, 2)})"
        rows.append([row["control"], row["point"], f"{alpha:g}", f"{wrong['of']:,}", interval])
    return format_table(["on purpose wrong", "point", "alpha", "repeats", "rate / alpha"], rows)


def tabulate_low_bits(coverage: Result) -> str:
    """The classifier that reads the last bits, by mode."""
    rows = []
    for row in coverage["low_bits"]:
        cells = [row["mode"]]
        for predicted, radius in zip(row["predicted"], row["radii"], strict=True):
            cells += [predicted, round_down(radius, 3)]
        said = "yes" if row["contradiction"] else "no"
        rows.append([*cells, f"{row['distance']:.3f}", said])
    head = ["mode", "class at 0", "radius", "class at 1/32", "radius", "distance", "contradiction"]
    return format_table(head, rows)


def tabulate_mutants(mutants: Result) -> str:
    """Each file's mutants, and how many the tests noticed."""
    rows, total, killed = [], 0, 0
    for name in sorted(mutants):
        held = mutants[name]["mutants"]
        found = sum(row["outcome"] != "survived" for row in held)
        total, killed = total + len(held), killed + found
        rows.append([f"`{name}`", len(held), found])
    rows.append(["all", total, f"{killed} ({percent_down(killed / total)})"])
    return format_table(["file", "mutants", "killed"], rows)
