"""Maps of who is largest: each mechanism's region in its colour."""

from typing import TYPE_CHECKING

import numpy as np

from simplicert.analysis import simplex
from simplicert.analysis.figures.frame import CORNERS, draw_curves, draw_frame, pointed_at
from simplicert.analysis.figures.style import GREY, LOOKS, look_of
from simplicert.analysis.regions import borders
from simplicert.types import Bools, Floats, Ints, Kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Colour = tuple[float, float, float]

STEPS = 300  # of the grid that the shares of the area come from
HIGH = 400  # pixels, twice as many across; the lines over them hide their steps
INSIDE = 1e-6  # off the side E_0 = E_1, where every radius is 0
SPARE = ("#F0E442", "#E69F00", "#56B4E9")  # Okabe and Ito's, for the caller's own mechanisms
PALE, PALER = 0.35, 0.7  # share of white in a region, so that ink is read on it; in the largest
LETTER, LINE = 5.5, 11.0  # points that a letter is wide and a line high
RIGHT = 0.6  # E_0 from which a leader reaches beside the triangle without crossing it


def region_map(mechanisms: simplex.Several, kind: Kind, axes: "Axes") -> "Axes":
    """Each of several mechanisms' region, with its name and its share of the area.

    The regions H_i of paper Corollary (cor:ensemble); the lines between them are exact. White is
    where no radius is larger than 0.
    """
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch, Polygon

    shares = simplex.shares(mechanisms, simplex.grid(STEPS, kind))
    colours = fills(shares)
    best = pixels(mechanisms, kind, list(shares))
    image = axes.imshow(
        np.ma.masked_less(best, 0),
        cmap=ListedColormap(colours),
        vmin=-0.5,
        vmax=len(colours) - 0.5,
        extent=(0, 1, 0, 0.5),
        origin="lower",
        interpolation="nearest",
    )
    image.set_clip_path(Polygon(CORNERS, transform=axes.transData))
    for curves in borders(mechanisms, kind).values():
        draw_curves(axes, curves, linewidth=1.2)
    draw_frame(axes)
    name_regions(axes, best, list(shares))
    labels = [f"{look_of(name).name} {100 * share:.1f} %" for name, share in shares.items()]
    axes.legend(
        handles=[Patch(fc=fc, label=text) for fc, text in zip(colours, labels, strict=True)],
        title="share of area",
        title_fontsize="small",
        loc="upper left",
        handlelength=1.0,
        alignment="left",
        borderaxespad=0.0,
    )
    return axes


def fills(shares: dict[str, float]) -> list[Colour]:
    """A pale colour for each: our mechanisms' own, and spare ones for the caller's.

    The largest region is the palest: blue and green of one lightness are one colour to some eyes.
    """
    from matplotlib.colors import to_rgb

    spare, widest = iter(SPARE), max(shares, key=lambda name: shares[name])
    found = []
    for name in shares:
        full = look_of(name).colour if name in LOOKS else next(spare, GREY)
        white = PALER if name == widest else PALE
        red, green, blue = ((1 - white) * part + white for part in to_rgb(full))
        found.append((red, green, blue))
    return found


def pixels(mechanisms: simplex.Several, kind: Kind, names: list[str]) -> Ints:
    """(HIGH, 2 HIGH) which name is largest at the middle of each pixel; -1 outside, or if none is.

    Pixels that a slanted side cuts are asked at the nearest point inside: the frame clips them.
    """
    row, column = np.indices((HIGH, 2 * HIGH))
    e0, e1 = middle_of(column), middle_of(row)
    highest = np.minimum(e0 - INSIDE, 1 - e0)
    here = e1 < highest + 1 / HIGH
    winner = simplex.winner(
        mechanisms, simplex.points(e0[here], np.minimum(e1, highest)[here], kind)
    )
    out = np.full(e0.shape, -1)
    out[here] = np.select([winner == name for name in names], range(len(names)), -1)
    return out


def middle_of(pixel: Ints | np.intp) -> Floats:
    """The coordinate of a pixel's middle."""
    return np.asarray((pixel + 0.5) / (2 * HIGH))


def name_regions(axes: "Axes", best: Ints, names: list[str]) -> None:
    """Each name in the widest place of its region that holds it, or beside the triangle.

    Right of it only: left of it stands the legend, which names the others too.
    """
    pixel = 72 * axes.bbox.width / axes.figure.dpi / (2 * HIGH)  # in points
    beside = 0
    for place, name in enumerate(names):
        text = look_of(name).name
        box = (round(LINE / pixel), round(LETTER * len(text) / pixel))
        if (middle := roomiest(best == place, box)) is not None:
            axes.text(*middle, text, ha="center", va="center", zorder=5)
        elif (middle := roomiest(best == place, (1, 1))) is not None and middle[0] > RIGHT:
            across = min(middle[0] + 0.12, 0.93)
            up = min(1 - across + 0.16 + 0.07 * beside, 0.47)
            pointed_at(axes, text, middle, (across, up), zorder=5)
            beside += 1


def roomiest(region: Bools, box: tuple[int, int]) -> tuple[float, float] | None:
    """Where in a region a box of so many pixels has the most room; None if it has none."""
    from scipy.ndimage import distance_transform_edt, minimum_filter

    room = distance_transform_edt(np.pad(minimum_filter(region, box, mode="constant"), 1))
    if room.max() == 0:
        return None
    row, column = np.unravel_index(room[1:-1, 1:-1].argmax(), region.shape)
    return float(middle_of(column)), float(middle_of(row))
