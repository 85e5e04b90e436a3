"""Make tables of runs: computed once as rows of text, then shown or written in any format."""

from simplicert.tables.field import field_table
from simplicert.tables.formats import FORMATS, choose_format
from simplicert.tables.grid import Grid, TableOptions
from simplicert.tables.pairs import pairs_table
from simplicert.tables.paper1 import paper1_table
from simplicert.tables.paper2 import paper2_table
from simplicert.tables.simplex import point_record, point_table
from simplicert.tables.styles import STYLES, make_table
from simplicert.tables.summary import (
    describe_scaled_norm,
    first_rows_table,
    status_lines,
    summary_table,
)

__all__ = [
    "FORMATS",
    "STYLES",
    "Grid",
    "TableOptions",
    "choose_format",
    "describe_scaled_norm",
    "field_table",
    "first_rows_table",
    "make_table",
    "pairs_table",
    "paper1_table",
    "paper2_table",
    "point_record",
    "point_table",
    "status_lines",
    "summary_table",
]
