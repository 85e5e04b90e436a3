"""benchmarks/population.py: a share of all inputs from few draws of many, for population.md."""

import math
from typing import Any

import numpy as np

from measured import format_table, percent_down, round_down, round_up
from simplicert.metrics.intervals import rate_limits

Result = dict[str, Any]
BUDGET = 0.001  # chance that any of the simulated rates is larger than is said


def tabulate_runs(population: Result) -> str:
    """The committed runs beside certificates of 500 inputs."""
    head = ["sigma", "r", "population certificate", "500 inputs, `cohen`"]
    head += ["500 inputs, `two_sided`", "p > t among the 500", "randomised"]
    rows = []
    for row in population["runs"]:
        one = percent_down(row["randomised"]) if "randomised" in row else ""
        shares = ("population", "cohen_500", "two_sided_500", "estimate")
        cells = [percent_down(row[name]) for name in shares]
        rows.append([f"{row['sigma']:g}", f"{row['radius']:g}", *cells, one])
    return format_table(head, rows)


def describe_runs(population: Result) -> str:
    """What the draws cost, and who states more."""
    rows = population["runs"]
    ratio = 500 * 10_000 / (rows[0]["inputs"] * rows[0]["draws"])
    gain = [row["population"] - row["cohen_500"] for row in rows]
    wins = [row for row in rows if row["population"] > row["two_sided_500"]]
    where = ", ".join(f"sigma {row['sigma']:g}, r = {row['radius']:g}" for row in wins)
    return (
        f"The certificates of the 500 take {round_down(ratio, 1)} times as many draws. The "
        "population certificate states more than they do by the label's probability alone "
        f"(`cohen`) in {sum(value > 0 for value in gain)} of {len(rows)} cases, the differences "
        f"lie between {round_down(100 * min(gain), 1)} and {round_down(100 * max(gain), 1)} "
        f"points; with the runner-up (`two_sided`) in {len(wins)} of {len(rows)}"
        f"{': ' + where if wins else ''}."
    )


def tabulate_confidence(population: Result) -> str:
    """Equal draws and an equal share: how sure one can be of it."""
    head = ["sigma", "r", "share, by certificates of each input", "confidence in it"]
    head += ["by the population certificate", "share, by that", "gain in points"]
    rows = []
    for row in population["divisions"]:
        best = {
            method: max(item["share"] for item in row["rows"] if item["method"] == method)
            for method in ("each input", "population")
        }
        gain = best["population"] - best["each input"]
        sure = [f"1 - {_round_tail(row[name])}" for name in ("tail", "tail_at_share_of_each")]
        cells = [percent_down(best["each input"]), *sure, percent_down(best["population"])]
        rows.append([f"{row['sigma']:g}", f"{row['radius']:g}", *cells, round_down(100 * gain, 1)])
    return format_table(head, rows)


def _round_tail(tail: float) -> str:
    """A probability of error with one digit, rounded up."""
    power = math.floor(math.log10(tail))
    first = math.ceil(round(tail / 10.0**power, 9))
    return f"{first * 10.0**power:.0e}" if tail < 1e-3 else round_up(tail, 3)


def describe_randomised(population: Result) -> str:
    """The one-pass classifier."""
    found = population["designs"]
    shares = ", ".join(
        f"{percent_down(row['share'])} (k = {row['draws']})" for row in found["randomised"]
    )
    true = {name: percent_down(share) for name, share in found["true"].items()}
    return (
        f"The share with p > t among the 500 is {true['smoothed']}. For the randomised classifier "
        f"the mean over the 500 is {true['randomised']}, of which the certificate can be "
        f"expected to state {shares}."
    )


def describe_coverage(population: Result) -> str:
    """The error budget and the largest rate."""
    rows = [*population["coverage"], *population["lists"]]
    worst = max(rows, key=lambda row: row["rate"])
    together = rate_limits(
        np.array(worst["wrong"]), np.array(worst["repeats"]), 1 - 2 * BUDGET / len(rows)
    )[1]
    lists = " and ".join(
        f"{row['wrong']} of {row['repeats']:,} ({row['drawn']})" for row in population["lists"]
    )
    return (
        f"At confidence {population['confidence']:g} a limit may be wrong in "
        f"{round_up(100 * (1 - population['confidence']), 0)} % of the runs. The most seen was "
        f"{round_up(100 * worst['rate'], 2)} % (95 % interval up to "
        f"{round_up(100 * worst['high'], 2)} %). With an error budget of {BUDGET:g} for all "
        f"{len(rows)} cases together no true rate exceeds {round_up(100 * float(together), 2)} %. "
        f"From a list of 500 probabilities without replacement: {lists}. Markov's inequality and "
        "the room below (*) make the limit cautious."
    )
