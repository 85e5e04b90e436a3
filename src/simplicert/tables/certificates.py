"""Return certificates as values that JSON can hold: a summary, and one row per input."""

from collections.abc import Sequence
from typing import Any

from simplicert.metrics.averages import (
    abstention_rate,
    accuracy_curve,
    average_radius,
    median_radius,
)
from simplicert.metrics.radii import choose_radii
from simplicert.store.certificates import certificate_metadata
from simplicert.tables.grid import MOST_RADII
from simplicert.types import Certificates


def certificates_record(
    certificates: Certificates, run: str, remarks: Sequence[str] = ()
) -> dict[str, Any]:
    """Return what a program wants of a run: counts, averages, settings, and one row per input.

    Rows have the columns of the CSV file; an empty cell is None. Without labels there is no
    accuracy and no average radius.

    >>> import simplicert as sc
    >>> tally = sc.Tally([[990, 8, 2], [40, 35, 25]], sigma=0.5, labels=[0, 0])
    >>> record = certificates_record(sc.certify(sc.bound(tally)), "mine")
    >>> record["inputs"], record["certified"], record["accuracy"][0]["value"]
    (2, 1, 0.5)
    >>> record["rows"][0]["radius"] == sc.certify(sc.bound(tally)).radius[0]
    True
    """
    labelled = certificates.known.labels is not None and len(certificates) > 0
    abstained = abstention_rate(certificates) if len(certificates) else None
    return {
        "run": run,
        "inputs": len(certificates),
        "certified": int((~certificates.abstained).sum()),
        "abstained": None if abstained is None else abstained.value,
        "median_radius": median_radius(certificates) if len(certificates) else None,
        "average_radius": average_radius(certificates).value if labelled else None,
        "accuracy": _accuracy_records(certificates) if labelled else None,
        "settings": certificate_metadata(certificates),
        "remarks": list(remarks),
        "rows": certificates.to_frame().to_dict("records"),
    }


def _accuracy_records(certificates: Certificates) -> list[dict[str, float]]:
    """Return certified accuracy with its 95 % interval at radii that suit the run."""
    curve = accuracy_curve(certificates, choose_radii([certificates], MOST_RADII))
    each = zip(curve.at, curve.value, curve.low, curve.high, strict=True)
    return [
        {"radius": float(at), "value": float(value), "low": float(low), "high": float(high)}
        for at, value, low, high in each
    ]
