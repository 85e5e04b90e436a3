"""benchmarks/geometry.py: what a neighbour is worth inside the box, for geometry.md."""

from typing import Any

from measured import format_table, round_down, round_up

Result = dict[str, Any]


def state_settings(geometry: Result) -> str:
    """Inputs, draws and alpha."""
    search, networks = geometry["search"], geometry["networks"]
    return (
        f"the zoo's small networks at sigma {' and '.join(f'{n["sigma"]:g}' for n in networks)}, "
        f"every {geometry['step']}th test image of CIFAR-10 "
        f"({networks[0]['summary']['inputs']} inputs), {geometry['draws']:,} draws at x, looks of "
        f"{search['pilot']}, gradients of {search['copies']} copies, {search['draws']} fresh draws "
        f"at a neighbour, alpha {geometry['alpha']:g} with a share of {search['share']:g}"
    )


def tabulate_networks(geometry: Result) -> str:
    """Each network: what the search did, and both radii."""
    head = ["sigma", "inputs", "neighbour drawn", "it wins", "draws per input"]
    head += ["mean radius", "same draws at x", "ratio of means", "median radius"]
    head += ["same draws at x", "ratio of medians", "inputs better", "worse"]
    rows = []
    for network in geometry["networks"]:
        summary, mean, median = network["summary"], network["mean"], network["median"]
        rows.append(
            [
                f"{network['sigma']:g}",
                summary["inputs"],
                summary["moved"],
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
    """Say in one sentence whether it gains or loses."""
    networks = geometry["networks"]
    ratios = [network["summary"]["mean_ratio"] for network in networks]
    better = sum(network["summary"]["better"] for network in networks)
    worse = sum(network["summary"]["worse"] for network in networks)
    inside = sum(network["without_candidate"] for network in networks)
    inputs = sum(network["summary"]["inputs"] for network in networks)
    losses = sum(ratio < 1 for ratio in ratios)
    verdict = {0: "It is a gain", len(ratios): "It is a loss"}.get(losses, "It is mixed")
    return (
        f"{verdict}: the mean radius is {' and '.join(round_down(r, 3) for r in ratios)} times "
        f"that of the same draws at x, {better} of {inputs} inputs are better and {worse} worse. "
        f"For {inside} of the {inputs} inputs the point x - r g lay inside the box by the "
        "pilot's gradient, so that no neighbour was tried."
    )


def describe_free(geometry: Result) -> str:
    """Say what is left where the search costs nothing."""
    parts = []
    for network in geometry["networks"]:
        free = network["free"]
        parts.append(
            f"at sigma {network['sigma']:g}, of {free['inputs']} inputs that have a point to try, "
            f"the neighbour's radius is larger for {free['better']} and smaller for "
            f"{free['worse']}; the median ratio is {round_down(free['median_ratio'], 4)}, the "
            f"largest {round_down(free['largest_ratio'], 3)}"
        )
    text = "; ".join(parts)
    return f"With {geometry['free_draws']:,} draws each: {text}."
