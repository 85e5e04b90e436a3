"""List the styles of tables with the options that each takes, and make a table in one of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

from simplicert.errors import choose, require
from simplicert.metrics.shared import share_inputs
from simplicert.metrics.study import Study
from simplicert.tables.field import field_table
from simplicert.tables.grid import Grid, TableOptions
from simplicert.tables.pairs import pairs_table
from simplicert.tables.paper1 import paper1_table
from simplicert.tables.paper2 import paper2_table


@dataclass(frozen=True)
class Style:
    """A function from runs to a table, and the names of the options that it takes."""

    make: Callable[[Sequence[Study], TableOptions], Grid]
    takes: tuple[str, ...]


STYLES: dict[str, Style] = {
    "field": Style(
        field_table,
        ("kind", "column", "population", "radii", "inclusive", "intervals", "published", "common"),
    ),
    "paper1": Style(paper1_table, ("kind", "population", "common")),
    "paper2": Style(paper2_table, ("kind", "column", "population", "common")),
    "pairs": Style(pairs_table, ("kind", "column", "radii", "inclusive", "common")),
}


def make_table(
    studies: Sequence[Study], style: str = "field", options: TableOptions | None = None
) -> Grid:
    """Make a table of runs; an option that the style does not take is refused, not ignored.

    >>> import tempfile
    >>> import simplicert as sc
    >>> tally = sc.Tally([[990, 8, 2], [400, 350, 250]], sigma=0.5, labels=[0, 0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     settings = sc.Manifest(sigma=0.5, inputs=2, classes=3)
    ...     study = sc.metrics.Study("mine", sc.create_run(f"{folder}/run", settings, tally))
    ...     options = sc.tables.TableOptions(column="two_sided")
    ...     table = sc.tables.make_table([study], "paper2", options)
    >>> table.title
    "Improvement on cohen, after the paper's Table 2"
    >>> dict(zip(table.headings, table.rows[0]))["improved %"]
    '50.0'
    """
    row, options = choose("style", style, STYLES), options or TableOptions()
    for field in fields(options):
        value = getattr(options, field.name)
        require(
            value is None or field.name in row.takes,
            f"{field.name} has no place in style {style}, which takes {', '.join(row.takes)}; "
            f"got {value}",
        )
    if options.common:
        studies = share_inputs(studies)
    return row.make(studies, options)
