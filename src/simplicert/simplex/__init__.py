"""Compare mechanisms over the simplex of expectations, without a dataset, a model or draws.

A radius is linear in the noise's scale, so all radii here are at scale 1 (sigma = 1 of Gaussian
noise), whatever sigma the points carry; radii that are whole numbers have no scale. A threat is a
noise and a norm: all functions compare mechanisms of one of them, by default of Gaussian noise and
l2, the paper's own. Radii in different norms are never compared.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from simplicert.certification import certified_radii
from simplicert.errors import require
from simplicert.mechanisms import Mechanism
from simplicert.mechanisms.choice import MechanismLike, choose_mechanisms
from simplicert.mechanisms.threats import Threat, find_threat
from simplicert.types import Expectations, Floats, Kind
from simplicert.types.arrays import Texts

# Names, or {"mine": function}.
SeveralMechanisms = Sequence[str] | Mapping[str, str | MechanismLike]

Side = str | MechanismLike | SeveralMechanisms  # of several mechanisms the largest radius counts

GAUSSIAN = find_threat()  # and l2: the paper's own threat

# Mechanisms round toward zero, by up to 1e-12 of the radius and 1e-13: a smaller lead is a tie.
RELATIVE, ABSOLUTE = 3e-12, 1e-12

TIE = " = "  # between the names of mechanisms that are the largest together


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


def radius_difference(
    left: Side, right: Side, known: Expectations, threat: Threat = GAUSSIAN
) -> Floats:
    """(N,) radius of `left` minus that of `right`; paper fig. (Cohen_vs_Li)."""
    return largest_side_radius(left, known, threat) - largest_side_radius(right, known, threat)


def radius_ratio(left: Side, right: Side, known: Expectations, threat: Threat = GAUSSIAN) -> Floats:
    """(N,) radius of `left` over that of `right`; paper fig. (Theoretical_comparison_results).

    It is never NaN: infinite where only `left` certifies, and 1 where neither does, as they are
    equal there.
    """
    above, below = (largest_side_radius(side, known, threat) for side in (left, right))
    only = np.where(above > 0, np.inf, 1.0)
    return np.divide(above, below, out=only, where=below > 0)


def winning_mechanism(
    mechanisms: SeveralMechanisms, known: Expectations, threat: Threat = GAUSSIAN
) -> Texts:
    """(N,) name of the mechanism with the largest radius, the first on a tie; "" where all are 0.

    The region of superiority H_i of paper Corollary (cor:ensemble) is where this is i.
    """
    radii = _radii_by_mechanism(mechanisms, known, threat)
    values = np.stack(list(radii.values()))
    return np.where((values > 0).any(axis=0), np.array(list(radii))[values.argmax(axis=0)], "")


def leading_mechanisms(
    mechanisms: SeveralMechanisms, known: Expectations, threat: Threat = GAUSSIAN
) -> Texts:
    """(N,) the names of all that have the largest radius, as "a = b"; "" where all are 0.

    Whole numbers are often equal, and so are two formulas of which one contains the other.
    """
    radii = _radii_by_mechanism(mechanisms, known, threat)
    values, names = np.stack(list(radii.values())), list(radii)
    best = values.max(axis=0)
    ahead = values >= best - (RELATIVE * best + ABSOLUTE)
    sets, which = np.unique(ahead, axis=1, return_inverse=True)
    joined = [
        TIE.join(name for name, tied in zip(names, one, strict=True) if tied) for one in sets.T
    ]
    return np.where(best > 0, np.array(joined)[which.ravel()], "")


def winning_shares(
    mechanisms: SeveralMechanisms, known: Expectations, threat: Threat = GAUSSIAN
) -> dict[str, float]:
    """Share of the points that each mechanism wins; on `make_grid`, its share of the area.

    A tie is a row of its own, after the mechanisms. The shares add up to 1 unless somewhere no
    mechanism certifies.
    """
    best = leading_mechanisms(mechanisms, known, threat)
    names = list(choose_compared(mechanisms, known.kind, threat))
    return {name: float(np.mean(best == name)) for name in [*names, *_find_ties(best)]}


def _find_ties(best: Texts) -> list[str]:
    """Return the ties among the leaders, the widest first."""
    names, counts = np.unique(best, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return [str(name) for name in names[order] if TIE in name]


def largest_side_radius(side: Side, known: Expectations, threat: Threat = GAUSSIAN) -> Floats:
    """(N,) radius at scale 1 of one mechanism, or the largest of several."""
    radii = _radii_by_mechanism(gather_mechanisms(side), known, threat)
    return np.asarray(np.max(list(radii.values()), axis=0))


def usual_mechanisms(threat: Threat, kind: Kind) -> tuple[str, ...]:
    """Return the mechanisms that a winner map shows: the ensemble's, or all where it has but one.

    None where the threat has no proof for the kind.

    >>> usual_mechanisms(find_threat("uniform"), "multinomial")
    ('one_sided', 'two_sided')
    """
    members = threat.ensembles.get(kind, ())
    if len(members) > 1:
        return members
    return tuple(
        name for name, row in threat.mechanisms.items() if row.needs == "pair" and kind in row.kinds
    )


def choose_compared(
    mechanisms: SeveralMechanisms | None, kind: Kind, threat: Threat = GAUSSIAN
) -> dict[str, Mechanism]:
    """Return the mechanisms named, all of them proved for this kind, this noise and this norm."""
    table = choose_mechanisms(mechanisms, kind, threat)
    for name, row in table.items():
        require(
            (row.noise, row.norm) == (threat.noise, threat.norm),
            f"mechanism {name!r} must be proved for {threat.noise} noise and norm {threat.norm}, "
            f"got one for {row.noise} noise and norm {row.norm}",
        )
    return table


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


def _radii_by_mechanism(
    mechanisms: SeveralMechanisms, known: Expectations, threat: Threat
) -> dict[str, Floats]:
    """Return each mechanism's (N,) radii at scale 1; refuse one without a proof for the kind."""
    table = choose_compared(mechanisms, known.kind, threat)
    require(bool(table), "mechanisms must name at least one mechanism, got none")
    scale = None if threat.whole else 1.0
    return {name: certified_radii(name, row, known, scale) for name, row in table.items()}
