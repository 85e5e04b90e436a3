"""The table that compares two runs on different inputs, where no input can be paired."""

from collections.abc import Sequence

from simplicert.metrics.numbers import (
    format_down,
    format_p_value,
    format_percent_down,
    format_rate_difference,
    format_toward_zero,
    format_up,
)
from simplicert.metrics.radii import choose_radii, common_sign, say_reach
from simplicert.metrics.shared import relate_inputs
from simplicert.metrics.study import Study
from simplicert.metrics.unpaired import (
    FISHER,
    UnpairedAverage,
    UnpairedChange,
    unpaired_average,
    unpaired_test,
)
from simplicert.tables.doubts import label_run
from simplicert.tables.grid import MOST_RADII, Grid, TableOptions, Value
from simplicert.tables.settings import (
    describe_column,
    settings_notes,
    settings_record,
    strength_notes,
)


def unpaired_table(studies: Sequence[Study], options: TableOptions) -> Grid:
    """Compare two runs that do not cover the same inputs, each over its own."""
    first, second = (study.certificates(options.kind) for study in studies)
    column, inclusive = options.column or "radius", bool(options.inclusive)
    disjoint = are_disjoint(studies)
    changes = [
        unpaired_test(first, second, radius, column, inclusive=inclusive, disjoint=disjoint)
        for radius in options.radii or choose_radii([first, second], MOST_RADII, column)
    ]
    average = unpaired_average(first, second, column)
    sign = common_sign([first, second], inclusive=inclusive) or "="
    names = [study.name for study in studies]
    rows = [_change_cells(change, sign) for change in changes]
    return Grid(
        f"{names[1]} against {names[0]}, unpaired: on different inputs",
        ("", *names, "difference", "95 % interval", "p"),
        [
            ("inputs", f"{len(first)}", f"{len(second)}", "", "", ""),
            *rows,
            _average_cells(average),
        ],
        tuple(_unpaired_notes(studies, changes, average, options)),
        spans=(("", 1), ("certified accuracy (%), ACR", 3), ("", 2)),
        rules=frozenset({1, len(rows) + 1}),
        records=tuple(_unpaired_records(studies, changes, average, options)),
        name="unpaired",
    )


def are_disjoint(studies: Sequence[Study]) -> bool:
    """Whether no input is in two of the runs, as far as their numbers can be believed."""
    pairs = [(a, b) for place, a in enumerate(studies) for b in studies[:place]]
    found = [relate_inputs(pair) for pair in pairs]
    return all(not one.apart and not one.common.size for one in found)


def say_unpaired_test(test: str) -> str:
    """Say in a note which test a p-value is of, and what it assumes."""
    if test == FISHER:
        return f"{test}, two-sided: no input is in two runs"
    return (
        f"by the {test} (Clopper-Pearson), two-sided: it holds whatever inputs two runs share, and "
        "is more cautious than the paired test of --common"
    )


def _change_cells(change: UnpairedChange, sign: str) -> tuple[str, ...]:
    """Return the row of one radius; in percent and percentage points."""
    return (
        f"r {sign} {change.at:g}",
        format_percent_down(change.first),
        format_percent_down(change.second),
        format_rate_difference(change.first, change.second),
        f"[{format_down(100 * change.low, 1)}, {format_up(100 * change.high, 1)}]",
        format_p_value(change.p),
    )


def _average_cells(average: UnpairedAverage) -> tuple[str, ...]:
    """Return the row of the average certified radius."""
    return (
        "ACR",
        format_down(average.first.value),
        format_down(average.second.value),
        format_toward_zero(average.difference),
        f"[{format_down(average.low)}, {format_up(average.high)}]",
        "",
    )


def _unpaired_notes(
    studies: Sequence[Study],
    changes: Sequence[UnpairedChange],
    average: UnpairedAverage,
    options: TableOptions,
) -> list[str]:
    """List definitions, the test, and settings."""
    first, second = (label_run(study) for study in studies)
    several = [study.certificates(options.kind) for study in studies]
    reach = say_reach(several, inclusive=bool(options.inclusive))
    return [
        f"difference: {second} less {first}, each over all of its own inputs, toward zero; "
        f"accuracy at r: certified as the label with {reach}",
        f"p: {say_unpaired_test(changes[0].test)}; at each radius by itself",
        "interval: of the choice of inputs, exact limits of both at 97.5 %; of the ACR "
        f"{average.resamples:,} bootstrap resamples of each, seed {average.seed}",
        describe_column(options.column or "radius", studies[0].measured_in),
        *strength_notes(studies),
        *settings_notes(studies, options.kind),
    ]


def _unpaired_records(
    studies: Sequence[Study],
    changes: Sequence[UnpairedChange],
    average: UnpairedAverage,
    options: TableOptions,
) -> list[dict[str, Value]]:
    """Return one row per radius and one for the average, at full precision."""
    head: dict[str, Value] = {}
    for place, study in zip(("first", "second"), studies, strict=True):
        certificates = study.certificates(options.kind)
        settings = settings_record(study, certificates) | {"inputs": len(certificates)}
        head |= {f"{place}_{name}": value for name, value in settings.items()}
    head |= {"column": options.column or "radius", "inclusive": bool(options.inclusive)}
    rows: list[dict[str, Value]] = [
        {
            **head,
            "measure": "accuracy",
            "radius": change.at,
            "first": change.first.value,
            "second": change.second.value,
            "difference": change.difference,
            "low": change.low,
            "high": change.high,
            "p": change.p,
            "test": change.test,
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
            "test": None,
        }
    )
    return rows
