"""Cohen's log (idx, label, predict, radius, correct, time) and those that share its columns.

Salman, Jeong, denoised-smoothing, DDRS, semantic smoothing, DensePure and its kin, smoothing
ensembles, multiscale and ARS: clock time or seconds, True or a running total for correct, other
names, more columns, summaries at the end.
"""

from pathlib import Path

from simplicert.errors import require
from simplicert.runs.logs.log import Log, log_of
from simplicert.runs.logs.table import read_table

INDEX = ("idx", "original_idx", "index")
BARE = "import it by `simplicert import radii --bare --columns ...`"

# Columns that make the radius another thing than Cohen's, and what to do then.
REFUSED = {
    "raw_count": "import it by `simplicert import second-order`",
    "samplesize": "import it by `simplicert import iss`",
    "raw_count_symmetric": f"its radii are dipole's and not Cohen's: {BARE}",
    "linf_radius": f"its radii are not l2: {BARE}",
    "proved": f"its radius is the one asked for and not the one proved: {BARE}",
}
NOTES = {
    "stage": "column stage: the radii come from several sigmas, so E0 only restates each radius "
    "at the sigma given here",
}


def read(path: Path) -> Log:
    """The rows; E0 can be read back from the radius, which is sigma * Phi^-1(E0)."""
    table = read_table(path, INDEX)
    for name, instead in REFUSED.items():
        require(name not in table.names, f"{path} has a column {name}: {instead}")
    places = {
        "index": table.needed(*INDEX),
        "label": table.needed("label"),
        "predict": table.needed("predict"),
        "radius": table.needed("radius", "l2_radius"),
        "correct": table.place("correct"),
        "seconds": table.place("time"),
        "bound": table.place("prob_lb"),
    }
    notes = tuple(note for name, note in NOTES.items() if name in table.names)
    return log_of(table, places, notes=notes)
