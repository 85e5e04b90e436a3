"""Compare mechanisms over the simplex of expectations, without a dataset, a model or draws.

A radius is linear in sigma, so all radii here are at sigma = 1, whatever sigma the points carry.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from simplicert.certification import certified_radii
from simplicert.errors import require
from simplicert.mechanisms.choice import MechanismLike, choose_mechanisms
from simplicert.types import Expectations, Floats, Kind
from simplicert.types.arrays import Texts

# Names, or {"mine": function}.
SeveralMechanisms = Sequence[str] | Mapping[str, str | MechanismLike]

Side = str | MechanismLike | SeveralMechanisms  # of several mechanisms the largest radius counts


def make_grid(steps: int, kind: Kind = "multinomial") -> Expectations:
    """Make steps^2 points of the permissible triangle 0 <= E_1 <= E_0, E_0 + E_1 <= 1.

    Lines parallel to its sides cut the triangle into steps^2 cells of equal area, and the points
    are their centres: a share of points is a share of area. None lies on a side, where radii are
    infinite (E_1 = 0) or all zero (E_0 = E_1): E_1 is at least 1 / (6 steps), and E_0 - E_1 and
    1 - E_0 - E_1 are at least 1 / (3 steps).
    """
    whole = isinstance(steps, int | np.integer) and steps > 0
    require(whole, f"steps must be a positive whole number, got {steps!r}")
    # Weights of the corners (1, 0) and (1/2, 1/2); (0, 0) has the rest. Cells point up or down.
    row, column = np.indices((steps, steps)).reshape(2, -1)
    up, down = row + column < steps, row + column < steps - 1
    right, upper = (
        np.concatenate([count[up] + 1 / 3, count[down] + 2 / 3]) / steps for count in (row, column)
    )
    return make_points(right + upper / 2, upper / 2, kind)


def make_points(e0: Floats, e1: Floats, kind: Kind = "multinomial") -> Expectations:
    """Make expectations of any points of the simplex, as if they were known exactly."""
    return Expectations(np.zeros(len(e0), dtype=np.int64), e0, e1, kind=kind)


def radius_difference(left: Side, right: Side, known: Expectations) -> Floats:
    """(N,) radius of `left` minus that of `right`; paper fig. (Cohen_vs_Li)."""
    return largest_side_radius(left, known) - largest_side_radius(right, known)


def radius_ratio(left: Side, right: Side, known: Expectations) -> Floats:
    """(N,) radius of `left` over that of `right`; paper fig. (Theoretical_comparison_results).

    It is never NaN: infinite where only `left` certifies, and 1 where neither does, as they are
    equal there.
    """
    above, below = largest_side_radius(left, known), largest_side_radius(right, known)
    only = np.where(above > 0, np.inf, 1.0)
    return np.divide(above, below, out=only, where=below > 0)


def winning_mechanism(mechanisms: SeveralMechanisms, known: Expectations) -> Texts:
    """(N,) name of the mechanism with the largest radius, the first on a tie; "" where all are 0.

    The region of superiority H_i of paper Corollary (cor:ensemble) is where this is i.
    """
    radii = _radii_by_mechanism(mechanisms, known)
    values = np.stack(list(radii.values()))
    return np.where((values > 0).any(axis=0), np.array(list(radii))[values.argmax(axis=0)], "")


def winning_shares(mechanisms: SeveralMechanisms, known: Expectations) -> dict[str, float]:
    """Share of the points that each mechanism wins; on `make_grid`, its share of the area.

    The shares add up to 1 unless somewhere no mechanism certifies.
    """
    best = winning_mechanism(mechanisms, known)
    return {
        name: float(np.mean(best == name)) for name in choose_mechanisms(mechanisms, known.kind)
    }


def largest_side_radius(side: Side, known: Expectations) -> Floats:
    """(N,) radius at sigma = 1 of one mechanism, or the largest of several."""
    return np.asarray(
        np.max(list(_radii_by_mechanism(gather_mechanisms(side), known).values()), axis=0)
    )


def gather_mechanisms(side: Side) -> SeveralMechanisms:
    """Return one mechanism as a collection of one; a function goes by its own name."""
    if isinstance(side, str):
        return (side,)
    if isinstance(side, Sequence | Mapping):
        return side
    return {mechanism_name(side): side}


def mechanism_name(mechanism: MechanismLike) -> str:
    """Return the name that a function gives itself."""
    return str(getattr(mechanism, "__name__", "mechanism"))


def _radii_by_mechanism(mechanisms: SeveralMechanisms, known: Expectations) -> dict[str, Floats]:
    """Return each mechanism's (N,) radii at sigma = 1; refuse one without a proof for the kind."""
    table = choose_mechanisms(mechanisms, known.kind)
    require(bool(table), "mechanisms must name at least one mechanism, got none")
    return {name: certified_radii(name, row, known, scale=1.0) for name, row in table.items()}
