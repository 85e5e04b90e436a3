"""Table 1 of the paper: what each technique and their ensemble reach, by sigma."""

from collections.abc import Sequence
from typing import NamedTuple

from simplicert.errors import require
from simplicert.mechanisms.threats import ensemble_members
from simplicert.metrics.averages import median_radius, share_above, share_largest, top1_accuracy
from simplicert.metrics.comparable import require_same_norm
from simplicert.metrics.intervals import Rate, population_mask
from simplicert.metrics.numbers import NONE, find_best_cells, format_down, format_percent_down
from simplicert.metrics.radii import least_worthwhile, radius_sign
from simplicert.metrics.shared import relate_inputs
from simplicert.metrics.study import Study, columns_to_show, compares_mechanisms
from simplicert.tables.grid import Grid, TableOptions, Value
from simplicert.tables.settings import (
    describe_population,
    name_inputs,
    name_population,
    name_radius,
    name_units,
    noise_cell,
    noise_heading,
    require_columns,
    require_members,
    settings_notes,
    settings_record,
)
from simplicert.types import Certificates

KEYS = 2  # leading columns: run and sigma
TOGETHER = ("ensemble", "two_sided")  # shown without L, as they are not one of the techniques


class Measures(NamedTuple):
    """The numbers of one column of radii in one run."""

    median: float
    above: Rate
    largest: Rate | None


class Paper1Row(NamedTuple):
    """The numbers of one run; `columns` has those radii that there is evidence for."""

    study: Study
    certificates: Certificates
    top1: Rate | None
    columns: dict[str, Measures]
    total: int


# The columns of radii in a table, each with whether it has a share L.
Shown = dict[str, bool]


def paper1_table(studies: Sequence[Study], options: TableOptions | None = None) -> Grid:
    """Show top-1, then median radius, share largest and share above 0.05 of each technique.

    Rows are by sigma. As in the paper, the strongest technique by each measure and all of the
    ensemble are in bold. A log that bounds the top class alone has Cohen's radius and no other: its
    other cells are empty, or are left out where all runs are such logs, and a note says why.

    >>> import tempfile
    >>> import simplicert as sc
    >>> tally = sc.Tally([[990, 8, 2], [400, 350, 250]], sigma=0.5, labels=[0, 0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     settings = sc.Manifest(sigma=0.5, inputs=2, classes=3)
    ...     study = sc.metrics.Study("mine", sc.create_run(f"{folder}/run", settings, tally))
    ...     table = sc.tables.paper1_table([study])
    >>> table.rows[0][:6]  # run, sigma, T1, then M, L and > of Cohen
    ('mine', '0.5', '100.0', '0.489', '50.0', '50.0')
    """
    options = options or TableOptions()
    population = options.population or "all"
    relate_inputs(studies)  # which refuses a run that holds an input twice
    require_same_norm(studies)
    if population != "all":
        for study in studies:
            study.require_labels(f"population {population}")
    ordered = sorted(studies, key=lambda study: (study.noise.name, study.strength[1]))
    kinds = {study.certificates(options.kind).known.kind for study in ordered}
    require(
        len(kinds) == 1,
        f"kind must be given for runs that declared different ones, got {', '.join(sorted(kinds))}",
    )
    require(
        len({ensemble_members(study.certificates(options.kind).known) for study in ordered}) == 1,
        "runs must have one ensemble for style paper1, and these are of the noises "
        + ", ".join(dict.fromkeys(study.noise.name for study in ordered)),
    )
    lines = [_measure_paper1_row(study, options.kind, population) for study in ordered]
    shown, heading = _list_shown_columns(lines), noise_heading(ordered)
    first = lines[0].certificates
    sign, above = radius_sign(first), least_worthwhile(first)
    share = ", share largest (L)" if any(shown.values()) else ""
    headings = ["run", heading, "T1"]
    for ranked in shown.values():
        headings += ["M", "L", sign] if ranked else ["M", sign]
    rows = [_paper1_cells(line, heading, shown) for line in lines]
    return Grid(
        f"Top-1 accuracy (T1), {name_radius(first.known.norm, 'median radius')} (M){share} "
        f"and share of radii {_say_above(first)} "
        f"{above:g} ({sign}), after the paper's Table 1{name_population(population)}"
        + name_inputs(studies),
        tuple(headings),
        rows,
        tuple(_paper1_notes(lines, options, shown)),
        spans=(("", KEYS + 1), *((name, 3 if ranked else 2) for name, ranked in shown.items())),
        keys=KEYS,
        bold=frozenset(_paper1_bold_cells(rows, shown)),
        records=tuple(_paper1_record(line, population, shown) for line in lines),
        name="paper1",
    )


def _list_shown_columns(lines: Sequence[Paper1Row]) -> Shown:
    """Return all columns of radii where a run has them, else the one that its log has."""
    fullest = max(lines, key=lambda line: len(line.columns)).columns
    return {name: measures.largest is not None for name, measures in fullest.items()}


