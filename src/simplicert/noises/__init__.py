"""The table of noises: what each is called, what its scale is, and the norms it certifies.

A smoothed classifier is certified against the changes of its input that its noise can hide. Which
norm measures them, and how far they may go, follows from the noise: docs/threats.md has the proofs.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from simplicert.errors import InvalidInput, choose, require
from simplicert.types.arrays import check_positive


@dataclass(frozen=True)
class Noise:
    """A kind of noise, and what has to be known of it before a radius can be computed.

    >>> NOISES["laplace"].norms, NOISES["laplace"].scale
    (('l1',), 'scale')
    """

    meaning: str  # what it does to an input, in one line
    norms: tuple[str, ...]  # that measure the changes it certifies; the first is the default
    scale: str | None  # what its scale is called; None: radii are whole numbers, not multiples
    parameters: Mapping[str, tuple[str, ...]]  # norm -> the other numbers that its radius needs
    source: str

    @property
    def whole(self) -> bool:
        """Whether radii are whole numbers: of features, of tokens, of edits."""
        return self.scale is None


_NONE: tuple[str, ...] = ()

NOISES: dict[str, Noise] = {
    "gaussian": Noise(
        "adds independent normal noise of deviation sigma to every feature",
        ("l2", "l1", "linf"),
        "sigma",
        {"l2": _NONE, "l1": _NONE, "linf": ("size",)},
        "Cohen et al. 2019",
    ),
    "laplace": Noise(
        "adds independent noise of density exp(-|x| / scale) / (2 scale) to every feature",
        ("l1",),
        "scale",
        {"l1": _NONE},
        "Lecuyer et al. 2019, Teng et al. 2020",
    ),
    "uniform": Noise(
        "adds independent noise, uniform on [-scale, scale], to every feature",
        ("l1", "linf"),
        "scale",
        {"l1": _NONE, "linf": ("size",)},
        "Lee et al. 2019, Yang et al. 2020",
    ),
    "exponential-linf": Noise(
        "adds noise of density proportional to exp(-(largest feature) / scale)",
        ("linf",),
        "scale",
        {"linf": _NONE},
        "Yang et al. 2020",
    ),
    "ablation": Noise(
        "keeps `keep` features out of `size`, chosen at random, and marks the others as absent",
        ("l0",),
        None,
        {"l0": ("size", "keep")},
        "Levine and Feizi 2020",
    ),
    "deletion": Noise(
        "drops every token with probability `rate`, independently",
        ("edits", "insertions", "deletions"),
        None,
        {"edits": ("rate",), "insertions": ("rate",), "deletions": ("rate",)},
        "Huang et al. 2023",
    ),
}


def choose_norm(noise: str, norm: str | None) -> str:
    """Return a norm that the noise certifies: the one asked for, or its usual one."""
    row = choose("noise", noise, NOISES)
    if norm is None:
        return row.norms[0]
    require(
        norm in row.norms,
        f"norm must be one that {noise} noise certifies ({', '.join(row.norms)}), got {norm!r}",
    )
    return norm


def choose_scale(
    noise: str, sigma: float | None, scale: float | None, sensitivity: float = 1.0
) -> float:
    """Return the noise's scale, 1 where none is given; refuse one that this noise does not have."""
    row = NOISES[noise]
    for given, value in (("sigma", sigma), ("scale", scale)):
        meaning = f"scale is called {row.scale}" if row.scale else "radii are whole numbers"
        require(
            value is None or given == row.scale,
            f"{given} is not a number of {noise} noise, whose {meaning}, got {value!r}",
        )
    require(
        not row.whole or sensitivity == 1,
        f"sensitivity must be 1 for {noise} noise, whose radii are whole numbers, "
        f"got {sensitivity!r}",
    )
    known = sigma if row.scale == "sigma" else scale
    return 1.0 if known is None else check_positive(row.scale or "scale", known)


def check_parameters(noise: str, norm: str, given: Mapping[str, float | None]) -> dict[str, float]:
    """Return the numbers that this radius needs; refuse a missing, wrong or useless one."""
    needed = NOISES[noise].parameters[norm]
    for name, value in given.items():
        if name in needed and value is None:
            raise InvalidInput(f"{name} must be given for {noise} noise and norm {norm}, got None")
        require(
            name in needed or value is None,
            f"{name} has no meaning for {noise} noise and norm {norm}, got {value!r}",
        )
    found = {name: _check_parameter(name, given[name]) for name in needed}
    if "keep" in found:
        require(
            found["keep"] <= found["size"],
            f"keep must be at most size = {found['size']}, got {found['keep']}",
        )
    return found


def _check_parameter(name: str, value: float | None) -> float:
    """Return a size or a number of features as a whole number, a rate inside (0, 1)."""
    assert value is not None
    if name == "rate":
        good = isinstance(value, (int, float)) and 0 < value < 1
        require(good, f"rate must lie between 0 and 1, got {value!r}")
        return float(value)
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    require(whole and value >= 1, f"{name} must be a whole number above 0, got {value!r}")
    return int(value)
