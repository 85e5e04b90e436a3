"""Give every figure the same look, and caption it with its settings.

One colour, marker and dash for each mechanism: `MechanismStyle`, `mechanism_style`,
`line_keywords`. Axes and legends: `style_axes`, `draw_legend`. The note in a legend and the label
of an axis: `settings_note`, `radius_label`. Files are written by `saving`.
"""

from collections.abc import Sequence
from textwrap import fill, wrap
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from simplicert.mechanisms import MECHANISMS
from simplicert.mechanisms.threats import Threat, threat_of
from simplicert.metrics.intervals import population_mask
from simplicert.metrics.study import explain_no_comparison
from simplicert.noises import NoiseModel, say_noise
from simplicert.noises.certainty import CERTAINTY
from simplicert.noises.words import label_radius, strength_of
from simplicert.types import Certificates, Expectations, Ints

if TYPE_CHECKING:
    from matplotlib.axes import Axes


NOTE_WIDTH = 48  # letters in a line of a legend's title

# Safe for colour-blind eyes; the sequential one also rises evenly in grey print.
DIVERGING, SEQUENTIAL = "PuOr_r", "cividis"

INK, GREY, PALE, PAPER = "#1a1a1a", "#6b6b6b", "#d9d9d9", "white"

SIZE = (5.0, 2.9)  # inches: a column and a half, for a triangle twice as wide as high

COLUMN = (3.5, 3.0)  # one column of a two-column page

PAGE = (7.16, 3.0)  # both columns, for two panels side by side

# In inches: the sample of a line in a legend with the room beside it, and a letter of its name.
HANDLE, LETTER = 0.38, 0.058
MARGIN = 0.5  # left of the axes, for ticks and a label

MARKERS = "oDs^vPX<>*"  # of runs, in their order

# Marks of legends: of lines that may be named beside them, of others above the axes; and of the
# note over a legend.
DIRECT, ABOVE, HEADING = "direct", "above", "heading"

CROWD_LINES = "crowd"  # mark of the lines of runs that do not stand out

BAND = {"linewidth": 4.0, "alpha": 0.5, "zorder": 1.8}  # of a line that runs under another one

GREEK = {"sigma": r"$\sigma$"}  # letters for what figures name

# matplotlib's name of a dash, or its lengths in points
LineStyle = str | tuple[int, tuple[float, ...]]


class MechanismStyle(NamedTuple):
    """How a mechanism is drawn in every figure: no two share a colour, a marker or a dash."""

    name: str  # in legends
    colour: str
    line: LineStyle
    marker: str


# Colour, line and marker of the mechanisms, in the order of MECHANISMS. Six colours are Okabe and
# Ito's, which colour-blind eyes tell apart; Cohen is blue as in the paper and Li, red there, is
# their orange. The last five are from Tol's palettes, for rows to come. The solid line is the tight
# radius, and the dashed one the paper's ensemble.
PENS: tuple[tuple[str, LineStyle, str], ...] = (
    ("#0072B2", (0, (6, 1.5, 1, 1.5)), "o"),
    ("#D55E00", (0, (1, 1)), "s"),
    ("#CC79A7", (0, (4, 1, 1, 1, 1, 1)), "v"),
    ("#009E73", (0, (8, 1.5)), "^"),
    ("#000000", "solid", "D"),
    ("#56B4E9", (0, (3, 1, 3, 1, 1, 1)), "P"),
    ("#332288", (0, (6, 1, 1, 1, 1, 1, 1, 1)), "<"),
    ("#661100", (0, (2, 1)), ">"),
    ("#117733", (0, (6, 1, 2, 1)), "p"),
    ("#999933", (0, (1, 2)), "h"),
    ("#882255", (0, (5, 1, 2, 1, 2, 1)), "d"),
)

MECHANISM_STYLES: dict[str, MechanismStyle] = {
    **{
        name: MechanismStyle(row.label or name, row.colour or colour, line, marker)
        for (name, row), (colour, line, marker) in zip(MECHANISMS.items(), PENS, strict=False)
    },
    "ensemble": MechanismStyle("ensemble", "#E69F00", (0, (4, 2)), "X"),
}


