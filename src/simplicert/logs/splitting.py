"""Read what the code of Levine and Feizi (2021) saves of derandomised splitting noise.

A folder of arrays: `preds`, each input's share of the draws for every class; `labels`;
`predicted_labels` and `radius_l1`. All M draws were made, so the shares times M are the counts
themselves: a run of them is certified anew, exactly, and what the arrays say of class and radius is
compared with it. M is int(510 lambda); the least number that makes all shares whole is taken if
no scale is given.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from simplicert.bounds import bound
from simplicert.certification import certify
from simplicert.errors import InvalidInput, require
from simplicert.logs.arrays import read_folder, whole_numbers
from simplicert.logs.row_checks import AuditFinding, count_in_words, make_finding
from simplicert.noises import NoiseModel
from simplicert.noises.splitting import STEPS, count_offsets
from simplicert.types import Floats, Ints, Tally

NEEDED = ("preds", "labels")
OPTIONAL = ("predicted_labels", "radius_l1")

MOST_INFERRED = 20_000  # offsets tried where none are stated
NEAR = 0.02  # of a draw: shares are saved in single precision
SAME = 1e-5  # of a step: radii are saved in single precision


class SplittingLog(NamedTuple):
    """The counts, and what the audit found."""

    tally: Tally
    findings: tuple[AuditFinding, ...]


def read_splitting(
    folder: Path, scale: float | None = None, offsets: int = 0, step: int = 1
) -> SplittingLog:
    """Read the arrays of a folder; `step` is their --dataset-skip, `offsets` their --seed."""
    held = read_folder(folder, NEEDED, OPTIONAL)
    shares = np.asarray(held["preds"], dtype=float)
    require(step >= 1, f"step must be at least 1, got {step}")
    require(
        bool((np.isfinite(shares) & (shares >= 0)).all()),
        "preds.npy must hold shares of the draws, got NaN or a negative number",
    )
    every = _infer_offsets(shares) if scale is None else count_offsets(scale)
    counts = _count_draws(shares, every)
    tally = Tally(
        counts,
        every / (2 * STEPS),
        labels=whole_numbers("labels", held["labels"], counts.shape[1]),
        index=step * np.arange(len(counts)),
        noise=NoiseModel("splitting", offsets=offsets),
    )
    findings = []
    if scale is None:
        says = f"the scale is not stated: {every} is the least number of draws that fits the shares"
        findings.append(AuditFinding("inferred", f"{says} (scale {every / (2 * STEPS):.6g})"))
    certificates = certify(bound(tally))
    if "predicted_labels" in held:
        differ = held["predicted_labels"] != certificates.predicted
        if differ.any():
            says = f"another class is predicted in {count_in_words(differ)} than the shares say"
            findings.append(make_finding(differ, "class", f"{says}: theirs is not used"))
    if "radius_l1" in held:
        theirs = _radii_of_classes(counts)
        findings += _compare_radii(np.asarray(held["radius_l1"]), theirs)
        stricter = certificates.radius < theirs - SAME
        if stricter.any():
            says = f"we certify a step less in {count_in_words(stricter)}, where all draws agree on"
            says = f"{says} class 0: a draw without a class would win the tie here, and never there"
            findings.append(make_finding(stricter, "note", says))
    return SplittingLog(tally, tuple(findings))


def _infer_offsets(shares: Floats) -> int:
    """Return the least number of draws that makes every share a whole number of them."""
    apart = np.unique(shares)
    for every in range(1, MOST_INFERRED + 1):
        draws = apart * every
        if (np.abs(draws - np.rint(draws)) < NEAR).all():
            return every
    raise InvalidInput(
        f"scale must be given: no number of draws up to {MOST_INFERRED:,} makes the shares of "
        "preds.npy whole"
    )


def _count_draws(shares: Floats, every: int) -> Ints:
    """Return the counts; refuse shares that are not of so many draws, or not of all of them."""
    exact = shares * every
    counts = np.rint(exact).astype(np.int64)
    wrong = (np.abs(exact - counts) >= NEAR).any(axis=1) | (counts.sum(axis=1) != every)
    if wrong.any():
        row = int(wrong.argmax())
        raise InvalidInput(
            f"preds.npy must hold shares of {every} draws at scale {every / (2 * STEPS):.6g}, and "
            f"row {row} does not"
        )
    return counts


def _radii_of_classes(counts: Ints) -> Floats:
    """Return their radii: floor((n_A - n_B - 1[B < A]) / 2) steps, the least over all classes B."""
    rows, top = np.arange(len(counts)), counts.argmax(axis=1)
    others = counts + (np.arange(counts.shape[1]) < top[:, None])
    others[rows, top] = -1
    return np.asarray(np.maximum((counts[rows, top] - others.max(axis=1)) // 2, 0) / STEPS)


def _compare_radii(theirs: Floats, ours: Floats) -> list[AuditFinding]:
    """Compare their radii with those of the counts, in steps of the grid."""
    apart = (theirs - ours) * STEPS
    found = []
    for rows, word, code in (
        (apart > SAME * STEPS, "above", "above_exact"),
        (~(apart >= -SAME * STEPS), "below", "below_exact"),
    ):
        if rows.any():
            row = int(np.where(rows, np.abs(apart), -np.inf).argmax())
            says = (
                f"the radius is {word} that of the counts in {count_in_words(rows)}, in row {row} "
                f"{theirs[row]:.6g} and not {ours[row]:.6g}: theirs is not used"
            )
            found.append(make_finding(rows, code, says))
    return found
