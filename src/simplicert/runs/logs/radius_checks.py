"""Checks of a log's radii against the sigma, alpha and number of draws stated with it."""

import numpy as np
from scipy.special import ndtr, ndtri

from simplicert.bounds.limits import clopper_pearson
from simplicert.runs.logs.finding import Finding, about, number_of
from simplicert.runs.logs.log import Log, Stated
from simplicert.runs.logs.printed import printed
from simplicert.types import Floats, Ints

# Settings people use: tried where the stated ones do not fit.
DRAWS = (100, 1_000, 10_000, 50_000, 100_000, 500_000, 1_000_000)
ALPHAS = (0.0001, 0.001, 0.005, 0.01, 0.05, 0.1)
LEGIBLE = 10**12  # more draws than anybody makes: their exact number says nothing
EXACT = 1e-9  # rounding of the tool's own arithmetic, which its print does not show
ALPHA_SLACK = 1e-3  # our limits are asked for a slightly smaller alpha than theirs


def above_cap(log: Log, stated: Stated) -> Finding | None:
    """Radii that n draws cannot certify at alpha even when all of them agree."""
    if not log.cohen or not log.live.any():
        return None
    lower = np.where(log.live, log.radius.lower, -np.inf) / stated.sigma
    if log.draws is None and stated.draws is None:
        sentence = "draws are not stated, so radii cannot be checked against the largest possible"
        return Finding("draws_unknown", f"{sentence}; {fitting(log, int(lower.argmax()), stated)}")
    draws = log.draws if log.draws is not None else np.full(len(log), stated.draws)
    above = lower > cap(draws, stated.alpha)
    if not above.any():
        return None
    row = int(np.where(above, lower, -np.inf).argmax())
    limit = stated.sigma * cap(draws, stated.alpha)[row]
    sentence = (
        f"the radius is above {limit:.4g} in {number_of(above)}, rounding allowed for: no "
        f"certificate of {draws[row]} draws at alpha {stated.alpha:g} and sigma {stated.sigma:g} "
        f"is larger; {fitting(log, row, stated)}"
    )
    return about(above, "above_cap", sentence)


def sigma(log: Log, stated: Stated) -> Finding | None:
    """Radii that are not sigma * Phi^-1 of the bound printed beside them."""
    if log.bound_text is None or not log.cohen:
        return None
    bounds, radius = printed(log.bound_text), log.radius
    low, high = (ndtr(end / stated.sigma) for end in (radius.lower, radius.upper))
    apart = log.live & ((bounds.lower > high + EXACT) | (bounds.upper < low - EXACT))
    if not apart.any():
        return None
    row = int(np.where(apart, radius.value, -np.inf).argmax())
    with np.errstate(divide="ignore"):
        fits = radius.value[row] / ndtri(bounds.value[row])
    sentence = f"radius and bound do not fit sigma {stated.sigma:g} in {number_of(apart)}"
    return about(apart, "sigma", f"{sentence}; at index {log.index[row]} sigma {fits:.3g} does")


def bound(log: Log, stated: Stated) -> Finding | None:
    """Bounds above Clopper and Pearson's of the count beside them."""
    if log.count is None or log.bound_text is None or stated.draws is None:
        return None
    tail = np.full(len(log), min(stated.alpha * (1 + ALPHA_SLACK), 1.0))
    ours, _ = clopper_pearson.lower(log.count, np.full(len(log), stated.draws), tail)
    above = printed(log.bound_text).lower > ours
    if not above.any():
        return None
    sentence = (
        f"the bound is above that of the count in {number_of(above)}, at {stated.draws} draws and "
        f"alpha {stated.alpha:g}: the log had fewer draws or a larger alpha"
    )
    return about(above, "bound", sentence)


def cap(draws: Ints, alpha: float) -> Floats:
    """Phi^-1(alpha^(1/n)): the largest radius of n draws at sigma 1, all n agreeing; 0 of none."""
    some = np.maximum(draws, 1)
    return np.where(draws > 0, np.maximum(-ndtri(-np.expm1(np.log(alpha) / some)), 0.0), 0.0)


def fitting(log: Log, row: int, stated: Stated) -> str:
    """Which settings allow the radius of a row: usual ones whose cap it is, and the least draws."""
    low, high = (end[row] / stated.sigma for end in (log.radius.lower, log.radius.upper))
    usual = [(n, a) for a in ALPHAS for n in DRAWS if low <= cap(np.array(n), a) <= high]
    text = f"the radius {log.radius_text[row]} at index {log.index[row]}"
    tail = float(ndtr(-low))
    fewest = np.ceil(np.log(stated.alpha) / np.log1p(-tail)) if tail > 0 else np.inf
    least = f"at least {fewest:.0f}" if fewest <= LEGIBLE else f"more than {LEGIBLE:,}"
    needs = f"needs {least} draws at alpha {stated.alpha:g}"
    if not usual:
        return f"{text} {needs}"
    words = " or ".join(f"alpha {a:g} with {n} draws" for n, a in usual)
    return f"{text} {needs}, and is the largest possible at {words}"
