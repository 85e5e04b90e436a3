"""benchmarks/rules.py: stopping rules beside a fixed n and beside rivals, on the same streams.

For docs/adaptive.md.
"""

from typing import Any

from measured import format_table, percent_down, round_down, round_up

Result = dict[str, Any]
PRICED = ("pilot", "longer pilot", "oracle")
NAMES = {  # of a row of the result before its tolerance, as the page calls it
    "fixed": "`fixed`",
    "fixed, Cohen": "Cohen's n0 + n",
    "three cells": "e-process",
    "Voracek, bets": "Voracek, bets",
    "Voracek, looks": "Voracek, looks",
    "ISS": "ISS",
    "pilot": "pilot, then n",
    "longer pilot": "longer pilot, then n",
    "oracle": "one who knows",
}


def tabulate_rules(rules: Result) -> str:
    """Draws, mean radius and certified inputs, each beside a fixed n at as many draws."""
    head, columns = ["rule"], []
    for name, found in rules["populations"].items():
        head += [f"{name}: draws", "mean radius (fixed n)", "certified (fixed n)"]
        columns.append({row["rule"]: row for row in found["rules"]})
    rows = []
    for rule in sorted(columns[0], key=_place_rule):
        cells = [_name_rule(rule)]
        for row in (column[rule] for column in columns):
            both = [round_down(row[name], 3) for name in ("mean_radius", "fixed_mean_radius")]
            shares = [percent_down(row[name]) for name in ("certified", "fixed_certified")]
            cells += [round_up(row["draws"]), f"{both[0]} ({both[1]})"]
            cells.append(f"{shares[0]} ({shares[1]})")
        times = ("seconds", "processor_seconds")
        rows.append([*cells, *(round_up(columns[0][rule][name], 1) for name in times)])
    return format_table([*head, "seconds", "of processors"], rows)


def _place_rule(rule: str) -> int:
    """Rivals after the package's rules, then the two that buy draws at a price."""
    return PRICED.index(word) + 1 if (word := rule.partition(",")[0]) in PRICED else 0


def _name_rule(rule: str) -> str:
    """As the page calls it: a rule of the package by its words, a rival with its tolerance."""
    if "=" in rule or rule == "decided":
        return f"`{rule}`"
    if rule in NAMES:
        return NAMES[rule]
    name, _, number = rule.rpartition(", ")
    return f"{NAMES[name]}, {number}"


def summarise_gains(rules: Result) -> str:
    """Draws of atol, rtol, a pilot and an oracle against the fixed n with the same mean radius."""
    said = []
    for name, found in rules["populations"].items():
        shares = _list_shares(found)
        pairs = [f"{round_up(shares[f'{word}=0.05'], 2)} by {word}" for word in ("atol", "rtol")]
        for word, called in (("pilot", "a pilot"), ("oracle", "one who knows")):
            best = min(share for rule, share in shares.items() if rule.startswith(word))
            pairs.append(f"{round_up(best, 2)} by {called}")
        said.append(f"{', '.join(pairs)} ({name})")
    return "; ".join(said)


def _list_shares(found: Result) -> dict[str, float]:
    """Draws of each rule as a share of the fixed n with the same mean radius."""
    return {
        row["rule"]: row["draws"] / row["fixed_draws_for_radius"]
        for row in found["rules"]
        if row["fixed_draws_for_radius"] is not None
    }


def compare_pilots(rules: Result) -> str:
    """Whether a longer pilot saves more: the same shares, prices at their best."""
    said = []
    for way in ("pilot", "longer pilot"):
        best = [
            min(share for rule, share in _list_shares(found).items() if rule.startswith(way))
            for found in rules["populations"].values()
        ]
        said.append(" / ".join(round_up(share, 2) for share in best))
    long, longer = rules["long_pilot"], rules["longer_pilot"]
    return f"{said[1]} with {longer:,} draws, {said[0]} with {long:,}"


def summarise_one_number(rules: Result) -> str:
    """Rivals that bound one number beside Cohen's fixed n at as many draws, at .05."""
    said = []
    for way in ("Voracek, bets", "Voracek, looks", "ISS"):
        rows = [
            next(row for row in found["rules"] if row["rule"] == f"{way}, 0.05")
            for found in rules["populations"].values()
        ]
        ratios = [row["mean_radius"] / row["fixed_cohen_mean_radius"] for row in rows]
        said.append(f"{round_down(min(ratios), 3)} to {round_down(max(ratios), 3)} ({way})")
    return ", ".join(said)


def state_decision_factors(rules: Result) -> str:
    """How many times fewer draws than most deciding a radius takes."""
    found = next(iter(rules["populations"].values()))["decisions"]
    factors = [rules["most"] / row["draws"] for row in found if row["rule"] == "radius=R"]
    return f"{round_down(min(factors))} to {round_down(max(factors))}"


def state_largest_factor(rules: Result) -> str:
    """The most that one who knows every expectation saves at the same mean radius."""
    factors = [
        row["fixed_draws_for_radius"] / row["draws"]
        for found in rules["populations"].values()
        for row in found["rules"]
        if row["rule"].startswith("oracle") and row["fixed_draws_for_radius"] is not None
    ]
    return round_up(max(factors), 1)
