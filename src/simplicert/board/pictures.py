"""Draw the pictures of a log's page as SVG: the curve, the distribution of E0, the simplex.

Colours are classes of the style sheet, so that pictures follow the light or dark page. All texts in
them are our own numbers.
"""

import numpy as np

from simplicert.board.entry import Entry
from simplicert.types import Floats

WIDTH, HEIGHT = 460, 260
LEFT, RIGHT, TOP, BOTTOM = 48, 12, 12, 40
POINTS = 121  # of a curve
BINS = 25  # of E0
MOST_DOTS = 800  # on the simplex
NICE = (1.0, 2.0, 2.5, 5.0, 10.0)
TICKS = 5


class _Frame:
    """A rectangle of data coordinates, and the marks on its axes."""

    def __init__(self, x: tuple[float, float], y: tuple[float, float]) -> None:
        self.x, self.y = x, y

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return the point of the picture for a point of the data."""
        across = (x - self.x[0]) / (self.x[1] - self.x[0])
        up = (y - self.y[0]) / (self.y[1] - self.y[0])
        return (
            round(LEFT + across * (WIDTH - LEFT - RIGHT), 1),
            round(HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM), 1),
        )

    def path(self, x: Floats, y: Floats) -> str:
        """Return the path through points of the data."""
        points = (self.place(a, b) for a, b in zip(x, y, strict=True))
        return "M" + "L".join(f"{a} {b}" for a, b in points)

    def axes(self, x_title: str, y_title: str) -> str:
        """Return grid lines, numbers and titles."""
        out = []
        for value in _ticks(*self.x):
            (a, b), (_, top) = self.place(value, self.y[0]), self.place(value, self.y[1])
            out.append(f'<line class="grid" x1="{a}" y1="{b}" x2="{a}" y2="{top}"/>')
            out.append(f'<text x="{a}" y="{b + 15}" text-anchor="middle">{value:g}</text>')
        for value in _ticks(*self.y):
            (a, b), (right, _) = self.place(self.x[0], value), self.place(self.x[1], value)
            out.append(f'<line class="grid" x1="{a}" y1="{b}" x2="{right}" y2="{b}"/>')
            out.append(f'<text x="{a - 6}" y="{b + 4}" text-anchor="end">{value:g}</text>')
        middle, half = (LEFT + WIDTH - RIGHT) / 2, (TOP + HEIGHT - BOTTOM) / 2
        out.append(f'<text x="{middle}" y="{HEIGHT - 6}" text-anchor="middle">{x_title}</text>')
        out.append(
            f'<text transform="translate(12 {half}) rotate(-90)" text-anchor="middle">'
            f"{y_title}</text>"
        )
        return "".join(out)


def draw_curve(entry: Entry) -> str:
    """Draw certified accuracy over the radius, with its limits at each radius."""
    largest = float(entry.radius.max()) or 1.0
    at = np.linspace(0.0, 1.05 * largest, POINTS)
    curve = entry.accuracy_at(at)
    frame = _Frame((0.0, float(at[-1])), (0.0, 1.0))
    there = frame.path(at, curve.high)
    back = frame.path(at[::-1], curve.low[::-1])[1:]
    unit = entry.settings.norm or "l2"
    inner = (
        frame.axes(f"radius ({_word(unit)})", "certified accuracy")
        + f'<path class="band" d="{there}L{back}Z"/>'
        + f'<path class="line" d="{frame.path(at, curve.value)}"/>'
    )
    return _wrap("Certified accuracy over the radius", inner)


def draw_expectations(entry: Entry) -> str:
    """Draw how E0 is distributed over the certified inputs, right and wrong ones apart."""
    if entry.e0 is None or not np.isfinite(entry.e0).any():
        return ""
    live = np.isfinite(entry.e0)
    held = np.where(live, entry.e0, 1.0)
    least = 0.5 if held.min() >= 0.5 else 0.0  # noqa: PLR2004
    edges = np.linspace(least, 1.0, BINS + 1)
    right, _ = np.histogram(held[live & entry.correct], edges)
    wrong, _ = np.histogram(held[live & ~entry.correct], edges)
    most = max(float((right + wrong).max()) / len(entry), 1e-9)
    frame = _Frame((least, 1.0), (0.0, 1.08 * most))
    out = [frame.axes("E0, lower bound on the class's probability", "share of inputs")]
    for place in range(BINS):
        low, high = float(edges[place]), float(edges[place + 1])
        base = 0.0
        for name, count in (("right", right[place]), ("wrong", wrong[place])):
            top = base + float(count) / len(entry)
            (x1, y1), (x2, y2) = frame.place(low, top), frame.place(high, base)
            width, height = round(x2 - x1 - 1, 1), round(y2 - y1, 1)
            out.append(
                f'<rect class="{name}" x="{x1}" y="{y1}" width="{width}" height="{height}"/>'
            )
            base = top
    return _wrap("Distribution of E0", "".join(out))


def draw_simplex(entry: Entry) -> str:
    """Draw the pairs (E0, E1) of the certified inputs, where both were measured."""
    if entry.e0 is None or entry.e1 is None or not np.isfinite(entry.e0).any():
        return ""
    rows = np.flatnonzero(np.isfinite(entry.e0) & np.isfinite(entry.e1))
    rows = rows[:: max(1, len(rows) // MOST_DOTS)]
    frame = _Frame((0.0, 1.0), (0.0, 0.5))
    corner = frame.path(np.array([0.0, 0.5, 1.0, 0.0]), np.array([0.0, 0.5, 0.0, 0.0]))
    dots = []
    for row in rows:
        x, y = frame.place(float(entry.e0[row]), float(min(entry.e1[row], 0.5)))
        name = "right" if entry.correct[row] else "wrong"
        dots.append(f'<circle class="{name}" cx="{x}" cy="{y}" r="2"/>')
    inner = (
        frame.axes("E0", "E1, upper bound on every other class")
        + f'<path class="frame" d="{corner}Z"/>'
        + "".join(dots)
    )
    return _wrap("Place on the simplex", inner)


def _ticks(low: float, high: float) -> list[float]:
    """Return a few round numbers in an interval."""
    rough = (high - low) / TICKS
    size = 10 ** np.floor(np.log10(rough))
    step = next(float(size * nice) for nice in NICE if size * nice >= rough * (1 - 1e-9))
    first = np.ceil(low / step - 1e-9) * step
    count = int(np.floor((high - first) / step + 1e-9)) + 1
    return [round(float(first + step * place), 10) + 0.0 for place in range(count)]


def _word(text: str) -> str:
    """Keep letters, digits and blanks of a text that goes into a picture."""
    return "".join(mark for mark in text if mark.isalnum() or mark == " ")


def _wrap(title: str, inner: str) -> str:
    """Return the picture with its title for those who cannot see it."""
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">'
        f"<title>{title}</title>{inner}</svg>"
    )
