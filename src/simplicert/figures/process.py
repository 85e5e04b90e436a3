"""Draw the whole method on one page: from one input to its certified radius."""

from typing import TYPE_CHECKING, NamedTuple

from simplicert.figures.style import GREY, INK, PAPER, mechanism_style
from simplicert.mechanisms import PAPER_ENSEMBLE
from simplicert.types import Kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes


WIDE, HIGH = 100.0, 43.0  # of the page that the boxes stand on

REPEATED = "#dbeefa"  # the pale blue squares: what is repeated for every draw

ROWS = (("1", 32.0), ("2", 23.0), ("n", 7.5))  # the draws shown, and how high each stands

# How high each kind's boxes stand, and what its expectations are.
LANES: dict[Kind, tuple[float, str]] = {
    "multinomial": (28.5, "share of draws\nthat class $j$ wins"),
    "softmax": (7.5, "mean score\nof class $j$"),
}

STEP = 7.0  # from one mechanism down to the next

# Where each column's heading stands, and its words.
HEADINGS = {
    5.5: "one input",
    27.0: "$n$ independent draws",
    52.0: "expectations",
    73.5: "mechanisms",
    92.0: "ensemble",
}


class DiagramBox(NamedTuple):
    """A rectangle, given by its middle."""

    x: float
    y: float
    wide: float
    high: float

    @property
    def left(self) -> tuple[float, float]:
        """The point where an arrow comes in."""
        return self.x - self.wide / 2, self.y

    @property
    def right(self) -> tuple[float, float]:
        """The point where an arrow goes out."""
        return self.x + self.wide / 2, self.y


def process_diagram(axes: "Axes") -> "Axes":
    """Draw one input, n draws, two expectations, mechanisms and the ensemble; paper fig. (CVPR).

    Blue squares are repeated for every draw; everything right of them is done once.

    >>> from matplotlib.figure import Figure
    >>> import simplicert as sc
    >>> axes = sc.figures.process_diagram(Figure().subplots())
    >>> [text.get_text() for text in axes.texts][-2:]
    ['mechanisms', 'ensemble']
    """
    axes.set(xlim=(0, WIDE), ylim=(0, HIGH))
    axes.set_axis_off()
    outputs = _draw_noisy_copies(axes, DiagramBox(5.5, 19.75, 8, 8))
    for kind, (height, words) in LANES.items():
        expectations = DiagramBox(52, height, 18, 12.5)
        _draw_box(axes, expectations, f"{kind}\n{words}\n$E_0$ low, $E_1$ high")
        for place, output in enumerate(outputs):
            x, y = expectations.left
            _draw_arrow(axes, output.right, (x, y + 3.5 * (1 - place)))  # one below the other
        _draw_mechanisms(axes, kind, expectations)
    for x, words in HEADINGS.items():
        axes.text(x, HIGH, words, ha="center", va="top", color=GREY, fontsize="small")
    return axes


def _draw_noisy_copies(axes: "Axes", source: DiagramBox) -> list[DiagramBox]:
    """Draw the input, its noisy copies and the classifier at each; return the latter's boxes."""
    _draw_box(axes, source, "$x$")
    outputs = []
    for number, height in ROWS:
        copy, classifier = DiagramBox(21.5, height, 10, 6.5), DiagramBox(33, height, 6.5, 6.5)
        _draw_box(axes, copy, rf"$x + \varepsilon_{number}$", fill=REPEATED)
        _draw_box(axes, classifier, "$f$", fill=REPEATED)
        _draw_arrow(axes, source.right, copy.left)
        _draw_arrow(axes, copy.right, classifier.left)
        outputs.append(classifier)
    for box in (copy, classifier):
        axes.text(box.x, (ROWS[1][1] + ROWS[2][1]) / 2, "⋮", ha="center", va="center", color=INK)
    return outputs


def _draw_mechanisms(axes: "Axes", kind: Kind, expectations: DiagramBox) -> None:
    """Draw the mechanisms of one kind's ensemble in their own colours, and their largest radius."""
    names = PAPER_ENSEMBLE[kind]
    ensemble = DiagramBox(92.0, expectations.y, 15, 9)
    _draw_box(axes, ensemble, "class $j$ within\n" + r"$L = \max\,L_i$")
    for place, name in enumerate(names):
        height = expectations.y + STEP * ((len(names) - 1) / 2 - place)
        mechanism = DiagramBox(73.5, height, 14, 5.2)
        _draw_box(axes, mechanism, mechanism_style(name).name, edge=mechanism_style(name).colour)
        _draw_arrow(axes, expectations.right, mechanism.left)
        _draw_arrow(axes, mechanism.right, ensemble.left)


def _draw_box(
    axes: "Axes", box: DiagramBox, words: str, fill: str = PAPER, edge: str = INK
) -> None:
    """Draw one box with its words in the middle."""
    from matplotlib.patches import FancyBboxPatch

    corner = (box.x - box.wide / 2, box.y - box.high / 2)
    shape = "round,pad=0,rounding_size=0.8"
    width = 0.6 if edge == INK else 1.3
    axes.add_patch(
        FancyBboxPatch(corner, box.wide, box.high, shape, fc=fill, ec=edge, linewidth=width)
    )
    axes.text(box.x, box.y, words, ha="center", va="center", color=INK, fontsize="small")


def _draw_arrow(axes: "Axes", start: tuple[float, float], end: tuple[float, float]) -> None:
    """Draw an arrow from the right side of one box to the left side of another."""
    look = {
        "arrowstyle": "-|>",
        "color": GREY,
        "linewidth": 0.55,
        "mutation_scale": 7,
        "shrinkA": 0,
        "shrinkB": 0,
    }
    axes.annotate("", end, start, arrowprops=look)
