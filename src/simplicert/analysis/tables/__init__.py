"""Tables as rows of text: computed once, drawn on a screen or written in any format."""

from simplicert.analysis.tables.grid import Grid
from simplicert.analysis.tables.point import point_record, point_table
from simplicert.analysis.tables.summary import summary
from simplicert.analysis.tables.words import scaled_norm, status_lines

__all__ = ["Grid", "point_record", "point_table", "scaled_norm", "status_lines", "summary"]
