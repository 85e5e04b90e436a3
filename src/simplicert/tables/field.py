"""The table that every paper of the field prints: certified accuracy by radius, run and sigma."""

from collections.abc import Sequence
from typing import NamedTuple

from simplicert.metrics.averages import Mean, abstention_rate, accuracy_curve, average_radius
from simplicert.metrics.comparable import require_same_units
from simplicert.metrics.intervals import Rate, RateCurve
from simplicert.metrics.numbers import (
    NONE,
    find_best_cells,
    format_down,
    format_percent_down,
    format_percent_range,
    format_percent_up,
    format_share_down,
    format_up,
)
from simplicert.metrics.radii import choose_radii, common_sign, say_reach
from simplicert.metrics.shared import relate_inputs
from simplicert.metrics.study import Study
from simplicert.noises import NOISES
from simplicert.tables.grid import MOST_RADII, Grid, TableOptions, Value
from simplicert.tables.published import check_published, published_notes, read_published
from simplicert.tables.settings import (
    describe_column,
    describe_population,
    name_inputs,
    name_population,
    name_radius,
    noise_cell,
    noise_heading,
    require_columns,
    settings_notes,
    settings_record,
)
from simplicert.types import Certificates

KEYS = 2  # leading columns: run and sigma
NORMAL = 1.96  # 95 % of a normal distribution lie within this many standard errors


class FieldRow(NamedTuple):
    """The numbers of one run."""

    study: Study
    certificates: Certificates
    accuracy: RateCurve
    average: Mean
    abstained: Rate


def field_table(studies: Sequence[Study], options: TableOptions | None = None) -> Grid:
    """Show certified accuracy at each radius, average certified radius and abstentions, by run.

    Runs of one name are one method at several sigmas, and a row says which sigma is best at each
    radius. The best of each column is marked where all runs cover the same inputs. Runs on other
    inputs stand below each other unpaired: each has its number of inputs, and none is marked best.

    >>> import tempfile
    >>> import simplicert as sc
    >>> tally = sc.Tally([[990, 8, 2], [400, 350, 250]], sigma=0.5, labels=[0, 0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     settings = sc.Manifest(sigma=0.5, inputs=2, classes=3)
    ...     study = sc.metrics.Study("mine", sc.create_run(f"{folder}/run", settings, tally))
    ...     table = sc.tables.field_table([study], sc.tables.TableOptions(radii=(0.0, 0.5)))
    >>> table.headings
    ('run', 'sigma', '0', '0.5', 'ACR', 'abstain')
    >>> table.rows[0]
    ('mine', '0.5', '50.0', '50.0', '0.495', '50.0')
    """
    options = options or TableOptions()
    for study in studies:
        study.require_labels("certified accuracy (style paper2 needs none)")
    paired = relate_inputs(studies).same
    require_same_units(studies)
    groups, heading = _group_by_method(studies), noise_heading(studies)
    literature = None if options.published is None else read_published(options.published)
    if literature is not None:
        check_published(literature, studies, options.population)
    several = [study.certificates(options.kind) for study in studies]
    radii = options.radii or (
        choose_radii(several, MOST_RADII, options.column or "radius")
        if literature is None
        else literature.radii
    )
    lines = [[_measure_field_row(study, options, radii) for study in group] for group in groups]
    rows: list[tuple[str, ...]] = []
    faint, rules, values = set(), set(), []
    for group in lines:
        rules.add(len(rows))
        for line in group:
            values.append(len(rows))
            rows.append(_value_cells(line, heading, paired))
            if options.intervals is not False:
                faint.add(len(rows))
                rows.append(_interval_cells(line, paired))
        if paired and len({noise_cell(line.study, heading) for line in group}) > 1:
            rows.append(_best_sigma_cells(group, heading))
    flat = [line for group in lines for line in group]
    notes = _field_notes(flat, options, paired)
    records = [_field_record(line, options) for line in flat]
    if literature is not None:
        rules.add(len(rows))
        for claim in literature.rows:
            sigma = NONE if claim.sigma is None else f"{claim.sigma:g}"
            keys = (claim.name, sigma) if paired else (claim.name, sigma, NONE)
            rows.append((*keys, *claim.cells(radii), NONE, NONE))
            records.append(claim.record())
        notes += published_notes(literature, studies)
    shown = [f"{radius:g}" for radius in flat[0].accuracy.at]
    sign = common_sign([line.certificates for line in flat], inclusive=bool(options.inclusive))
    reach = f"{sign} r".lstrip()
    keys = ("run", heading) if paired else ("run", heading, "inputs")
    return Grid(
        f"Certified accuracy in percent at {name_radius(studies[0].measured_in)} {reach}"
        + name_population(options.population or "all")
        + name_inputs(studies),
        (*keys, *shown, "ACR", "abstain"),
        rows,
        tuple(notes),
        spans=(("", len(keys)), (f"radius {sign}".rstrip(), len(shown)), ("", 2)),
        keys=KEYS,
        bold=frozenset(_field_bold_cells(rows, values) if paired else ()),
        faint=frozenset(faint),
        rules=frozenset(rules - {0}),
        records=tuple(records),
        name="field",
    )


