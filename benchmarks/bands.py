"""Other designs of the score bands, on the tallies of benchmarks/softmax.py: why ours is ours.

Called by benchmarks/softmax.py. Each design bounds P(score >= t) at the histograms' thresholds with
the same confidence; what follows is the same for all.
"""

from collections.abc import Callable
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np

import simplicert as sc
from simplicert.bounds import bands, binomial, sides

FEW = 4  # one threshold in this many has an exact limit in the design of few


def lower_exact(x: np.ndarray, n: np.ndarray, a: float) -> np.ndarray:
    """Clopper-Pearson's lower limit."""
    return binomial.clopper_pearson_lower(x, n, a)[0]


def few(limit: Callable, counts: np.ndarray, n: np.ndarray, a: float, low: bool) -> np.ndarray:
    """Exact limits at one threshold in four, each with four times the tail; steps between."""
    at = np.arange(1, counts.shape[1], FEW)
    found = limit(counts[:, at], n, a * counts.shape[1] / len(at))
    out = np.full(counts.shape, 0.0 if low else 1.0)
    for place, values in zip(at, found.T, strict=True):
        reach = slice(0, place + 1) if low else slice(place, None)
        better = np.maximum if low else np.minimum
        out[:, reach] = better(out[:, reach], values[:, None])
    return out


def uniform(counts: np.ndarray, n: np.ndarray, a: float, low: bool) -> np.ndarray:
    """Dvoretzky, Kiefer, Wolfowitz and Massart: one half-width everywhere, at the whole tail."""
    width = np.sqrt(-np.log(a * counts.shape[1]) / (2 * n))
    return np.clip(counts / n + (-width if low else width), 0, 1)


def both(limit: Callable, counts: np.ndarray, n: np.ndarray, a: float, low: bool) -> np.ndarray:
    """Half the tail for the exact limits, half for the uniform band; the better of the two."""
    better = np.maximum if low else np.minimum
    return better(limit(counts, n, a / 2), uniform(counts, n, a / 2, low))


DESIGNS: dict[str, Callable] = {
    "exact at one threshold in four": few,
    "uniform": lambda limit, counts, n, a, low: uniform(counts, n, a, low),
    "exact and uniform, half each": both,
}


@contextmanager
def design(limits: Callable):
    """The package with other limits at the thresholds."""

    def replaced(limit, counts, draws, tail):
        low = limit is not binomial.clopper_pearson_upper
        assert (draws == draws[0]).all()
        return limits(lower_exact if low else limit, counts, draws[0], tail[0], low)

    with patch.object(bands, "_limit_distinct_counts", replaced):
        yield


@contextmanager
def means_forgotten():
    """The package with bands that are not held to the means."""
    with (
        patch.object(bands, "find_level_below", lambda band, mean: np.zeros(len(band))),
        patch.object(bands, "find_level_above", lambda band, mean: np.ones(len(band))),
    ):
        yield


@contextmanager
def share(part: float):
    """The package with another part of each tail for the bands."""
    with patch.object(sides, "MEAN", 1 - part), patch.object(sides, "BANDS", part):
        yield


def compare_middles(tally: sc.Tally, alpha: float) -> float:
    """The uniform band's half-width over ours, top class, where half of the scores lie above."""
    seen = []

    def noted(limit, counts, n, a, low):
        half = np.full_like(counts[:1], n // 2)
        widths = [abs(found - 0.5)[0, 0] for found in (uniform(half, n, a, low), limit(half, n, a))]
        seen.append(widths[0] / widths[1])
        return limit(counts, n, a)

    with design(noted):
        cdf_and_pair(tally, alpha)
    return float(seen[0])


def cdf_and_pair(tally: sc.Tally, alpha: float) -> tuple[float, float]:
    """Radii of `cdf` and `two_sided` of the tally's only input."""
    found = sc.certify(sc.bound(tally, alpha, "softmax"), ["cdf", "two_sided"])
    return float(found.radii["cdf"][0]), float(found.radii["two_sided"][0])


def compared(tallies: list[sc.Tally], alpha: float, true: float) -> dict[str, float]:
    """Mean `cdf` radius of each design as a share of the true two-sided radius."""

    def mean(which: int = 0) -> float:
        return float(np.mean([cdf_and_pair(tally, alpha)[which] for tally in tallies]) / true)

    out = {"ours": mean()}
    for name, limits in DESIGNS.items():
        with design(limits):
            out[name] = mean()
    with means_forgotten():
        out["ours without the means"] = mean()
    for part in (0.05, 0.5, 0.8):
        with share(part):
            out[f"{part:g} of the tail, not .2"] = mean()
            out[f"{part:g} of the tail, two_sided"] = mean(1)
    return out
