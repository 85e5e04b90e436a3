"""How many inputs gain how much."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from simplicert.analysis.comparison import percent_gain, share_improved_by, two_columns
from simplicert.analysis.figures.lines import a_pair_for_each
from simplicert.analysis.figures.style import dress, legend, look_of
from simplicert.analysis.figures.words import note
from simplicert.mechanisms import PAPER_ENSEMBLE
from simplicert.types import Certificates, Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 100.0  # percent: where the axis ends


def share_improved(several: Mapping[str, Certificates], axes: "Axes") -> "Axes":
    """Proportion of inputs improved by more than x percent; paper fig. (Differential_Performance).

    Over Cohen (softmax: over Lecuyer) by the paper's ensemble, dashed, and by the tight radius,
    solid. Inputs that the base does not certify at all gain without limit: they are what is left
    at the right edge, however far the axis goes.
    """
    drawn = list(several.values())
    base = PAPER_ENSEMBLE[drawn[0].known.kind][0]
    a_pair_for_each(axes, several, partial(steps, base=base))
    dress(axes, f"improvement over {look_of(base).name} of more than (%)", "proportion of inputs")
    axes.set(xlim=(0, MOST), ylim=(0, 1))
    legend(axes, note(drawn, sigma=False))
    return axes


def steps(certificates: Certificates, column: str, base: str) -> tuple[Floats, Floats]:
    """Percentages at which the proportion drops, 0 first, and its value from each to the next."""
    gains = percent_gain(*two_columns(certificates, column, base))
    at = np.unique(np.concatenate([[0.0, MOST], gains[(gains > 0) & (gains < MOST)]]))
    return at, share_improved_by(certificates, at, column, base).value
