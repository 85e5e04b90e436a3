"""What the page of one log and the comparison read of it, in few letters.

`describe_log` returns counts: hits along the curve, how E0 is distributed, the simplex in squares,
and, unless only totals may be published, how many radii each input reaches. `tabulate_limits` holds
the limits of every share that occurs, once for all logs. Nothing here is rounded upward.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from simplicert.board.entry import RADII, Entry
from simplicert.metrics.intervals import CONFIDENCE, rate_limits
from simplicert.types import Floats, Ints

DIGITS = 10**4  # of a share
POINTS = 121  # of a curve
BINS = 25  # of E0, and of E1 up to a half
# Signs of packed numbers: printable, and none that JSON or HTML writes in several letters.
SIGNS = "".join(chr(code) for code in range(33, 127) if chr(code) not in "\"&'<>\\`")


def describe_log(entry: Entry) -> dict[str, Any]:
    """Return the particulars of a log, as JSON can hold them."""
    known = entry.settings
    held: dict[str, Any] = {
        "sha256": entry.sha256,
        "format": entry.source.format,
        "rows": entry.rows,
        "abstained": int(entry.abstained.sum()),
        "caps": "; ".join(f"{n} at {a:g}" for n, a in entry.inferred),
        "source": known.source,
        "origin": {name: known.origin[name] for name in ("sigma", "alpha") if name in known.origin},
        "findings": [[one.code, one.sentence] for one in entry.findings],
        "hits": write_gaps(entry.hits_at(RADII)),
        "to": float(curve_radii(entry)[-1]),
        "curve": write_gaps(entry.hits_at(curve_radii(entry))),
        "e0": _count_expectations(entry),
        "simplex": _count_squares(entry),
    }
    if not known.totals_only:
        held |= {"index": _write_index(entry.index), "codes": pack_numbers(entry.reached)}
    return held


def curve_radii(entry: Entry) -> Floats:
    """Return the radii of the curve's points, from 0 to a little above the largest."""
    largest = float(entry.radius.max()) or 1.0
    return np.linspace(0.0, 1.05 * largest, POINTS)


def tabulate_limits(entries: Iterable[Entry]) -> dict[str, list[list[int]]]:
    """Return by number of inputs: hits that occur, and limits of their share in ten-thousandths.

    Lower limits are rounded down, upper ones up.
    """
    seen: dict[int, set[int]] = {}
    for entry in entries:
        radii = np.concatenate([RADII, curve_radii(entry)])
        seen.setdefault(len(entry), set()).update(entry.hits_at(radii).tolist())
    out = {}
    for total, some in sorted(seen.items()):
        hits = np.array(sorted(some))
        low, high = rate_limits(hits, total, CONFIDENCE)
        down, up = np.floor(DIGITS * low).astype(int), np.ceil(DIGITS * high).astype(int)
        out[str(total)] = [write_gaps(hits), write_gaps(down), write_gaps(up)]
    return out


def write_gaps(values: Ints) -> list[int]:
    """Return the first number, and then how much each differs from the one before."""
    return [int(value) for value in np.diff(values, prepend=0)]


def pack_numbers(values: Ints) -> dict[str, Any]:
    """Write small numbers as text, several to a sign where they are small enough.

    The base is above the largest; the first number of a sign is its last digit.
    """
    base = max(int(values.max(initial=0)) + 1, 2)
    each = int(np.floor(np.log(len(SIGNS)) / np.log(base) + 1e-9))
    padded = np.zeros(-(-len(values) // each) * each, int)
    padded[: len(values)] = values
    signs = padded.reshape(-1, each) @ base ** np.arange(each)
    return {"base": base, "each": each, "text": "".join(SIGNS[sign] for sign in signs)}


def _write_index(index: Ints) -> dict[str, Any]:
    """Return the numbers of the inputs: a rule if there is one."""
    gaps = np.unique(np.diff(index))
    if len(gaps) == 1:
        return {"start": int(index[0]), "step": int(gaps[0]), "count": len(index)}
    return {"gaps": write_gaps(index)}


def _count_expectations(entry: Entry) -> dict[str, Any] | None:
    """Count E0 of the certified inputs in bins, right and wrong ones apart."""
    if entry.e0 is None or not np.isfinite(entry.e0).any():
        return None
    live = np.isfinite(entry.e0)
    least = 0.5 if entry.e0[live].min() >= 0.5 else 0.0  # noqa: PLR2004
    edges = np.linspace(least, 1.0, BINS + 1)
    right, _ = np.histogram(entry.e0[live & entry.correct], edges)
    wrong, _ = np.histogram(entry.e0[live & ~entry.correct], edges)
    return {"least": least, "right": right.tolist(), "wrong": wrong.tolist()}


def _count_squares(entry: Entry) -> list[list[int]] | None:
    """Count the pairs (E0, E1) in squares: across, up, right and wrong inputs in each."""
    if entry.e0 is None or entry.e1 is None:
        return None
    live = np.isfinite(entry.e0) & np.isfinite(entry.e1)
    if not live.any():
        return None
    across = np.minimum(2 * BINS * entry.e0[live], 2 * BINS - 1).astype(int)
    up = np.minimum(2 * BINS * entry.e1[live], BINS - 1).astype(int)
    counts = np.zeros((2 * BINS, BINS, 2), int)
    np.add.at(counts, (across, up, (~entry.correct[live]).astype(int)), 1)
    filled = np.argwhere(counts.any(axis=2))
    return [[int(x), int(y), *counts[x, y].tolist()] for x, y in filled]
