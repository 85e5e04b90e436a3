"""Other layouts of the score histograms, on the tallies of benchmarks/softmax.py: why ours is ours.

Called by benchmarks/softmax.py. Scores are binned in the finest layout, whose counts are then added
up to those of the coarser ones: all layouts see the same draws.
"""

from collections.abc import Callable
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np

import simplicert as sc
from simplicert.bounds import bands
from simplicert.mechanisms import cdf
from simplicert.store import manifest
from simplicert.store.parts import encode_part
from simplicert.types import scores
from simplicert.types.scores import FORMER_BINS

LAYOUTS = {steps: scores._place_thresholds(steps) for steps in (32, 64, 128, 256)}
FINEST = len(LAYOUTS[256]) + 1


@contextmanager
def all_layouts():
    """The package with layouts of 1/64 and 1/256 too."""
    more = {len(found) + 1: found for found in LAYOUTS.values()}
    widths = {bins: np.diff([0.0, *found, 1.0]) for bins, found in more.items()}
    with (
        patch.dict(scores.LAYOUTS, {k: v for k, v in more.items() if k not in scores.LAYOUTS}),
        patch.dict(scores.WIDTHS, {k: v for k, v in widths.items() if k not in scores.WIDTHS}),
    ):
        yield


def coarsened(tally: sc.Tally, steps: int) -> sc.Tally:
    """The same draws in the layout with these steps in the middle."""
    fine, coarse = scores.LAYOUTS[tally.histograms.shape[2]], LAYOUTS[steps]
    assert np.isin(coarse, fine).all()
    starts = np.concatenate([[0], np.searchsorted(fine, coarse) + 1])
    fields = {name: getattr(tally, name) for name in tally.__dataclass_fields__}
    fields["histograms"] = np.add.reduceat(tally.histograms, starts, axis=2)
    return sc.Tally(**fields)


def cdf_radius(tally: sc.Tally, alpha: float, method: str | None = None) -> np.ndarray:
    """(N,) radii of `cdf`."""
    known = sc.bound(tally, alpha, "softmax", method=method)
    return sc.certify(known, ["cdf"]).radii["cdf"]


def compare_layouts(tallies: list[sc.Tally], alpha: float, true: float) -> dict[str, float]:
    """Mean `cdf` radius by each layout, as a share of the true two-sided radius."""
    return {
        f"1/{steps}": float(
            np.mean([cdf_radius(coarsened(tally, steps), alpha) for tally in tallies]) / true
        )
        for steps in LAYOUTS
    }


def endless_radii(above: Callable, mean: np.ndarray, true: float) -> dict[str, float]:
    """`cdf` by each layout with infinitely many draws, as a share of that without bins."""
    out = {}
    for steps, thresholds in LAYOUTS.items():
        top, rival = (above(j, thresholds)[None] for j in (0, 1))
        lower = np.pad(top, ((0, 0), (0, 1)))
        lower = np.maximum(lower, bands.find_level_below(lower, mean[:1])[:, None])
        upper = np.pad(rival, ((0, 0), (1, 0)), constant_values=1.0)
        upper = np.minimum(upper, bands.find_level_above(upper, mean[1:2])[:, None])
        out[f"1/{steps}"] = float(cdf.radius(lower, upper[:, None])[0] / true)
    return out


def former_radius(tally: sc.Tally, alpha: float) -> np.ndarray:
    """(N,) radii of `cdf` as a run of the first format has them."""
    old = coarsened(tally, 32)
    assert old.histograms.shape[2] == FORMER_BINS
    return cdf_radius(old, alpha, "bentkus+bernstein")


def measure_bytes(tally: sc.Tally) -> dict[str, float]:
    """Bytes of a part for each of its inputs, by layout, and without histograms."""
    settings = sc.Manifest(tally.sigma, len(tally), tally.classes, id="0" * 16)
    fields = {name: getattr(tally, name) for name in tally.__dataclass_fields__}
    bare = sc.Tally(**{**fields, "histograms": None, "leaders": None})
    out = {"none": len(encode_part(bare, settings, 0.0)[1]) / len(tally)}
    for steps in LAYOUTS:
        part = coarsened(tally, steps)
        bins = part.histograms.shape[2]
        with patch.dict(manifest.BINS_OF_FORMAT, {manifest.FORMAT: bins}):
            out[f"1/{steps}"] = len(encode_part(part, settings, 0.0)[1]) / len(tally)
    return out
