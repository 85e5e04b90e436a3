"""Make tables of runs: computed once as rows of text, then shown or written in any format.

`make_table` makes a table in one of the `STYLES`, and each style is also a function of its own.
`FORMATS` are functions that turn a `Grid` into Markdown, LaTeX or CSV.
"""

from simplicert.tables.field import field_table
from simplicert.tables.formats import FORMATS
from simplicert.tables.grid import Grid, TableOptions
from simplicert.tables.pairs import pairs_table
from simplicert.tables.paper1 import paper1_table
from simplicert.tables.paper2 import paper2_table
from simplicert.tables.styles import STYLES, make_table
from simplicert.tables.summary import summary_table

__all__ = [
    "FORMATS",
    "STYLES",
    "Grid",
    "TableOptions",
    "field_table",
    "make_table",
    "pairs_table",
    "paper1_table",
    "paper2_table",
    "summary_table",
]
