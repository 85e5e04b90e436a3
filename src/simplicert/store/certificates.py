"""Write certificates as CSV or Parquet, with everything needed to read them in five years."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any

from simplicert.errors import require
from simplicert.files import write_atomically
from simplicert.types import Certificates

SUFFIXES = (".csv", ".parquet")


def write_certificates(
    certificates: Certificates, path: Path | str, origin: dict[str, str] | None = None
) -> None:
    """Write one row per input at full precision, in the format that the suffix names.

    Floats are written so that they read back as the same number: no radius is rounded up.
    `origin` names the run; only Parquet holds it.

    >>> import tempfile
    >>> import simplicert as sc
    >>> certificates = sc.certify(sc.bound(sc.Tally([[990, 8, 2]], sigma=0.5)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_certificates(certificates, f"{folder}/certificates.csv")
    ...     Path(folder, "certificates.csv").read_text()
    'index,label,top,predicted,correct,abstained,radius,...'
    """
    path = Path(path)
    require(
        path.suffix in SUFFIXES,
        f"out must end in {' or '.join(SUFFIXES)}, got {str(path)!r}",
    )
    require(path.parent.is_dir(), f"out must lie in a folder that exists, got {str(path)!r}")
    frame = certificates.to_frame()
    if path.suffix == ".csv":
        write_atomically(path, frame.to_csv(index=False, lineterminator="\n").encode())
        return
    import pyarrow as pa
    import pyarrow.parquet as pq

    settings = {**certificate_metadata(certificates), **(origin or {})}
    table = pa.Table.from_pandas(frame, preserve_index=False)
    metadata = {**(table.schema.metadata or {}), b"simplicert": json.dumps(settings).encode()}
    sink = BytesIO()
    pq.write_table(table.replace_schema_metadata(metadata), sink, compression="zstd")
    write_atomically(path, sink.getvalue())


def certificate_metadata(certificates: Certificates) -> dict[str, Any]:
    """Return what a Parquet file says besides its table."""
    known = certificates.known
    return {
        "sigma": known.sigma,
        "alpha": known.alpha,
        "proved_level": known.level,
        "kind": known.kind,
        "scheme": known.scheme,
        "method": known.method,
        "norm": known.norm,
        "sensitivity": certificates.sensitivity,
        "grid": known.grid,
        "exploratory": certificates.exploratory,
        **certificates.threat_columns(),
    }
