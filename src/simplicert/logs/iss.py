"""Read logs of input-specific sampling (Chen et al. 2022), which end with a summary.

Each row has its own number of draws.
"""

from pathlib import Path

from simplicert.logs.cohen import INDEX
from simplicert.logs.log import Log, build_log
from simplicert.logs.table import read_table

# Columns of a log without a header.
NAMES = ("idx", "label", "predict", "pa", "samplesize", "radius", "correct", "time_forward")

NOTE = (
    "ISS chooses the class and the number of draws from draws that it then counts again, at the "
    "same alpha: that its certificates hold with probability 1 - alpha is not proved"
)


def read_iss(path: Path) -> Log:
    """Read the rows above the summary; the radii are Cohen's, printed with three decimals."""
    table = read_table(path, INDEX, default=NAMES)
    places = {
        "index": table.require_place(*INDEX),
        "label": table.require_place("label"),
        "predict": table.require_place("predict"),
        "bound": table.place("pa", "pabar"),
        "draws": table.require_place("samplesize", "n"),
        "radius": table.require_place("radius"),
        "correct": table.place("correct"),
        "seconds": table.place("time_forward", "seconds", "time"),
    }
    return build_log(table, places, notes=(NOTE,))
