"""Certificates on disk against the tallies: every cell computed again and compared."""

import json
import math
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from simplicert.bounds import SCHEMES
from simplicert.errors import SimplicertError
from simplicert.mechanisms import MECHANISMS
from simplicert.runs.certificates import SUFFIXES
from simplicert.runs.folder import Run
from simplicert.runs.known import KnownRun
from simplicert.runs.verification.check import Check, listed
from simplicert.scale import HALF_STEP
from simplicert.types import Certificates
from simplicert.types.certificates import LAST, RESERVED

if TYPE_CHECKING:
    import pandas as pd

ROUNDING = 1e-9  # share by which other versions of the libraries may move a number
SETTINGS = ("alpha", "kind", "scheme", "sigma")  # one value each in the whole file
ON_RADIUS = ("radius", "abstained", "predicted", "correct", "e0", "e1")  # rest on all mechanisms
ABOUT = "certificates"


class Stored(NamedTuple):
    """A file of certificates as it was read."""

    frame: "pd.DataFrame"
    extra: dict[str, Any]  # what Parquet says besides: method, proved level, ...

    @property
    def settings(self) -> dict[str, Any]:
        """Alpha, kind, scheme and sigma."""
        return {name: self.frame[name].iloc[0] for name in SETTINGS}

    @property
    def sensitivity(self) -> float:
        """Of the stage before the noise; files without the column were made for none."""
        told = self.frame["sensitivity"].iloc[0] if "sensitivity" in self.frame.columns else 1.0
        return float(self.extra.get("sensitivity", told))

    @property
    def mechanisms(self) -> list[str]:
        """Columns that hold radii of one mechanism each."""
        return [name for name in self.frame.columns if name not in RESERVED]


def found(folder: Path) -> list[Path]:
    """Certificates where the commands leave them: beside the run under its name, or inside it."""
    places = [folder.with_name(folder.name + suffix) for suffix in SUFFIXES]
    places += [folder / f"certificates{suffix}" for suffix in SUFFIXES]
    return [path for path in places if path.is_file()]


def certificate_checks(run: Run | KnownRun, path: Path) -> Iterator[Check]:
    """One file: its form, its inputs, and every number in it."""
    try:
        stored = read(path)
    except ValueError as error:  # pandas' and pyarrow's errors are of this kind
        yield Check(ABOUT, False, f"{path.name} cannot be read as certificates: {error}")
        return
    if foreign := [name for name in stored.mechanisms if name not in MECHANISMS]:
        says = (
            f"{path.name}: radii of {listed(foreign)}, and what rests on them, are not recomputed"
        )
        yield Check(ABOUT, None, says)
    try:
        yield compared(run, path, stored)
    except (SimplicertError, ValueError, TypeError) as error:  # settings that are none
        yield Check(ABOUT, False, f"{path.name} does not follow from the tallies: {error}")
        return
    declared = run.manifest
    other = [
        f"{name} {value}"
        for name, value in stored.settings.items()
        if name != "sigma" and value != getattr(declared, name)
    ]
    if other:
        says = f"{path.name} is exploratory: the run did not declare {', '.join(other)}"
        yield Check(ABOUT, None, says)
    if stored.sensitivity != declared.sensitivity:
        says = (
            f"{path.name} was made for sensitivity {stored.sensitivity:g}, and the run declares "
            f"{declared.sensitivity:g}: its radii hold if its first stage has that Lipschitz "
            "constant, which nothing here shows"
        )
        yield Check(ABOUT, None, says)


def read(path: Path) -> Stored:
    """The table, its numbers exactly as written."""
    import pandas as pd
    import pyarrow.parquet as pq

    extra: dict[str, Any] = {}
    if path.suffix == ".csv":
        frame = pd.read_csv(path, dtype=str, keep_default_na=False).map(parsed)
    else:
        table = pq.read_table(path, use_threads=False)
        extra = json.loads((table.schema.metadata or {}).get(b"simplicert", b"{}"))
        if not isinstance(extra, dict):
            raise ValueError("its metadata are none of ours")
        frame = table.to_pandas()
    if lost := {"index", "radius", *SETTINGS} - set(frame.columns):
        raise ValueError(f"it lacks the columns {', '.join(sorted(lost))}")
    if frame.empty:
        raise ValueError("it holds no row")
    for name in SETTINGS:
        if frame[name].isna().any() or frame[name].nunique() != 1:
            raise ValueError(f"column {name} must hold one value")
    if not frame["index"].is_unique:
        raise ValueError("an input comes twice")
    return Stored(frame, extra)


