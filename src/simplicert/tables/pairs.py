"""The table that compares two runs on the same inputs, and lists inputs gained and lost.

More than two runs make a matrix (`matrix`), and two runs on different inputs an unpaired table
(`unpaired`).
"""

from collections.abc import Sequence

from simplicert.errors import require
from simplicert.metrics.comparable import require_same_units
from simplicert.metrics.numbers import (
    format_down,
    format_p_value,
    format_percent_down,
    format_percentage_points,
    format_toward_zero,
    format_up,
)
from simplicert.metrics.pairing import (
    AccuracyChange,
    AverageRadiusChange,
    average_radius_change,
    mcnemar_test,
)
from simplicert.metrics.radii import choose_radii, common_sign, say_reach
from simplicert.metrics.shared import list_first_inputs, relate_inputs
from simplicert.metrics.study import Study
from simplicert.tables.doubts import label_run
from simplicert.tables.grid import MOST_RADII, Grid, TableOptions, Value
from simplicert.tables.matrix import matrix_table
from simplicert.tables.settings import (
    describe_column,
    describe_population,
    name_inputs,
    require_columns,
    settings_notes,
    settings_record,
    strength_notes,
)
from simplicert.tables.unpaired import unpaired_table
from simplicert.types import Ints

PAIR = 2  # runs that a table compares


def pairs_table(studies: Sequence[Study], options: TableOptions | None = None) -> Grid:
    """Compare two runs: certified accuracy at each radius by McNemar's test, and average radius.

    Two runs on different inputs are compared unpaired, and more than two by a matrix of all pairs.

    >>> import tempfile
    >>> import simplicert as sc
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, row in ("before", [900, 80, 20]), ("after", [990, 8, 2]):
    ...         settings = sc.Manifest(sigma=0.5, inputs=1, classes=3)
    ...         _ = sc.create_run(f"{folder}/{name}", settings, sc.Tally([row], 0.5, labels=[0]))
    ...     studies = sc.metrics.read_studies([f"{folder}/before", f"{folder}/after"])
    ...     table = sc.tables.pairs_table(studies, sc.tables.TableOptions(radii=(0.75,)))
    >>> table.title
    'after against before on the same inputs'
    >>> [row[:4] for row in table.rows]
    [('r > 0.75', '0.0', '100.0', '+100.0'), ('ACR', '0.579', '0.991', '+0.412')]
    """
    options = options or TableOptions()
    require(
        len(studies) >= PAIR,
        f"runs must be two or more to be paired, got {len(studies)}: "
        f"{', '.join(study.name for study in studies)}",
    )
    for study in studies:
        study.require_labels("certified accuracy")
    require_same_units(studies)
    column, inclusive = options.column or "radius", bool(options.inclusive)
    for study in studies:
        require_columns(study, study.certificates(options.kind), (column,))
    if len(studies) > PAIR:
        return matrix_table(studies, options)
    if not relate_inputs(studies).same:
        return unpaired_table(studies, options)
    first, second = (study.certificates(options.kind) for study in studies)
    changes = [
        mcnemar_test(first, second, radius, column, inclusive=inclusive)
        for radius in options.radii or choose_radii([first, second], MOST_RADII, column)
    ]
    average = average_radius_change(first, second, column)
    sign = common_sign([first, second], inclusive=inclusive) or "="
    rows = [_accuracy_change_cells(change, sign) for change in changes]
    names = [study.name for study in studies]
    return Grid(
        f"{names[1]} against {names[0]} on the same inputs{name_inputs(studies)}",
        ("", *names, "difference", "gained", "lost", "p, or 95 % interval"),
        [*rows, _radius_change_cells(average)],
        tuple(_pairs_notes(studies, changes, average, options, sign)),
        spans=(("", 1), ("certified accuracy (%), ACR", 3), ("inputs", 2), ("", 1)),
        rules=frozenset({len(rows)}),
        records=tuple(_pairs_records(studies, changes, average, options)),
        name="pairs",
    )


