"""Make the parts of the page that are tables: classes, the attack, and runs side by side.

`class_table` summarises each class. `attack_block` and `attack_cautions` show the attack on a
run's certificates, where its folder holds one. `comparison_tables` puts several runs into one
table.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from simplicert.metrics.averages import average_radius, certified_accuracy, top1_accuracy
from simplicert.metrics.comparison import base_column
from simplicert.metrics.numbers import format_share_down
from simplicert.metrics.radii import radius_sign
from simplicert.metrics.shared import describe_inputs, name_runs
from simplicert.metrics.study import compares_mechanisms, explain_no_comparison
from simplicert.noises.words import describe_units
from simplicert.report.views import View
from simplicert.tables import Grid
from simplicert.tables.attack import attack_table, attacked_inputs_table
from simplicert.tables.settings import noise_cell, noise_heading
from simplicert.tables.summary import describe_draw_count
from simplicert.types import Bools, Certificates, Kind
from simplicert.types.certificates import format_radius_down

MOST = 25  # inputs in the attack's table, the closest to breaking first


def class_table(view: View, names: Sequence[str] | None) -> Grid:
    """Summarise each class that occurs, one row per label, or per predicted class if unlabelled."""
    labelled = view.labels is not None
    classes = view.labels if view.labels is not None else view.predicted
    rows = [
        _class_row(view, classes == number, class_name(int(number), names), labelled)
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
    return Grid("Per class", tuple(headings), rows, (note,), name="class")


def _class_row(view: View, mine: Bools, name: str, labelled: bool) -> tuple[str, ...]:
    """Return counts and radii of the inputs of one class."""
    radius, abstained = view.radius[mine], int(view.abstained[mine].sum())
    row = [name, str(len(radius)), str(len(radius) - abstained)]
    if labelled:
        right = int(view.correct[mine].sum())
        row += [str(right), str(len(radius) - abstained - right)]
    typical = (float(np.median(radius)), float(radius.mean()))
    return (*row, str(abstained), *(format_radius_down(value) for value in typical))


def class_name(number: int, names: Sequence[str] | None) -> str:
    """Return a class's name and number; the number alone where the data had no names."""
    if number < 0:
        return "abstained"
    if names is None or number >= len(names):
        return str(number)
    return str(number) if names[number] == str(number) else f"{names[number]} ({number})"


def attack_block(view: View, names: Sequence[str] | None = None) -> dict[str, Any] | None:
    """Return the summary and the closest inputs; None where nothing was attacked."""
    rows = view.study.attack(view.kind)
    if not rows:
        return None
    return {
        "summary": attack_table(rows),
        "closest": attacked_inputs_table(rows, MOST, partial(class_name, names=names)),
    }


def attack_cautions(view: View) -> list[str]:
    """Say what the attack found before a reader believes anything else on the page."""
    rows = view.study.attack(view.kind)
    cautions = []
    if broken := [row for row in rows if row.broken]:
        named = ", ".join(str(row.index) for row in broken[:MOST])
        cautions.append(
            f"BROKEN: an attack confirmed another class inside the certified radius of "
            f"{len(broken)} of {len(rows)} inputs: {named}"
        )
    if rows and view.study.stage != 1:
        cautions.append(
            "the attack's radii and distances are those at the noise, behind the first stage: they "
            f"are not divided by the sensitivity of {view.study.stage:g}"
        )
    now = _radii_without_stage(view)
    changed = sum(now.get(row.index) != row.radius for row in rows)
    if changed:
        cautions.append(
            f"the attack is of other certificates: {changed} of {len(rows)} radii have changed "
            "since, and what is said of it below is about the radii of then"
        )
    return cautions


def _radii_without_stage(view: View) -> dict[int, float]:
    """Return the best radii by input without a first stage, which is what an attack is about."""
    index, radius = view.index, view.radius
    if view.study.stage != 1:
        plain = view.study.run.certify(kind=view.kind, sensitivity=1.0)
        index, radius = plain.known.index, plain.radius
    return dict(zip(index.tolist(), radius.tolist(), strict=True))


def comparison_tables(views: Sequence[View], radii: Sequence[float]) -> list[tuple[Kind, Grid]]:
    """Return one table per kind with one row per run; no table for a kind of one run."""
    tables = []
    for kind in dict.fromkeys(view.kind for view in views):
        mine = [view for view in views if view.kind == kind and view.certificates is not None]
        if len(mine) > 1:
            tables.append((kind, _runs_table(mine, radii)))
    return tables


def _runs_table(views: Sequence[View], radii: Sequence[float]) -> Grid:
    """Compare runs at the same radii; accuracies only where all have labels."""
    labelled = all(view.labels is not None for view in views)
    noise = noise_heading([view.study for view in views])
    first = views[0].certificates
    assert first is not None
    sign = radius_sign(first)
    headings = ["run", noise, "draws", "certified"]
    if labelled:
        headings += ["top-1", *(f"acc{sign}{radius:g}" for radius in radii)]
    bases = dict.fromkeys(_base_name(view) for view in views)
    headings += ["mean radius"]
    compared = any(compares_mechanisms(view.certificates) for view in views if view.certificates)
    if compared:
        headings += ["of ensemble", f"of {' or '.join(bases)}"]
    rows = []
    alone: dict[str, list[str]] = {}  # why there is nothing to compare -> runs
    for view in views:
        certificates = view.certificates
        assert certificates is not None
        row = [view.title, noise_cell(view.study, noise)]
        row.append(describe_draw_count(certificates).removeprefix("n = ").removeprefix("n "))
        row.append(f"{int((~view.abstained).sum())} of {len(view.frame)}")
        if labelled:
            rates = [certified_accuracy(certificates, radius) for radius in radii]
            row += [
                format_share_down(rate.hits, rate.total)
                for rate in (top1_accuracy(certificates), *rates)
            ]
        rows.append((*row, *_mean_radii(certificates, labelled)[: None if compared else 1]))
        alone.setdefault(explain_no_comparison(certificates), []).append(view.title)
    which = "a wrong or abstained" if labelled else "an abstained"
    counted = f"{which} input counts as 0"
    reach = "for changes of size r" if first.closed else "beyond r"
    note = (
        f"acc{sign}r: certified as the label {reach} by the best radius; mean radius: {counted}"
        f"{'' if first.known.norm == 'l2' else f'; radii are {describe_units(first.known.norm)}'}"
    )
    reasons = [
        f"{'all runs' if len(names) == len(views) else name_runs(names)}: {reason}"
        for reason, names in alone.items()
        if reason
    ]
    inputs = describe_inputs([view.study for view in views])
    return Grid("Side by side", tuple(headings), rows, (note, *inputs, *reasons), name="runs")


def _base_name(view: View) -> str:
    """Return the heading of the column that Cohen's radius has, or its like under other noise."""
    assert view.certificates is not None
    gaussian = view.study.noise.name == "gaussian"
    return "Cohen" if gaussian else base_column(view.certificates)


def _mean_radii(certificates: Certificates, labelled: bool) -> list[str]:
    """Return the means of the best radius, the ensemble and Cohen; empty without evidence."""
    cells, base = [], base_column(certificates)
    if certificates.known.noise.name == "gaussian":
        base = "cohen"
    held = certificates.columns if compares_mechanisms(certificates) else ()
    for name in ("radius", "ensemble", base):
        if name not in (*held, "radius"):
            cells.append("")
        elif labelled:
            cells.append(format_radius_down(average_radius(certificates, name).value))
        else:
            cells.append(format_radius_down(float(certificates.column(name).mean())))
    return cells
