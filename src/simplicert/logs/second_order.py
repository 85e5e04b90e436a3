"""Read logs of second-order smoothing (Levine et al. 2020): Cohen's columns and a count.

The class was chosen by other draws, so its count bounds its probability by Clopper and Pearson at
any alpha. Radii of the second-order method are larger than Cohen's, and no E0 is computed from
them.
"""

from pathlib import Path

from simplicert.errors import require
from simplicert.logs.cohen import BARE_HINT, INDEX
from simplicert.logs.log import Log, build_log
from simplicert.logs.table import read_table


def read_second_order(path: Path) -> Log:
    """Read the rows with their counts; the paired draws of dipole are refused."""
    table = read_table(path, INDEX)
    require(
        "raw_count_symmetric" not in table.names,
        f"{path} has a column raw_count_symmetric: its draws come in pairs and are not "
        f"independent, so their count bounds nothing; {BARE_HINT}",
    )
    places = {
        "index": table.require_place(*INDEX),
        "label": table.require_place("label"),
        "predict": table.require_place("predict"),
        "radius": table.require_place("radius"),
        "count": table.require_place("raw_count"),
        "bound": table.place("p_a_bar"),
        "correct": table.place("correct"),
        "seconds": table.place("time"),
    }
    return build_log(table, places, cohen="grad_norm_bound" not in table.names)
