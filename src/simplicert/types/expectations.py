"""Expectations: a lower bound for the top class and an upper bound for every other class."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from simplicert.errors import check_positive, choose, require
from simplicert.noises import (
    GAUSSIAN,
    NoiseModel,
    as_noise_model,
    check_scale,
    default_norm,
    require_norm,
    say_noise,
)
from simplicert.noises.certainty import CERTAINTY, is_certain
from simplicert.types.arrays import (
    FILLED_LATER,
    Bools,
    Floats,
    Ints,
    ReadOnlyArrays,
    Texts,
    float_array,
    freeze_array,
    integer_array,
    read_only,
    refuse_negative,
)
from simplicert.types.scores import ScoreBands
from simplicert.types.smoothing import Reading, check_lipschitz

Kind = Literal["multinomial", "softmax"]

# The field says hard and soft for the same two things.
KINDS: dict[str, Kind] = {
    "multinomial": "multinomial",
    "softmax": "softmax",
    "hard": "multinomial",
    "soft": "softmax",
}


@dataclass(frozen=True, eq=False, repr=False)
class Expectations(ReadOnlyArrays):
    """Bounds on the class probabilities: E_0 <= p_top, and p_j <= E_1 for every other class j.

    For one input they are given and wrong with probability at most `level`. Where no certificate
    may be issued, e0 and e1 are NaN: with the class chosen from the same draws they are no bounds
    there, and `reason` says why. A grid over the simplex is the same type with sigma 1, alpha 0.
    With `margin`, the two-sided radius at sigma 1 was bounded itself: the margin decides what is
    issued, and is NaN elsewhere; e0 may then be at or below e1. Without a pair beside it
    (`has_pair` False) e0 and e1 are NaN everywhere. Where every draw there is was made (`certain`),
    e0 and e1 are exact, alpha and level are 0, and a margin of 0 still promises the class.

    >>> known = Expectations(top=[2, 0], e0=[0.7, np.nan], e1=[0.2, np.nan], sigma=0.5)
    >>> known
    Expectations(2 inputs, 1 abstained, multinomial, scheme exact, sigma 0.5, alpha 0)
    >>> known.abstained
    array([False,  True])
    """

    top: Ints  # (N,)
    e0: Floats  # (N,)
    e1: Floats  # (N,)
    sigma: float = 1.0
    alpha: float = 0.0
    kind: Kind = "multinomial"
    scheme: str = "exact"
    method: str = "exact"
    level: float = 0.0  # proved probability that an issued certificate is wrong
    labels: Ints | None = None  # (N,)
    index: Ints = FILLED_LATER  # (N,) each input's number in its data set; 0..N-1 by default
    draws: Ints | None = None  # (N,)
    reason: Texts | None = None  # (N,)
    looks: Ints | None = None  # (N,) looks taken, where the plan had several
    spent: Floats | None = None  # (N,) alpha that these looks have spent
    stopped: Texts | None = None  # (N,) why no more was drawn
    norm: str = FILLED_LATER  # of the radii that are computed from these; the noise's usual one
    bands: ScoreBands | None = None  # of the scores, for `cdf`; bounds where e0 and e1 are bounds
    margin: Floats | None = None  # (N,)
    count_top: Ints | None = None  # (N,) draws of the class `top`; of kind softmax, votes for it
    count_second: Ints | None = None  # (N,) those of its strongest rival: a class, or no class
    grid: float | None = None  # step to which every draw was rounded before it was classified
    reading: Reading | None = None  # how the outputs were read, where the tally knows
    has_pair: bool = True  # whether e0 and e1 are bounded too
    noise: NoiseModel = GAUSSIAN  # a name is enough where it has no numbers of its own
    lipschitz: float | None = None  # a proved constant of every softmax score, l2, if one is known

    if TYPE_CHECKING:  # it takes lists and arrays of any numbers; the fields say what they become

        def __init__(  # noqa: D107, PLR0913, PLR0917
            self,
            top: ArrayLike,
            e0: ArrayLike,
            e1: ArrayLike,
            sigma: float = 1.0,
            alpha: float = 0.0,
            kind: str = "multinomial",
            scheme: str = "exact",
            method: str = "exact",
            level: float = 0.0,
            labels: ArrayLike | None = None,
            index: ArrayLike | None = None,
            draws: ArrayLike | None = None,
            reason: ArrayLike | None = None,
            looks: ArrayLike | None = None,
            spent: ArrayLike | None = None,
            stopped: ArrayLike | None = None,
            norm: str | None = None,
            bands: ScoreBands | None = None,
            margin: ArrayLike | None = None,
            count_top: ArrayLike | None = None,
            count_second: ArrayLike | None = None,
            grid: float | None = None,
            reading: Reading | None = None,
            has_pair: bool = True,
            noise: NoiseModel | str = GAUSSIAN,
            lipschitz: float | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        """Check every field; e0 and e1 are both numbers in [0, 1] or both NaN."""
        set_field = object.__setattr__
        top = integer_array("top", self.top, (None,))
        refuse_negative("top", top)
        set_field(self, "top", top)
        set_field(self, "noise", as_noise_model(self.noise))
        set_field(self, "sigma", check_scale(self.noise, self.sigma))
        if self.norm is None:
            set_field(self, "norm", default_norm(self.noise))
        require_norm(self.noise, self.norm)
        set_field(self, "kind", choose("kind", self.kind, KINDS))
        for name in ("e0", "e1"):
            values = float_array(name, getattr(self, name), top.shape)
            outside = (values < 0) | (values > 1)
            require(
                not outside.any(),
                f"{name} must lie in [0, 1], got {values[outside][:1]}",
            )
            set_field(self, name, values)
        require(
            bool((np.isnan(self.e0) == np.isnan(self.e1)).all()),
            "e0 and e1 must be NaN together, where the input is abstained",
        )
        if self.margin is not None:
            margin = float_array("margin", self.margin, top.shape)
            enough = margin >= 0 if self.certain else margin > 0
            wrong = ~(np.isnan(margin) | (np.isfinite(margin) & enough))
            require(not wrong.any(), f"margin must be positive or NaN, got {margin[wrong][:1]}")
            set_field(self, "margin", margin)
        hidden = self.abstained if self.has_pair else np.ones(top.shape, bool)
        require(
            self.has_pair or self.margin is not None,
            "has_pair must be True where there is no margin",
        )
        require(
            bool((np.isnan(self.e0) == hidden).all()),
            "e0 must be NaN exactly where the margin is, or everywhere if has_pair is False",
        )
        require(0 <= self.alpha < 1, f"alpha must lie in [0, 1), got {self.alpha}")
        if self.index is None:
            set_field(self, "index", np.arange(len(top)))
        for name in ("labels", "index", "draws", "looks", "count_top", "count_second"):
            if getattr(self, name) is not None:
                set_field(self, name, integer_array(name, getattr(self, name), top.shape))
        if self.grid is not None:
            set_field(self, "grid", check_positive("grid", self.grid))
        set_field(self, "lipschitz", check_lipschitz(self, self.lipschitz))
        require(
            (self.count_top is None) == (self.count_second is None),
            "count_top and count_second must be given together",
        )
        require(
            self.bands is None or len(self.bands) == len(top),
            f"bands must have one row for each of {len(top)} inputs",
        )
        if self.spent is not None:
            set_field(self, "spent", float_array("spent", self.spent, top.shape))
        for name in ("reason", "stopped"):
            if getattr(self, name) is not None:
                words = np.array(getattr(self, name), str)
                set_field(self, name, freeze_array(name, words, top.shape))

    @cached_property
    def abstained(self) -> Bools:
        """(N,) where nothing is known: no certificate may be issued."""
        return read_only(np.isnan(self.e0 if self.margin is None else self.margin))

    @property
    def certain(self) -> bool:
        """Whether no draw was random, so that what is known holds with certainty."""
        return is_certain(self.noise)

    @property
    def surety(self) -> str:
        """How surely this is known, in words: alpha, or certainty."""
        if self.certain and self.alpha == 0:
            return CERTAINTY
        level = "" if self.level == self.alpha else f", proved level {self.level:.15g}"
        return f"alpha {self.alpha:.15g}{level}"

    @property
    def refused(self) -> Bools:
        """The name of `abstained` in version 0.1."""
        return self.abstained

    def __len__(self) -> int:
        """Return N, the number of inputs."""
        return len(self.top)

    def __repr__(self) -> str:
        """Show size, settings, and the proved level where it is not alpha, in one line."""
        return (
            f"Expectations({len(self)} inputs, {int(self.abstained.sum())} abstained, {self.kind}, "
            f"scheme {self.scheme}, {say_noise(self.noise, self.sigma)}, "
            f"{self.surety})"
        )
