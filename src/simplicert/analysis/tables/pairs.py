"""Two runs on the same inputs: does the second certify more, and which inputs does it lose?"""

from collections.abc import Sequence

from simplicert.analysis.pairing import Shift, Switch, average_radius_shift, mcnemar
from simplicert.analysis.study import (
    Study,
    first_few,
    require_same_inputs,
    require_same_norm,
)
from simplicert.analysis.tables.choices import RADII, Choices
from simplicert.analysis.tables.grid import Grid, Value
from simplicert.analysis.tables.numbers import down, p_value, percent_down, points, toward_zero, up
from simplicert.analysis.tables.settings import (
    in_units,
    over,
    require_columns,
    settings_notes,
    settings_record,
    shown,
)
from simplicert.errors import require
from simplicert.types import Ints

TWO = 2


def pairs_table(studies: Sequence[Study], choices: Choices | None = None) -> Grid:
    """Certified accuracy of two runs at each radius with McNemar's test, and the average radius."""
    asked = choices or Choices()
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
        mcnemar(first, second, radius, column, inclusive=inclusive)
        for radius in asked.radii or RADII
    ]
    shift = average_radius_shift(first, second, column)
    sign = ">=" if inclusive else ">"
    rows = [switch_cells(switch, sign) for switch in switches]
    names = [study.name for study in studies]
    return Grid(
        f"{names[1]} against {names[0]} on the same inputs",
        ("", *names, "difference", "gained", "lost", "p, or 95 % interval"),
        [*rows, shift_cells(shift)],
        tuple(notes(studies, switches, shift, asked)),
        spans=(("", 1), ("certified accuracy (%), ACR", 3), ("inputs", 2), ("", 1)),
        rules=frozenset({len(rows)}),
        records=tuple(records(studies, switches, shift, asked)),
    )


def switch_cells(switch: Switch, sign: str) -> tuple[str, ...]:
    """One radius; accuracies in percent, the difference in percentage points."""
    return (
        f"r {sign} {switch.at:g}",
        percent_down(switch.first),
        percent_down(switch.second),
        points(switch.gained.size - switch.lost.size, switch.first.total),
        str(switch.gained.size),
        str(switch.lost.size),
        p_value(switch.p),
    )


def shift_cells(shift: Shift) -> tuple[str, ...]:
    """The average certified radius."""
    return (
        "ACR",
        down(shift.first.value),
        down(shift.second.value),
        toward_zero(shift.difference),
        str(shift.gained.size),
        str(shift.lost.size),
        f"[{down(shift.low)}, {up(shift.high)}]",
    )


def notes(
    studies: Sequence[Study], switches: Sequence[Switch], shift: Shift, asked: Choices
) -> list[str]:
    """Population, tests, which inputs, settings."""
    first, second = (shown(study) for study in studies)
    sigmas = {study.sigma for study in studies}
    sign = ">=" if asked.inclusive else ">"
    return [
        f"{over('all', [shift.first.total])}; difference: {second} less {first}, toward zero; "
        f"accuracy at r: certified as the label with radius {sign} r",
        f"gained: inputs that only {second} certifies at r; lost: only {first}; for the ACR, whose "
        "radius rose or fell",
        "p: McNemar's exact test, two-sided, at each radius by itself; interval: "
        f"{shift.resamples:,} paired bootstrap resamples of the inputs, percentiles, "
        f"seed {shift.seed}",
        in_units(asked.column or "radius"),
        *(["the two runs were drawn at different sigmas"] if len(sigmas) > 1 else []),
        *[
            f"r {sign} {switch.at:g}: {which('gained', switch.gained)}; "
            f"{which('lost', switch.lost)}"
            for switch in switches
            if switch.gained.size or switch.lost.size
        ],
        *settings_notes(studies, asked.kind),
    ]


def which(word: str, inputs: Ints) -> str:
    """The first few inputs of a list."""
    return f"{word} {first_few(inputs)}" if inputs.size else f"{word} none"


def records(
    studies: Sequence[Study], switches: Sequence[Switch], shift: Shift, asked: Choices
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
            **lists(switch.gained, switch.lost),
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
            **lists(shift.gained, shift.lost),
        }
    )
    return rows


def lists(gained: Ints, lost: Ints) -> dict[str, Value]:
    """How many inputs, and which, separated by blanks."""
    return {
        "gained": gained.size,
        "lost": lost.size,
        "gained_inputs": " ".join(map(str, gained)),
        "lost_inputs": " ".join(map(str, lost)),
    }
