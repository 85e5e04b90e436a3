"""Figures on axes that the caller owns: each a function (data, axes) -> axes."""

from simplicert.analysis.figures.maps import cohen_minus_li, simplex_map
from simplicert.analysis.figures.style import save

__all__ = ["cohen_minus_li", "save", "simplex_map"]
