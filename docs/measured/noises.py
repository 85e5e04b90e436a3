"""What a draw costs under each noise (docs/threats.md)."""

from typing import Any

from measured import format_table, round_down, round_up

Result = dict[str, Any]


def describe_speed(noises: Result) -> str:
    """How it was measured."""
    return (
        f"`python benchmarks/noises.py`: a CIFAR-10 ResNet-20 on one core, batches of "
        f"{noises['batch']}, {noises['draws']} draws a round, {noises['rounds']} rounds of all "
        "noises in turn; processor time, medians, with a 95 % interval for the ratio."
    )


def tabulate_speed(noises: Result) -> str:
    """Milliseconds of a draw and of its noise, and the cost beside Gaussian noise."""
    rows = [
        [
            f"`{name}`",
            round_up(row["milliseconds"], 2),
            round_up(row["noise_milliseconds"], 3),
            f"{round_up(row['of_gaussian'], 2)} "
            f"({round_down(row['low'], 2)} to {round_up(row['high'], 2)})",
        ]
        for name, row in noises["noises"].items()
    ]
    head = ["noise", "milliseconds a draw, network included", "its noise alone", "of Gaussian"]
    return format_table(head, rows)
