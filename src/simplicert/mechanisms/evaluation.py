"""Evaluate a mechanism on arrays, and trust no number that it returns.

`unit_radius` applies the rule e0 > e1, clips e1 to 1 - e0, and holds every radius to the
Neyman-Pearson limit of its threat; `require_finite` refuses what is infinite.
"""

from functools import partial

import numpy as np

from simplicert.errors import InvalidInput, UnsoundMechanism, require
from simplicert.mechanisms import MECHANISMS, Mechanism
from simplicert.search import evaluate_in_blocks
from simplicert.types import Floats

# A mechanism of the caller's may round otherwise than two_sided; more than this above is false.
ALLOWANCE = 1e-9


def unit_radius(name: str, mechanism: Mechanism, e0: Floats, e1: Floats) -> Floats:
    """Compute one mechanism's L / sigma on flat arrays; 0 where e0 > e1 does not hold (or NaN)."""
    require(
        mechanism.needs == "pair",
        f"mechanism must be one that reads (e0, e1), got {name!r}, which needs {mechanism.needs}",
    )
    e0, e1 = np.asarray(e0, dtype=float), np.asarray(e1, dtype=float)
    live = e0 > e1
    out = np.zeros(e0.shape)
    # p_top >= e0 leaves 1 - e0 for all other classes together.
    top, rest = e0[live], np.minimum(e1[live], 1 - e0[live])
    still = top > rest
    found = np.zeros(top.shape)
    found[still] = evaluate_in_blocks(
        partial(_call_mechanism, name, mechanism), top[still], rest[still]
    )
    out[live] = _check_radii(name, mechanism, found, top, rest)
    return out


def _call_mechanism(name: str, mechanism: Mechanism, e0: Floats, e1: Floats) -> Floats:
    """Call a mechanism, and refuse anything but one real number for each point."""
    found = np.asarray(mechanism.radius(e0, e1))
    if found.shape != e0.shape or found.dtype.kind not in "fiu":
        raise UnsoundMechanism(
            f"{name} must return a real number for each of {len(e0)} points, "
            f"got {found.dtype} of shape {found.shape}"
        )
    return found


def _check_radii(name: str, mechanism: Mechanism, found: Floats, e0: Floats, e1: Floats) -> Floats:
    """Return the radii, or raise where one is not a number or above the Neyman-Pearson limit."""
    broken = np.isnan(found) | (found < 0)
    if broken.any():
        at = broken.argmax()
        raise UnsoundMechanism(
            f"{name} returned {found[at]} at e0 = {e0[at]}, e1 = {e1[at]}; "
            "a radius is a number that is not negative"
        )
    true_limit = mechanism.limit
    if (mechanism.noise, mechanism.norm) == ("gaussian", "l2"):
        true_limit = MECHANISMS["two_sided"].radius
    if true_limit is None:
        return found
    limit = evaluate_in_blocks(true_limit, e0, e1)
    above = found > limit * (1 + ALLOWANCE) + ALLOWANCE
    if above.any():
        at = above.argmax()
        raise UnsoundMechanism(
            f"{name} returned {found[at]} at e0 = {e0[at]}, e1 = {e1[at]}, above the limit "
            f"{limit[at]} of every true radius computed from (e0, e1)"
        )
    return np.minimum(found, limit)


def require_finite(name: str, unit: Floats, e0: Floats, e1: Floats) -> Floats:
    """Return the radii, or raise where the expectations leave one infinite."""
    infinite = np.isinf(unit)
    if infinite.any():
        at = infinite.argmax()
        raise InvalidInput(
            f"{name} has no finite radius at e0 = {e0[at]}, e1 = {e1[at]}: "
            "give an upper bound e1 > 0"
        )
    return unit
