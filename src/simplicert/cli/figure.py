"""`simplicert figure`: draw any figure of the paper, and some others, from your own runs."""

import re
from pathlib import Path
from textwrap import fill
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
from simplicert.glossary.figures import FIGURES as SENTENCES

WIDTH = 78  # of the help's lines


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
    """Draw a figure of the paper, or one that it does not have, from your own runs.

    Example: simplicert figure accuracy runs/mine --out accuracy.pdf

    Over the correctly predicted inputs alone, which the legend says:

    Example: simplicert figure accuracy runs/mine --population correct --out correct.png

    Of many runs each has a small panel; or some stand out of a faint crowd:

    Example: simplicert figure accuracy-sigmas runs/a runs/b runs/mine --highlight runs/mine

    Without a run:

    - process
    - cohen-minus-li
    - ratio
    - winner
    - threats

    Of another noise (--noise, --norm) ratio is the limit over its ensemble, and
    winner the largest of that ensemble.

    Of one run:

    - accuracy
    - scatter
    - proportion
    - time

    Of one run or more:

    - accuracy-sigmas
    - improvement
    - distribution
    - attack

    The paper's own columns of accuracy-sigmas: --columns improved_dp,ensemble.

    Of two runs or more:

    - sigmas
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


def _explain_names(text: str) -> str:
    """Put the glossary's sentence behind every figure that a help text lists by its name."""

    def explain(found: re.Match[str]) -> str:
        item = f"- {found[1]}: {SENTENCES[found[1]]}"
        return fill(item, WIDTH, initial_indent="    ", subsequent_indent="      ")

    return re.sub(r"^    - ([a-z-]+)$", explain, text, flags=re.MULTILINE)


figure.__doc__ = _explain_names(figure.__doc__ or "")
