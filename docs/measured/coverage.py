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
    """Fixed numbers of draws: each way with the point at which it was wrong most often."""
    rows = []
    for (kind, scheme, method), mine in _group_ways(coverage["fixed"]).items():
        worst = _find_worst(mine)
        point = f"{worst['point']}, K = {worst['classes']:,}, n = {worst['draws']}"
        alpha, level = worst["alpha"], worst["level"] / worst["alpha"]
        cells = [f"{kind} `{scheme}`", method, f"{len(mine)}", point, f"{alpha:g}"]
        rows.append([*cells, format_rate(worst["wrong"], alpha), f"{level:.2f}"])
    head = ["scheme", "method", "rates", "worst point", "alpha", "rate / alpha", "level / alpha"]
    return format_table(head, rows)


def tabulate_looks(coverage: Result) -> str:
    """Several looks, and draws added later: the worst rate of each way in every mode."""
    modes = list(dict.fromkeys(_name_mode(row) for row in coverage["looked"]))
    rows = []
    for (kind, scheme, method), mine in _group_ways(coverage["looked"]).items():
        cells = [f"{kind} `{scheme}`", method]
        for mode in modes:
            worst = _find_worst([row for row in mine if _name_mode(row) == mode])
            rate = format_rate(worst["wrong"], worst["alpha"])
            cells.append(f"{rate} of {worst['level'] / worst['alpha']:.2f}")
        rows.append(cells)
    return format_table(["scheme", "method", *modes], rows)


def _group_ways(rows: Rows) -> dict[tuple[str, str, str], Rows]:
    """The rates of each way to bound: kind, scheme and method."""
    groups: dict[tuple[str, str, str], Rows] = {}
    for row in rows:
        groups.setdefault((row["kind"], row["scheme"], row["method"]), []).append(row)
    return groups


def _name_mode(row: dict[str, Any]) -> str:
    """All rules that stop are one mode."""
    return "until a rule" if row["mode"].startswith("until ") else str(row["mode"])


def _find_worst(rows: Rows) -> dict[str, Any]:
    """The row with the largest rate for its level.

    The level is more than alpha for "paper" and for a run that was extended without a reserve.
    """
    return max(rows, key=lambda row: float(row["wrong"]["rate"] / row["level"]))


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
    """Each room's mutants, how many the tests noticed, and the file with most survivors."""
    rooms: dict[str, dict[str, list[bool]]] = {}
    for name, held in sorted(mutants.items()):
        noticed = [row["outcome"] != "survived" for row in held["mutants"]]
        rooms.setdefault(name.split("/")[0], {})[name] = noticed
    rows, every = [], []
    for room, files in rooms.items():
        noticed = [one for name in files for one in files[name]]
        every += noticed
        worst = min(files, key=lambda name: sum(files[name]) - len(files[name]))
        fewest = f"`{worst}` ({sum(files[worst])} of {len(files[worst])})"
        share = f"{sum(noticed)} ({percent_down(sum(noticed) / len(noticed))})"
        rows.append([f"`{room}`", len(files), len(noticed), share, fewest])
    share = f"{sum(every)} ({percent_down(sum(every) / len(every))})"
    rows.append(["all", len(mutants), len(every), share, ""])
    return format_table(["room", "files", "mutants", "killed", "most survivors in"], rows)


def summarise_new_tests(mutants: Result) -> str:
    """How many mutants were killed only when tests had been written for them."""
    rows = [row for held in mutants.values() for row in held["mutants"]]
    killed = [row for row in rows if row["outcome"] != "survived"]
    late = sum(row.get("first") == "survived" for row in killed)
    return (
        f"{len(killed) - late} were killed at once, and {late} survived at first and were killed "
        "in a second round, by tests that were written for them but for a few."
    )
