"""Choose the run that a page of several opens on, and say which it is and why.

It is the run with the highest certified accuracy in the mean over the radii asked about, by the
best radius; without labels the share of inputs certified takes its place.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from simplicert.metrics.numbers import format_down
from simplicert.report.views import View
from simplicert.types import Floats


class Opening(NamedTuple):
    """The place of a view among those of the page, and a sentence; "" where there is no choice."""

    place: int
    sentence: str = ""


def choose_opening(views: Sequence[View], radii: Sequence[float]) -> Opening:
    """Choose among the runs' certificates of the page's first kind; the first run on a tie."""
    places = [place for place, view in enumerate(views) if view.kind == views[0].kind]
    mine = [views[place] for place in places]
    if len(mine) < 2:  # noqa: PLR2004
        return Opening(0)
    labelled = all(view.labels is not None for view in mine)
    shares = np.array([_shares_beyond(view, radii, labelled) for view in mine])
    means = shares.mean(axis=1)
    best = int(means.argmax())
    what = "certified accuracy" if labelled else "share of inputs certified"
    named = _join_words([f"{radius:g}" for radius in radii])
    mean = " in the mean over" if len(radii) > 1 else " at"
    others = [k for k in np.argsort(-means, kind="stable").tolist() if k != best]
    sentence = (
        f"Opened on {mine[best].title}: of {len(mine)} runs it has the highest {what}{mean} "
        f"r = {named}, {format_down(float(means[best]), 3)}; {mine[others[0]].title} comes next "
        f"with {format_down(float(means[others[0]]), 3)}."
    )
    return Opening(places[best], sentence + _say_exceptions(mine, radii, shares, best))


def _shares_beyond(view: View, radii: Sequence[float], labelled: bool) -> list[float]:
    """Return the share of inputs certified (as their label) at each radius."""
    counts = view.correct if labelled else ~view.abstained
    reached = [view.radius >= r if view.closed else view.radius > r for r in radii]
    return [float((counts & beyond).mean()) for beyond in reached]


def _say_exceptions(
    views: Sequence[View], radii: Sequence[float], shares: Floats, best: int
) -> str:
    """Name the runs that are higher at some of the radii."""
    ahead: dict[str, list[str]] = {}
    for at, radius in enumerate(radii):
        top = int(shares[:, at].argmax())
        if shares[top, at] > shares[best, at]:
            ahead.setdefault(views[top].title, []).append(f"{radius:g}")
    said = (f" At r = {_join_words(where)} {name} is higher." for name, where in ahead.items())
    return "".join(said)


def _join_words(words: Sequence[str]) -> str:
    """Join words as in a sentence."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
