"""Keep figures of many runs readable: some runs bold in a faint crowd, or a small panel for each.

`choose_bold` finds the runs that a reader wants to stand out. Without any, `split_into_multiples`
turns a figure of many runs into small multiples: each panel has one run bold and the others behind.
"""

from collections.abc import Callable, Mapping, Sequence
from textwrap import fill, wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from simplicert.errors import require
from simplicert.figures.style import GREY
from simplicert.metrics.shared import name_runs, relate_inputs
from simplicert.metrics.study import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_LINES = 8  # runs that one panel shows with a name each
ACROSS = 4  # small panels in a row
SMALL = 1.45  # inches: the height of a row of small panels
NAME_SIZE = 7.5  # points
LONGEST, WORD = 27, 23  # letters of a line of a name over a small panel, and of a word in it
MOST_ROWS = 3  # lines of such a name
HEADING = 120  # letters of a line over all panels


def choose_bold(studies: Mapping[str, Study], asked: Sequence[str]) -> tuple[str, ...] | None:
    """Return the legend's names of the runs asked for, by name or folder; None where none is."""
    if not asked:
        return None
    found: list[str] = []
    for text in asked:
        mine = [
            name
            for name, study in studies.items()
            if text in (name, study.name, study.run.folder.name)
            or study.name.startswith(f"{text}, ")  # of several sigmas, told apart behind a comma
            or study.run.folder.resolve().match(text.removesuffix("/"))
        ]
        require(
            bool(mine),
            f"highlight must name a run that is given, got {text!r}: the runs are "
            + name_runs((study.name for study in studies.values()), "; "),
        )
        found += mine
    return tuple(dict.fromkeys(found))


def describe_figure_inputs(studies: Sequence[Study]) -> str:
    """Say which inputs the runs cover, where they are not the same or not all; else ""."""
    if not studies:
        return ""
    if any(study.parent is not None for study in studies):
        return f"the {len(studies[0].index):,} inputs common to all runs"
    if len(studies) == 1 or relate_inputs(studies).same:
        return ""
    sizes = sorted({len(study.index) for study in studies})
    many = f"{sizes[0]:,}" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,}"
    return f"unpaired: different inputs, {many} in each run"


def split_into_multiples(
    draw: Callable[..., "Axes"], several: Mapping[str, Any], keywords: Mapping[str, Any]
) -> list[Callable[["Axes"], "Axes"]]:
    """Return a small panel for each run, with its line bold and the others faint behind it."""

    def panel(name: str, first: bool) -> Callable[["Axes"], "Axes"]:
        def draw_one(axes: "Axes") -> "Axes":
            draw(several, axes, **keywords, bold=(name,))
            legend = axes.get_legend()
            note = "" if legend is None else legend.get_title().get_text()
            if legend is not None:
                legend.remove()
            for line in axes.lines:
                line.set_marker("")
            axes.set_title(_shorten_name(name), loc="left", fontsize=NAME_SIZE, pad=2)
            axes.tick_params(labelsize=NAME_SIZE - 1)
            for text in (axes.xaxis.label, axes.yaxis.label):
                text.set_fontsize(NAME_SIZE)
            axes.label_outer()
            if first and note:
                grey = f"grey: the other {len(several) - 1} runs"
                facts = note.replace(" \n", " ").replace("\n", ", ")
                words = "; ".join([facts, *_name_dashes(axes), grey])
                axes.figure.suptitle(
                    fill(words, HEADING, break_on_hyphens=False),
                    fontsize=NAME_SIZE,
                    color=GREY,
                    x=0.02,
                    ha="left",
                )
            return axes

        return draw_one

    return [panel(name, place == 0) for place, name in enumerate(several)]


def _shorten_name(name: str) -> str:
    """Return a name in at most three lines; of longer words and names the middle is left out.

    >>> print(_shorten_name("PGD_10steps_multiNoiseSamples noise 2 eps 512 train 0.50"))
    PGD_10step…NoiseSamples
    noise 2 eps 512 train 0.50
    """
    words = [_cut_middle(word, WORD) for word in name.split()]
    lines = wrap(" ".join(words), LONGEST, break_on_hyphens=False)
    if len(lines) > MOST_ROWS:
        lines = [lines[0], *wrap(_cut_middle(" ".join(lines[1:]), 2 * WORD), LONGEST)]
    return "\n".join(lines[:MOST_ROWS])


def _cut_middle(text: str, most: int) -> str:
    """Return a text of at most so many letters, its middle left out if need be."""
    if len(text) <= most:
        return text
    left = (most - 2) // 2
    return f"{text[:left]}…{text[left + 1 - most :]}"


def _name_dashes(axes: "Axes") -> list[str]:
    """Say what solid and dashed lines are, where there are both."""
    words = {"-": "solid", "--": "dashed", ":": "dotted", "-.": "dashed and dotted"}
    empty = [line for line in axes.lines if np.size(line.get_xdata()) == 0]
    return [
        f"{words.get(str(line.get_linestyle()), 'dashed')}: {line.get_label()}" for line in empty
    ]
