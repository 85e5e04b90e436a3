"""Second-order smoothing (Levine et al. 2020): Cohen's columns, and the count of the class.

The class was chosen by other draws, so that count bounds its probability by Clopper and Pearson
at any alpha. Radii of the second-order method are larger than Cohen's and are not read backwards.
"""

from pathlib import Path

from simplicert.errors import require
from simplicert.runs.logs.cohen import BARE, INDEX
from simplicert.runs.logs.log import Log, log_of
from simplicert.runs.logs.table import read_table


def read(path: Path) -> Log:
    """The rows with their counts; dipole's pairs of draws are refused."""
    table = read_table(path, INDEX)
    require(
        "raw_count_symmetric" not in table.names,
        f"{path} has a column raw_count_symmetric: its draws come in pairs and are not "
        f"independent, so their count bounds nothing; {BARE}",
    )
    places = {
        "index": table.needed(*INDEX),
        "label": table.needed("label"),
        "predict": table.needed("predict"),
        "radius": table.needed("radius"),
        "count": table.needed("raw_count"),
        "bound": table.place("p_a_bar"),
        "correct": table.place("correct"),
        "seconds": table.place("time"),
    }
    return log_of(table, places, cohen="grad_norm_bound" not in table.names)
