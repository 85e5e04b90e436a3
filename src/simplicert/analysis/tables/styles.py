"""The styles of tables, and what each may be asked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

from simplicert.analysis.study import Study
from simplicert.analysis.tables.choices import Choices
from simplicert.analysis.tables.field import field_table
from simplicert.analysis.tables.grid import Grid
from simplicert.analysis.tables.pairs import pairs_table
from simplicert.analysis.tables.paper1 import paper1_table
from simplicert.analysis.tables.paper2 import paper2_table
from simplicert.errors import choose, require


@dataclass(frozen=True)
class Style:
    """A function from runs to a table, and the choices that it takes."""

    make: Callable[[Sequence[Study], Choices], Grid]
    takes: tuple[str, ...]


STYLES: dict[str, Style] = {
    "field": Style(
        field_table, ("kind", "column", "population", "radii", "inclusive", "intervals")
    ),
    "paper1": Style(paper1_table, ("kind", "population")),
    "paper2": Style(paper2_table, ("kind", "column", "population")),
    "pairs": Style(pairs_table, ("kind", "column", "radii", "inclusive")),
}


def make_table(
    studies: Sequence[Study], style: str = "field", choices: Choices | None = None
) -> Grid:
    """A table of runs; what the style has no use for is refused, not ignored."""
    row, asked = choose("style", style, STYLES), choices or Choices()
    for field in fields(asked):
        value = getattr(asked, field.name)
        require(
            value is None or field.name in row.takes,
            f"{field.name} has no place in style {style}, which takes {', '.join(row.takes)}; "
            f"got {value}",
        )
    return row.make(studies, asked)
