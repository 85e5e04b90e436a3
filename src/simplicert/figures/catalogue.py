"""List every figure by name, and draw one of them.

To add one: write a function (data, axes) -> axes, add its row here, its sentence to the glossary,
its name to the docstring of `simplicert figure` and a section to docs/figures.md; the tests check
that all of these exist.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from simplicert.errors import choose, require
from simplicert.figures import panels, saving, style
from simplicert.figures.accuracy import DASHES, OURS, PAPERS
from simplicert.figures.crowd import ACROSS, MOST_LINES, SMALL
from simplicert.mechanisms.threats import Threat
from simplicert.metrics.intervals import POPULATIONS
from simplicert.metrics.study import Study
from simplicert.simplex import GAUSSIAN
from simplicert.types import KINDS

NONE, ONE, MANY, TWO = (0, 0), (1, 1), (1, None), (2, None)  # the fewest and the most runs

# How an error message names these numbers.
WORDS = {NONE: "no run", ONE: "one run", MANY: "one run or more", TWO: "two runs or more"}


@dataclass(frozen=True)
class FigureRow:
    """One figure: the paper's labels for it, and the panels it is made of."""

    labels: tuple[str, ...]
    panels: Callable[[panels.FigureRequest], list[panels.Panel]]
    runs: tuple[int, int | None] = NONE
    options: tuple[str, ...] = ()  # the options that change it
    size: tuple[float, float] = style.COLUMN  # of a single panel, in inches
    both: tuple[float, float] = style.PAGE  # of two panels
    stacked: bool = False  # two panels stand one above the other
    across: int | None = None  # panels in a row of many; then `both` is the size of a row


FIGURES: dict[str, FigureRow] = {
    "process": FigureRow(
        ("CVPR",),
        panels.process_panels,
        size=(7.16, 2.9),
    ),
    "cohen-minus-li": FigureRow(
        ("Cohen_vs_Li",),
        panels.difference_panels,
        size=style.SIZE,
    ),
    "ratio": FigureRow(
        ("Theoretical_comparison_results",),
        panels.ratio_panels,
        options=("kind", "noise"),
        size=style.SIZE,
        both=(7.16, 2.1),
    ),
    "winner": FigureRow(
        ("Theoretical_comparison_results",),
        panels.winner_panels,
        options=("kind", "noise"),
        size=style.SIZE,
    ),
    "threats": FigureRow(
        (),
        panels.threat_panels,
        both=(7.16, 1.85),
        across=2,
    ),
    "accuracy": FigureRow(
        ("Imagenet", "Cifar", "MACER_Scatters"),
        panels.accuracy_panels,
        ONE,
        ("kind", "population"),
    ),
    "accuracy-sigmas": FigureRow(
        ("Imagenet", "Cifar"),
        panels.accuracy_by_sigma_panels,
        MANY,
        ("kind", "population", "columns", "highlight"),
    ),
    "scatter": FigureRow(
        ("Scatters", "CIFAR_SCATTERS", "MACER_Scatters"),
        panels.scatter_panels,
        ONE,
        ("kind", "population"),
        size=style.SIZE,
        both=(7.16, 2.8),
    ),
    "proportion": FigureRow(
        ("Imagenet_scaling", "IMAGENET_Proportion"),
        panels.proportion_panels,
        ONE,
        ("seed", "population"),
    ),
    "time": FigureRow(
        ("Imagenet_scaling", "IMAGENET_Time"),
        panels.time_panels,
        ONE,
        ("seed",),
    ),
    "improvement": FigureRow(
        ("Differential_Performance",),
        panels.improvement_panels,
        MANY,
        ("kind", "population", "highlight"),
    ),
    "sigmas": FigureRow(
        ("large_table",),
        panels.sigma_panels,
        TWO,
        ("kind", "population"),
    ),
    "distribution": FigureRow(
        (),
        panels.distribution_panels,
        MANY,
        ("population", "highlight"),
    ),
    "attack": FigureRow(
        (),
        panels.attack_panels,
        MANY,
        ("kind", "population"),
        size=(3.5, 3.4),
    ),
}


def make_figure(  # noqa: PLR0913
    name: str,
    studies: Sequence[Study],
    out: Path | str,
    kind: str | None = None,
    seed: int | None = None,
    dpi: int = saving.DPI,
    *,
    threat: Threat | None = None,
    population: str | None = None,
    columns: Sequence[str] | None = None,
    highlight: Sequence[str] = (),
    heading: bool = True,
) -> Path:
    """Draw one figure of the table and write it; refuse options that have no effect on it.

    A figure of another threat than Gaussian noise and l2 is one of the simplex, without runs.
    `population` is "all" inputs or the "correct" ones; `columns` are the radii of accuracy-sigmas.
    `highlight` names runs that stand out of a faint crowd; of more than eight runs without it, each
    has a small panel of its own.
    Without `heading` the settings above the panels are left out, for a caption to say them.

    >>> import tempfile
    >>> import simplicert as sc
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sc.figures.make_figure("process", [], f"{folder}/process.svg").name
    'process.svg'
    """
    row = choose("figure", name, FIGURES)
    noise = None if threat is None or threat.of_paper else threat.noise
    given: dict[str, object] = {"kind": kind, "seed": seed, "noise": noise}
    given |= {"population": population, "columns": columns, "highlight": tuple(highlight) or None}
    check_runs_and_options(name, row, len(studies), given)
    request = panels.FigureRequest(
        studies,
        None if kind is None else choose("kind", kind, KINDS),
        seed or 0,
        threat or GAUSSIAN,
        check_population(studies, population or "all"),
        (OURS, PAPERS) if columns is None else check_columns(columns),
        tuple(highlight),
    )
    drawn = row.panels(request)
    size, across = row.size if len(drawn) == 1 else row.both, row.across
    if len(drawn) > MOST_LINES and across is None:  # small multiples
        size, across = (style.PAGE[0], SMALL), ACROSS
    if across is not None:
        size = (size[0], size[1] * math.ceil(len(drawn) / across))
    return saving.save_figure(
        drawn, out, size, dpi, stacked=row.stacked, across=across, heading=heading
    )


def check_population(studies: Sequence[Study], population: str) -> str:
    """Return the population; refuse an unknown one, and the correct inputs of unlabelled runs."""
    choose("population", population, POPULATIONS)
    for study in studies if population != "all" else ():
        study.require_labels(f"population {population}")
    return population


def check_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of radii to draw: as many as there are dashes, each once."""
    chosen = tuple(columns)
    require(
        0 < len(chosen) == len(set(chosen)) <= len(DASHES),
        f"columns must be one to {len(DASHES)} different names of radii, such as "
        f"improved_dp,ensemble, got {','.join(chosen) or 'none'}",
    )
    return chosen


def check_runs_and_options(name: str, row: FigureRow, runs: int, given: dict[str, object]) -> None:
    """Refuse a number of runs that the figure is not made of, and options that it does not have."""
    fewest, most = row.runs
    require(
        fewest <= runs and (most is None or runs <= most),
        f"figure {name} is made of {WORDS[row.runs]}, got {runs or 'none'}",
    )
    for option, value in given.items():
        require(
            value is None or option in row.options,
            f"{option} has no effect on the figure {name}: leave it out, got {value}",
        )
    seed = given["seed"]
    require(
        seed is None or (isinstance(seed, int) and seed >= 0),
        f"seed must be a whole number from 0 on, got {seed!r}",
    )
