"""Read what the code of double sampling (Li et al. 2022, "DSRS") saves, which is two files.

`read_dsrs_bounds` reads a file of samples: lines `x key value` with the settings (disttype, k, std,
N, alpha), then `o index low high`, the Clopper-Pearson limits of the share of draws that chose the
label. `read_dsrs_radii` reads a file of radii without a header: the index, the radius and, of the
second step, how much it grew.

Both count the draws of the label alone and name neither it nor another class. So class 0 stands
for the label: an input is certified as its label, or abstains. Which wrong class it has is unknown.
"""

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np

from simplicert.errors import InvalidInput, require
from simplicert.logs.log import Log
from simplicert.logs.row_checks import AuditFinding, count_in_words, make_finding
from simplicert.logs.table import SHOWN_CHARACTERS, is_integer, parse_number_text, read_log_text

NOTE = (
    "draws were counted for the label alone: class 0 stands for it, and an input that is not "
    "certified as its label abstains"
)
SETTINGS = ("disttype", "std", "N", "alpha")  # lines `x` that must be there
COLUMNS = (2, 4, 5)  # of a file of radii: index and radius; the growth and its share; seconds
LEAST = 1e-9  # of a bound that rounding may explain

# The name of a file: what was done, the noise, its k, sigma, the second draws, N and alpha.
NAME = re.compile(
    r"(?:(?:orig|new)-rad-)?(?P<noise>[A-Za-z0-9-]*?gaussian(?:-th)?)-(?:\d+|None)-(?P<std>[\d.]+)"
    r"(?:-(?:[\d.]+|x[+\d]*|None))?-(?P<N>\d+)-(?P<alpha>[\d.]+)(?:-.*)?"
)


class DsrsSettings(NamedTuple):
    """What the draws were made with, as the file or its name says it."""

    noise: str
    sigma: float
    draws: int
    alpha: float


class DsrsLog(NamedTuple):
    """The rows, and the settings that the file states itself."""

    log: Log
    settings: DsrsSettings


def holds_bounds(path: Path) -> bool:
    """Tell whether a file begins with lines `x`, as files of samples do."""
    first = next((line for line in read_log_text(path).splitlines() if line.strip()), "")
    return first.split()[:1] == ["x"]


def read_dsrs_bounds(path: Path) -> DsrsLog:
    """Read limits on the label's probability; E0 is the lower one where it is above one half."""
    told: dict[str, str] = {}
    rows: list[tuple[str, str]] = []
    left_out: list[str] = []
    for number, line in enumerate(read_log_text(path).splitlines(), 1):
        cells = line.split()
        if cells[:1] == ["x"] and len(cells) == 3:  # noqa: PLR2004
            told[cells[1]] = cells[2]
        elif cells[:1] == ["o"] and len(cells) == 4 and is_integer(cells[1]):  # noqa: PLR2004
            rows.append((cells[1], _read_probability(path, number, cells[2])))
        elif cells:
            left_out.append(f"line {number}, {line.strip()!r:.{SHOWN_CHARACTERS}}")
    lacks = [name for name in SETTINGS if name not in told]
    require(not lacks, f"{path} must have lines x {', x '.join(lacks)}, got none")
    require(bool(rows), f"{path} must hold at least one line o index low high, got none")
    low = tuple(text for _, text in rows)
    above = np.array([float(text) > 0.5 for text in low])  # noqa: PLR2004
    log = Log(
        index=np.array([int(float(index)) for index, _ in rows]),
        predicted=np.where(above, 0, -1),
        radius_text=("",) * len(rows),
        label=np.zeros(len(rows), int),
        bound_text=low,
        bound_is_e0=True,
        cohen=False,
        left_out=tuple(left_out),
        notes=(NOTE,),
    )
    return DsrsLog(log, _check_settings(path, told))


def read_dsrs_radii(path: Path, *, cohen: bool = False) -> Log:
    """Read radii of the label's class as they are, 0 where there is none.

    `cohen` says that they are sigma * Phi^-1(E0), those of the first step under Gaussian noise.
    """
    index, radii, left_out = [], [], []
    for number, line in enumerate(read_log_text(path).splitlines(), 1):
        cells = line.split()
        if len(cells) in COLUMNS and is_integer(cells[0]):
            index.append(int(float(cells[0])))
            radii.append(_read_radius(path, number, cells[1]))
        elif cells:
            left_out.append(f"line {number}, {line.strip()!r:.{SHOWN_CHARACTERS}}")
    require(bool(index), f"{path} must hold at least one line of index and radius, got none")
    live = np.array([float(text) > 0 for text in radii])
    return Log(
        index=np.array(index),
        predicted=np.where(live, 0, -1),
        radius_text=tuple(radii),
        label=np.zeros(len(index), int),
        cohen=cohen,
        left_out=tuple(left_out),
        notes=(NOTE,),
    )


def settings_of_name(path: Path) -> DsrsSettings | None:
    """Return what the name of a file of radii says of its draws; None where it says nothing."""
    found = NAME.fullmatch(path.stem)
    if found is None:
        return None
    told = {"disttype": found["noise"]} | {name: found[name] for name in ("std", "N", "alpha")}
    return _check_settings(path, told)


def audit_dsrs(log: Log, settings: DsrsSettings) -> list[AuditFinding]:
    """Find bounds that the draws cannot give at alpha even if all of them agree."""
    if log.bound_text is None:
        return []
    most = settings.alpha ** (1 / settings.draws)
    above = np.array([float(text) for text in log.bound_text]) > most + LEAST
    if not above.any():
        return []
    says = (
        f"the bound is above {most:.8f} in {count_in_words(above)}: {settings.draws} draws at "
        f"alpha {settings.alpha:g} prove no larger one, even if all of them agree"
    )
    return [make_finding(above, "above_cap", says)]


def _check_settings(path: Path, told: dict[str, str]) -> DsrsSettings:
    """Parse the lines `x`."""
    try:
        sigma, alpha, draws = float(told["std"]), float(told["alpha"]), int(told["N"])
    except ValueError:
        raise InvalidInput(
            f"{path} must state numbers std, N and alpha, got {told['std']!r:.20}, "
            f"{told['N']!r:.20} and {told['alpha']!r:.20}"
        ) from None
    require(
        0 < sigma < np.inf and 0 < alpha < 1 and draws >= 1,
        f"{path} must state std > 0, N >= 1 and alpha in (0, 1), got {sigma}, {draws}, {alpha}",
    )
    return DsrsSettings(told["disttype"], sigma, draws, alpha)


def _read_probability(path: Path, number: int, cell: str) -> str:
    """Return the text of a probability."""
    try:
        good = 0 <= float(parse_number_text(cell)) <= 1
    except ValueError:
        good = False
    require(good, f"{path} line {number}: a bound must lie in [0, 1], got {cell!r:.40}")
    return cell


def _read_radius(path: Path, number: int, cell: str) -> str:
    """Return the text of a radius."""
    try:
        good = float(parse_number_text(cell)) >= 0
    except ValueError:
        good = False
    require(
        good, f"{path} line {number}: a radius must be a number of at least 0, got {cell!r:.40}"
    )
    return cell
