"""Write and open runs that hold no tally: expectations or bare radii from another tool's log.

A log keeps what was promised and not what was counted, so it cannot be bounded again. What it
implies is kept with everything else the log said, in one Parquet file named by its own checksum.
`write_imported_run` and `read_imported_run` write and open such a run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from simplicert.certification import certify
from simplicert.errors import DamagedRun, MissingEvidence, SimplicertError, require
from simplicert.files import (
    content_checksum,
    read_run_file,
    refuse_existing_folder,
    write_atomically,
)
from simplicert.mechanisms.choice import MechanismLike
from simplicert.noises import GAUSSIAN, say_noise
from simplicert.parquet import MOST_FILE, read_parquet
from simplicert.store.features import find_size
from simplicert.store.manifest import Manifest, read_manifest, write_manifest
from simplicert.store.parts import MOST_SECONDS
from simplicert.types import KINDS, Certificates, Expectations, Tally

if TYPE_CHECKING:
    import pandas as pd

SCHEME = "imported"  # scheme of the expectations: the bound is the other tool's
MECHANISMS = ("cohen", "two_sided")  # with E1 = 1 - E0 no other applies, and these two agree
OTHER_MECHANISMS = ("one_sided", "two_sided")  # the same two under other noise than Gaussian

# What such a run may hold, as source["holds"] of its manifest says, and the columns it must have.
HOLDS = {
    "expectations": ("index", "predicted", "e0", "e1", "reason"),
    "radii": ("index", "predicted", "radius"),
}

SECONDS = "seconds"  # column of the time that the log's tool took for each input

# Kinds of NumPy types that columns must have.
TYPES = {
    **dict.fromkeys(("index", "predicted", "label", "draws", "count"), "i"),
    **dict.fromkeys(("e0", "e1", "radius", SECONDS), "f"),
}


@dataclass(frozen=True)
class ImportedRun:
    r"""An opened run of an imported log: what it promises, and everything the log said.

    >>> import tempfile
    >>> from simplicert.logs import import_radii
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log = Path(folder, "radii.csv")
    ...     _ = log.write_text("idx,label,predict,radius\n0,3,3,0.50000\n")
    ...     columns = "index=idx,label=label,predict=predict,radius=radius"
    ...     run = import_radii(log, columns, 0.5, Path(folder, "run"))
    ...     run.expectations().e0.round(3)
    array([0.841])
    """

    folder: Path
    manifest: Manifest

    @property
    def holds(self) -> str:
        """`expectations` or `radii`."""
        return str(self.manifest.source["holds"])

    @property
    def audit(self) -> tuple[str, ...]:
        """What was wrong or doubtful when the log was imported, one sentence per finding."""
        return tuple(self.manifest.source.get("audit", ()))

    @property
    def missing(self) -> int:
        """Rows that were imported and are lost: 0, or the file would not open."""
        return self.manifest.inputs - len(self.columns["index"])

    @cached_property
    def columns(self) -> dict[str, Any]:
        """All columns by name: numbers as arrays, texts as lists."""
        return _read_columns(self.folder, HOLDS[self.holds], self.manifest.most_rows)

    def tally(self) -> Tally:
        """Raise an error: a log has no tally."""
        raise MissingEvidence(
            f"{self.folder} holds {self.holds} of an imported log and no tally: the log gives no "
            "counts of all classes, so it cannot be bounded anew by any scheme"
        )

    def expectations(self) -> Expectations:
        """Return E0 and E1 = 1 - E0 at the stated alpha; NaN where the log gives no class."""
        if self.holds != "expectations":
            raise MissingEvidence(
                f"{self.folder} holds bare radii: no E0 was read from them, and they are "
                "certified by the tool that wrote them alone"
            )
        held, manifest = self.columns, self.manifest
        try:
            return Expectations(
                top=np.maximum(held["predicted"], 0),
                e0=held["e0"],
                e1=held["e1"],
                sigma=manifest.sigma,
                alpha=manifest.alpha,
                scheme=SCHEME,
                method=str(manifest.source.get("method", "")),
                level=manifest.alpha,
                labels=held.get("label"),
                index=held["index"],
                draws=held.get("draws"),
                reason=np.array(held["reason"]),
                noise=manifest.noise_model,
            )
        except SimplicertError as error:
            raise DamagedRun(f"{self.folder} does not hold expectations: {error}") from None

    def certify(
        self,
        alpha: float | None = None,
        kind: str | None = None,
        scheme: str | None = None,
        method: str | None = None,
        mechanisms: Sequence[str] | Mapping[str, str | MechanismLike] | None = None,
        sensitivity: float | None = None,
        *,
        norm: str | None = None,
        size: int | None = None,
    ) -> Certificates:
        """Certify at the settings of the import; a log allows no others, but any norm."""
        known = self.expectations()
        kind = KINDS.get(kind, kind) if kind is not None else None
        settings = {"alpha": alpha, "kind": kind, "scheme": scheme, "method": method}
        for name, value in settings.items():
            own = getattr(known, name)
            require(
                value is None or value == own,
                f"{name} must be {own}, as {self.folder} was imported: a log cannot be bounded "
                f"anew, got {value}",
            )
        usual = MECHANISMS if known.noise.name == GAUSSIAN.name else OTHER_MECHANISMS
        names = (mechanisms,) if isinstance(mechanisms, str) else tuple(mechanisms or usual)
        own_functions = isinstance(mechanisms, Mapping)
        require(
            set(names) <= set(usual) and not own_functions,
            f"mechanisms must be among {', '.join(usual)} for an imported log, which bounds "
            f"no class but the top one, got {', '.join(names)}",
        )
        stage = self.manifest.sensitivity if sensitivity is None else sensitivity
        return certify(known, names, stage, norm=norm, size=find_size(self.manifest, norm, size))

    def to_frame(self) -> pd.DataFrame:
        """Return the table of certificates or, for bare radii, what the log says."""
        return (
            self.certify().to_frame()
            if self.holds == "expectations"
            else _bare_radii_frame(self.columns)
        )

    def __len__(self) -> int:
        """N, the number of rows."""
        return len(self.columns["index"])

    def __repr__(self) -> str:
        """Return one line: the size, what the run holds, and the stated sigma and alpha."""
        return (  # under the name that version 0.1 printed
            f"ImportedRun({len(self)} inputs, {int((self.columns['predicted'] >= 0).sum())} with a "
            f"class, {self.holds} of {self.manifest.source.get('file', 'a log')}, "
            f"{say_noise(self.manifest.noise_model, self.manifest.sigma)}, "
            f"alpha {self.manifest.alpha:g})"
        )


KnownRun = ImportedRun  # its name in version 0.1


def write_imported_run(
    folder: Path | str, manifest: Manifest, columns: Mapping[str, Any]
) -> ImportedRun:
    """Write a log as a new run; an existing folder is never touched."""
    folder = Path(folder)
    refuse_existing_folder(folder)
    sink = BytesIO()
    pq.write_table(pa.table(dict(columns)), sink, compression="zstd")
    content = sink.getvalue()
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / f"known-{content_checksum(content)}.parquet", content)
    write_manifest(folder, manifest)  # last: a folder without it is not a run
    return ImportedRun(folder, manifest)


def read_imported_run(folder: Path | str) -> ImportedRun:
    """Open a run that `write_imported_run` wrote."""
    folder = Path(folder)
    require(folder.is_dir(), f"run must be a folder that exists, got {str(folder)!r}")
    manifest = read_manifest(folder)
    if manifest.source.get("holds") not in HOLDS:
        raise DamagedRun(
            f"{folder} must hold {' or '.join(HOLDS)}, got {manifest.source.get('holds')!r}"
        )
    return ImportedRun(folder, manifest)


def _read_columns(folder: Path, needed: Sequence[str], most_rows: int) -> dict[str, Any]:
    """Read the one table of the folder and check its checksum."""
    paths = sorted(folder.glob("known-*.parquet"))
    if len(paths) != 1:
        raise DamagedRun(f"{folder} must hold one file known-*.parquet, got {len(paths)}")
    content = read_run_file(paths[0], MOST_FILE)
    if f"known-{content_checksum(content)}" != paths[0].stem:
        raise DamagedRun(
            f"{paths[0]} was altered or truncated: its checksum does not match its name"
        )
    try:
        table = read_parquet(content, most_rows, texts=True)
    except (pa.ArrowException, DamagedRun) as error:
        raise DamagedRun(f"{paths[0]} does not hold an imported log: {error}") from None
    if lost := set(needed) - set(table.column_names):
        raise DamagedRun(f"{paths[0]} lacks the columns {', '.join(sorted(lost))}")
    held = {
        name: table[name].to_pylist()
        if pa.types.is_string(table[name].type)
        else table[name].to_numpy()
        for name in table.column_names
    }
    for name, kind in TYPES.items():
        if name in held and getattr(held[name], "dtype", np.dtype(object)).kind != kind:
            wanted = {"i": "whole numbers", "f": "decimals"}[kind]
            raise DamagedRun(f"{paths[0]} must hold {wanted} in column {name}")
    if (np.abs(held.get(SECONDS, 0.0)) >= MOST_SECONDS).any():  # NaN where the log has no time
        raise DamagedRun(
            f"{paths[0]} must hold less than {MOST_SECONDS:,.0f} s in each cell of column {SECONDS}"
        )
    return held


def _bare_radii_frame(held: Mapping[str, Any]) -> pd.DataFrame:
    """Return the radii as printed, 0 without a class; `correct` is predict == label."""
    import pandas as pd

    predicted = pd.array(held["predicted"], dtype="Int64")
    abstained = held["predicted"] < 0
    predicted[abstained] = pd.NA
    label = pd.array(held.get("label", [pd.NA] * len(abstained)), dtype="Int64")
    correct = (predicted == label).fillna(False) if "label" in held else label.astype("boolean")
    radius = np.where(abstained, 0.0, np.nan_to_num(held["radius"]).clip(0.0))
    columns = {"label": label, "predicted": predicted, "correct": correct, "radius": radius}
    return pd.DataFrame({"index": held["index"], **columns})
