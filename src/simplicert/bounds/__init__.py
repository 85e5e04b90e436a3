"""Turn counts (Tally) into confidence bounds on the expectations (Expectations).

`bound` looks up the scheme and the method in the table SCHEMES. This package knows alpha; the only
radius it computes is the two-sided one that scheme "joint" bounds. To add a limit or a scheme,
write its file and add its row to a table below.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from numbers import Real
from typing import Any

import numpy as np

from simplicert.bounds import exact, gated, joint, paper, split
from simplicert.bounds.box import (
    Box,
    alpha_at_look,
    certificate_reasons,
    find_top_and_rival,
    look_history,
)
from simplicert.bounds.softmax import LIMITS
from simplicert.errors import choose, require
from simplicert.noises import GAUSSIAN
from simplicert.noises.certainty import is_certain, settle_declaration
from simplicert.types import KINDS, Bools, Expectations, Floats, Ints, Kind, Tally
from simplicert.types.plan import ALPHA_ROUNDING
from simplicert.types.scores import ScoreBands

Scheme = Callable[[Tally, Floats], Box]


def _softmax_methods(scheme: Callable[..., Box], *limits: str) -> dict[str, Scheme]:
    """Make one method of a scheme for each limit on a mean score."""
    return {name: partial(scheme, limit=LIMITS[name]) for name in limits}


# kind -> scheme -> method; the first method is the default.
SCHEMES: dict[str, dict[str, dict[str, Scheme]]] = {
    "multinomial": {
        "gated": {"clopper_pearson": gated.gated_pair, "one_sided": gated.gated_one_sided},
        "paper": {"clopper_pearson": paper.paper_pair},
        "split": {"clopper_pearson": split.split_pair, "one_sided": split.split_one_sided},
        "joint": {"buehler+pair": joint.joint_pair, joint.ALONE: joint.joint_margin},
    },
    "softmax": {
        "gated": _softmax_methods(gated.gated_softmax, *LIMITS),
        "paper": _softmax_methods(paper.paper_softmax, "hoeffding"),
        "split": _softmax_methods(split.split_softmax, *LIMITS),
    },
}

# What a run meant that was declared without naming a method, where that is no longer the default.
EARLIER_METHODS = {"joint": joint.ALONE}

# Noises whose radii are the paper's formulas of Gaussian noise.
GAUSSIAN_NOISES = ("gaussian", "brightness", "contrast", "shift")

# Schemes whose proved probability of a wrong certificate is not alpha itself.
LEVELS: dict[str, Callable[[Tally, float, Kind], float]] = {"paper": paper.paper_level}


def default_scheme(kind: str, draws: int = 1, noise: str = "gaussian") -> str:
    """Return the scheme of new runs: joint where it is proved, else gated.

    >>> default_scheme("multinomial", 100_000), default_scheme("softmax")
    ('joint', 'gated')
    >>> default_scheme("multinomial", noise="laplace")
    'gated'
    """
    proved = noise in GAUSSIAN_NOISES and draws <= joint.MOST_DRAWS
    return "joint" if proved and "joint" in SCHEMES[kind] else "gated"


def refuse_joint(scheme: str, noise: str) -> None:
    """Refuse scheme joint for a noise that it is not proved for."""
    require(
        scheme != "joint" or noise in GAUSSIAN_NOISES,
        f"scheme must be another than joint for {noise} noise: its proof is about Gaussian noise",
    )


def bound(
    tally: Tally,
    alpha: float = 0.001,
    kind: str = "multinomial",
    scheme: str = "gated",
    method: str | None = None,
) -> Expectations:
    """Bound the expectations of each input's top class and of all other classes.

    For one input, a certificate is issued and wrong with probability at most `Expectations.level`:
    alpha, or 3 alpha for scheme "paper" (more for softmax with very many classes). Scheme, kind,
    method and alpha must be chosen before the counts are seen: the better of two of them is
    covered by neither. Scheme "joint" bounds the two-sided radius itself, `Expectations.margin`,
    and a pair beside it; it is what new runs declare. This function has no run to keep a
    declaration, so its default stays what it was, and other schemes are named. A tally of every
    draw there is (splitting noise) needs no alpha: the shares are exact, and what it is certified
    for holds with certainty, up to floating point.

    >>> known = bound(Tally([[990, 8, 2]], sigma=0.5), alpha=0.001)
    >>> known.top, known.e0.round(3), known.e1.round(3)
    (array([0]), array([0.975]), array([0.022]))
    """
    require(isinstance(tally, Tally), f"tally must be a Tally, got {type(tally).__name__}")
    if is_certain(tally.noise):
        given = {"alpha": alpha, "kind": kind, "scheme": scheme, "method": method}
        return _bound_exactly(tally, settle_declaration(tally.noise, given))
    require(
        isinstance(alpha, Real) and 0 < alpha < 1,
        f"alpha must lie strictly between 0 and 1, got {alpha!r}",
    )
    alpha = float(alpha)
    kind = choose("kind", kind, KINDS)
    methods = choose("scheme", scheme, SCHEMES[kind], f" for kind {kind}")
    refuse_joint(scheme, tally.noise.name)
    method = method if method is not None else next(iter(methods))
    box = choose("method", method, methods)(tally, alpha_at_look(tally, alpha))
    reason = certificate_reasons(box)
    issued = reason == "certified"
    return Expectations(
        top=box.top,
        e0=np.where(issued, box.e0, np.nan),
        e1=np.where(issued, box.e1, np.nan),
        margin=None if box.margin is None else np.where(issued, box.margin, np.nan),
        has_pair=box.has_pair,
        bands=_bands_for(tally, box, issued),
        sigma=tally.sigma,
        alpha=alpha,
        kind=kind,
        scheme=scheme,
        method=method,
        level=_proved_level(tally, alpha, kind, scheme),
        labels=tally.labels,
        index=tally.index,
        draws=tally.draws,
        reason=reason,
        norm=tally.norm,
        grid=tally.grid,
        reading=tally.reading,
        noise=tally.noise,
        lipschitz=tally.lipschitz,
        **look_history(tally, alpha),
        **_deciding_counts(tally, kind, box.top),
    )


def _bound_exactly(tally: Tally, declared: dict[str, Any]) -> Expectations:
    """Make expectations of the counts of every draw there is: shares, and no confidence bounds."""
    return Expectations(
        **exact.exact_fields(tally),
        **declared,
        sigma=tally.sigma,
        labels=tally.labels,
        index=tally.index,
        draws=tally.draws,
        norm=tally.norm,
        reading=tally.reading,
        noise=tally.noise,
    )


def _bands_for(tally: Tally, box: Box, issued: Bools) -> ScoreBands | None:
    """Return the score bands where `cdf`, which reads them, is proved: under Gaussian noise."""
    if box.bands is None or tally.noise != GAUSSIAN:
        return None
    return box.bands.only(issued)


def _deciding_counts(tally: Tally, kind: Kind, top: Ints) -> dict[str, Ints]:
    """Return the counts of the class and of its strongest rival; for softmax, of the votes.

    Draws without a class count as one rival, as they do in every scheme.
    """
    by_votes = kind == "softmax"
    counts = tally.votes if by_votes else tally.counts
    invalid = tally.votes_invalid if by_votes else tally.invalid
    if counts is None or invalid is None:
        return {}
    best = find_top_and_rival(counts, invalid, top)
    return {"count_top": best.wins, "count_second": best.rival}


def _proved_level(tally: Tally, alpha: float, kind: Kind, scheme: str) -> float:
    """Return the proved level of a wrong certificate: alpha, unless scheme or plan spend more."""
    level = LEVELS[scheme](tally, alpha, kind) if scheme in LEVELS else alpha
    extended = 1.0 if tally.plan is None else max(tally.plan.offered, 1.0)
    return level if extended < 1 + ALPHA_ROUNDING else min(level * extended, 1.0)
