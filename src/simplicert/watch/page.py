"""Make the page of a run that is watched: one HTML file without scripts, which loads itself again.

The numbers are those of `WatchState`; here they get their words. `render_watch_page` fills the
template, `explain_looking` says what looking does to alpha and what else would, and `draw_simplex`
draws the inputs that are done.
"""

from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from simplicert.metrics.numbers import format_share_down, format_up
from simplicert.noises import say_noise
from simplicert.tables.plan import format_duration
from simplicert.tables.summary import level_sentence
from simplicert.types import Certificates
from simplicert.types.certificates import format_radius_down
from simplicert.watch.state import WatchedShare, WatchState

TEMPLATE = "watch.html"

WIDE, HIGH = 640.0, 320.0  # of the triangle, in units of the drawing

MOST_POINTS = 4000  # in the drawing: more of them only cover each other

CONTOURS = (0.25, 0.5, 1.0, 1.5, 2.0)  # radii at sigma 1 whose lines are drawn


def render_watch_page(
    state: WatchState, again: float | None, before: WatchState | None = None
) -> str:
    """Return the page as HTML; it loads itself again after `again` seconds, or never.

    `before` is the state of the last page: what was not done then is marked as new.
    """
    from jinja2 import Environment, StrictUndefined

    template = (Path(__file__).parent / TEMPLATE).read_text(encoding="utf-8")
    page = Environment(autoescape=True, undefined=StrictUndefined).from_string(template)
    status, certificates = state.status, state.certificates
    return page.render(
        name=state.name,
        headline=describe_progress(state),
        again=None if again is None else max(round(again), 1),
        written=datetime.now().astimezone().strftime("%Y-%m-%d %H:%M:%S"),
        last_part=status["written"],
        done=status["done"],
        inputs=status["inputs"],
        tiles=list_tiles(state),
        settings=_describe_settings(state),
        labelled=state.labelled,
        sign=state.sign,
        ended=not status["missing"],
        shares=[_share_cells(state, share) for share in state.shares],
        beginning=_count_beginning(state),
        looking=explain_looking(state),
        failed=list(status["failed"].items())[:10],
        failures=len(status["failed"]),
        drawing=None if certificates is None else draw_simplex(certificates, before),
        wide=WIDE,
        high=HIGH,
    )


def describe_progress(state: WatchState) -> str:
    """Return one sentence about how far the run is."""
    status = state.status
    counts = f"{status['done']:,} of {status['inputs']:,} inputs are done"
    if not status["missing"]:
        return f"Complete: {counts}."
    if state.ended:
        return f"{counts}, all but those that failed: the same command tries these again."
    left = state.seconds_left
    if left is None:
        return f"{counts}: the speed is known after the first part."
    word = "about" if status["until"] == "fixed" else "at most"
    return f"{counts}; {word} {format_duration(left)} left, by the draws still to make."


def list_tiles(state: WatchState) -> list[tuple[str, str]]:
    """Return the numbers at the top, each with its words."""
    status, rows = state.status, [] if state.certificates is None else [state.certificates]
    tiles = [(f"{status['done']:,} / {status['inputs']:,}", "inputs done")]
    if status["missing"] and state.seconds_left is not None:
        most = "" if status["until"] == "fixed" else ", at most"
        tiles.append((format_duration(state.seconds_left), f"left, from draws{most}"))
    tiles.append((f"{status['draws']:,}", f"draws made; {status['draws_left']:,} left"))
    if status["draws_per_second"]:
        tiles.append((f"{status['draws_per_second']:,.0f}", "draws a second of one worker"))
    for certificates in rows:
        tiles.append((f"{int(certificates.abstained.sum()):,}", "abstained"))
        if state.highest:
            ceiling = format_radius_down(state.highest, 4)
            tiles.append((f"{state.ceiling:,}", f"hit the ceiling of their draws ({ceiling})"))
    if status["failed"]:
        tiles.append((f"{len(status['failed']):,}", "failed"))
    return tiles


def _describe_settings(state: WatchState) -> str:
    """Name what was declared before the first draw."""
    declared = state.run.manifest
    looks = () if declared.plan is None else declared.plan.looks
    words = [say_noise(declared.noise_model, declared.sigma)]
    if len(looks) == 1:
        words.append(f"{looks[0]:,} draws of each input")
    elif looks:
        words.append(f"up to {looks[-1]:,} draws of each input, until {state.status['until']}")
    words += [f"alpha {declared.alpha:g}", declared.kind, f"scheme {declared.scheme}"]
    return ", ".join(words)


