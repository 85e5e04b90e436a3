"""benchmarks/joint.py and benchmarks/softmax.py: how much radius a bound leaves of the true one.

For docs/joint.md and docs/softmax.md.
"""

from typing import Any

from measured import format_table, percent_up, round_down, round_up

Result = dict[str, Any]
SIZES = {"1000": "1e3", "10000": "1e4", "100000": "1e5"}
ENDS = ("1000", "100000")
SHOWN = (
    "bentkus+betting",
    "bentkus alone",
    "betting alone",
    "bernstein alone",
    "hoeffding",
    "cdf",
)


def tabulate_gain(joint: Result) -> str:
    """The joint bound beside the gated pair, counts at their expectation."""
    head = ["p_A, p_B, n", "true", "gated pair", "joint", "draws for the same radius"]
    rows = []
    for row in joint["gain"]:
        point = f"{row['p_top']:g}, {row['p_rival']:g}, {row['draws']:,}"
        radii = [round_down(row[name], 4) for name in ("true", "gated", "joint")]
        rows.append([point, *radii, round_up(row["share_of_draws"], 2)])
    return format_table(head, rows)


def tabulate_grid(joint: Result) -> str:
    """The joint radius over the gated one, on a grid over the simplex."""
    head = ["n", "points", "pair certifies", "joint alone", "smallest", "median"]
    rows = []
    for row in joint["grid"]:
        counts = [row["points"], row["certified_by_the_pair"], row["by_joint_alone"]]
        ratios = [round_down(row["smallest_ratio"], 4), round_down(row["median_ratio"], 3)]
        rows.append([f"{row['draws']:,}", *counts, *ratios])
    return format_table(head, rows)


def tabulate_families(softmax: Result) -> str:
    """The true means of the two largest scores, and the radius that they allow."""
    rows = []
    for name, family in softmax["families"].items():
        means = [f"{family[mean]:.4f}" for mean in ("mean_top", "mean_rival")]
        radius = round_down(family["two_sided_radius"], 3)
        rows.append([name, f"{family['classes']:,}", *means, radius])
    head = ["family", "classes", "largest mean", "second", "`two_sided` at the true means"]
    return format_table(head, rows)


def tabulate_shares(softmax: Result) -> str:
    """Radii as shares of `two_sided` at the true means, for few draws and for many."""
    families = softmax["families"]
    head = [f"{name}, {SIZES[n]}" for name in families for n in ENDS]
    rows = []
    for method in SHOWN:
        found = [family["share"][n][method] for family in families.values() for n in ENDS]
        rows.append([method, *(round_down(share, 3) for share in found)])
    return format_table(["", *head], rows)


def state_change(softmax: Result) -> str:
    """What betting and finer bins together change, from the worst to the best of the families."""
    words = []
    for n, size in SIZES.items():
        shares = [family["share"][n] for family in softmax["families"].values()]
        changes = [one["cdf"] / one["cdf, run format 1"] - 1 for one in shares]
        least, most = (round_down(100 * end, 1) for end in (min(changes), max(changes)))
        words.append(f"{least} to {most} % at n = {size}")
    return ", ".join(words)


def _list_least(family: Result) -> list[float]:
    return [family["least_cdf_over_two_sided_without_histograms"][n] for n in SIZES]


def state_least_ratio(softmax: Result) -> str:
    """The smallest ratio of `cdf` to `two_sided` without histograms."""
    least = min(min(_list_least(family)) for family in softmax["families"].values())
    return f"at least {round_down(least, 3)}"


def state_widening(softmax: Result) -> str:
    """How much farther from the mean scores the limits lie if histograms share the tail."""
    found = [
        ratio
        for family in softmax["families"].values()
        for ratio in family["largest_widening_of_half_widths"].values()
    ]
    return f"{percent_up(min(found) - 1)} to {percent_up(max(found) - 1)} wider"


def state_price_of_bands(softmax: Result) -> str:
    """What the share of the tail for the bands takes from `two_sided` at n = 1e5."""
    shares = [family["share"]["100000"] for family in softmax["families"].values()]
    price = max(1 - one["two_sided, with histograms"] / one["bentkus+betting"] for one in shares)
    return f"within {percent_up(price)} of what it is without them at n = 1e5"
