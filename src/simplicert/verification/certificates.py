"""Check certificates on disk against the tallies: every cell is recomputed and compared."""

import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from simplicert.bounds import SCHEMES
from simplicert.bounds.joint import ALONE
from simplicert.certification import HALF_STEP, certify
from simplicert.errors import SimplicertError
from simplicert.importing import require_inside
from simplicert.mechanisms import Mechanism
from simplicert.mechanisms.threats import threat_of
from simplicert.noises import default_norm
from simplicert.noises.stage import may_divide
from simplicert.store.certificates import SUFFIXES, certificate_metadata
from simplicert.store.features import find_size
from simplicert.store.imported import ImportedRun
from simplicert.store.run import Run
from simplicert.types import Certificates, Floats
from simplicert.types.certificates import LAST_COLUMNS
from simplicert.verification.checks import (
    Report,
    VerificationCheck,
    list_first,
    report_nothing,
)
from simplicert.verification.stored import StoredCertificates, read_stored

ROUNDING = 1e-9  # relative change that other library versions may cause
ABOUT = "certificates"  # what these checks are about


def find_certificate_files(folder: Path) -> list[Path]:
    """Find certificates where the commands put them: beside the run, by its name, or inside it.

    A pipe or a link in such a place is found too: reading it is refused, and that is said. A run
    goes by the name it is given by, and by the folder's own, where `.` or a link stands for it.
    """
    own = folder.resolve()
    given = (folder.parent.resolve(), folder.name)
    names = [folder] if folder.name not in ("", "..") else []
    names += [own] if not names or given != (own.parent, own.name) else []
    places = [one.with_name(one.name + suffix) for one in names for suffix in SUFFIXES]
    places += [folder / f"certificates{suffix}" for suffix in SUFFIXES]
    return [path for path in places if os.path.lexists(path)]


def certificate_checks(
    run: Run | ImportedRun,
    path: Path,
    sensitivity: float | None = None,
    report: Report = report_nothing,
) -> Iterator[VerificationCheck]:
    """Check one file: its form, its inputs, and every number in it.

    `sensitivity` is the verifier's own word for the first stage; by default the run's is used.
    """
    most = len(run) if isinstance(run, ImportedRun) else len(run.tally())
    try:
        if path.parent == run.folder:
            require_inside(path, run.folder)
        stored = read_stored(path, most, partial(report, f"columns of {path.name}"))
    # pyarrow's errors are of these kinds
    except (SimplicertError, ValueError, OSError, RecursionError) as error:
        yield VerificationCheck(
            ABOUT, False, f"{path.name} cannot be read as certificates: {error}"
        )
        return
    try:
        check, anew = _compare_file(run, path, stored)
    except (SimplicertError, ValueError, TypeError) as error:  # the settings are not valid
        yield VerificationCheck(
            ABOUT, False, f"{path.name} does not follow from the tallies: {error}"
        )
        return
    yield check
    if foreign := _foreign_mechanisms(stored, anew):
        says = (
            f"{path.name}: how {list_first(foreign)} is computed is not known here; its "
            f"radii are at "
            "most those of two_sided, which proves them too"
        )
        yield VerificationCheck(ABOUT, None, says)
    if (size := _stated_size(run, stored)) is not None:
        says = (
            f"{path.name}: its radii in {anew.known.norm} are for inputs of size {size}, at its "
            "own word: the run does not record their shape"
        )
        yield VerificationCheck(ABOUT, None, says)
    known_stage = run.manifest.sensitivity if sensitivity is None else sensitivity
    if anew.sensitivity != known_stage:
        word = "the run declares" if sensitivity is None else "the first stage is said to have"
        smaller = anew.sensitivity < known_stage
        says = (
            f"{path.name} was made for sensitivity {anew.sensitivity:g}, and {word} "
            f"{known_stage:g}: its radii are {'larger' if smaller else 'smaller'} than that allows"
        )
        if smaller and sensitivity is None:
            says += "; --sensitivity vouches for the first stage"
        yield VerificationCheck(ABOUT, False if smaller else None, says)
    elif check.holds and sensitivity is None and may_divide(anew.known.noise.name, anew.known.norm):
        yield VerificationCheck(ABOUT, None, f"{path.name}: {say_stage(known_stage)}")
    if anew.exploratory:
        known = anew.known
        says = (
            f"{path.name} is exploratory: alpha {known.alpha!r}, {known.kind}, {known.scheme}, "
            f"{known.method} are not what the run declared"
        )
        yield VerificationCheck(ABOUT, None, says)


def say_stage(sensitivity: float) -> str:
    """Say that a first stage, or that there is none, is the word of whoever made the run.

    >>> say_stage(1.0)
    "that nothing comes before the noise (sensitivity 1) is the run's word, as no draw shows it"
    """
    if sensitivity == 1:
        fact = "that nothing comes before the noise (sensitivity 1)"
    else:
        fact = f"the sensitivity {sensitivity!r} of a first stage, by which radii are divided,"
    return f"{fact} is the run's word, as no draw shows it"


