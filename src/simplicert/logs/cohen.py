"""Read and write Cohen's log: idx, label, predict, radius, correct, time.

`read_cohen` also reads the logs that share its columns: Salman, Jeong, denoised-smoothing, DDRS,
semantic smoothing, DensePure and similar, smoothing ensembles, multiscale and ARS. They differ in
clock time or seconds, True or a running total for correct, other names, more columns, and summaries
at the end. `export_log` writes certificates as a log that other people's scripts read.
"""

from collections.abc import Callable
from datetime import timedelta
from decimal import ROUND_FLOOR, Context, Decimal
from pathlib import Path

from simplicert.errors import choose, require
from simplicert.logs.log import Log, build_log
from simplicert.logs.table import read_table
from simplicert.noises import GAUSSIAN, say_noise
from simplicert.types import Certificates

INDEX = ("idx", "original_idx", "index")
ABSTAIN = -1  # Cohen's class for an abstention
ALL_DIGITS = Context(prec=17, rounding=ROUND_FLOOR)  # enough to tell any two radii apart
BARE_HINT = "import it by `simplicert import radii --bare --columns ...`"

# Columns that show that the radius is not Cohen's, and what to do then.
REFUSED_COLUMNS = {
    "raw_count": "import it by `simplicert import second-order`",
    "samplesize": "import it by `simplicert import iss`",
    "raw_count_symmetric": f"its radii are dipole's and not Cohen's: {BARE_HINT}",
    "linf_radius": f"its radii are not l2: {BARE_HINT}",
    "proved": f"its radius is the one asked for and not the one proved: {BARE_HINT}",
}

# What the audit says where a column is there.
NOTES = {
    "stage": "column stage: the radii come from several sigmas, so E0 only restates each radius "
    "at the sigma given here",
}


def read_cohen(path: Path) -> Log:
    """Read the rows; E0 can be read back from the radius, which is sigma * Phi^-1(E0)."""
    table = read_table(path, INDEX)
    for name, instead in REFUSED_COLUMNS.items():
        require(name not in table.names, f"{path} has a column {name}: {instead}")
    places = {
        "index": table.require_place(*INDEX),
        "label": table.require_place("label"),
        "predict": table.require_place("predict"),
        "radius": table.require_place("radius", "l2_radius"),
        "correct": table.place("correct"),
        "seconds": table.place("time"),
        "bound": table.place("prob_lb"),
    }
    notes = tuple(note for name, note in NOTES.items() if name in table.names)
    return build_log(table, places, notes=notes)


def export_log(certificates: Certificates, name: str, column: str, seconds: float = 0.0) -> str:
    """Write certificates in the log format of this name."""
    return choose("format", name, EXPORTS)(certificates, column, seconds)


def _format_cohen(certificates: Certificates, column: str, seconds: float) -> str:
    """Format the log of Cohen et al. (2019): idx, label, predict, radius, correct, time, with tabs.

    Radii are rounded down at their last digit. Theirs are rounded to three digits, to nearest,
    which can be too large, and which an audit then has to allow for.
    `seconds` is the mean time per input, because a run keeps no other.
    """
    known = certificates.known
    require(
        known.noise == GAUSSIAN and known.norm == "l2",
        "run must be of Gaussian noise and radii in l2 for Cohen's log, whose readers know of no "
        f"other, got {say_noise(known.noise, known.sigma)} and {known.norm}",
    )
    require(known.labels is not None, "labels are needed for Cohen's log, which has a column label")
    assert known.labels is not None
    radii, spent = certificates.column(column), timedelta(seconds=round(seconds, 3))
    lines = ["idx\tlabel\tpredict\tradius\tcorrect\ttime"]
    for row, item in enumerate(known.index.tolist()):
        live = not certificates.abstained[row] and radii[row] > 0
        predict = int(known.top[row]) if live else ABSTAIN
        radius = ALL_DIGITS.plus(Decimal(float(radii[row]))) if live else Decimal(0)
        label = int(known.labels[row])
        correct = int(predict == label)
        lines.append(f"{item}\t{label}\t{predict}\t{radius:f}\t{correct}\t{spent}")
    return "\n".join(lines) + "\n"


# One row per format that can be written.
EXPORTS: dict[str, Callable[[Certificates, str, float], str]] = {"cohen": _format_cohen}
