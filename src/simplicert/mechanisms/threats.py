"""The mechanisms of every threat: which formulas are proved for a noise and a norm.

`MECHANISMS` of this room is one of these tables, that of Gaussian noise and l2. Radii in different
norms are different things: a table belongs to one noise and one norm, and nothing takes a maximum
over two of them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from simplicert.errors import require
from simplicert.mechanisms import (
    MECHANISMS,
    PAPER_ENSEMBLE,
    Mechanism,
    ablation,
    deletion,
    laplace,
    splitting,
    uniform,
)
from simplicert.mechanisms.laplace import improved_dp, li
from simplicert.mechanisms.shifts import Shifted, find_shifts
from simplicert.noises import NOISES, NoiseModel, check_parameters, choose_norm
from simplicert.types import Expectations, Floats, Kind

Radius = Callable[[Floats, Floats], Floats]

_HARD = frozenset[Kind]({"multinomial"})

_BOTH = frozenset[Kind]({"multinomial", "softmax"})


@dataclass(frozen=True)
class Threat:
    """The formulas that are true for one noise and one norm, with the noise's own numbers put in.

    >>> threat = find_threat("laplace")
    >>> threat.norm, list(threat.mechanisms)
    ('l1', ['one_sided', 'lecuyer', 'li', 'teng', 'improved_dp', 'two_sided'])
    >>> float(threat.least(0.4, 1.0).round(4)), float(threat.largest(0.1, 1.0).round(4))
    (0.1472, 0.2718)
    """

    noise: str
    norm: str
    mechanisms: Mapping[str, Mechanism]
    ensembles: Mapping[Kind, tuple[str, ...]]  # members of the ensemble, by kind
    numbers: Mapping[str, float] = field(default_factory=dict)  # size, keep, rate, where it has any
    # At a distance at scale 1: what a class of at least p has left, what one of at most p may have.
    least: Shifted | None = None
    largest: Shifted | None = None

    @property
    def of_paper(self) -> bool:
        """Whether this is the paper's own threat: Gaussian noise and l2."""
        return self.mechanisms is MECHANISMS

    @property
    def whole(self) -> bool:
        """Whether radii are whole numbers, which no scale multiplies."""
        return NOISES[self.noise].whole

    @property
    def limit(self) -> Radius | None:
        """The largest radius that is true from (e0, e1); None where none is proved."""
        tight = self.mechanisms["two_sided"]
        return tight.radius if self.of_paper else tight.limit


def find_threat(
    noise: str = "gaussian",
    norm: str | None = None,
    *,
    size: int | None = None,
    keep: int | None = None,
    rate: float | None = None,
) -> Threat:
    """Return the mechanisms for a noise and a norm; `norm` is the noise's usual one if not given.

    `size` is the number of features, `keep` how many of them ablation leaves, `rate` the
    probability with which deletion drops a token.

    >>> list(find_threat("ablation", size=784, keep=45).mechanisms)
    ['one_sided', 'two_sided']
    """
    norm = choose_norm(noise, norm)
    given = check_parameters(noise, norm, {"size": size, "keep": keep, "rate": rate})
    mechanisms, ensembles = _THREATS[noise, norm](**given)
    if mechanisms is not MECHANISMS:
        mechanisms = {
            name: replace(row, noise=noise, norm=norm) for name, row in mechanisms.items()
        }
    shifts = find_shifts(noise, norm, given)
    return Threat(noise, norm, mechanisms, ensembles, given, *(shifts or (None, None)))


def list_threats() -> list[tuple[str, str]]:
    """Return every pair of a noise and a norm that has mechanisms.

    >>> ("laplace", "l1") in list_threats()
    True
    """
    return list(_THREATS)


def threat_of(model: NoiseModel, norm: str, size: int | None = None) -> Threat:
    """Return the mechanisms for a noise with its numbers and a norm, scaled or not.

    `size` stands in for the number of features where the noise does not know it.
    """
    plain = choose_norm(model.name, norm.removeprefix("scaled "))
    needed = NOISES[model.name].parameters[plain]
    numbers = {name: getattr(model, name) for name in needed}
    if "size" in needed:
        require(
            size is None or numbers["size"] in (None, size),
            f"size must be the noise's {numbers['size']}, got {size!r}",
        )
        numbers["size"] = size if numbers["size"] is None else numbers["size"]
    else:
        require(size is None, f"size has no meaning for norm {norm}, got {size!r}")
    return find_threat(model.name, plain, **numbers)


def ensemble_members(known: Expectations) -> tuple[str, ...]:
    """Return the members of the ensemble of what is known: the paper's, or its own threat's.

    >>> ensemble_members(Expectations([0], [0.9], [0.05], sigma=0.5, noise="laplace"))
    ('one_sided', 'li', 'teng', 'improved_dp')
    """
    return threat_of(known.noise, known.norm).ensembles[known.kind]


_Rows = tuple[dict[str, Mechanism], dict[Kind, tuple[str, ...]]]


def _paper_rows() -> _Rows:
    return MECHANISMS, PAPER_ENSEMBLE


def _gaussian_rows(factor: float = 1.0) -> _Rows:
    """All of the paper's. In l1 they are the same numbers: no vector is longer in l2 than in l1."""
    limit = partial(_shrink, MECHANISMS["two_sided"].radius, factor)
    return {
        name: replace(row, radius=partial(_shrink, row.radius, factor), limit=limit)
        if row.needs == "pair"
        else row
        for name, row in MECHANISMS.items()
    }, PAPER_ENSEMBLE


