"""The course of a training: accuracy under noise, and the loss, epoch by epoch."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from simplicert.analysis.figures.style import GREY, LOOKS, dress, legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TRAIN, TEST = LOOKS["li"].colour, LOOKS["cohen"].colour


def training_curve(log: Sequence[Mapping[str, float]], axes: "Axes") -> "Axes":
    """Single-draw accuracy of training and test inputs against the epoch; the loss at the right."""
    epochs = [row["epoch"] for row in log]
    for name, colour, line, label in (
        ("train_accuracy", TRAIN, "dashed", "training inputs, noisy"),
        ("noisy_accuracy", TEST, "solid", "test inputs, noisy"),
    ):
        shares = [row[name] for row in log]
        axes.plot(epochs, shares, color=colour, linestyle=line, marker=".", label=label)
    axes.plot([], [], color=GREY, linestyle="dotted", label="loss (right)")
    dress(axes, "epoch", "accuracy, one noisy draw")
    right = axes.twinx()
    right.plot(epochs, [row["loss"] for row in log], color=GREY, linestyle="dotted")
    right.set_ylabel("mean loss")
    right.spines[["top"]].set_visible(False)
    seconds = sum(row["seconds"] for row in log)
    legend(axes, f"{len(log)} epochs, {seconds / 60:.1f} minutes of training")
    return axes
