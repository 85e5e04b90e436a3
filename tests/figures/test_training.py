"""The training curve shows what the log says."""

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from simplicert.figures.trends import training_curve

LOG = [
    {"epoch": 1, "loss": 2.0, "train_accuracy": 0.2, "noisy_accuracy": 0.3, "seconds": 60.0},
    {"epoch": 2, "loss": 1.0, "train_accuracy": 0.4, "noisy_accuracy": 0.5, "seconds": 60.0},
]


def test_the_lines_are_the_columns():
    with matplotlib.rc_context():
        axes = training_curve(LOG, Figure().add_subplot())
    right = axes.figure.axes[1]
    lines = {line.get_label(): line.get_ydata() for line in axes.lines}
    np.testing.assert_array_equal(lines["training inputs, noisy"], [0.2, 0.4])
    np.testing.assert_array_equal(lines["test inputs, noisy"], [0.3, 0.5])
    np.testing.assert_array_equal(right.lines[0].get_ydata(), [2.0, 1.0])
    assert axes.get_legend().get_title().get_text() == "2 epochs, 2.0 minutes of training"
