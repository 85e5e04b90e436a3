"""benchmarks/lipschitz.py: a proved constant beside the scores' distribution, for lipschitz.md."""

from typing import Any

from measured import format_table, round_down, round_up

Result = dict[str, Any]
NAMES = {"lipschitz_mlp": "cannot be steep", "mlp": "ordinary"}
RADII = ("two_sided", "cdf", "lipschitz")


def describe_setting(lipschitz: Result) -> str:
    """What was trained, drawn and certified."""
    row = lipschitz["digits"][0]
    return (
        f"`python benchmarks/lipschitz.py`: scikit-learn's digits, the recipe `digits-lipschitz` "
        f"with `lipschitz_mlp` and with `mlp`, each trained and drawn at one sigma; the "
        f"{row['inputs']} inputs that training holds out, {lipschitz['draws']:,} draws each, kind "
        f"softmax, alpha {lipschitz['alpha']:g}. Medians are over all inputs."
    )


def tabulate_digits(lipschitz: Result) -> str:
    """Constants, accuracy, wins and medians by network and sigma."""
    head = ["network", "sigma", "L", "certified, right", "above `two_sided`", "above both"]
    head += [f"median `{name}`" for name in RADII]
    rows = [
        [
            NAMES[row["arch"]],
            f"{row['sigma']:g}",
            round_up(row["constant"], 2),
            f"{row['correct']} of {row['inputs']}",
            str(row["above_two_sided"]),
            str(row["above_cdf"]),
            *(round_down(row[f"median_{name}"], 3) for name in RADII),
        ]
        for row in lipschitz["digits"]
    ]
    return format_table(head, rows)


def describe_wins(lipschitz: Result) -> str:
    """Where it wins, and what the largest radius gains."""
    steep = [row for row in lipschitz["digits"] if row["arch"] == "mlp"]
    flat = [row for row in lipschitz["digits"] if row["arch"] != "mlp"]
    wins = [
        f"{row['above_cdf']} of {row['inputs']} inputs at sigma {row['sigma']:g}" for row in flat
    ]
    most = sum(row["above_two_sided"] for row in steep)
    other = "no input" if most == 0 else f"{most} inputs over all sigmas"
    best = max(flat, key=lambda row: float(row["largest_ratio"]))
    return (
        f'"Above both" counts the inputs whose `lipschitz` is above `two_sided` and `cdf`: on the '
        f"network that cannot be steep {', '.join(wins)}; on the ordinary one it is above "
        f"`two_sided` on {other}. It is up to {round_down(best['largest_ratio'], 1)} times `cdf`, "
        f"at sigma {best['sigma']:g}."
    )


def tabulate_ordinary(lipschitz: Result) -> str:
    """Constants of networks that ship with the package."""
    head = ["network", "L", "largest radius that L allows"]
    rows = [
        [f"`{row['name']}`", round_up(row["constant"], 0), round_down(row["most"], 6)]
        for row in lipschitz["ordinary"]
    ]
    return format_table(head, rows)
