"""Search neighbours for the inputs of a run, certify them with fresh draws, and keep the larger.

For one input: pilot draws, whose noise is neither the run's nor the fresh one, choose a neighbour
or none. Without one the run's certificate has all of alpha. With one, alpha is shared: the run's
certificate at the input has (1 - share) alpha, the fresh draws at the neighbour share * alpha.
Given the pilot, each is wrong with probability at most its part, so the larger radius is issued
and wrong with probability at most alpha (docs/geometry.md). The pilot must not read the run's
counts, or this would not hold where it decides between all of alpha and a part.

`search_input` is one input, `search_run` the whole job; `opening.py` opens the run for it.
"""

import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from simplicert.attack.attacked_input import SmoothedPoint
from simplicert.attack.ball import Ball
from simplicert.bounds import bound
from simplicert.bounds.box import alpha_at_look
from simplicert.certification import certify
from simplicert.errors import require
from simplicert.geometry.box import box_radius, refuse_outside_box
from simplicert.geometry.opening import OpenedSearch
from simplicert.geometry.search import Forecasts, choose_neighbour, count_pilot_draws
from simplicert.stopping.projection import apportion_counts
from simplicert.store.neighbours import NeighbourRow, read_neighbours, write_neighbours
from simplicert.temporary import remove_stale_files
from simplicert.types import Floats, Ints, Plan, Tally

# Called with the number done, the number in all and the rows so far.
Report = Callable[[int, int, Sequence[NeighbourRow]], None]


def search_run(
    opened: OpenedSearch,
    inputs: Ints,
    out: Path | None = None,
    *,
    compare: bool = False,
    stop: Callable[[], bool] = lambda: False,
    report: Report = lambda done, total, rows: None,
) -> list[NeighbourRow]:
    """Search what `out` does not hold yet; it is written whole after each input.

    A row depends on the run, the settings and its input, not on the other inputs or on an
    interruption. An `out` of other settings is refused: the better of two searches is covered by
    neither.
    """
    rows = [] if out is None else _read_done_rows(out, opened, inputs, compare)
    done = {row.index for row in rows}
    for item in inputs.tolist():
        refuse_outside_box(f"data: input {item}", opened.target.input(item))
    report(len(rows), len(inputs), rows)
    for item in inputs.tolist():
        if item in done:
            continue
        if stop():
            break
        rows = sorted(
            [*rows, search_input(opened, item, compare=compare)], key=lambda one: one.index
        )
        if out is not None:
            write_neighbours(out, rows)
        report(len(rows), len(inputs), rows)
    return rows


def _read_done_rows(
    out: Path, opened: OpenedSearch, inputs: Ints, compare: bool
) -> list[NeighbourRow]:
    """Return the rows that `out` holds of this very search; refuse those of another one."""
    require(out.suffix in (".csv", ".json"), f"out must end in .csv or .json, got {str(out)!r}")
    require(out.parent.is_dir(), f"out must lie in a folder that exists, got {str(out)!r}")
    remove_stale_files(out.parent, out.name)  # of a search that was killed
    if not os.path.lexists(out):
        return []
    rows = read_neighbours(out)
    for row in rows:
        require(
            row.index in inputs,
            f"{out} holds a search of input {row.index}, which was not asked for: use the same "
            "settings to go on",
        )
        wanted = _shared_settings(opened) | _held_values(opened, row.index, row.moved)
        wanted["predicted"] = _find_class(opened, row.index) if row.radius > 0 else None
        for name, value in wanted.items():
            held = getattr(row, name)
            require(
                held == value,
                f"{out} holds a search with {name} = {held}, and {name} = {value} was asked for: "
                "use the same settings to go on; the better of two searches is covered by neither",
            )
        if row.moved:
            most = _largest_radius(opened, row.fresh)
            require(
                (row.neighbour_radius or 0.0) <= most,
                f"{out} holds a neighbour_radius of {row.neighbour_radius}, and {row.fresh} draws "
                f"prove {most} at most: it was altered",
            )
        with_rival = row.same_draws is not None
        require(
            with_rival == compare,
            f"{out} holds a search {'with' if with_rival else 'without'} --compare: use the same "
            "settings to go on",
        )
    return rows


def _held_values(opened: OpenedSearch, item: int, moved: bool) -> dict[str, Any]:
    """Return what the run alone says of a row."""
    row = int(np.flatnonzero(opened.plain.known.index == item)[0])
    held = int(opened.target.run.tally().draws[row])
    alphas = opened.alphas if moved else (opened.plain.known.alpha, 0.0)
    return {
        "draws": held,
        "fresh": held if opened.search.draws is None else opened.search.draws,
        "plain": float(opened.plain.radius[row]),
        "own": float((opened.shared if moved else opened.plain).radius[row]),
        "own_alpha": alphas[0],
        "neighbour_alpha": alphas[1],
    }