def _accuracy_change_cells(change: AccuracyChange, sign: str) -> tuple[str, ...]:
    """Return the row of one radius; accuracies in percent, the difference in percentage points."""
    return (
        f"r {sign} {change.at:g}",
        format_percent_down(change.first),
        format_percent_down(change.second),
        format_percentage_points(change.gained.size - change.lost.size, change.first.total),
        str(change.gained.size),
        str(change.lost.size),
        format_p_value(change.p),
    )


def _radius_change_cells(average: AverageRadiusChange) -> tuple[str, ...]:
    """Return the row of the average certified radius."""
    return (
        "ACR",
        format_down(average.first.value),
        format_down(average.second.value),
        format_toward_zero(average.difference),
        str(average.gained.size),
        str(average.lost.size),
        f"[{format_down(average.low)}, {format_up(average.high)}]",
    )


def _pairs_notes(
    studies: Sequence[Study],
    changes: Sequence[AccuracyChange],
    average: AverageRadiusChange,
    options: TableOptions,
    sign: str,
) -> list[str]:
    """List population, tests, inputs gained and lost, and settings."""
    first, second = (label_run(study) for study in studies)
    several = [study.certificates(options.kind) for study in studies]
    reach = say_reach(several, inclusive=bool(options.inclusive))
    return [
        f"{describe_population('all', [average.first.total])}; difference: {second} less "
        f"{first}, toward zero; "
        f"accuracy at r: certified as the label with {reach}",
        f"gained: inputs that only {second} certifies at r; lost: only {first}; for the ACR, whose "
        "radius rose or fell",
        "p: McNemar's exact test, two-sided, at each radius by itself; interval: "
        f"{average.resamples:,} paired bootstrap resamples of the inputs, percentiles, "
        f"seed {average.seed}",
        describe_column(options.column or "radius", studies[0].measured_in),
        *strength_notes(studies),
        *[
            f"r {sign} {change.at:g}: {_list_changed_inputs('gained', change.gained)}; "
            f"{_list_changed_inputs('lost', change.lost)}"
            for change in changes
            if change.gained.size or change.lost.size
        ],
        *settings_notes(studies, options.kind),
    ]


def _list_changed_inputs(word: str, inputs: Ints) -> str:
    """List the first inputs that were gained or lost."""
    return f"{word} {list_first_inputs(inputs)}" if inputs.size else f"{word} none"


def _pairs_records(
    studies: Sequence[Study],
    changes: Sequence[AccuracyChange],
    average: AverageRadiusChange,
    options: TableOptions,
) -> list[dict[str, Value]]:
    """Return one row per radius and one for the average, with all inputs gained and lost."""
    head: dict[str, Value] = {}
    for place, study in zip(("first", "second"), studies, strict=True):
        settings = settings_record(study, study.certificates(options.kind))
        head |= {f"{place}_{name}": value for name, value in settings.items()}
    head |= {
        "column": options.column or "radius",
        "inclusive": bool(options.inclusive),
        "inputs": average.first.total,
    }
    rows: list[dict[str, Value]] = [
        {
            **head,
            "measure": "accuracy",
            "radius": change.at,
            "first": change.first.value,
            "second": change.second.value,
            "difference": change.difference,
            "low": None,
            "high": None,
            "p": change.p,
            **_changed_inputs_record(change.gained, change.lost),
        }
        for change in changes
    ]
    rows.append(
        {
            **head,
            "measure": "average_radius",
            "radius": None,
            "first": average.first.value,
            "second": average.second.value,
            "difference": average.difference,
            "low": average.low,
            "high": average.high,
            "p": None,
            **_changed_inputs_record(average.gained, average.lost),
        }
    )
    return rows


def _changed_inputs_record(gained: Ints, lost: Ints) -> dict[str, Value]:
    """Return how many inputs were gained and lost, and their numbers, separated by blanks."""
    return {
        "gained": gained.size,
        "lost": lost.size,
        "gained_inputs": " ".join(map(str, gained)),
        "lost_inputs": " ".join(map(str, lost)),
    }