def _share_cells(state: WatchState, share: WatchedShare) -> dict[str, str]:
    """Return the row of one radius; what is claimed is rounded to the side that claims less."""
    low, high = share.final
    total = state.status["inputs"]
    cells = {
        "radius": f"{share.radius:g}",
        "so_far": f"{share.hits:,} of {share.done:,}",
        "share": _percent_down(share.hits, share.done),
        "final": f"{_percent_down(share.hits, total)} to {_percent_up(high)}",
        "interval": "-",
    }
    if not state.status["missing"]:
        cells["final"] = _percent_down(round(low * total), total)
    if share.rate is not None:
        floor = np.floor(1000 * share.rate.low) / 10
        cells["interval"] = f"{floor:.1f} % to {_percent_up(share.rate.high)}"
    return cells


def _percent_down(hits: int, total: int) -> str:
    """Format a share as a percentage, rounded down."""
    return f"{100 * float(format_share_down(hits, total)):.1f} %"


def _percent_up(share: float) -> str:
    """Format a share as a percentage, rounded up, and not above 100 %."""
    return f"{min(float(format_up(100 * share, 1)), 100.0):.1f} %"


def _count_beginning(state: WatchState) -> int:
    """Return how many inputs the intervals are over."""
    rates = [share.rate for share in state.shares if share.rate is not None]
    return rates[0].total if rates else 0


def explain_looking(state: WatchState) -> list[tuple[str, str]]:
    """Say what looking at this page does to alpha, and what would: each a heading and a text."""
    declared, until = state.run.manifest, state.status["until"]
    when = (
        "once all of its planned draws are made"
        if until == "fixed"
        else f"at the look where {until} stopped it, and that look's share of alpha was set aside "
        "before the first draw"
    )
    level = "What is proved of a certificate does not change with the number of times you look."
    if state.certificates is not None:
        sentence = level_sentence(state.certificates)
        level = f"{sentence[0].upper()}{sentence[1:]}, however often you look."
    kept = f"{100 * declared.reserve:g} %" if declared.reserve else "nothing"
    return [
        (
            "Looking costs nothing.",
            "Looks, alpha, kind and scheme were written into run.toml before the first draw, and "
            f"this page only reads. An input counts here {when}. {level}",
        ),
        (
            "Stopping the run keeps its certificates.",
            "What is finished stays certified. But if you stop because the share looks good, that "
            "share is one that you chose: report all inputs that were planned, or the interval, "
            "which holds at every moment.",
        ),
        (
            "What alpha does not cover:",
            "another alpha, kind, scheme or rule because of what you saw (such certificates are "
            "marked exploratory), or another run with a new seed of which you keep the better one.",
        ),
        (
            "More draws:",
            f"simplicert sample --extend adds a look. This run has kept {kept} of alpha for that.",
        ),
    ]


def draw_simplex(certificates: Certificates, before: WatchState | None) -> dict[str, Any]:
    """Return the marks of the drawing: points by class, new ones apart, and lines of radii."""
    known = certificates.known
    placed = np.flatnonzero(~certificates.abstained & np.isfinite(known.e0))
    shown = placed[-MOST_POINTS:]
    index = np.asarray(known.index)
    earlier = before is not None and before.certificates is not None
    old = np.asarray(before.certificates.known.index) if earlier else index  # type: ignore[union-attr]
    right = certificates.correct if known.labels is not None else np.ones(len(index), bool)
    points = [
        {
            "x": f"{WIDE * known.e0[row]:.1f}",
            "y": f"{HIGH * (1 - 2 * known.e1[row]):.1f}",
            "kind": ("right" if right[row] else "wrong") + ("" if index[row] in old else " new"),
            "words": f"input {index[row]}: radius {format_radius_down(certificates.radius[row])}",
        }
        for row in shown.tolist()
    ]
    return {
        "points": points,
        "left_out": len(placed) - len(shown),
        "abstained": int(certificates.abstained.sum()),
        "right": int(right[placed].sum()),
        "wrong": int((~right[placed]).sum()),
        "labelled": known.labels is not None,
        "fresh": int((~np.isin(index[placed], old)).sum()),
        "lines": trace_radii() if known.noise.name == "gaussian" else [],
    }


def trace_radii() -> list[tuple[str, str]]:
    """Return the lines of equal two-sided radius, in sigmas, each as its name and its points."""
    from scipy.special import ndtr, ndtri

    lines = []
    for radius in CONTOURS:
        # From the side E_0 + E_1 = 1, where E_0 = Phi(radius), along E_1 = Phi(z - 2 radius).
        score = np.linspace(-3.2, radius, 60)
        e0, e1 = ndtr(score), ndtr(score - 2 * radius)
        e0 = np.append(e0, ndtr(radius))
        e1 = np.append(e1, ndtr(ndtri(e0[-1]) - 2 * radius))
        places = [f"{WIDE * x:.1f},{HIGH * (1 - 2 * y):.1f}" for x, y in zip(e0, e1, strict=True)]
        lines.append((f"{radius:g}", " ".join(places)))
    return lines
