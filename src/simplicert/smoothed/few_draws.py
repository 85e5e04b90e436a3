"""Say that so few draws certify nothing: before the first of them where that is known already.

`warn_of_few_draws` needs the number of draws alone, and speaks before a slow or paid model is asked
in vain. `warn_of_few_seen` knows the evidence, so that it judges softmax scores and plans too.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from simplicert.bounds import bound
from simplicert.stopping.projection import unanimous_tally
from simplicert.types import Tally

if TYPE_CHECKING:
    from simplicert.smoothed.wrapper import Smoothed

FEW_DRAWS = 1000  # more certify something at any alpha that people use


def warn_of_few_draws(smooth: "Smoothed", draws: int | None, alpha: float, scheme: str) -> str:
    """Return a warning where so few draws certify nothing whatever the classifier answers.

    The fewer classes the easier, so that two stand for a number that is not known yet.
    """
    if not isinstance(draws, (int, np.integer)) or not 0 < draws <= FEW_DRAWS:
        return ""
    if smooth.kind != "multinomial" or scheme == "split":
        return ""
    known = smooth.num_classes
    counts = [[int(draws)] + [0] * ((known or 2) - 1)]
    agreed = Tally(counts, sigma=smooth.sigma, noise=smooth.noise)
    if not _certify_nothing(agreed, [int(draws)], alpha, smooth.kind, scheme):
        return ""
    classes = "any number of classes" if known is None else f"{known} classes"
    return _say_few(int(draws), alpha, smooth.kind, scheme, classes)


def warn_of_few_seen(tally: Tally, alpha: float, kind: str, scheme: str) -> str:
    """Return a warning where not even draws that all agree would be certified at any look."""
    looks = [int(tally.draws.max())] if tally.plan is None else list(tally.plan.looks)
    if not _certify_nothing(tally, looks, alpha, kind, scheme):
        return ""
    return _say_few(looks[-1], alpha, kind, scheme, f"{tally.classes} classes")


def _certify_nothing(tally: Tally, looks: list[int], alpha: float, kind: str, scheme: str) -> bool:
    """Tell whether draws that all agree are certified at none of the looks."""
    settings: dict[str, Any] = {"alpha": alpha, "kind": kind, "scheme": scheme}
    return all(bound(unanimous_tally(tally, n), **settings).abstained.all() for n in looks)


def _say_few(draws: int, alpha: float, kind: str, scheme: str, classes: str) -> str:
    return (
        f"{draws} draws certify nothing at alpha {alpha:g}, kind {kind}, scheme {scheme} with "
        f"{classes}, even if all agree: draw more"
    )
