"""Tables as rows of text, ready for a screen; radii are rounded down, as everywhere."""

from typing import Any, NamedTuple

import numpy as np

from simplicert.analysis import metrics
from simplicert.mechanisms import MECHANISMS, PAPER_ENSEMBLE
from simplicert.types import Certificates
from simplicert.types.text import rounded_down

SHARES = 6  # of the noise scale, named one by one
RADII = (0.0, 0.25, 0.5, 1.0)  # where certified accuracy is shown, in units of the input


class Grid(NamedTuple):
    """A table before anything is drawn: the same rows serve every format."""

    title: str
    headings: tuple[str, ...]
    rows: list[tuple[str, ...]]
    notes: tuple[str, ...] = ()


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


def summary(certificates: Certificates) -> Grid:
    """One row a column of radii: how far, how often, how often the largest; over all inputs."""
    known = certificates.known
    largest = metrics.share_largest(certificates)
    with_labels = known.labels is not None
    headings = ["mechanism", "median", "mean", ">0", "largest"]
    if with_labels:
        headings += [f"acc>{radius:g}" for radius in RADII]
    rows: list[tuple[str, ...]] = []
    for name in (*certificates.radii, "ensemble"):
        values = certificates.column(name)
        above = metrics.share_above(certificates, 0.0, column=name).value
        share = f"{largest[name].value:.3f}" if name in largest else ""
        row = [name, rounded_down(float(np.median(values))), rounded_down(float(values.mean()))]
        row += [f"{above:.3f}", share]
        if with_labels:
            row += [
                f"{metrics.certified_accuracy(certificates, radius, column=name).value:.3f}"
                for radius in RADII
            ]
        rows.append(tuple(row))
    members = ", ".join(PAPER_ENSEMBLE[known.kind])
    notes = [
        f"over all {len(certificates)} inputs; radii in units of the input"
        f"{'' if known.norm == 'l2' else f', {known.norm} norm'}, rounded down",
        f"ensemble and largest: among {members}; acc>r: correct and certified beyond r",
        level_sentence(certificates),
    ]
    return Grid(repr(certificates), tuple(headings), rows, tuple(notes))


def level_sentence(certificates: Certificates) -> str:
    """What is proved of one input's certificate, by whom, and what is not."""
    known = certificates.known
    if certificates.exploratory:
        return "exploratory: alpha covers these settings only if they were fixed before the draws"
    by = " by the log's own account" if known.scheme == "imported" else ""
    return (
        f"an input's certificate is issued and wrong with probability at most {known.level:g}{by}"
    )


def status_lines(name: str, state: dict[str, Any]) -> list[str]:
    """A run's state in words."""
    rate, left = state["draws_per_second"], state["seconds_left"]
    lines = [
        f"{name}: {state['done']} of {state['inputs']} inputs done, {state['draws']:,} draws "
        f"in {state['parts']} parts",
    ]
    if rate:
        lines.append(f"{rate:,.0f} draws a second of drawing, {state['seconds']:,.0f} s spent")
    if state["missing"] and left:
        lines.append(f"about {left:,.0f} s of drawing left")
    if not state["missing"]:
        lines.append("complete")
    return lines


def scaled_norm(scale: np.ndarray) -> str:
    """What a radius means where each feature has its own share of the noise."""
    shares, counts = np.unique(scale, return_counts=True)
    named = ", ".join(
        f"{count} features / {share:g}" if share > 0 else f"{count} features must not change"
        for share, count in list(zip(shares, counts, strict=True))[:SHARES]
    )
    more = f" and {len(shares) - SHARES} more shares" if len(shares) > SHARES else ""
    return f"radii are in the scaled norm, each change divided by its share: {named}{more}"
