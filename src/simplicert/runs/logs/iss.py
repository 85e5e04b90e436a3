"""Input-specific sampling (Chen et al. 2022): each row its own number of draws; then a summary."""

from pathlib import Path

from simplicert.runs.logs.cohen import INDEX
from simplicert.runs.logs.log import Log, log_of
from simplicert.runs.logs.table import read_table

NAMES = ("idx", "label", "predict", "pa", "samplesize", "radius", "correct", "time_forward")
NOTE = (
    "ISS chooses the class and the number of draws from draws that it then counts again, at the "
    "same alpha: that its certificates hold with probability 1 - alpha is not proved"
)


def read(path: Path) -> Log:
    """The rows above the summary; their radii are Cohen's, printed with three decimals."""
    table = read_table(path, INDEX, default=NAMES)
    places = {
        "index": table.needed(*INDEX),
        "label": table.needed("label"),
        "predict": table.needed("predict"),
        "bound": table.place("pa", "pabar"),
        "draws": table.needed("samplesize", "n"),
        "radius": table.needed("radius"),
        "correct": table.place("correct"),
        "seconds": table.place("time_forward", "seconds", "time"),
    }
    return log_of(table, places, notes=(NOTE,))
