"""Enlarge the radius of an input by the certificate of a neighbour, inside the unit box.

Without the box one neighbour never helps, and with it little is to be gained: docs/geometry.md has
the theorems and what was measured.
"""

from simplicert.geometry.box import best_offset, box_cost, box_radius
from simplicert.geometry.job import compare_radii, search_run
from simplicert.geometry.opening import choose_inputs, open_search
from simplicert.geometry.search import NeighbourSearch

__all__ = [
    "NeighbourSearch",
    "best_offset",
    "box_cost",
    "box_radius",
    "choose_inputs",
    "compare_radii",
    "open_search",
    "search_run",
]