def _group_by_method(studies: Sequence[Study]) -> list[list[Study]]:
    """Group runs by name, sorted by sigma; if no name has two runs, all are one method."""
    groups: dict[str, list[Study]] = {}
    for study in sorted(studies, key=_sort_key):
        groups.setdefault(study.name, []).append(study)
    if len(groups) == len(studies):
        return [sorted(studies, key=_sort_key)]
    return [groups[name] for name in dict.fromkeys(study.name for study in studies)]


def _sort_key(study: Study) -> tuple[str, float]:
    """Sort runs by noise, and those of one noise by its strength."""
    return study.noise.name, study.strength[1]


def _may_mix_methods(studies: Sequence[Study]) -> bool:
    """Whether runs with different names may be of several methods: a sigma occurs twice."""
    sigmas, names = ({getattr(study, field) for study in studies} for field in ("strength", "name"))
    return 1 < len(sigmas) < len(studies) == len(names)


def _measure_field_row(study: Study, options: TableOptions, radii: tuple[float, ...]) -> FieldRow:
    """Compute one run's numbers."""
    certificates = study.certificates(options.kind)
    column, population = options.column or "radius", options.population or "all"
    require_columns(study, certificates, (column,))
    return FieldRow(
        study,
        certificates,
        accuracy_curve(
            certificates,
            radii,
            column,
            inclusive=bool(options.inclusive),
            population=population,
        ),
        average_radius(certificates, column, population=population),
        abstention_rate(certificates, population=population),
    )


def _curve_rates(curve: RateCurve) -> list[Rate]:
    """Return the points of a curve one by one."""
    each = zip(curve.value, curve.low, curve.high, curve.hits, strict=True)
    return [Rate(float(v), float(a), float(b), int(hits), curve.total) for v, a, b, hits in each]


def _value_cells(line: FieldRow, heading: str, paired: bool) -> tuple[str, ...]:
    """Return a run's cells: claims are rounded down, abstentions up."""
    return (
        line.study.name,
        noise_cell(line.study, heading),
        *([] if paired else [str(line.accuracy.total)]),
        *(format_percent_down(rate) for rate in _curve_rates(line.accuracy)),
        _average_cell(line),
        format_percent_up(line.abstained),
    )


def _average_cell(line: FieldRow) -> str:
    """Round the average radius down; the average of whole numbers exactly, so that 7/5 is 1.400."""
    mean = line.average
    if NOISES[line.certificates.known.noise.name].whole:
        return format_share_down(round(mean.value * mean.total), mean.total)
    return format_down(mean.value)


