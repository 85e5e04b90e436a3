"""Collect what an input shows when its row is opened: score histograms and the attack's distance.

The histograms of a tally have bins that are fine toward 0 and 1; all have the multiples of 1/32
among their thresholds, so that the page's BINS even bins are exact sums. The first of the two is
that of the top class, the second that of the class with the highest mean score beside it, or of
the largest of the classes without a histogram of their own. Of many inputs only the chosen have
them: those that have thumbnails.
"""

import base64
import zlib
from typing import Any

import numpy as np

from simplicert.errors import SimplicertError
from simplicert.report.views import View
from simplicert.types import Ints
from simplicert.types.scores import LAYOUTS

BINS = 32

FULL = 255  # the height of the tallest bar of an input

OTHERS = -1  # stands for the classes without a histogram of their own


def score_details(view: View, chosen: Ints) -> dict[str, Any] | None:
    """Return histograms of the chosen inputs (by number), scaled to each pair's tallest bar."""
    try:
        tally = view.study.tally
    except SimplicertError:  # an imported log
        return None
    if tally.histograms is None or tally.leaders is None or view.certificates is None:
        return None
    rows = np.flatnonzero(np.isin(view.index, chosen))
    bars = merge_bins(tally.histograms[rows])  # (N, L + 1, BINS)
    classes = np.column_stack([tally.leaders[rows], np.full(len(rows), OTHERS)])
    top = np.asarray(view.frame["top"], dtype=np.int64)[rows]
    mine = (classes == top[:, None]).argmax(axis=1)
    means = bars @ (np.arange(BINS) + 0.5) / np.maximum(bars.sum(axis=2), 1)
    at = np.arange(len(rows))
    means[at, mine] = -1.0
    rival = means.argmax(axis=1)
    pair = np.stack([bars[at, mine], bars[at, rival]], axis=1)
    peak = np.maximum(pair.max(axis=(1, 2)), 1)
    heights = np.ceil(FULL * pair / peak[:, None, None]).astype(np.uint8)
    return {
        "inputs": view.index[rows].tolist(),
        "first": np.where(classes[at, mine] == top, top, OTHERS).tolist(),
        "second": classes[at, rival].tolist(),
        "bins": BINS,
        "packed": base64.b64encode(zlib.compress(heights.tobytes(), 9)).decode("ascii"),
    }


def merge_bins(histograms: Ints) -> Ints:
    """Return (..., BINS) counts of even bins from those of a layout (last axis)."""
    thresholds = LAYOUTS[histograms.shape[-1]]
    # Bin b holds scores from threshold b - 1 on; a threshold that begins an even bin is exact.
    starts = np.searchsorted(thresholds, np.arange(1, BINS) / BINS) + 1
    return np.asarray(np.add.reduceat(histograms, [0, *starts.tolist()], axis=-1))


def attack_details(view: View) -> list[list[float | int | None]]:
    """Return number, radius then, distance found and the class found of each attacked input."""
    return [[row.index, row.radius, row.found, row.rival] for row in view.study.attack(view.kind)]