def _measure_paper1_row(study: Study, kind: str | None, population: str) -> Paper1Row:
    """Compute one run's numbers; only T1 needs labels."""
    certificates = study.certificates(kind)
    largest: dict[str, Rate] = {}
    if compares_mechanisms(certificates):
        members = ensemble_members(certificates.known)
        require_members(study, certificates, "style paper1")
        require_columns(study, certificates, (*members, *TOGETHER))
        largest = share_largest(certificates, population=population)
    columns = {
        name: Measures(
            median_radius(certificates, name, population=population),
            share_above(certificates, least_worthwhile(certificates), name, population=population),
            largest.get(name),
        )
        for name in ((*largest, *TOGETHER) if largest else columns_to_show(certificates))
    }
    right = top1_accuracy(certificates, population=population) if study.labels is not None else None
    total = int(population_mask(certificates, population).sum())
    return Paper1Row(study, certificates, right, columns, total)


def _say_above(certificates: Certificates) -> str:
    """Say the sign in words."""
    return "of at least" if certificates.closed else "above"


def _paper1_cells(line: Paper1Row, heading: str, shown: Shown) -> tuple[str, ...]:
    """Return a run's cells: medians in units of the input, shares in percent, rounded down."""
    cells = [line.study.name, noise_cell(line.study, heading), _share_cell(line.top1)]
    for name, ranked in shown.items():
        measures = line.columns.get(name)
        if measures is None:
            cells += [NONE, NONE, NONE] if ranked else [NONE, NONE]
            continue
        cells.append(format_down(measures.median))
        cells += [_share_cell(measures.largest)] if ranked else []
        cells.append(format_percent_down(measures.above))
    return tuple(cells)


def _share_cell(share: Rate | None) -> str:
    """Return a share in percent, rounded down, or a dash where there is none."""
    return NONE if share is None else format_percent_down(share)


def _paper1_bold_cells(rows: Sequence[tuple[str, ...]], shown: Shown) -> set[tuple[int, int]]:
    """Return sigma, the ensemble and the strongest technique by each measure, unless all are 0."""
    first, techniques = KEYS + 1, sum(shown.values())
    ensemble = first + 3 * techniques
    bold = {(place, KEYS - 1) for place in range(len(rows))}
    for place, row in enumerate(rows):
        if not techniques or row[ensemble] == NONE:  # nothing to compare in this row
            continue
        bold |= {(place, ensemble), (place, ensemble + 1)}
        for measure in range(3):
            columns = [first + measure + 3 * technique for technique in range(techniques)]
            texts = [row[column] for column in columns]
            if any(float(text) > 0 for text in texts):
                bold |= {(place, columns[strongest]) for strongest in find_best_cells(texts)}
    return bold


def _paper1_notes(lines: Sequence[Paper1Row], options: TableOptions, shown: Shown) -> list[str]:
    """List population, definitions, what differs from the paper, and settings."""
    unlabelled = [line.study.name for line in lines if line.top1 is None]
    over = describe_population(options.population or "all", [line.total for line in lines])
    first = lines[0].certificates
    units, sign = name_units(first.known.norm), radius_sign(first)
    top1 = "T1: the most frequent class is the label, certified or not"
    notes = [f"{over}; T1 and {sign} in percent, M {units}; all rounded down", top1]
    if any(shown.values()):
        tie = "a tie goes to the first technique, an input without a radius to none"
        notes = [
            f"{over}; T1, L and {sign} in percent, M {units}; all rounded down",
            f"{top1}; L: {tie}",
            "improved_dp is the paper's own; two_sided is not in its table and never below the "
            "ensemble from the same draws"
            if "improved_dp" in ensemble_members(first.known)
            else "two_sided is never below the ensemble from the same draws",
        ]
    if unlabelled:
        notes.append(f"T1 needs labels, and {', '.join(unlabelled)} has none")
    notes += _list_missing_columns(lines)
    return [*notes, *settings_notes([line.study for line in lines], options.kind)]


def _list_missing_columns(lines: Sequence[Paper1Row]) -> list[str]:
    """Say which of the paper's columns a log does not have, and why."""
    alone = [line for line in lines if not compares_mechanisms(line.certificates)]
    if not alone:
        return []
    first = alone[0]
    missing = [
        name
        for name in (*ensemble_members(first.certificates.known), *TOGETHER)
        if name not in first.columns
    ]
    names = ", ".join(line.study.name for line in alone)
    notes = [
        f"{names}: no columns {', '.join(missing)} and no L, since these need a bound on the "
        "second class, which was not made"
    ]
    if any(line.certificates.known.scheme == "imported" for line in alone):
        notes.append("T1 of a log counts an abstention as wrong: the log does not name its class")
    return notes


def _paper1_record(line: Paper1Row, population: str, shown: Shown) -> dict[str, Value]:
    """Return one run at full precision, for the CSV file; None where there is no evidence."""
    record = settings_record(line.study, line.certificates)
    record |= {"population": population, "inputs": line.total}
    record |= _rate_record("top1", line.top1)
    word = "from" if line.certificates.closed else "above"
    above = least_worthwhile(line.certificates)
    for name, ranked in shown.items():
        measures = line.columns.get(name)
        record[f"{name}_median"] = measures and measures.median
        if ranked:
            record |= _rate_record(f"{name}_largest", measures and measures.largest)
        record |= _rate_record(f"{name}_{word}_{above:g}", measures and measures.above)
    return record


def _rate_record(name: str, rate: Rate | None) -> dict[str, Value]:
    """Return a share and its interval over the choice of inputs."""
    if rate is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    return {name: rate.value, f"{name}_low": rate.low, f"{name}_high": rate.high}