def _gaussian_linf_rows(size: int) -> _Rows:
    """The same radii divided by sqrt(d): a box of half-width L lies in a ball of sqrt(d) L."""
    mechanisms, ensembles = _gaussian_rows(np.sqrt(size) * (1 + 2 * np.finfo(float).eps))
    pairs = {name: row for name, row in mechanisms.items() if row.needs == "pair"}
    return pairs, ensembles


def _parameter_rows() -> _Rows:
    """The paper's, about the parameter of a transformation, which got the Gaussian noise."""
    mechanisms, ensembles = _gaussian_rows()
    return {name: row for name, row in mechanisms.items() if row.needs == "pair"}, ensembles


def margin_divisor(row: Mechanism) -> float | None:
    """Return what a bound on the two-sided radius in l2 is divided by to be this row's radius.

    None where the row is not the two-sided radius of Gaussian noise.
    """
    tight = MECHANISMS["two_sided"].radius
    if row.radius is tight:
        return 1.0
    shrunk = isinstance(row.radius, partial) and row.radius.func is _shrink
    return row.radius.args[1] if shrunk and row.radius.args[0] is tight else None  # type: ignore[attr-defined]


def _shrink(radius: Radius, factor: float, e0: Floats, e1: Floats) -> Floats:
    """Divide a radius, rounded toward zero; by 1 it stays as it is."""
    found = radius(e0, e1)
    return found if factor == 1 else np.nextafter(found / factor, 0.0)


def _laplace_rows() -> _Rows:
    limit = laplace.two_sided
    return {
        "one_sided": Mechanism(
            laplace.one_sided, _HARD, "Teng et al. 2020", limit=limit, label="one-sided"
        ),
        "lecuyer": Mechanism(
            laplace.pure_dp, _BOTH, "Lecuyer et al. 2019", limit=limit, label="pure DP"
        ),
        "li": Mechanism(li.radius, _HARD, "Li et al. 2018", limit=limit, label="Li"),
        "teng": Mechanism(laplace.teng, _HARD, "Teng et al. 2020", limit=limit, label="Teng"),
        "improved_dp": Mechanism(
            improved_dp.radius, _BOTH, "Cullen et al. 2024", limit=limit, label="improved DP"
        ),
        "two_sided": Mechanism(limit, _BOTH, "docs/threats.md", limit=limit, label="two-sided"),
    }, {
        "multinomial": ("one_sided", "li", "teng", "improved_dp"),
        "softmax": ("lecuyer", "improved_dp"),
    }


def _exponential_rows() -> _Rows:
    """Pure privacy's: the derivative of every probability is at most min(p, 1 - p)."""
    return {
        "one_sided": Mechanism(laplace.one_sided, _HARD, "Yang et al. 2020", label="one-sided"),
        "lecuyer": Mechanism(laplace.pure_dp, _BOTH, "Lecuyer et al. 2019", label="pure DP"),
        "two_sided": Mechanism(laplace.two_sided, _BOTH, "docs/threats.md", label="two-sided"),
    }, {"multinomial": ("one_sided", "lecuyer"), "softmax": ("lecuyer",)}


def _pair_of_rows(one_sided: Radius, two_sided: Radius, source: str) -> _Rows:
    """A bound on the change of every probability, with and without a bound on the rival."""
    return {
        "one_sided": Mechanism(one_sided, _HARD, source, limit=two_sided, label="one-sided"),
        "two_sided": Mechanism(two_sided, _BOTH, source, limit=two_sided, label="two-sided"),
    }, {"multinomial": ("one_sided",), "softmax": ("two_sided",)}


def _uniform_rows() -> _Rows:
    return _pair_of_rows(uniform.one_sided_l1, uniform.two_sided_l1, "Lee et al. 2019")


def _uniform_linf_rows(size: int) -> _Rows:
    one, two = (partial(f, size=size) for f in (uniform.one_sided_linf, uniform.two_sided_linf))
    return _pair_of_rows(one, two, "Yang et al. 2020")


def _splitting_rows() -> _Rows:
    one, two, source = splitting.one_sided, splitting.two_sided, "Levine and Feizi 2021"
    return {
        "one_sided": Mechanism(one, _HARD, source, limit=two, label="one-sided"),
        "two_sided": Mechanism(two, _HARD, source, limit=two, label="two-sided"),
    }, {"multinomial": ("two_sided",)}


def _ablation_rows(size: int, keep: int) -> _Rows:
    one, two = (partial(f, size=size, keep=keep) for f in (ablation.one_sided, ablation.two_sided))
    return _pair_of_rows(one, two, "Levine and Feizi 2020")


def _deletion_rows(radius: Callable[..., Floats], rate: float) -> _Rows:
    one, two = partial(deletion.one_sided, radius, rate=rate), partial(radius, rate=rate)
    return _pair_of_rows(one, two, "Huang et al. 2023")


_THREATS: dict[tuple[str, str], Callable[..., _Rows]] = {
    ("gaussian", "l2"): _paper_rows,
    ("gaussian", "l1"): _gaussian_rows,
    ("gaussian", "linf"): _gaussian_linf_rows,
    ("laplace", "l1"): _laplace_rows,
    ("uniform", "l1"): _uniform_rows,
    ("uniform", "linf"): _uniform_linf_rows,
    ("exponential-linf", "linf"): _exponential_rows,
    ("splitting", "l1"): _splitting_rows,
    ("ablation", "l0"): _ablation_rows,
    ("deletion", "edits"): partial(_deletion_rows, deletion.edits),
    ("deletion", "insertions"): partial(_deletion_rows, deletion.insertions),
    ("deletion", "deletions"): partial(_deletion_rows, deletion.deletions),
    ("brightness", "brightness"): _parameter_rows,
    ("contrast", "log contrast"): _parameter_rows,
    ("shift", "shift"): _parameter_rows,
}
