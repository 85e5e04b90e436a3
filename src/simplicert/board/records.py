"""The numbers of an entry as one flat record: a row of the table, of the CSV and of the JSON.

`make_record` computes it. Accuracies are exact shares with intervals over inputs; the average
certified radius is there with a warning, and nothing is ever sorted by it.
"""

from typing import Any

import numpy as np

from simplicert.board.entry import RADII, Entry

WARNING = (
    "The average certified radius rewards easy inputs: a classifier that gives up hard inputs can "
    "have a larger one (Sun et al. 2025, Average Certified Radius is a Poor Metric for Randomized "
    "Smoothing). It is shown, and never used to rank."
)


def make_record(entry: Entry) -> dict[str, Any]:
    """Return the record of an entry."""
    known = entry.settings
    curve = entry.accuracy_at(RADII)
    record: dict[str, Any] = {
        "id": entry.source.id,
        "log": entry.source.name,
        "sha256": entry.sha256,
        "format": entry.source.format,
        "method": known.method,
        "data": known.data,
        "noise": known.noise,
        "norm": known.norm,
        "sigma": known.sigma,
        "draws": known.draws,
        "alpha_stated": known.alpha,
        "alpha_from": known.origin.get("alpha", ""),
        "cap_draws_alpha": "; ".join(f"{n} at {a:g}" for n, a in entry.inferred),
        "alpha_inferred": _inferred_alpha(entry),
        "recertified": entry.recertified,
        "rows": entry.rows,
        "inputs": len(entry),
        "abstained": int(entry.abstained.sum()),
        "abstention_rate": float(entry.abstained.mean()),
        "verdict": entry.verdict,
        "audit": " ".join(dict.fromkeys(finding.code for finding in entry.findings)),
        "numbering": entry.numbering,
        "source": known.source,
        "acr_warned": float(np.where(entry.correct, entry.radius, 0.0).mean()),
        "largest_radius": float(entry.radius.max()),
    }
    for place, at in enumerate(RADII):
        record[f"acc_{at:g}"] = float(curve.value[place])
        record[f"low_{at:g}"] = float(curve.low[place])
        record[f"high_{at:g}"] = float(curve.high[place])
    return record


def _inferred_alpha(entry: Entry) -> float | None:
    """Return the alpha of the cap, where the stated draws, or the usual ones, settle it."""
    wanted = entry.settings.draws or 100_000
    fits = {alpha for draws, alpha in entry.inferred if draws == wanted}
    if not fits:
        fits = {alpha for _, alpha in entry.inferred}
    return fits.pop() if len(fits) == 1 else None
