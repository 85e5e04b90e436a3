"""benchmarks/geometry.py: what a neighbour is worth inside the box, for geometry.md."""

from typing import Any

from measured import format_table, round_down, round_up

Result = dict[str, Any]


def state_settings(geometry: Result) -> str:
    """Inputs, draws and alpha."""
    search, networks = geometry["search"], geometry["networks"]
    sigmas = sorted({network["sigma"] for network in networks})
    return (
        f"the zoo's small networks at sigma {' and '.join(f'{sigma:g}' for sigma in sigmas)}, "
        f"every {geometry['step']}th test image of CIFAR-10 "
        f"({networks[0]['summary']['inputs']} inputs), looks of {search['pilot']} draws, gradients "
        f"of {search['copies']} copies, alpha {geometry['alpha']:g} with a share of "
        f"{search['share']:g}, 2,000 draws where a neighbour is drawn"
    )


def tabulate_networks(geometry: Result) -> str:
    """Each network and division: what the search did, and both radii."""
    head = ["sigma", "draws at x, at x'", "neighbour drawn", "it wins", "all draws, mean"]
    head += ["mean radius", "rival's", "ratio", "median radius", "rival's", "ratio"]
    head += ["inputs better", "worse"]
    rows = []
    for network in geometry["networks"]:
        summary, mean, median = network["summary"], network["mean"], network["median"]
        rows.append(
            [
                f"{network['sigma']:g}",
                f"{network['draws']:,}, {network['fresh']:,}",
                f"{summary['moved']} of {summary['inputs']}",
                summary["won"],
                round_up(summary["mean_draws"]),
                round_down(mean["radius"], 4),
                round_down(mean["same_draws"], 4),
                round_down(summary["mean_ratio"], 3),
                round_down(median["radius"], 4),
                round_down(median["same_draws"], 4),
                round_down(summary["median_ratio"], 3),
                summary["better"],
                summary["worse"],
            ]
        )
    return format_table(head, rows)


def describe_worth(geometry: Result) -> str:
    """Say whether it gains or loses, and for how many inputs there was anything to try."""
    networks = geometry["networks"]
    ratios = [network["summary"]["mean_ratio"] for network in networks]
    first = [network for network in networks if network["free"] is not None]
    inside = sum(network["without_candidate"] for network in first)
    inputs = sum(network["summary"]["inputs"] for network in first)
    better = sum(network["summary"]["better"] for network in networks)
    worse = sum(network["summary"]["worse"] for network in networks)
    searches = sum(network["summary"]["inputs"] for network in networks)
    losses = sum(ratio < 1 for ratio in ratios)
    verdict = {0: "a gain", len(ratios): "a loss"}.get(losses, "mixed")
    return (
        f"So it is {verdict}: the mean radius is {round_down(min(ratios), 3)} to "
        f"{round_down(max(ratios), 3)} times the rival's, and of {searches} searches {better} "
        f"end with a larger radius than the rival's and {worse} with a smaller one. For {inside} "
        f"of the {inputs} inputs x - r g lay inside the box by the pilot's gradient, so that no "
        "neighbour was tried."
    )


def describe_free(geometry: Result) -> str:
    """Say what is left where the search costs nothing."""
    parts = []
    for network in geometry["networks"]:
        free = network["free"]
        if free is None:
            continue
        parts.append(
            f"at sigma {network['sigma']:g}, of {free['inputs']} inputs that have a point to try, "
            f"the neighbour's radius is larger for {free['better']} and smaller for "
            f"{free['worse']}; the median ratio is {round_down(free['median_ratio'], 4)}, the "
            f"largest {round_down(free['largest_ratio'], 4)}"
        )
    return f"With {geometry['free_draws']:,} draws each: {'; '.join(parts)}."
