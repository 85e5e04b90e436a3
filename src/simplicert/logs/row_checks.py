"""Check the rows of a log by themselves, without sigma, alpha or the number of draws.

`AuditFinding` is one thing that the audit says: a short code, a sentence, and the rows concerned.
The `check_...` functions look for repeated, missing or skipped inputs, negative or rounded radii,
lines left out, and a column `correct` that is not predict == label.
"""

from typing import NamedTuple

import numpy as np

from simplicert.logs.log import Log
from simplicert.types import Bools, Ints

SHOWN_INDICES = 5  # indices listed in a sentence
DATA_SETS = (10_000, 26_032, 50_000)  # inputs of MNIST and CIFAR; SVHN; ImageNet's validation set
EXACT = 1e-9  # radii printed to more digits than this count as not rounded
MOST = 0.5  # share of the gaps between indices that must be equal for one to be the step

# Codes of findings after which the stated sigma, alpha or number of draws cannot all be true. The
# others are remarks: about rounding (E0 is read from the lower end), about rows that are missing,
# repeated or left out, or about a bound that is not used because the count beside it is.
DISPROVING_CODES = frozenset({"above_cap", "sigma"})

# Codes of findings that say no more than what nearly every log has: they make no number doubtful.
REMARK_CODES = frozenset(
    {"note", "rounding", "draws_unknown", "left_out", "inferred", "skipped", "negative"}
)

# What a finding is about in a few words, where one line stands for many logs.
CODE_WORDS = {
    "above_cap": "radii above the largest possible",
    "sigma": "radii that do not fit sigma",
    "sigma_named": "sigma is another one than the path or the file names",
    "noise_named": "the noise is another one than the path names",
    "bound": "bounds above those of the counts",
    "repeated": "inputs in several rows",
    "missing": "missing inputs",
    "short": "fewer inputs than the data have at this step",
    "correct": "a column correct that is not predict == label (not used)",
    "not_binary": "a column correct that is neither 0 nor 1 (not used)",
    "running_total": "a column correct that is a running total (not used)",
    "rounding": "radii rounded to nearest (read from the lower end)",
    "draws_unknown": "draws not stated",
    "inferred": "a scale that is read off the shares",
    "left_out": "lines that are no rows",
    "skipped": "skipped inputs (counted as abstained)",
    "negative": "negative radii (counted as abstained)",
    "note": "notes on the format",
}


class AuditFinding(NamedTuple):
    """One finding of the audit: a short code, a sentence, and the rows concerned, from 0."""

    code: str
    sentence: str
    rows: tuple[int, ...] = ()

    @property
    def disproves(self) -> bool:
        """Whether the stated settings cannot give the certificates in the log."""
        return self.code in DISPROVING_CODES


def make_finding(rows: Bools, code: str, sentence: str) -> AuditFinding:
    """Make a finding about the marked rows."""
    return AuditFinding(code, sentence, tuple(np.flatnonzero(rows).tolist()))


def check_left_out_lines(log: Log) -> AuditFinding | None:
    """Find lines that are no rows: summaries, headers, a last line cut short."""
    if not log.left_out:
        return None
    lines = "1 line is" if len(log.left_out) == 1 else f"{len(log.left_out)} lines are"
    return AuditFinding("left_out", f"{lines} no row and left out: first {log.left_out[0]}")


def check_repeated_inputs(log: Log) -> AuditFinding | None:
    """Find inputs that stand in several rows."""
    values, counts = np.unique(log.index, return_counts=True)
    twice = values[counts > 1]
    if not twice.size:
        return None
    return make_finding(
        np.isin(log.index, twice),
        "repeated",
        f"{count_in_words(counts > 1, 'input')} in several rows (index "
        f"{_list_first_indices(twice)}): all rows "
        "are kept, so averages count them more than once",
    )


def check_missing_indices(log: Log) -> AuditFinding | None:
    """Find indices that the step between the others leads to, but that are not there."""
    step = index_step(log.index)
    if step is None:
        return None
    held = np.unique(log.index)
    start, expected = int(held[0]) % step, int(held[-1]) // step + 1
    absent = expected - held.size
    if not absent:
        return None
    # The first few missing ones are among these.
    early = start + step * np.arange(min(expected, held.size + SHOWN_INDICES + 1))
    where = _list_first_indices(early[~np.isin(early, held)])
    return AuditFinding(
        "missing",
        f"of {expected} indices up to {held[-1]} at step {step}, {absent} missing ({where}): "
        "averages are over the others",
    )


