"""Every mechanism at one point of the simplex."""

from typing import Any

from simplicert.analysis.tables.grid import Grid
from simplicert.mechanisms import MECHANISMS
from simplicert.types import Certificates
from simplicert.types.text import rounded_down


def point_table(certificates: Certificates) -> Grid:
    """Every mechanism at one point of the simplex, with its share of the limit."""
    known, best = certificates.known, certificates.radius[0]
    rows: list[tuple[str, ...]] = []
    for name, values in {**certificates.radii, "ensemble": certificates.ensemble}.items():
        source = MECHANISMS[name].source if name in MECHANISMS else ensemble_source(certificates)
        share = f"{100 * values[0] / best:.1f} %" if best > 0 else ""
        rows.append((name, rounded_down(values[0], 6), share, source))
    title = f"E0 = {known.e0[0]:g}, E1 = {known.e1[0]:g}, sigma = {known.sigma:g}, {known.kind}"
    notes = () if best > 0 else ("no certificate: E0 must be larger than E1",)
    return Grid(title, ("mechanism", "radius", "of the limit", "source"), rows, notes)


def ensemble_source(certificates: Certificates) -> str:
    """Whose radius the ensemble's is."""
    winner = str(certificates.winner[0])
    return f"the paper's: {winner}" if winner else "the paper's"


def point_record(certificates: Certificates) -> dict[str, Any]:
    """The same for machines, at full precision."""
    known = certificates.known
    return {
        "e0": float(known.e0[0]),
        "e1": float(known.e1[0]),
        "sigma": known.sigma,
        "sensitivity": certificates.sensitivity,
        "kind": known.kind,
        "radii": {name: float(values[0]) for name, values in certificates.radii.items()},
        "ensemble": float(certificates.ensemble[0]),
        "winner": str(certificates.winner[0]) or None,
        "radius": float(certificates.radius[0]),
    }
