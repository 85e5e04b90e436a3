"""The section of the page that compares two runs of the same inputs, for each kind of both.

`compare_sections` makes it where a page has two runs that can be compared; with `required` it says
why they cannot. Numbers are those of `simplicert.metrics.two_runs`; the script only counts inputs.
"""

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np

from simplicert.errors import SimplicertError, require
from simplicert.metrics.changes import Comparison
from simplicert.metrics.two_runs import compare
from simplicert.report.compare_words import (
    compare_cautions,
    compare_sentences,
    compare_tiles,
    compare_verdict,
    differences_table,
    radii_table,
    reading_texts,
    simplex_note,
)
from simplicert.report.offline import read_template, template_environment
from simplicert.report.sections import PageSection
from simplicert.report.views import View
from simplicert.types import Floats, Kind

PAIR = 2  # runs that are compared

SCRIPTS = ("compare_pictures.js", "compare.js")


def compare_sections(
    views: Sequence[View], radii: Sequence[float] = (), *, required: bool = False
) -> list[PageSection]:
    """Return the section, or none where the page has no two runs to compare."""
    runs = list({view.run: view.study for view in views}.values())
    require(
        not required or len(runs) == PAIR,
        f"runs must be two to be compared, got {len(runs)}"
        + (f": {', '.join(study.name for study in runs)}" if runs else ""),
    )
    if len(runs) != PAIR:
        return []
    pairs = _pair_views(views)
    if not required and not pairs:
        return []
    require(
        bool(pairs),
        "runs must have certificates of one kind to be compared, and "
        + " and ".join(
            f"{run.name} has {' and '.join(_kinds_of(views, at))}" for at, run in enumerate(runs)
        ),
    )
    try:
        return [_make_section(pairs, radii, first=required)]
    except SimplicertError:
        if required:
            raise
        return []


def _kinds_of(views: Sequence[View], run: int) -> list[str]:
    """List the kinds of a run's certificates, in words."""
    return [
        view.kind if view.certificates is not None else "bare radii of a log"
        for view in views
        if view.run == run
    ]


def _pair_views(views: Sequence[View]) -> dict[Kind, tuple[View, View]]:
    """Return the views of both runs, by the kinds that both have."""
    by_run: list[dict[Kind, View]] = [{}, {}]
    for view in views:
        if view.certificates is not None:
            by_run[view.run][view.kind] = view
    return {kind: (view, by_run[1][kind]) for kind, view in by_run[0].items() if kind in by_run[1]}


def _make_section(
    pairs: dict[Kind, tuple[View, View]], radii: Sequence[float], *, first: bool
) -> PageSection:
    """Compare both runs in each kind, and write the section."""
    blocks: list[dict[str, Any]] = []
    content: dict[str, Any] = {}
    for kind, views in pairs.items():
        names = (views[0].title, views[1].title)
        both = compare(
            views[0].study, views[1].study, radii=list(radii) or None, kind=kind, names=names
        )
        blocks.append(
            {
                "kind": kind,
                "names": names,
                "verdict": compare_verdict(both),
                "tiles": compare_tiles(both),
                "sentences": compare_sentences(both),
                "cautions": compare_cautions(both, views),
                "radii": radii_table(both),
                "differences": differences_table(views, names),
                "simplex": simplex_note(both, views),
            }
        )
        content[kind] = comparison_payload(both, whole=views[0].whole)
    templates = template_environment()
    return PageSection(
        name="compare",
        title=_section_title(pairs),
        link="Compare",
        markup=str(templates.get_template("compare.html").render(blocks=blocks)),
        script="\n".join(read_template(templates, name) for name in SCRIPTS),
        style=read_template(templates, "compare.css"),
        content=content,
        first=first,
    )


def _section_title(pairs: dict[Kind, tuple[View, View]]) -> str:
    """Return the heading: the second run against the first."""
    first, second = next(iter(pairs.values()))
    return f"{second.study.name} against {first.study.name}"


def comparison_payload(both: Comparison, *, whole: bool) -> dict[str, Any]:
    """Return what the script reads: curves with their texts, and an entry for each input."""
    curve = both.difference
    return {
        "names": list(both.names),
        "closed": both.sign == ">=",
        "whole": whole,
        "labelled": both.labelled,
        "at": curve.at.tolist(),
        "round": list(both.radii),
        "first": both.first.value.tolist(),
        "second": both.second.value.tolist(),
        "difference": curve.value.tolist(),
        "low": curve.low.tolist(),
        "high": curve.high.tolist(),
        "texts": reading_texts(both),
        "index": both.index.tolist(),
        "label": None if both.labels is None else both.labels.tolist(),
        "classes": [both.first_class.tolist(), both.second_class.tolist()],
        "radii": [pack_doubles(both.first_radius), pack_doubles(both.second_radius)],
        "pairs": [pack_doubles(both.first_pair), pack_doubles(both.second_pair)],
    }


def pack_doubles(values: Floats) -> str:
    """Pack values in base64, exactly: the script compares them with radii as Python does."""
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f8").tobytes()).decode("ascii")