def check_log_length(log: Log) -> AuditFinding | None:
    """Find a log that ends where no data set that people certify does."""
    step, last = index_step(log.index), int(log.index.max())
    size = next((size for size in DATA_SETS if size > last), None)
    if step is None or size is None or size <= last + step:
        return None
    rows = len(range(int(log.index.min()) % step, size, step))
    return AuditFinding(
        "short",
        f"the log ends at index {last} after {len(log)} rows; {size} inputs at step {step} would "
        f"make {rows}",
    )


def check_correct_column(log: Log) -> AuditFinding | None:
    """Find a column `correct` that is not predict == label, which is used instead."""
    if log.correct is None or log.label is None:
        return None
    truth = (log.predicted >= 0) & (log.predicted == log.label)
    instead = "it is recomputed from predict == label"
    wrong, strange = log.correct != truth, ~np.isin(log.correct, (0, 1))
    if not wrong.any():
        return None
    if np.array_equal(log.correct, truth.cumsum()):
        total = f"correct is a running total, which ends at {log.correct[-1]}: {instead}"
        return make_finding(wrong, "running_total", total)
    if strange.any():
        at = int(strange.argmax())
        example = f"{log.correct[at]} at index {log.index[at]}"
        sentence = f"correct is neither 0 nor 1 in {count_in_words(strange)} ({example}): {instead}"
        return make_finding(strange, "not_binary", sentence)
    where = _list_first_indices(log.index[wrong])
    sentence = f"correct disagrees with predict == label in {count_in_words(wrong)} (index {where})"
    return make_finding(wrong, "correct", f"{sentence}: {instead}")


def check_negative_radii(log: Log) -> AuditFinding | None:
    """Find negative radii, which tools write that compute a radius before they abstain."""
    below = log.radius.value < 0
    if not below.any():
        return None
    idle = count_in_words(below & (log.predicted < 0))
    sentence = f"the radius is negative in {count_in_words(below)}, {idle} of them without a class"
    return make_finding(below, "negative", f"{sentence}: nothing is certified there")


def check_absent_radii(log: Log) -> AuditFinding | None:
    """Find rows that name a class and give no radius, NaN for instance."""
    if log.bound_is_e0 or log.count is not None:  # radii are not needed
        return None
    rows = (log.predicted >= 0) & np.isnan(log.radius.value)
    if not rows.any():
        return None
    sentence = f"a class without a radius in {count_in_words(rows)}: nothing is certified there"
    return make_finding(rows, "no_radius", sentence)


def check_skipped_inputs(log: Log) -> AuditFinding | None:
    """Find inputs that the tool skipped because it saw them misclassified."""
    rows = log.predicted < -1
    if not rows.any():
        return None
    sentence = (
        f"predict is {log.predicted[rows][0]} in {count_in_words(rows)} (misclassified, skipped)"
    )
    return make_finding(rows, "skipped", f"{sentence}: they count as abstained")


def check_rounding(log: Log) -> AuditFinding | None:
    """Find radii printed to nearest: about half of them say more than was certified."""
    up = np.where(log.live, log.radius.value - log.radius.lower, 0.0)
    rows = up > EXACT * np.abs(log.radius.value)
    unused = log.count is not None or log.bound_is_e0
    if unused or not rows.any():  # with counts or bounds the radii are not used
        return None
    sentence = "radii are printed rounded to nearest: about half of them are rounded up, by at most"
    return make_finding(rows, "rounding", f"{sentence} {up.max():.2g}")


def index_step(index: Ints) -> int | None:
    """Return the step between indices, if most gaps equal it and the others are its multiples."""
    held = np.unique(index)
    gaps = held[1:] - held[:-1]
    steps, counts = np.unique(gaps, return_counts=True)
    if not steps.size:
        return None
    step = int(steps[counts.argmax()])
    regular = counts.max() > MOST * counts.sum() and not (gaps % step).any()
    return step if regular else None


def count_in_words(rows: Bools, word: str = "row") -> str:
    """Say how many there are: "1 row", "3 rows"."""
    total = int(np.sum(rows))
    return f"{total} {word}{'' if total == 1 else 's'}"


def _list_first_indices(indices: Ints) -> str:
    """List the first few indices in words."""
    more = ", ..." if indices.size > SHOWN_INDICES else ""
    return ", ".join(str(i) for i in indices[:SHOWN_INDICES]) + more
