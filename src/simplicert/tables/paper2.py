"""Table 2 of the paper: how much the ensemble improves on Cohen, by data set and sigma."""

from collections.abc import Sequence
from typing import NamedTuple

from simplicert.metrics.comparable import (
    require_one_norm,
    require_one_reach,
    require_same_norm,
)
from simplicert.metrics.comparison import (
    Improvement,
    Wilcoxon,
    base_column,
    measure_improvement,
    wilcoxon_test,
)
from simplicert.metrics.numbers import NONE, format_down, format_p_value, format_percent_down
from simplicert.metrics.shared import relate_inputs
from simplicert.metrics.study import Study, require_comparable
from simplicert.tables.grid import Grid, TableOptions, Value
from simplicert.tables.settings import (
    describe_population,
    name_inputs,
    name_population,
    name_units,
    noise_cell,
    noise_heading,
    require_columns,
    require_members,
    settings_notes,
    settings_record,
)
from simplicert.types import Certificates

COMPARED = ("ensemble", "two_sided")  # columns of radii that have a row each
KEYS = 4  # leading columns: run, data, sigma, radius


class Paper2Row(NamedTuple):
    """The comparison of one column of radii with its base, in one run."""

    study: Study
    certificates: Certificates
    column: str
    base: str
    gain: Improvement
    test: Wilcoxon


def paper2_table(studies: Sequence[Study], options: TableOptions | None = None) -> Grid:
    """Show Wilcoxon's test, proportion improved, median and mean gain, by data set and sigma.

    Each row compares two radii of the same draws, so labels are not needed, and data sets may
    differ, and so may inputs: a row never looks at another one.

    >>> import tempfile
    >>> import simplicert as sc
    >>> tally = sc.Tally([[990, 8, 2], [400, 350, 250]], sigma=0.5, labels=[0, 0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     settings = sc.Manifest(sigma=0.5, inputs=2, classes=3)
    ...     study = sc.metrics.Study("mine", sc.create_run(f"{folder}/run", settings, tally))
    ...     table = sc.tables.paper2_table([study])
    >>> [row[3:7] for row in table.rows]  # radius, p, statistic, improved %
    [('ensemble', '1', '0', '0.0'), ('two_sided', '0.5', '2', '50.0')]
    """
    options = options or TableOptions()
    population = options.population or "all"
    if population != "all":
        for study in studies:
            study.require_labels(f"population {population}")
    sets: dict[str, list[Study]] = {}
    for study in studies:
        sets.setdefault(study.data, []).append(study)
    require_one_norm(studies)
    require_one_reach(studies)
    lines: list[Paper2Row] = []
    rules: set[int] = set()
    heading = noise_heading(studies)
    for group in sets.values():
        relate_inputs(group)  # which refuses a run that holds an input twice
        require_same_norm(group)
        rules.add(len(lines))
        for study in sorted(group, key=lambda study: (study.noise.name, study.strength[1])):
            names = (options.column,) if options.column else COMPARED
            lines += [_measure_paper2_row(study, options.kind, name, population) for name in names]
    bases = " or ".join(dict.fromkeys(line.base for line in lines))
    return Grid(
        f"Improvement on {bases}, after the paper's Table 2{name_population(population)}"
        + name_inputs(studies),
        (
            *("run", "data", heading, "radius", "p", "statistic", "improved %"),
            *("inputs", "median", "%", "mean", "%"),
            *("inputs", "median", "mean"),
        ),
        [_paper2_cells(line, heading) for line in lines],
        tuple(_paper2_notes(lines, options)),
        spans=(("", 4), ("Wilcoxon", 2), ("", 1), (f"where {bases} > 0", 5), (population, 3)),
        keys=KEYS,
        rules=frozenset(rules - {0}),
        records=tuple(_paper2_record(line, population) for line in lines),
        name="paper2",
    )


def _measure_paper2_row(study: Study, kind: str | None, column: str, population: str) -> Paper2Row:
    """Compare one column of radii with its base."""
    certificates = study.certificates(kind)
    base = base_column(certificates)
    require_comparable([(study.name, certificates)], "style paper2")
    require_members(study, certificates, "style paper2")
    require_columns(study, certificates, (column, base))
    return Paper2Row(
        study,
        certificates,
        column,
        base,
        measure_improvement(certificates, column, base, population=population),
        wilcoxon_test(certificates, column, base, population=population),
    )


def _paper2_cells(line: Paper2Row, heading: str) -> tuple[str, ...]:
    """Return the cells: gains in units of the input and percent, rounded down; p rounded up."""
    gain = line.gain
    return (
        line.study.name,
        line.study.data or NONE,
        noise_cell(line.study, heading),
        line.column,
        format_p_value(line.test.p),
        f"{line.test.statistic:.10g}",
        format_percent_down(gain.improved),
        str(gain.with_base),
        format_down(gain.median_with_base, 4),
        format_down(gain.median_percent, 1),
        format_down(gain.mean_with_base, 4),
        format_down(gain.mean_percent, 1),
        str(gain.improved.total),
        format_down(gain.median, 4),
        format_down(gain.mean, 4),
    )


def _paper2_notes(lines: Sequence[Paper2Row], options: TableOptions) -> list[str]:
    """List population, definitions, what a small p does not mean, and settings."""
    studies = list({id(line.study): line.study for line in lines}.values())
    kinds = {line.certificates.known.kind for line in lines}
    units = name_units(lines[0].certificates.known.norm)
    paper = all(study.noise.name == "gaussian" for study in studies)
    population = options.population or "all"
    wrong = ", wrong predictions included" if population == "all" else ""
    never = "" if options.column else "; small by construction, as no radius is below its base"
    return [
        f"{describe_population(population, [line.gain.improved.total for line in lines])}{wrong}; "
        f"improvements {units}, rounded down",
        f"p, statistic: Wilcoxon's signed-rank test, one-sided, W+, zeros by Pratt{never}",
        "percentages need a base above 0; from a base of 0 an improvement is infinite",
        *(
            ["two_sided is not in the paper's table: the tight radius from the same draws"]
            if not options.column and paper
            else []
        ),
        *(
            ["softmax: the paper has no such table; the base is lecuyer, its state of the art"]
            if "softmax" in kinds and paper
            else []
        ),
        *settings_notes(studies, options.kind),
    ]


def _paper2_record(line: Paper2Row, population: str) -> dict[str, Value]:
    """Return one comparison at full precision, for the CSV file."""
    gain, test = line.gain, line.test
    return settings_record(line.study, line.certificates) | {
        "column": line.column,
        "over": line.base,
        "population": population,
        "inputs": gain.improved.total,
        "wilcoxon_p": test.p,
        "wilcoxon_statistic": test.statistic,
        "wilcoxon_zeros": test.zeros,
        "improved": gain.improved.value,
        "improved_low": gain.improved.low,
        "improved_high": gain.improved.high,
        "median": gain.median,
        "mean": gain.mean,
        "with_base": gain.with_base,
        "median_with_base": gain.median_with_base,
        "median_percent": gain.median_percent,
        "mean_with_base": gain.mean_with_base,
        "mean_percent": gain.mean_percent,
        "from_nothing": gain.from_nothing,
    }
