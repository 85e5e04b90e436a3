"""Training under noise, for docs/training.md: speeds, the networks that ship, what methods move."""

from typing import Any

from measured import format_table, round_down, round_up

Result = dict[str, Any]
STEPS = {
    "forward_small_cnn": "forward, `small_cnn`, compiled",
    "forward_resnet20": "forward, `resnet20`, compiled",
    "step_gaussian": "training step, `gaussian`",
    "step_macer_4": "training step, `macer`, k = 4",
    "step_macer_16": "training step, `macer`, k = 16",
}
MECHANISMS = ("cohen", "li", "improved_dp")


def tabulate_speeds(training: Result) -> str:
    """Inputs a second of processor time."""
    rates = training["inputs_per_processor_second"]
    rows = [[words, round_down(rates[name])] for name, words in STEPS.items()]
    return format_table(["", "inputs per second"], rows)


def compare_speeds(training: Result) -> str:
    """The small network against ResNet-20, and MACER against plain noise."""
    four, sixteen = (round_up(training[f"macer_{k}_of_gaussian"], 1) for k in (4, 16))
    return (
        f"The small network makes {round_down(training['small_cnn_of_resnet20'], 1)} times the "
        f"forward passes of ResNet-20. An epoch of MACER costs {four} times the Gaussian's with "
        f"k = 4 and {sixteen} times with k = 16, the MACER paper's choice; Cullen et al. report "
        f"{training['macer_of_gaussian_in_the_paper']} times on their system, and do not say with "
        "which k."
    )


def tabulate_networks(zoo: Result) -> str:
    """The networks that ship: accuracy in percent."""
    rows = []
    for name, facts in zoo.items():
        result = facts["result"]
        shares = [round_down(100 * result[f"{way}_accuracy"], 1) for way in ("noisy", "clean")]
        minutes = round_up(result["seconds"] / 60)
        rows.append([f"`{name}`", f"{facts['training']['sigma']:g}", *shares, minutes])
    return format_table(["network", "sigma", "noisy", "clean", "minutes"], rows)


def tabulate_macer(macer: Result) -> str:
    """MACER's networks, each with its control."""
    return _tabulate_shift(macer)


def tabulate_smoothadv(smoothadv: Result) -> str:
    """SmoothAdv's networks, each with its control."""
    return _tabulate_shift(smoothadv)


def tabulate_denoised(denoised: Result) -> str:
    """A network that never saw noise, with and without a denoiser, and one trained under noise."""
    return _tabulate_shift(denoised)


def _tabulate_shift(networks: Result) -> str:
    """Set each network beside its control: accuracies, radii, expectations, largest mechanism."""
    head = ["network", "certified accuracy at 0", ".25", ".5", ".75", "1", "average radius"]
    head += ["certified", "mean E0", "mean E1", "Cohen largest", "Li", "improved_dp"]
    rows = []
    for name, row in networks.items():
        accuracies = [_percent(share) for share in row["certified_accuracy"].values()]
        issued = [round_down(row["mean_radius"], 3), _percent(row["issued"])]
        means = [round_down(row["mean_e0_of_issued"], 3), round_up(row["mean_e1_of_issued"], 3)]
        largest = [f"{100 * row['largest_of_issued'].get(way, 0):.1f}" for way in MECHANISMS]
        rows.append([name, *accuracies, *issued, *means, *largest])
    return format_table(head, rows)


def _percent(share: float) -> str:
    return round_down(100 * share, 1)