def _compare_file(
    run: Run | ImportedRun, path: Path, stored: StoredCertificates
) -> tuple[VerificationCheck, Certificates]:
    """Compare the file with certificates recomputed by the settings it declares.

    A file with the older columns does not name the method inside its scheme: the whole file must
    follow from one of the possible methods.
    """
    tried: list[tuple[VerificationCheck, Certificates]] = []
    for method in _possible_methods(run, stored):
        anew = _recompute_certificates(run, stored, method)
        wrong, largest = find_differences(stored, anew)
        if wrong:
            says = f"{path.name} does not follow from the tallies: {list_first(wrong, 3)}"
        else:
            how = "bit for bit" if largest == 0 else f"up to rounding ({largest:.1g} of a number)"
            settings = f"{anew.known.kind}, {anew.known.scheme}, {anew.known.method}"
            if run.manifest.function["norm"] != anew.known.norm:
                settings += f", norm {anew.known.norm}"
            if anew.sensitivity != 1:
                settings += f", sensitivity {anew.sensitivity:g} taken as given"
            says = f"{path.name}: all {len(anew)} rows follow from the tallies {how} ({settings})"
        tried.append((VerificationCheck(ABOUT, not wrong, says), anew))
        if not wrong:
            return tried[-1]
    return tried[0]


def _possible_methods(run: Run | ImportedRun, stored: StoredCertificates) -> list[str | None]:
    """List the methods that the file may have been made by, the likeliest first."""
    if isinstance(run, ImportedRun):
        return [None]
    if not stored.older:
        return [str(stored.first("method"))]
    if "method" in stored.extra:
        return [str(stored.extra["method"])]
    known = SCHEMES.get(str(stored.first("kind")), {}).get(str(stored.first("scheme")), {})
    own = run.manifest.find_method(str(stored.first("kind")), str(stored.first("scheme")))
    return (
        [own, *(name for name in known if name != own)] if own in known else list(known) or [None]
    )


def _recompute_certificates(
    run: Run | ImportedRun, stored: StoredCertificates, method: str | None
) -> Certificates:
    """Recompute the certificates by the mechanisms and at the sensitivity of the file."""
    norm, size = _stored_threat(run, stored)
    ours = _own_mechanisms(run, norm, size)
    names = [name for name in stored.mechanisms if name in ours]
    alone = method == ALONE  # a margin without a pair: its other columns are empty
    mechanisms = None if alone or not names else names
    sensitivity = stored.extra.get("sensitivity", 1.0)
    if not stored.older:
        sensitivity = stored.first("sensitivity")
    alpha, kind, scheme = (stored.first(name) for name in ("alpha", "kind", "scheme"))
    return run.certify(alpha, kind, scheme, method, mechanisms, sensitivity, norm=norm, size=size)


def _stored_threat(
    run: Run | ImportedRun, stored: StoredCertificates
) -> tuple[str | None, int | None]:
    """Return the norm that the file is in, None for the usual one, and a size that it states.

    A size counts where the run did not record one: then it is the file's word.
    """
    if "norm" not in stored.columns:
        return None, None
    norm = str(stored.first("norm"))
    if run.manifest.function["norm"] == norm:
        return None, None
    said = re.search(r"\bsize ([0-9]{1,8})\b", str(stored.first("noise")))
    size = None if said is None else int(said[1])
    recorded = find_size(run.manifest, norm)
    return norm, recorded if recorded is not None or size is None else size


def _stated_size(run: Run | ImportedRun, stored: StoredCertificates) -> int | None:
    """Return the number of features that the file states and the run does not record."""
    norm, size = _stored_threat(run, stored)
    known = norm is None or run.manifest.noise_model.size is not None
    return None if known or find_size(run.manifest, norm) is not None else size


def _own_mechanisms(
    run: Run | ImportedRun, norm: str | None, size: int | None
) -> Mapping[str, Mechanism]:
    """Return the mechanisms of the run's noise and this norm."""
    model = run.manifest.noise_model
    return threat_of(model, norm or default_norm(model), size).mechanisms


