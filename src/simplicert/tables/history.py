"""Show the measures of several runs, one row per run, the earliest first."""

from collections.abc import Sequence

from simplicert.metrics.history import HistoryPoint, MeasuredValue
from simplicert.metrics.numbers import NONE, format_down, format_up
from simplicert.noises.words import describe_units
from simplicert.tables.grid import Grid, Value

SHORT = 7  # letters of a commit that name it
DECIMALS = 4
SLACK = 1e-12  # rounding of a share, which must not move the digits that are shown


def history_table(points: Sequence[HistoryPoint], *, intervals: bool = True) -> Grid:
    """Show each run's date, commit, inputs and measures, with intervals in a second line."""
    dated = all(point.began is not None for point in points)
    committed = any(point.commit for point in points)
    measures = [value.measure for value in points[0].values]
    headings = ("run", "began", *["commit"] * committed, "inputs", *measures)
    rows: list[tuple[str, ...]] = []
    faint = set()
    for point in points:
        name = [(point.commit or NONE)[:SHORT]] if committed else []
        shown = (_value_cell(value) for value in point.values)
        rows.append((point.run, point.day or NONE, *name, str(point.inputs), *shown))
        if intervals and any(value.low is not None for value in point.values):
            faint.add(len(rows))
            empty = [""] * (len(headings) - len(measures))
            rows.append((*empty, *(_interval_cell(value) for value in point.values)))
    notes = [
        "the earliest first, by when drawing began"
        if dated
        else "as given: not every run says when its drawing began",
        f"radii are {describe_units(points[0].norm)}; values are rounded to the side that claims "
        "less",
        *["second lines: 95 % intervals over the choice of inputs"] * bool(faint),
        *(f"{point.run}: {text}" for point in points for text in point.remarks),
    ]
    return Grid(
        f"Measures of {len(points)} run{'s' if len(points) > 1 else ''} over time",
        headings,
        rows,
        tuple(notes),
        keys=3 if committed else 2,
        faint=frozenset(faint),
        records=tuple(_point_record(point) for point in points),
        name="history",
    )


def _value_cell(value: MeasuredValue) -> str:
    """Round what is claimed down, and abstentions up."""
    if value.measure == "abstained":
        return format_up(value.value - SLACK, DECIMALS)
    return format_down(value.value + SLACK, DECIMALS)


def _interval_cell(value: MeasuredValue) -> str:
    """Return the interval, never narrower than it is."""
    if value.low is None or value.high is None:
        return ""
    return f"{format_down(value.low, DECIMALS)}-{format_up(value.high, DECIMALS)}"


def _point_record(point: HistoryPoint) -> dict[str, Value]:
    """Return one run at full precision, for the CSV file."""
    record: dict[str, Value] = {
        "run": point.run,
        "began": None if point.began is None else point.began.isoformat(),
        "commit": point.commit,
        "inputs": point.inputs,
        "norm": point.norm,
    }
    for value in point.values:
        record |= {
            value.measure: value.value,
            f"{value.measure}_low": value.low,
            f"{value.measure}_high": value.high,
        }
    return record
