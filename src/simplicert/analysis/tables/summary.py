"""One run's certificates on a screen; radii are rounded down, as everywhere."""

import numpy as np

from simplicert.analysis import metrics
from simplicert.analysis.evidence import shown_columns, top_alone_sentence
from simplicert.analysis.intervals import Rate
from simplicert.analysis.tables.draws import draws_sentence
from simplicert.analysis.tables.grid import Grid
from simplicert.analysis.tables.numbers import share_down
from simplicert.mechanisms import PAPER_ENSEMBLE
from simplicert.types import Certificates
from simplicert.types.text import rounded_down

RADII = (0.0, 0.25, 0.5, 1.0)  # where certified accuracy is shown, in units of the input


def summary(
    certificates: Certificates,
    rule: str | None = None,
    *,
    disproved: bool = False,
    label_doubt: str = "",
) -> Grid:
    """One row a column of radii: how far, how often, how often the largest; over all inputs.

    `rule` is what the run was drawn until, where the caller knows it; `disproved`: whether the
    audit of its log disproved the level; `label_doubt`: why accuracies may be of other classes.
    """
    known = certificates.known
    columns, alone = shown_columns(certificates), top_alone_sentence(certificates)
    together = "ensemble" in columns
    largest = metrics.share_largest(certificates) if together else {}
    with_labels = known.labels is not None
    headings = ["mechanism", "median", "mean", ">0", *["largest"] * (not alone)]
    if with_labels:
        headings += [f"acc>{radius:g}" for radius in RADII]
    rows: list[tuple[str, ...]] = []
    for name in columns:
        values = certificates.column(name)
        above = cell(metrics.share_above(certificates, 0.0, column=name))
        share = cell(largest[name]) if name in largest else ""
        row = [name, rounded_down(float(np.median(values))), rounded_down(float(values.mean()))]
        row += [above, *[share] * (not alone)]
        if with_labels:
            row += [
                cell(metrics.certified_accuracy(certificates, radius, column=name))
                for radius in RADII
            ]
        rows.append(tuple(row))
    members = ", ".join(PAPER_ENSEMBLE[known.kind])
    beyond = "; acc>r: correct and certified beyond r" if with_labels else ""
    if alone:
        radii_note = f"{alone}{beyond}"
    elif together:
        radii_note = f"ensemble and largest: among {members}{beyond}"
    else:
        radii_note = f"scheme {known.scheme} bounds this radius alone{beyond}"
    notes = [
        f"over all {len(certificates)} inputs; radii in units of {certificates.space}"
        f"{'' if known.norm == 'l2' else f', {known.norm} norm'}; all rounded down",
        radii_note,
        level_sentence(certificates, disproved=disproved),
        draws_sentence(certificates, rule),
    ]
    if with_labels and label_doubt:
        notes.insert(0, label_doubt)
    return Grid(repr(certificates), tuple(headings), rows, tuple(notes))


def cell(rate: Rate) -> str:
    """A share that is claimed."""
    return share_down(rate.hits, rate.total)


def level_sentence(certificates: Certificates, *, disproved: bool = False) -> str:
    """What is proved of one input's certificate, by whom, and what is not."""
    known = certificates.known
    if disproved:
        return (
            f"the log was stated to be at alpha {known.alpha:g}, and its audit disproves that: no "
            "level is proved"
        )
    if certificates.exploratory:
        return "exploratory: alpha covers these settings only if they were fixed before the draws"
    by = " by the log's own account" if known.scheme == "imported" else ""
    return (
        f"an input's certificate is issued and wrong with probability at most {known.level:g}{by}"
    )