# Names that only other threats have, and whose pen they take: none of the two is ever drawn beside
# the other. One-sided is Cohen's idea under another noise.
BORROWED = {"one_sided": "cohen", "teng": "cdf"}


def mechanism_style(name: str, threat: Threat | None = None) -> MechanismStyle:
    """Return a mechanism's style; one that is not ours goes by its own name, in grey.

    A threat may have a name of its own for the same formula: Lecuyer's is pure DP under Laplace
    noise.
    """
    look = MECHANISM_STYLES.get(BORROWED.get(name, name))
    if look is None:
        return MechanismStyle(name, GREY, (0, (2, 2)), "*")
    row = None if threat is None else threat.mechanisms.get(name)
    label = look.name if name in MECHANISM_STYLES else name
    if row is None:
        return look._replace(name=label)
    return look._replace(name=row.label or label, colour=row.colour or look.colour)


def line_keywords(name: str, known: Expectations | None = None) -> dict[str, Any]:
    """Return a mechanism's style as matplotlib's keywords for a line, by its name under a noise.

    The ensemble is always equal to one of its members, so it is a broad pale line below theirs.
    """
    threat = None if known is None else threat_of(known.noise, known.norm)
    label, colour, line, marker = mechanism_style(name, threat)
    look = {"label": label, "color": colour, "linestyle": line, "marker": marker}
    return look | BAND if name == "ensemble" else look


def run_colours(runs: int) -> list[str]:
    """Return a colour for each run, dark to light: sigma has an order, and so has grey print."""
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    ramp = colormaps["plasma"]
    return [to_hex(ramp(0.78 * i / max(runs - 1, 1))) for i in range(runs)]


def style_axes(axes: "Axes", across: str, up: str) -> None:
    """Label the axes, draw a pale grid behind the data, and leave two sides open."""
    axes.set(xlabel=across, ylabel=up)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color=PALE, linewidth=0.5)
    axes.set_axisbelow(True)


def draw_legend(
    axes: "Axes",
    note: str,
    columns: int = 3,
    handle: float | None = None,
    *,
    lines: bool = True,
    entries: Sequence[tuple[Any, str]] | None = None,
) -> None:
    """Put the names above the axes, where no data can be, with a note on the numbers over them.

    `handle` is the length of a sample, in letters, where a dash need not show. `lines`: these are
    lines, which may be named beside them instead. `entries` are the artists and names to show,
    where some are named in the axes.
    """
    handles, names = axes.get_legend_handles_labels() if entries is None else _split(entries)
    shown = axes.legend(
        handles,
        [wrap_name(axes, name) for name in names],
        loc="lower left",
        bbox_to_anchor=(0.0, 1.01),
        ncols=fit_columns(names, _panel_width(axes), columns),
        title=note,
        title_fontsize="small",
        alignment="left",
        borderpad=0.0,
        borderaxespad=0.2,
        columnspacing=0.9,
        handlelength=handle,
    )
    shown.set_label(DIRECT if lines else ABOVE)
    shown.get_title().set(color=GREY, label=HEADING)