def _interval_cells(line: FieldRow, paired: bool) -> tuple[str, ...]:
    """Return the line below: where each number may lie among all inputs like these."""
    error = line.average.standard_error
    return (
        *[""] * (KEYS if paired else KEYS + 1),
        *(format_percent_range(rate.low, rate.high) for rate in _curve_rates(line.accuracy)),
        NONE if error is None else f"+-{format_up(NORMAL * error)}",
        format_percent_range(line.abstained.low, line.abstained.high),
    )


def _best_sigma_cells(group: Sequence[FieldRow], heading: str) -> tuple[str, ...]:
    """Return the sigma of one method that is best in each column; on a tie, all of them."""
    cells = [_value_cells(line, heading, paired=True) for line in group]
    best = []
    for column in range(KEYS, len(cells[0])):
        texts = [row[column] for row in cells]
        sign = -1 if column == len(cells[0]) - 1 else 1
        none = sign > 0 and not any(float(text) > 0 for text in texts)
        sigmas = dict.fromkeys(
            noise_cell(group[place].study, heading)
            for place in sorted(find_best_cells(texts, sign))
        )
        best.append(NONE if none else "/".join(sigmas))
    return (f"best {heading}", "", *best)


def _field_bold_cells(
    rows: Sequence[tuple[str, ...]], values: Sequence[int]
) -> set[tuple[int, int]]:
    """Return the best cells of each column, unless all are the same."""
    bold: set[tuple[int, int]] = set()
    last = len(rows[0]) - 1
    for column in range(KEYS, last + 1):
        texts = [rows[row][column] for row in values]
        places = find_best_cells(texts, -1 if column == last else 1)
        if len(places) < len(texts):
            bold |= {(values[place], column) for place in places}
    return bold


def _field_notes(lines: Sequence[FieldRow], options: TableOptions, paired: bool) -> list[str]:
    """List population, definitions, rounding, intervals and settings."""
    several, population = [line.certificates for line in lines], options.population or "all"
    from_zero = " (at r = 0: with any radius > 0)" if options.inclusive else ""
    if all(certificates.closed for certificates in several):
        from_zero = " (at r = 0: certified at all)"
    reach = say_reach(several, inclusive=bool(options.inclusive))
    studies = [line.study for line in lines]
    return [
        f"{describe_population(population, [line.accuracy.total for line in lines])}; "
        f"accuracy at r: certified as the label with {reach}{from_zero}",
        f"{describe_column(options.column or 'radius', studies[0].measured_in)}; ACR: their "
        "average, 0 where wrong or abstained; accuracies and ACR rounded down, abstentions up",
        *(
            ["second lines: 95 % intervals over the choice of inputs; alpha is not in them"]
            if options.intervals is not False
            else []
        ),
        *([_bold_note(options)] if len(lines) > 1 and paired else []),
        *(
            [f"best {noise_heading(studies)}: among all runs; runs of one method can share a label"]
            if paired and _may_mix_methods(studies)
            else []
        ),
        *settings_notes(studies, options.kind),
    ]


def _bold_note(options: TableOptions) -> str:
    """Say what bold type means; what is claimed and not audited never has it."""
    return f"bold: the best of its column{'' if options.published is None else ' among the runs'}"


def _field_record(line: FieldRow, options: TableOptions) -> dict[str, Value]:
    """Return one run at full precision, for the CSV file."""
    record = settings_record(line.study, line.certificates)
    record |= {
        "column": options.column or "radius",
        "population": options.population or "all",
        "inclusive": bool(options.inclusive),
        "inputs": line.accuracy.total,
    }
    for radius, rate in zip(line.accuracy.at, _curve_rates(line.accuracy), strict=True):
        name = f"accuracy_at_{str(float(radius)).removesuffix('.0')}"
        record |= {name: rate.value, f"{name}_low": rate.low, f"{name}_high": rate.high}
    return record | {
        "average_radius": line.average.value,
        "average_radius_standard_error": line.average.standard_error,
        "abstention": line.abstained.value,
        "abstention_low": line.abstained.low,
        "abstention_high": line.abstained.high,
    }
