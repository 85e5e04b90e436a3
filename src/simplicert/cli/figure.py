"""`simplicert figure`: draw any figure of the paper, and some others, from your own runs."""

from pathlib import Path
from typing import Annotated

import typer

from simplicert.cli.many_options import CommonOption, HighlightOption
from simplicert.cli.saying import print_lines
from simplicert.cli.threat_options import (
    KeepOption,
    NoiseOption,
    NormOption,
    RateOption,
    SizeOption,
    read_threat,
)


def figure(
    name: Annotated[str, typer.Argument(help="One of those listed above.")],
    runs: Annotated[list[Path] | None, typer.Argument(help="Run folders.")] = None,
    out: Annotated[Path | None, typer.Option(help="PNG, PDF or SVG; default: NAME.png.")] = None,
    label: Annotated[list[str] | None, typer.Option(help="RUN=name, in the legend.")] = None,
    kind: Annotated[str | None, typer.Option(help="multinomial or softmax.")] = None,
    seed: Annotated[int | None, typer.Option(help="Of which draws a shorter run keeps.")] = None,
    noise: NoiseOption = "gaussian",
    norm: NormOption = None,
    size: SizeOption = None,
    keep: KeepOption = None,
    rate: RateOption = None,
    dpi: Annotated[int, typer.Option(help="Dots an inch of a PNG.")] = 200,
    sensitivity: Annotated[
        float | None, typer.Option(help="Of the stage before the noise; default: each run's own.")
    ] = None,
    population: Annotated[str | None, typer.Option(help="all inputs, or the correct ones.")] = None,
    columns: Annotated[
        str | None,
        typer.Option(help="Radii of accuracy-sigmas, comma-separated; two_sided,ensemble."),
    ] = None,
    highlight: HighlightOption = None,
    common: CommonOption = False,
    no_heading: Annotated[
        bool, typer.Option("--no-heading", help="No settings above it: the caption says them.")
    ] = False,
) -> None:
    """Draw a figure of the paper, or one it has not, from your own runs.

    Example: simplicert figure accuracy runs/mine --out accuracy.pdf

    Over the correctly predicted inputs alone, which the legend says:

    Example: simplicert figure accuracy runs/mine --population correct --out correct.png

    Of many runs each has a small panel; or some stand out of a faint crowd:

    Example: simplicert figure accuracy-sigmas runs/a runs/b runs/mine --highlight runs/mine

    Without a run:

    - process: one input, n draws, two expectations, mechanisms, ensemble
    - cohen-minus-li: Cohen's radius less Li's, over the simplex
    - ratio: improved DP's radius over the others', over the simplex
    - winner: which of the paper's ensemble is the largest, over the simplex
    - threats: the one-sided radius as a share of the limit, for every noise

    Of another noise (--noise, --norm) ratio is the limit over its ensemble, and
    winner the largest of that ensemble.

    Of one run:

    - accuracy: certified accuracy by every technique of each kind
    - scatter: the expectations on the simplex, with the region lines
    - proportion: share of inputs with a radius > 0.05 against the draws
    - time: seconds per input against the draws, each mechanism's own

    Of one run or more:

    - accuracy-sigmas: certified accuracy, two-sided against the ensemble; the
      paper's own columns by --columns improved_dp,ensemble
    - improvement: share of inputs improved by more than x percent
    - distribution: the spread of p_A and of p_A - p_B, as estimated
    - attack: certified radius against the distance an attack needed

    Of two runs or more:

    - sigmas: median radius, and share that each mechanism wins
    """
    from simplicert.cli.saying import parse_labels, print_warning
    from simplicert.errors import choose, require
    from simplicert.figures import FIGURES, make_figure
    from simplicert.metrics.shared import describe_inputs, share_inputs
    from simplicert.metrics.study import read_studies
    from simplicert.tables.doubts import doubt_notes, uneven_notes

    choose("figure", name, FIGURES)
    folders, path = runs or [], out or Path(f"{name}.png")
    threat = None if folders else read_threat(noise, norm, size, keep, rate)
    for option, value in {"noise": noise, "keep": keep, "rate": rate}.items():
        require(
            not folders or value in (None, "gaussian"),
            f"{option} must be left out with a run, which knows its own, got {value}",
        )
    inside = any(run.resolve() in path.resolve().parents for run in folders)
    require(not inside, f"out must not lie inside a run it is made from, got {str(path)!r}")
    require(path.parent.is_dir(), f"out must lie in a folder that exists, got {str(path)!r}")
    names = parse_labels(label or [], folders)
    require(bool(folders) or not names, "label must name a run that is given, and there is none")
    require(
        bool(folders) or sensitivity is None,
        f"sensitivity must come with a run, got {sensitivity} alone",
    )
    studies = (
        read_studies(folders, names, sensitivity=sensitivity, norm=norm, size=size)
        if folders
        else []
    )
    if common:
        require(len(studies) > 1, f"common must come with two runs or more, got {len(studies)}")
        studies = share_inputs(studies)
    asked = None if columns is None else [w.strip() for w in columns.split(",") if w.strip()]
    written = make_figure(
        *(name, studies, path, kind, seed, dpi),
        threat=threat,
        population=population,
        columns=asked,
        highlight=highlight or (),
        heading=not no_heading,
    )
    print_lines(f"wrote {written}")
    for note in (*describe_inputs(studies), *uneven_notes(studies), *doubt_notes(studies)):
        print_warning(note)