def fit_columns(names: Sequence[str], wide: float, most: int) -> int:
    """Return in how many columns, at most, these names fit into a legend of so many inches."""
    for columns in range(most, 1, -1):
        rows = -(-len(names) // columns)
        longest = [
            max(map(len, names[at : at + rows])) for at in range(0, len(names), max(rows, 1))
        ]
        if sum(HANDLE + LETTER * letters for letters in longest) <= wide:
            return columns
    return 1


def wrap_name(axes: "Axes", name: str) -> str:
    """Return a name in as many lines as a legend above these axes needs for it."""
    letters = int((_panel_width(axes) - MARGIN - HANDLE) / LETTER)
    return name if len(name) <= letters else fill(name, letters)


def _panel_width(axes: "Axes") -> float:
    """Return how wide the place of these axes is, in inches."""
    place = axes.get_subplotspec()
    across = 1 if place is None else place.get_gridspec().ncols
    figure = axes.get_figure(root=True)
    return float(figure.get_figwidth()) / across if figure is not None else COLUMN[0]


def _split(entries: Sequence[tuple[Any, str]]) -> tuple[list[Any], list[str]]:
    """Return the artists and the names of a legend's entries."""
    return [artist for artist, _ in entries], [name for _, name in entries]


def settings_note(
    several: Sequence[Certificates],
    *,
    sigma: bool = True,
    draws: bool = True,
    population: str = "all",
    totals: Sequence[int] | None = None,
    inputs: str = "",
) -> str:
    """Return the kind, then sigma and the inputs where all certificates share them, n and alpha.

    Sigma and n are left out where they are an axis. Certificates by settings that were not declared
    before the counts were seen are marked. `totals` are the numbers of inputs drawn, where they are
    not those of the population in each of the certificates. `inputs` says which they are, where
    runs cover different ones or are restricted to some.
    """
    known = [certificates.known for certificates in several]
    if totals is None:
        totals = [int(population_mask(item, population).sum()) for item in several]
    over = inputs_note(population, totals)
    mark = " (exploratory)" if any(item.exploratory for item in several) else ""
    facts = [
        {noise_note(item, strength=sigma) for item in known} - {""},
        _draws_note(known) if draws else set(),
        {_alpha_note(known)},
        {f"sensitivity {item.sensitivity:g}" for item in several if item.sensitivity != 1},
        {over} - {""} if population == "all" and not inputs else set(),
    ]
    settings = [", ".join(text for texts in facts if len(texts) == 1 for text in texts)]
    if any(item.noise.name != "gaussian" for item in known):  # then they may be many words
        whole = settings[0].replace(" = ", "\u00a0=\u00a0")  # no line ends inside "n = 300"
        settings = [line.replace("\u00a0", " ") for line in wrap(whole, NOTE_WIDTH)]
    if inputs:
        settings.append(inputs)
    if population != "all":  # a line of its own: no figure of a part is taken for one of all
        settings.append(over)
    reasons = dict.fromkeys(filter(None, map(explain_no_comparison, several)))
    # A blank before a line end marks that the sentence goes on.
    lines = [" \n".join(wrap(reason, NOTE_WIDTH)) for reason in reasons]
    return "\n".join([f"{known[0].kind}{mark}", *settings, *lines])


def _draws_note(known: Sequence[Expectations]) -> set[str]:
    """Return the draws of an input, from the fewest to the most of all runs that know them."""
    numbers = [item.draws for item in known if item.draws is not None and item.draws.size]
    return {f"$n$ = {_format_range(np.concatenate(numbers))}"} if numbers else set()


def _alpha_note(known: Sequence[Expectations]) -> str:
    """Return alpha, or all of them where runs have several."""
    levels = sorted({item.alpha for item in known if not item.certain})
    words = [" or ".join(f"{level:g}" for level in levels)] if levels else []
    said = [f"$\\alpha$ = {word}" for word in words]
    return " or ".join([*said, *([CERTAINTY] if any(item.certain for item in known) else [])])


def inputs_note(population: str, totals: Sequence[int]) -> str:
    """Say which inputs a figure is over; of all inputs nothing where their numbers differ."""
    low, high = min(totals), max(totals)
    if population == "all":
        return f"all {low:,} inputs" if low == high else ""
    many = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return f"{population} inputs alone ({many})"


def _format_range(numbers: Ints) -> str:
    """Return one number where all are equal, else the smallest and the largest."""
    low, high = int(numbers.min()), int(numbers.max())
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def radius_label(certificates: Certificates, what: str = "certified radius") -> str:
    """Label an axis of radii, with the norm where it is not the plain one."""
    return label_radius(certificates.known.norm, what)


def noise_note(known: Expectations, *, strength: bool = True) -> str:
    """Name noise and strength for a legend; of Gaussian noise sigma alone."""
    if known.noise.name == "gaussian":
        return strength_note(known.noise, known.sigma) if strength else ""
    words = say_noise(known.noise, known.sigma)
    return words if strength else f"{known.noise.name} noise"


def strength_note(noise: NoiseModel, sigma: float) -> str:
    """Return the strength of a noise: sigma as a letter, others by their names."""
    name, value = strength_of(noise, sigma)
    return f"{GREEK.get(name, name)} = {value:g}"
