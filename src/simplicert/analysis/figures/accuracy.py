"""Certified accuracy against the radius: of every technique, and of several runs."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from simplicert.analysis import metrics
from simplicert.analysis.evidence import shown_columns
from simplicert.analysis.figures.lines import a_pair_for_each, markers
from simplicert.analysis.figures.style import dress, legend, line_of
from simplicert.analysis.figures.words import note, radius_words
from simplicert.types import Certificates, Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def certified_accuracy(
    certificates: Certificates, axes: "Axes", *, reach: float | None = None
) -> "Axes":
    """Certified accuracy by every technique of one kind; paper figs. (Imagenet), (Cifar) a.

    Each line is exact: it steps down at every certified radius, and holds in between. `reach` is
    the largest radius shown, where several panels are to have the same.
    """
    columns = shown_columns(certificates)
    for place, name in enumerate(columns):
        every = markers(place, len(columns))
        axes.step(*steps(certificates, name), where="post", markevery=every, **line_of(name))
    dress(axes, radius_words(certificates), "certified accuracy")
    axes.set(xlim=(0, reach), ylim=(0, 1))
    legend(axes, note([certificates]))
    return axes


def accuracy_of_runs(several: Mapping[str, Certificates], axes: "Axes") -> "Axes":
    """The tight radius (solid) against the paper's ensemble (dashed); paper fig. (Imagenet) b.

    One colour a run, as a rule a sigma; the keys name them.
    """
    drawn = list(several.values())
    a_pair_for_each(axes, several, steps)
    dress(axes, radius_words(drawn[0]), "certified accuracy")
    axes.set(xlim=(0, None), ylim=(0, 1))
    legend(axes, note(drawn, sigma=False))
    return axes


def steps(certificates: Certificates, column: str) -> tuple[Floats, Floats]:
    """Radii at which certified accuracy drops, 0 first, and its value from each to the next."""
    at = np.unique(np.concatenate([[0.0], certificates.column(column)]))
    return at, metrics.accuracy_curve(certificates, at, column).value
