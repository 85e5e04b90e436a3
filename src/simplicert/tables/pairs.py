"""The table that compares two runs on the same inputs, and lists inputs gained and lost."""

from collections.abc import Sequence

from simplicert.errors import require
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
from simplicert.metrics.study import (
    Study,
    list_first_inputs,
    require_same_inputs,
    require_same_norm,
)
from simplicert.tables.grid import RADII, Grid, TableOptions, Value
from simplicert.tables.settings import (
    describe_column,
    describe_population,
    label_run,
    require_columns,
    settings_notes,
    settings_record,
)
from simplicert.types import Ints

TWO = 2


def pairs_table(studies: Sequence[Study], choices: TableOptions | None = None) -> Grid:
    """Certified accuracy of two runs at each radius with McNemar's test, and the average radius."""
    asked = choices or TableOptions()
    require(
        len(studies) == TWO,
        f"runs must be two to be paired, got {len(studies)}: "
        f"{', '.join(study.name for study in studies)}",
    )
    for study in studies:
        study.require_labels("certified accuracy")
    require_same_inputs(studies)
    require_same_norm(studies)
    first, second = (study.certificates(asked.kind) for study in studies)
    column, inclusive = asked.column or "radius", bool(asked.inclusive)
    for study in studies:
        require_columns(study, study.certificates(asked.kind), (column,))
    switches = [
        mcnemar_test(first, second, radius, column, inclusive=inclusive)
        for radius in asked.radii or RADII
    ]
    shift = average_radius_change(first, second, column)
    sign = ">=" if inclusive else ">"
    rows = [_accuracy_change_cells(switch, sign) for switch in switches]
    names = [study.name for study in studies]
    return Grid(
        f"{names[1]} against {names[0]} on the same inputs",
        ("", *names, "difference", "gained", "lost", "p, or 95 % interval"),
        [*rows, _radius_change_cells(shift)],
        tuple(_pairs_notes(studies, switches, shift, asked)),
        spans=(("", 1), ("certified accuracy (%), ACR", 3), ("inputs", 2), ("", 1)),
        rules=frozenset({len(rows)}),
        records=tuple(_pairs_records(studies, switches, shift, asked)),
    )


def _accuracy_change_cells(switch: AccuracyChange, sign: str) -> tuple[str, ...]:
    """One radius; accuracies in percent, the difference in percentage points."""
    return (
        f"r {sign} {switch.at:g}",
        format_percent_down(switch.first),
        format_percent_down(switch.second),
        format_percentage_points(switch.gained.size - switch.lost.size, switch.first.total),
        str(switch.gained.size),
        str(switch.lost.size),
        format_p_value(switch.p),
    )


def _radius_change_cells(shift: AverageRadiusChange) -> tuple[str, ...]:
    """The average certified radius."""
    return (
        "ACR",
        format_down(shift.first.value),
        format_down(shift.second.value),
        format_toward_zero(shift.difference),
        str(shift.gained.size),
        str(shift.lost.size),
        f"[{format_down(shift.low)}, {format_up(shift.high)}]",
    )


def _pairs_notes(
    studies: Sequence[Study],
    switches: Sequence[AccuracyChange],
    shift: AverageRadiusChange,
    asked: TableOptions,
) -> list[str]:
    """Population, tests, which inputs, settings."""
    first, second = (label_run(study) for study in studies)
    sigmas = {study.sigma for study in studies}
    sign = ">=" if asked.inclusive else ">"
    return [
        f"{describe_population('all', [shift.first.total])}; difference: {second} less "
        f"{first}, toward zero; "
        f"accuracy at r: certified as the label with radius {sign} r",
        f"gained: inputs that only {second} certifies at r; lost: only {first}; for the ACR, whose "
        "radius rose or fell",
        "p: McNemar's exact test, two-sided, at each radius by itself; interval: "
        f"{shift.resamples:,} paired bootstrap resamples of the inputs, percentiles, "
        f"seed {shift.seed}",
        describe_column(asked.column or "radius"),
        *(["the two runs were drawn at different sigmas"] if len(sigmas) > 1 else []),
        *[
            f"r {sign} {switch.at:g}: {_list_changed_inputs('gained', switch.gained)}; "
            f"{_list_changed_inputs('lost', switch.lost)}"
            for switch in switches
            if switch.gained.size or switch.lost.size
        ],
        *settings_notes(studies, asked.kind),
    ]


def _list_changed_inputs(word: str, inputs: Ints) -> str:
    """The first few inputs of a list."""
    return f"{word} {list_first_inputs(inputs)}" if inputs.size else f"{word} none"


def _pairs_records(
    studies: Sequence[Study],
    switches: Sequence[AccuracyChange],
    shift: AverageRadiusChange,
    asked: TableOptions,
) -> list[dict[str, Value]]:
    """One row a radius and one for the average; all inputs gained and lost, by number."""
    head: dict[str, Value] = {}
    for place, study in zip(("first", "second"), studies, strict=True):
        settings = settings_record(study, study.certificates(asked.kind))
        head |= {f"{place}_{name}": value for name, value in settings.items()}
    head |= {
        "column": asked.column or "radius",
        "inclusive": bool(asked.inclusive),
        "inputs": shift.first.total,
    }
    rows: list[dict[str, Value]] = [
        {
            **head,
            "measure": "accuracy",
            "radius": switch.at,
            "first": switch.first.value,
            "second": switch.second.value,
            "difference": switch.difference,
            "low": None,
            "high": None,
            "p": switch.p,
            **_changed_inputs_record(switch.gained, switch.lost),
        }
        for switch in switches
    ]
    rows.append(
        {
            **head,
            "measure": "average_radius",
            "radius": None,
            "first": shift.first.value,
            "second": shift.second.value,
            "difference": shift.difference,
            "low": shift.low,
            "high": shift.high,
            "p": None,
            **_changed_inputs_record(shift.gained, shift.lost),
        }
    )
    return rows


def _changed_inputs_record(gained: Ints, lost: Ints) -> dict[str, Value]:
    """How many inputs, and which, separated by blanks."""
    return {
        "gained": gained.size,
        "lost": lost.size,
        "gained_inputs": " ".join(map(str, gained)),
        "lost_inputs": " ".join(map(str, lost)),
    }
