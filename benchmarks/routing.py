"""Compose certificates: a smoothed router chooses one of several smoothed classifiers.

Let the router's certificate say that within R_r of x the route is b, and the certificate of branch
b that within R_b of x its class is c. Then within min(R_r, R_b) the routed classifier says c.

It is wrong with probability at most the router's level plus the branch's. The route b* that the
router takes with endless draws is not random. A composed certificate that is issued and wrong needs
a router's certificate that is wrong, or one that is right, which names b*, and a wrong certificate
of branch b*. No branch but b* counts, and the draws may depend on each other (docs/router.md).

This stands beside the benchmark that it serves, and not in the package, because no router that was
tried certified more than the best single sigma.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from simplicert.errors import require
from simplicert.types import Bools, Certificates, Floats, Ints
from simplicert.types.arrays import Texts, integer_array, read_only

NO_ROUTE = -1  # the router abstained


@dataclass(frozen=True, eq=False, repr=False)
class RoutedCertificates:
    """One entry per input, made by `compose_certificates`; radii are 0 where abstained.

    Every radius is the smaller of the router's and the chosen branch's by that mechanism.

    >>> import simplicert as sc
    >>> router = sc.certify(sc.bound(sc.Tally([[900, 100], [60, 940]], sigma=1.0)))
    >>> near = sc.certify(sc.bound(sc.Tally([[990, 10], [980, 20]], sigma=0.25)))
    >>> far = sc.certify(sc.bound(sc.Tally([[10, 990], [20, 980]], sigma=1.0)))
    >>> composed = compose_certificates(router, [near, far])
    >>> composed.predicted, composed.route, composed.sigma
    (array([0, 1]), array([0, 1]), array([0.25, 1.  ]))
    >>> composed.radius.round(3), composed.router.radius.round(3)
    (array([0.494, 1.359]), array([1.113, 1.359]))
    """

    router: Certificates
    route: Ints  # (N,) the branch of each input; -1 where the router abstained
    top: Ints  # (N,) the branch's most frequent class; -1 where there is no branch
    radii: Mapping[str, Floats]  # mechanism -> (N,)
    ensemble: Floats  # (N,) the paper's
    winner: Texts  # (N,)
    sigma: Floats  # (N,) of the branch; NaN where there is none
    draws: Ints | None  # (N,) of the router and the branch together
    alpha: float  # of the router and a branch together
    level: float  # proved probability that an issued certificate is wrong
    labels: Ints | None = None  # (N,)

    @cached_property
    def radius(self) -> Floats:
        """(N,) the largest radius that is proved: all of them hold on the same event."""
        return read_only(np.max([*self.radii.values(), np.nan_to_num(self.ensemble)], axis=0))

    @cached_property
    def abstained(self) -> Bools:
        """(N,) where the router or the branch abstained: nothing is promised."""
        return read_only(~(self.radius > 0))

    @cached_property
    def predicted(self) -> Ints:
        """(N,) the certified class; -1 where abstained."""
        return read_only(np.where(self.abstained, -1, self.top))

    @cached_property
    def correct(self) -> Bools:
        """(N,) where the certified class is the label; an error without labels."""
        require(self.labels is not None, "labels are needed to say what is correct")
        return read_only(~self.abstained & (self.top == self.labels))


def compose_certificates(
    router: Certificates,
    branches: Sequence[Certificates | None],
    labels: ArrayLike | None = None,
) -> RoutedCertificates:
    """Compose the router's certificates, whose classes are branches, with those of the branches.

    Branch b must hold every input that the router certifies for b, by its index, and may hold
    others; it may be None where there is no such input. Where router or branch abstain, the
    composed classifier abstains. Every mechanism's radius, and the ensemble, is cut to the largest
    radius that the router's certificates prove: within it the route stays the same. `labels` are
    the classes of the inputs in the router's order.

    >>> import simplicert as sc
    >>> router = sc.certify(sc.bound(sc.Tally([[900, 100]], sigma=1.0)))
    >>> branch = sc.certify(sc.bound(sc.Tally([[990, 10]], sigma=0.25)))
    >>> compose_certificates(router, [branch, None], labels=[0]).correct
    array([ True])
    """
    made = [each for each in branches if each is not None]
    require(len(branches) > 1, f"branches must be at least two, got {len(branches)}")
    require(bool(made), "branches must hold certificates of at least one branch, got none")
    route = router.predicted
    rows, most = len(route), int(route.max(initial=NO_ROUTE))
    require(
        most < len(branches),
        f"router must choose among branches 0 to {len(branches) - 1}, got {most}",
    )
    for branch in made:
        _refuse_other_units(router, branch)
    parts = [
        _find_inputs(router, branch, number, np.flatnonzero(route == number))
        for number, branch in enumerate(branches)
        if (route == number).any()
    ]
    names = _common_mechanisms(made)
    radii = {name: np.zeros(rows) for name in names}
    ensemble, winner, sigma = np.zeros(rows), np.full(rows, "", object), np.full(rows, np.nan)
    top = np.full(rows, -1)
    draws = None if router.known.draws is None else router.known.draws.copy()
    for here, place, branch in parts:
        limit = router.radius[here]
        for name in names:
            radii[name][here] = np.minimum(branch.radii[name][place], limit)
        ensemble[here] = np.minimum(branch.ensemble[place], limit)  # NaN beside a margin
        winner[here] = branch.winner[place]
        top[here], sigma[here] = branch.known.top[place], branch.known.sigma
        if draws is not None and branch.known.draws is not None:
            draws[here] += branch.known.draws[place]
        else:
            draws = None
    return RoutedCertificates(
        router=router,
        route=route,
        top=read_only(top),
        radii=MappingProxyType({name: read_only(values) for name, values in radii.items()}),
        ensemble=read_only(ensemble),
        winner=read_only(winner.astype(str)),
        sigma=read_only(sigma),
        draws=None if draws is None else read_only(draws),
        alpha=router.known.alpha + max(each.known.alpha for each in made),
        level=min(router.known.level + max(each.known.level for each in made), 1.0),
        labels=None if labels is None else integer_array("labels", labels, (rows,)),
    )


def _refuse_other_units(router: Certificates, branch: Certificates) -> None:
    """Refuse radii that are measured otherwise than the router's: the smaller means nothing."""
    norm = router.known.norm
    require(norm == "l2", f"router must have radii in the norm l2, got {norm}: shares may differ")
    for name, mine, its in (
        ("norm", router.known.norm, branch.known.norm),
        ("grid", router.known.grid, branch.known.grid),
        ("sensitivity", router.sensitivity, branch.sensitivity),
    ):
        require(
            mine == its,
            f"branches must have the router's {name}, which is {mine}, got {its}",
        )


def _common_mechanisms(branches: Sequence[Certificates]) -> tuple[str, ...]:
    """Return the mechanisms that every branch was certified by."""
    names = tuple(n for n in branches[0].radii if all(n in each.radii for each in branches))
    told = "; ".join(", ".join(each.radii) for each in branches)
    require(bool(names), f"branches must share at least one mechanism, got {told}")
    return names


def _find_inputs(
    router: Certificates, branch: Certificates | None, number: int, here: Ints
) -> tuple[Ints, Ints, Certificates]:
    """Return the router's rows of a branch, and where the branch holds the same inputs."""
    wanted = router.known.index[here]
    require(
        branch is not None,
        f"branches must hold certificates where the router goes: branch {number} is None and "
        f"input {wanted[0]} goes there",
    )
    assert branch is not None
    held = {int(number): row for row, number in enumerate(branch.known.index)}
    missing = [int(one) for one in wanted if int(one) not in held]
    require(
        not missing,
        f"branches must hold every input that goes there: branch {number} lacks input "
        f"{missing[0] if missing else ''}",
    )
    return here, np.array([held[int(one)] for one in wanted]), branch