def search_input(opened: OpenedSearch, item: int, *, compare: bool = False) -> NeighbourRow:
    """Search one input and certify it; with `compare`, also by as many draws at the input."""
    target, search = opened.target, opened.search
    row = int(np.flatnonzero(opened.plain.known.index == item)[0])
    centre = target.input(item)
    refuse_outside_box(f"data: input {item}", centre)
    smoothed = SmoothedPoint(target.sampler, item, "multinomial")
    estimator: Any = opened.gradients
    gradient = estimator(target.sampler, search.copies, target.seed("gradients", item))
    fresh = _held_values(opened, item, moved=False)["fresh"]
    point = choose_neighbour(centre, smoothed, gradient, search, make_forecasts(opened, row, fresh))
    pilot = count_pilot_draws(smoothed, gradient)
    held = _held_values(opened, item, point is not None)
    top, own = _find_class(opened, item), held["own"]
    around, found = None, 0.0
    if point is not None:
        around = float(certify_neighbour(opened, smoothed.draw_fresh(point, fresh), top)[0])
        found = box_radius(centre, point, around)
    spent = pilot + (fresh if point is not None else 0)
    radius = max(own, found)
    return NeighbourRow(
        index=item,
        predicted=top if radius > 0 else None,
        radius=radius,
        found=found,
        same_draws=_certify_same_draws(opened, smoothed, row, centre, spent) if compare else None,
        distance=None if point is None else Ball(centre).norm(point),
        neighbour_radius=around,
        pilot_draws=pilot,
        neighbour_draws=spent - pilot,
        **held,
        **_shared_settings(opened),
    )


def _find_class(opened: OpenedSearch, item: int) -> int:
    """Return the class that the run saw most often."""
    return int(opened.plain.known.top[opened.plain.known.index == item][0])


def _largest_radius(opened: OpenedSearch, fresh: int) -> float:
    """Return the radius around a neighbour whose fresh draws all agree: none is larger."""
    counts = np.zeros((1, opened.target.run.tally().classes), np.int64)
    counts[0, 0] = fresh
    agreed = Tally(counts, opened.plain.known.sigma)
    return float(certify_neighbour(opened, agreed, 0)[0])


def certify_neighbour(opened: OpenedSearch, fresh: Tally, top: int) -> Floats:
    """Return the radii around neighbours by their own draws; 0 where the class is another."""
    drawn = Tally(
        fresh.counts, fresh.sigma, invalid=fresh.invalid, plan=Plan((int(fresh.draws[0]),))
    )
    return _certified_radii(opened, drawn, opened.alphas[1], top)


def _certified_radii(opened: OpenedSearch, tally: Tally, alpha: float, top: int) -> Floats:
    """Return the best radii that the run's own scheme proves for this class."""
    known = opened.plain.known
    found = certify(bound(tally, alpha, known.kind, known.scheme, known.method))
    return np.where(found.known.top == top, found.radius, 0.0)


def make_forecasts(opened: OpenedSearch, row: int, fresh: int) -> Forecasts:
    """Forecast certificates: as if every class kept its share of the look."""
    tally, alpha = opened.target.run.tally(), opened.plain.known.alpha
    own_alpha = float(alpha_at_look(tally, alpha)[row])

    def forecast(counts: Ints, draws: int, level: float, top: int) -> float:
        likely = apportion_counts(counts[None], draws)
        return float(_certified_radii(opened, Tally(likely, tally.sigma), level, top)[0])

    return Forecasts(
        lambda counts: forecast(counts, int(tally.draws[row]), own_alpha, int(np.argmax(counts))),
        lambda counts, top: forecast(counts, fresh, opened.alphas[1], top),
    )


def _certify_same_draws(
    opened: OpenedSearch, smoothed: SmoothedPoint, row: int, centre: np.ndarray, spent: int
) -> float:
    """Return the radius if what the search spent had been drawn at the input itself."""
    tally = opened.target.run.tally()
    more = smoothed.draw_fresh(centre, spent)
    together = Tally(
        tally.counts[[row]] + more.counts,
        tally.sigma,
        invalid=tally.invalid[[row]] + more.invalid,
    )
    alpha = float(alpha_at_look(tally, opened.plain.known.alpha)[row])
    known = opened.plain.known
    found = certify(bound(together, alpha, known.kind, known.scheme, known.method))
    return float(found.radius[0])


def _shared_settings(opened: OpenedSearch) -> dict[str, Any]:
    """Return the settings that every row repeats."""
    known, search = opened.plain.known, opened.search
    return {
        "alpha": known.alpha,
        **{name: getattr(search, name) for name in ("share", "pilot", "copies", "steps", "seed")},
        "sigma": known.sigma,
        "kind": known.kind,
        "scheme": known.scheme,
        "run": opened.target.run.manifest.id,
    }


def compare_radii(rows: Sequence[NeighbourRow]) -> dict[str, float]:
    """Compare with the same draws at the input: means, medians, inputs better and worse."""
    radii = np.array([row.radius for row in rows])
    rivals = np.array([math.nan if row.same_draws is None else row.same_draws for row in rows])
    require(not np.isnan(rivals).any(), "rows must hold same_draws to be compared, and lack them")
    median = float(np.median(rivals))
    mean = float(rivals.mean())
    return {
        "inputs": len(rows),
        "moved": sum(row.moved for row in rows),
        "won": sum(row.found > row.own for row in rows),
        "better": int((radii > rivals).sum()),
        "worse": int((radii < rivals).sum()),
        "mean_ratio": float(radii.mean()) / mean if mean > 0 else math.nan,
        "median_ratio": float(np.median(radii)) / median if median > 0 else math.nan,
        "mean_draws": float(np.mean([row.total_draws for row in rows])),
    }
