"""Which inputs to look at first."""

import numpy as np

from simplicert.analysis.report.views import View
from simplicert.types import Ints

WORDS = (
    "Riskiest first: certified as another class than the label, the largest radius first, because "
    "the promise is far-reaching and wrong; then the abstentions; then what is certified as its "
    "label, the smallest radius first."
)
WORDS_UNLABELLED = "Riskiest first: the abstentions, then the certified ones by rising radius."


def risk_order(view: View) -> Ints:
    """(N,) rows of the table, the riskiest first; WORDS say how. Ties stand by number."""
    if view.labels is None:
        return np.lexsort((view.index, view.radius))
    wrong = ~view.abstained & ~view.correct
    group = np.select([wrong, view.abstained], [0, 1], 2)
    within = np.where(wrong, -view.radius, view.radius)
    return np.lexsort((view.index, within, group))


def risk_words(view: View) -> str:
    """What the order is."""
    return WORDS if view.labels is not None else WORDS_UNLABELLED
