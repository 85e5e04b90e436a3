"""The per-class summary."""

from collections.abc import Sequence

import numpy as np

from simplicert.analysis.report.views import View
from simplicert.analysis.tables import Grid
from simplicert.types import Bools
from simplicert.types.text import rounded_down


def class_table(view: View, names: Sequence[str] | None) -> Grid:
    """One row a class that occurs: by label where there are labels, else by predicted class."""
    labelled = view.labels is not None
    classes = view.labels if view.labels is not None else view.predicted
    rows = [
        one_row(view, classes == number, class_name(int(number), names), labelled)
        for number in np.unique(classes)
    ]
    headings = ["class", "inputs", "certified", "abstained", "median radius", "mean radius"]
    if labelled:
        headings[3:3] = ["right", "wrong"]
    by = "label" if labelled else "predicted class"
    note = (
        f"by {by}; radii are the best proved, rounded down, over all inputs of the class, "
        "with 0 for an abstention"
    )
    return Grid("Per class", tuple(headings), rows, (note,))


def one_row(view: View, mine: Bools, name: str, labelled: bool) -> tuple[str, ...]:
    """Counts and radii of the inputs of one class."""
    radius, abstained = view.radius[mine], int(view.abstained[mine].sum())
    row = [name, str(len(radius)), str(len(radius) - abstained)]
    if labelled:
        right = int(view.correct[mine].sum())
        row += [str(right), str(len(radius) - abstained - right)]
    typical = (float(np.median(radius)), float(radius.mean()))
    return (*row, str(abstained), *(rounded_down(value) for value in typical))


def class_name(number: int, names: Sequence[str] | None) -> str:
    """A class by name and number; by number alone where the data had no names."""
    if number < 0:
        return "none (abstained)"
    if names is None or number >= len(names):
        return str(number)
    return str(number) if names[number] == str(number) else f"{names[number]} ({number})"
