"""Tables as rows of text: computed once, drawn on a screen or written in any format."""

from simplicert.analysis.tables.choices import Choices
from simplicert.analysis.tables.field import field_table
from simplicert.analysis.tables.formats import FORMATS, format_of
from simplicert.analysis.tables.grid import Grid
from simplicert.analysis.tables.head import head
from simplicert.analysis.tables.pairs import pairs_table
from simplicert.analysis.tables.paper1 import paper1_table
from simplicert.analysis.tables.paper2 import paper2_table
from simplicert.analysis.tables.point import point_record, point_table
from simplicert.analysis.tables.styles import STYLES, make_table
from simplicert.analysis.tables.summary import summary
from simplicert.analysis.tables.words import scaled_norm, status_lines

__all__ = [
    "FORMATS",
    "STYLES",
    "Choices",
    "Grid",
    "field_table",
    "format_of",
    "head",
    "make_table",
    "pairs_table",
    "paper1_table",
    "paper2_table",
    "point_record",
    "point_table",
    "scaled_norm",
    "status_lines",
    "summary",
]