def parsed(text: str) -> Any:
    """A cell of a CSV as what it says: nothing, a truth value, a number, or words."""
    if text in ("", "True", "False"):
        return {"": None, "True": True, "False": False}[text]
    for kind in (int, float):  # Python's own reading of a decimal is exact, whatever its length
        with suppress(ValueError):
            return kind(text)
    return text


def compared(run: Run | KnownRun, path: Path, stored: Stored) -> Check:
    """The file against certificates made anew by the settings it declares.

    A CSV does not name the method inside its scheme: the whole file must follow from one of them.
    """
    first = ""
    for method in methods(run, stored):
        anew = again(run, stored, method)
        wrong, largest = differences(stored, anew)
        if not wrong:
            how = "bit for bit" if largest == 0 else f"up to rounding ({largest:.1g} of a number)"
            settings = f"{anew.known.kind}, {anew.known.scheme}, {anew.known.method}"
            if anew.sensitivity != 1:
                settings += f", sensitivity {anew.sensitivity:g} taken as given"
            says = f"{path.name}: all {len(anew)} rows follow from the tallies {how} ({settings})"
            return Check(ABOUT, True, says)
        first = first or f"{path.name} does not follow from the tallies: {listed(wrong, 3)}"
    return Check(ABOUT, False, first)


def methods(run: Run | KnownRun, stored: Stored) -> list[str | None]:
    """Methods that the file may have been made by, the likeliest first."""
    if isinstance(run, KnownRun):
        return [None]
    if "method" in stored.extra:
        return [str(stored.extra["method"])]
    kind, scheme = str(stored.settings["kind"]), str(stored.settings["scheme"])
    known = SCHEMES.get(kind, {}).get(scheme, {})
    own = run.manifest.method
    return (
        [own, *(name for name in known if name != own)] if own in known else list(known) or [None]
    )


def again(run: Run | KnownRun, stored: Stored, method: str | None) -> Certificates:
    """The certificates made anew."""
    asked = stored.settings
    names = [name for name in stored.mechanisms if name in MECHANISMS]
    margin = asked["scheme"] == "joint"  # its other columns are empty
    return run.certify(
        float(asked["alpha"]),
        str(asked["kind"]),
        str(asked["scheme"]),
        method,
        None if margin or not names else names,
        stored.sensitivity,
    )


def differences(stored: Stored, anew: Certificates) -> tuple[list[str], float]:
    """Each difference in words, and the largest that rounding explains."""
    frame, mine = stored.frame.set_index("index"), anew.to_frame().set_index("index")
    wrong = [
        f"{what} input {listed(sorted(items))}"
        for what, items in (
            ("the tallies do not hold", set(frame.index) - set(mine.index)),
            ("the file does not hold", set(mine.index) - set(frame.index)),
        )
        if items
    ]
    level = stored.extra.get("proved_level", anew.known.level)
    if level != anew.known.level:
        wrong.append(f"the proved level is {anew.known.level:g}, and the file says {level:g}")
    shared = [item for item in mine.index if item in set(frame.index)]
    foreign = not set(stored.mechanisms) <= set(MECHANISMS)
    largest = 0.0
    older = not set(LAST) & set(frame.columns)  # written before there were such columns
    slack = HALF_STEP if older else ROUNDING  # nor was sigma then taken as it was drawn
    for name in mine.columns:
        if (foreign and name in ON_RADIUS) or (older and name in LAST):
            continue
        if name not in frame.columns:
            wrong.append(f"column {name} is missing")
            continue
        theirs, ours = (cells(side.loc[shared, name]) for side in (frame, mine))
        for item, claimed, right in zip(shared, theirs, ours, strict=True):
            gap = distance(claimed, right)
            if gap > slack:
                wrong.append(f"{name} of input {item} is {right}, and the file says {claimed}")
            largest = max(largest, min(gap, slack))
    return wrong, largest


def cells(column: "pd.Series[Any]") -> list[Any]:
    """Plain values; None where a cell is empty, however the file says so."""
    plain = [value.item() if hasattr(value, "item") else value for value in column]
    return [
        None if empty or value == "" else value
        for value, empty in zip(plain, column.isna(), strict=True)
    ]


def distance(claimed: Any, right: Any) -> float:
    """0 for equal cells, the relative difference of numbers, infinity for anything else."""
    if claimed == right:
        return 0.0
    if not (isinstance(claimed, int | float) and isinstance(right, float)):
        return math.inf
    return abs(claimed - right) / max(abs(right), abs(claimed))