def find_differences(stored: StoredCertificates, anew: Certificates) -> tuple[list[str], float]:
    """Describe each difference in words, and return the largest that rounding explains."""
    items = np.asarray(anew.known.index).tolist()
    wrong, rows = _match_rows(stored.places, items)
    if wrong:
        return wrong, 0.0
    wrong += _metadata_differences(stored, anew)
    if _foreign_mechanisms(stored, anew):
        anew, above = _add_foreign_radii(stored, anew, rows)
        wrong += above
    frame = anew.to_frame()
    names = [name for name in frame.columns if not (stored.older and name in LAST_COLUMNS)]
    if names != list(stored.columns):
        strange = [name for name in stored.columns if name not in names]
        lost = [name for name in names if name not in stored.columns]
        missing, more = (list_first(found) or "none" for found in (lost, strange))
        says = f"its columns must be {', '.join(names)}: {missing} lacking, {more} strange"
        return [*wrong, says], 0.0
    radii = {"radius", "ensemble", *stored.mechanisms}
    slack = ROUNDING
    if stored.older:  # written when radii did not yet use sigma exactly as it was drawn
        slack += HALF_STEP
    largest = 0.0
    for name in names:
        allowed = slack if name in radii else ROUNDING
        theirs = stored.columns[name]
        claimed, right = [theirs[row] for row in rows], plain_values(frame[name])
        for place in _unequal_cells(claimed, right):
            gap = _cell_distance(claimed[place], right[place])
            if not gap <= allowed:
                wrong.append(
                    f"{name} of input {items[place]} is {right[place]}, and the file says "
                    f"{claimed[place]}"
                )
            else:
                largest = max(largest, gap)
    return wrong, largest


def _unequal_cells(claimed: list[Any], right: list[Any]) -> list[int]:
    """Return where two columns differ in value or in type; True, 1 and 1.0 are three values."""
    if claimed == right and list(map(type, claimed)) == list(map(type, right)):
        return []
    pairs = zip(claimed, right, strict=True)
    return [k for k, (one, other) in enumerate(pairs) if _cell_distance(one, other) != 0]


def _match_rows(place: Mapping[int, int], items: Sequence[int]) -> tuple[list[str], list[int]]:
    """Find the row of each input in the file, or name the inputs that only one side has."""
    ours = set(items)
    strange = [item for item in place if item not in ours]
    lost = [item for item in items if item not in place]
    wrong = [f"the tallies do not hold input {list_first(strange)}"] if strange else []
    wrong += [f"the file does not hold input {list_first(lost)}"] if lost else []
    return wrong, [] if wrong else [place[item] for item in items]


def _foreign_mechanisms(stored: StoredCertificates, anew: Certificates) -> list[str]:
    """List the columns of radii by mechanisms that are not ours."""
    ours = threat_of(anew.known.noise, anew.known.norm).mechanisms
    return [name for name in stored.mechanisms if name not in ours]


def _add_foreign_radii(
    stored: StoredCertificates, anew: Certificates, rows: list[int]
) -> tuple[Certificates, list[str]]:
    """Add the file's radii by mechanisms that are not ours, and list those that cannot be true.

    These radii cannot be recomputed. But two_sided is proved by the same pair of expectations, so
    a radius below it is true too, and a radius above it is not.
    """
    limit = certify(anew.known, ["two_sided"], anew.sensitivity).radii["two_sided"]
    radii: dict[str, Floats] = {}
    wrong = []
    for name in stored.mechanisms:
        if name in anew.radii:
            radii[name] = anew.radii[name]
        elif name not in anew.uncomputed:
            cells = [stored.columns[name][row] for row in rows]
            if None in cells:
                raise ValueError(f"{name} must hold a number for every input")
            values = np.array(cells, dtype=float)
            above = values > limit * (1 + (HALF_STEP + ROUNDING if stored.older else ROUNDING))
            if above.any():
                item = np.asarray(anew.known.index)[above.argmax()]
                wrong.append(f"{name} of input {item} exceeds two_sided, as no true radius does")
            radii[name] = values
    return replace(anew, radii=radii), wrong


def _metadata_differences(stored: StoredCertificates, anew: Certificates) -> Iterator[str]:
    """Name each statement in the Parquet metadata that does not hold."""
    ours = certificate_metadata(anew)
    del ours["exploratory"]  # it has its own line in the output
    for name, claimed in stored.extra.items():
        if name in ours and (type(claimed), claimed) != (type(ours[name]), ours[name]):
            yield f"its {name.replace('_', ' ')} is {ours[name]}, and the file says {claimed}"


def plain_values(column: Any) -> list[Any]:
    """Return a column as plain values; None where a cell is empty."""
    values = column.tolist()  # plain numbers, but in a column of objects
    if column.dtype == object:
        values = [value.item() if hasattr(value, "item") else value for value in values]
    return [
        None if empty or value == "" else value
        for value, empty in zip(values, column.isna().tolist(), strict=True)
    ]


def _cell_distance(claimed: Any, right: Any) -> float:
    """Return 0 for equal cells of one type, the relative difference of floats, else infinity."""
    if type(claimed) is not type(right):
        return math.inf
    if claimed == right:
        return 0.0
    if not isinstance(right, float):
        return math.inf
    return float(abs(claimed - right) / max(abs(right), abs(claimed)))
