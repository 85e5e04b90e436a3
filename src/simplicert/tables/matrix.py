"""The table of every pair of runs: differences above the diagonal, corrected p-values below it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from simplicert.metrics.averages import certified_accuracy
from simplicert.metrics.intervals import Rate
from simplicert.metrics.numbers import (
    NONE,
    SMALL_P,
    format_p_value,
    format_percent_down,
    format_rate_difference,
)
from simplicert.metrics.pairing import mcnemar_test
from simplicert.metrics.radii import choose_radii, common_sign, say_reach
from simplicert.metrics.shared import relate_inputs
from simplicert.metrics.study import Study
from simplicert.metrics.unpaired import holm_adjust, unpaired_test
from simplicert.tables.grid import MOST_RADII, Grid, TableOptions, Value
from simplicert.tables.settings import (
    describe_column,
    name_inputs,
    noise_cell,
    noise_heading,
    settings_notes,
    settings_record,
    strength_notes,
)
from simplicert.tables.unpaired import are_disjoint, say_unpaired_test

SIGNIFICANT = 0.05  # corrected p-values below it are in bold
MCNEMAR = "McNemar's exact test, two-sided"


@dataclass(frozen=True)
class PairTest:
    """Two runs at one radius: the second of them less the first, and the p-values."""

    first: int  # places among the runs
    second: int
    at: float
    rates: tuple[Rate, Rate]
    p: float
    test: str
    corrected: float = 1.0

    @property
    def difference(self) -> float:
        """Second minus first share, each of its own inputs."""
        return self.rates[1].value - self.rates[0].value


def matrix_table(studies: Sequence[Study], options: TableOptions) -> Grid:
    """Compare every two of several runs at each radius; p-values are corrected for their number.

    By default there is one radius, the first above 0 that the table of accuracies would show.
    """
    several = [study.certificates(options.kind) for study in studies]
    column, inclusive = options.column or "radius", bool(options.inclusive)
    radii = (
        options.radii
        or tuple(r for r in choose_radii(several, MOST_RADII, column) if r > 0)[:1]
        or (0.0,)
    )
    paired = relate_inputs(studies).same
    tests = _test_pairs(studies, radii, options, paired)
    heading, sign = noise_heading(studies), common_sign(several, inclusive=inclusive) or "="
    numbers = [str(place + 1) for place in range(len(studies))]
    rows: list[tuple[str, ...]] = []
    bold: set[tuple[int, int]] = set()
    rules: set[int] = set()
    for radius in radii:
        rules.add(len(rows))
        shown = {(one.first, one.second): one for one in tests if one.at == radius}
        for place, study in enumerate(studies):
            rate = certified_accuracy(several[place], radius, column, inclusive=inclusive)
            cells = [_pair_cell(shown, place, other) for other in range(len(studies))]
            keys = (f"{place + 1} {study.name}", noise_cell(study, heading), f"{sign} {radius:g}")
            bold |= {
                (len(rows), len(keys) + 2 + other)
                for other in range(len(studies))
                if _is_significant(shown, place, other)
            }
            rows.append((*keys, str(rate.total), format_percent_down(rate), *cells))
    return Grid(
        f"Every two of {len(studies)} runs, {'paired' if paired else 'unpaired'}: differences of "
        f"certified accuracy in points (above the diagonal) and corrected p (below)"
        + name_inputs(studies),
        ("run", heading, "r", "inputs", "accuracy", *numbers),
        rows,
        tuple(_matrix_notes(studies, tests, options, paired)),
        spans=(("", 5), ("against run", len(studies))),
        keys=2,
        bold=frozenset(bold),
        rules=frozenset(rules - {0}),
        records=tuple(_matrix_records(studies, tests, options, paired)),
        name="matrix",
    )


def _test_pairs(
    studies: Sequence[Study], radii: Sequence[float], options: TableOptions, paired: bool
) -> list[PairTest]:
    """Test every two runs at every radius, and correct all p-values together."""
    several = [study.certificates(options.kind) for study in studies]
    column, inclusive = options.column or "radius", bool(options.inclusive)
    found: list[PairTest] = []
    for first, second in combinations(range(len(studies)), 2):
        sides = several[first], several[second]
        disjoint = not paired and are_disjoint([studies[first], studies[second]])
        for radius in radii:
            if paired:
                change = mcnemar_test(*sides, radius, column, inclusive=inclusive)
                test = PairTest(
                    first, second, radius, (change.first, change.second), change.p, MCNEMAR
                )
            else:
                apart = unpaired_test(
                    *sides, radius, column, inclusive=inclusive, disjoint=disjoint
                )
                test = PairTest(
                    first, second, radius, (apart.first, apart.second), apart.p, apart.test
                )
            found.append(test)
    corrected = holm_adjust([test.p for test in found]).tolist()
    return [replace(one, corrected=p) for one, p in zip(found, corrected, strict=True)]


def _pair_cell(shown: dict[tuple[int, int], PairTest], row: int, column: int) -> str:
    """Return the row's accuracy less the column's in points, or below the diagonal p."""
    if row == column:
        return NONE
    test = shown[min(row, column), max(row, column)]
    if row > column:
        small = test.corrected < SMALL_P  # a matrix has room for few digits; records have all
        return f"<{SMALL_P:g}" if small else format_p_value(test.corrected)
    return format_rate_difference(test.rates[1], test.rates[0])


def _is_significant(shown: dict[tuple[int, int], PairTest], row: int, column: int) -> bool:
    """Whether a cell is of a pair whose corrected p-value is small."""
    test = shown.get((min(row, column), max(row, column)))
    return test is not None and test.corrected < SIGNIFICANT


def _matrix_notes(
    studies: Sequence[Study], tests: Sequence[PairTest], options: TableOptions, paired: bool
) -> list[str]:
    """List definitions, the test and its correction, and settings."""
    several = [study.certificates(options.kind) for study in studies]
    reach = say_reach(several, inclusive=bool(options.inclusive))
    kinds = list(dict.fromkeys(test.test for test in tests))
    said = MCNEMAR if paired else "; else ".join(map(say_unpaired_test, kinds))
    return [
        "difference: the run of the row less the run of the column, toward zero; accuracy at r: "
        f"certified as the label with {reach}",
        f"p: {said}; corrected for all {len(tests)} comparisons of this table by Holm's method; "
        f"bold: below {SIGNIFICANT:g}, so that any of them is wrong with probability at most "
        f"{SIGNIFICANT:g} over the choice of inputs",
        describe_column(options.column or "radius", studies[0].measured_in),
        *strength_notes(studies),
        *settings_notes(studies, options.kind),
    ]


def _matrix_records(
    studies: Sequence[Study], tests: Sequence[PairTest], options: TableOptions, paired: bool
) -> list[dict[str, Value]]:
    """Return one row per pair and radius, with both p-values at full precision."""
    column, inclusive = options.column or "radius", bool(options.inclusive)
    several = [study.certificates(options.kind) for study in studies]
    settings = [settings_record(*pair) for pair in zip(studies, several, strict=True)]
    found: list[dict[str, Value]] = []
    for test in tests:
        head: dict[str, Value] = {}
        for side, place, rate in zip(
            ("first", "second"), (test.first, test.second), test.rates, strict=True
        ):
            told = settings[place] | {"inputs": rate.total, "accuracy": rate.value}
            head |= {f"{side}_{name}": value for name, value in told.items()}
        found.append(
            {
                **head,
                "column": column,
                "inclusive": inclusive,
                "paired": paired,
                "radius": test.at,
                "difference": test.difference,
                "p": test.p,
                "p_holm": test.corrected,
                "comparisons": len(tests),
                "test": test.test,
            }
        )
    return found
