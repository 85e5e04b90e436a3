"""Tally: class counts and softmax sums of noisy draws, and how they were drawn.

`Tally` checks every field once, when it is made, and adds up with other tallies (types.merging).
`select_inputs` makes a tally of some of its inputs.
"""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from simplicert.errors import check_positive, require
from simplicert.noises import (
    GAUSSIAN,
    NoiseModel,
    as_noise_model,
    check_scale,
    default_norm,
    say_noise,
)
from simplicert.types import merging, scores
from simplicert.types.arrays import (
    FILLED_LATER,
    Bools,
    Ints,
    ReadOnlyArrays,
    has_first_draws,
    integer_array,
    join_segments,
    read_only,
    refuse_negative,
    segment_lengths,
)
from simplicert.types.plan import Plan
from simplicert.types.smoothing import Reading, check_lipschitz

MOST_DRAWS = 2**53  # counts stay exact as float64

# Fields without a row per input.
NOT_PER_INPUT = (
    "sigma",
    "plan",
    "norm",
    "grid",
    "reading",
    "noise",
    "lipschitz",
    "segments",
)


@dataclass(frozen=True, eq=False, repr=False)
class Tally(ReadOnlyArrays):
    """N inputs, K classes. `counts` and `sigma` are enough; the rest adds evidence or history.

    `votes` are draws C_i ~ Categorical(softmax_i), made while sampling and never again: they
    select the softmax class. `pilot` holds counts of separate draws that are in no other field.
    `segments` says which draws these are: rows (input, seed, first, one past the last). A tally
    made by hand has none; adding it relies on its maker that no draw counts twice.

    >>> tally = Tally([[900, 80, 20]], sigma=0.5, labels=[0])
    >>> tally + Tally([[90, 8, 2]], sigma=0.5, labels=[0])
    Tally(1 inputs, 3 classes, sigma 0.5, 1100 draws each, with labels)
    >>> tally.draws
    array([1000])
    """

    counts: Ints  # (N, K)
    sigma: float = FILLED_LATER  # the noise's scale; only a noise without one has none
    labels: Ints | None = None  # (N,)
    index: Ints = FILLED_LATER  # (N,) each input's number in its data set; 0..N-1 by default
    invalid: Ints = FILLED_LATER  # (N,) draws without a class: NaN, infinite or tied logits
    softmax_sums: Ints | None = None  # (N, K) in units of 2^-40
    softmax_squares: Ints | None = None  # (N, K) in units of 2^-40
    softmax_classes: Ints | None = None  # (N, W) classes with exact sums, in order, then K; or all
    softmax_rest: Ints | None = None  # (N, 3) of the others: largest sum, largest square, total
    votes: Ints | None = None  # (N, K)
    votes_invalid: Ints | None = None  # (N,) votes for no class
    pilot: Ints | None = None  # (N, K)
    leaders: Ints | None = None  # (N, L) classes with a score histogram of their own
    histograms: Ints | None = None  # (N, L + 1, bins); the last is of the largest other score
    plan: Plan | None = None
    looks: Ints | None = None  # (N,) looks taken; derived from the plan where not given
    segments: Ints | None = None  # (M, 4)
    norm: str = FILLED_LATER  # of the radii; "scaled ..." where each feature had its own share
    grid: float | None = None  # step to which every noisy draw was rounded before it was classified
    reading: Reading | None = None  # how the outputs were read; None in a tally made by hand
    noise: NoiseModel = GAUSSIAN  # a name is enough where it has no numbers of its own
    lipschitz: float | None = None  # a proved constant of every softmax score, l2, if one is known

    if TYPE_CHECKING:  # it takes lists and arrays of any integers; the fields say what they become

        def __init__(  # noqa: D107, PLR0913, PLR0917
            self,
            counts: ArrayLike,
            sigma: float | None = None,
            labels: ArrayLike | None = None,
            index: ArrayLike | None = None,
            invalid: ArrayLike | None = None,
            softmax_sums: ArrayLike | None = None,
            softmax_squares: ArrayLike | None = None,
            softmax_classes: ArrayLike | None = None,
            softmax_rest: ArrayLike | None = None,
            votes: ArrayLike | None = None,
            votes_invalid: ArrayLike | None = None,
            pilot: ArrayLike | None = None,
            leaders: ArrayLike | None = None,
            histograms: ArrayLike | None = None,
            plan: Plan | None = None,
            looks: ArrayLike | None = None,
            segments: ArrayLike | None = None,
            norm: str | None = None,
            grid: float | None = None,
            reading: Reading | None = None,
            noise: NoiseModel | str = GAUSSIAN,
            lipschitz: float | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        """Check every field once, here, so that later code need not."""
        counts = integer_array("counts", self.counts, (None, None))
        rows, classes = counts.shape
        require(rows >= 1, "counts must have at least one row, got none")
        require(
            classes >= 2,  # noqa: PLR2004
            f"counts must have at least two classes (columns), got {classes}: "
            "a classifier with one class is constant and needs no certificate",
        )
        refuse_negative("counts", counts)
        set_field = object.__setattr__
        set_field(self, "counts", counts)
        set_field(self, "noise", as_noise_model(self.noise))
        set_field(self, "sigma", check_scale(self.noise, self.sigma))
        if self.norm is None:
            set_field(self, "norm", default_norm(self.noise))
        usual = [default_norm(self.noise, scaled) for scaled in (False, True)]
        require(self.norm in usual, f"norm must be one of {', '.join(usual)}, got {self.norm!r}")
        if self.grid is not None:
            set_field(self, "grid", check_positive("grid", self.grid))
        set_field(self, "lipschitz", check_lipschitz(self, self.lipschitz))
        per_input, per_class = (rows,), (rows, classes)
        if self.index is None:
            set_field(self, "index", np.arange(rows))
        if self.invalid is None:
            set_field(self, "invalid", np.zeros(rows, np.int64))
        if self.votes is not None and self.votes_invalid is None:
            set_field(self, "votes_invalid", np.zeros(rows, np.int64))
        for name in ("index", "labels", "invalid", "votes_invalid", "looks"):
            self._check(name, per_input)
        for name in ("softmax_sums", "softmax_squares", "votes", "pilot"):
            self._check(name, per_class)
        self._check("softmax_classes", (rows, None))
        self._check("softmax_rest", (rows, 3))
        self._check("segments", (None, 4))
        self._check("leaders", (rows, None))
        kinds = None if self.leaders is None else self.leaders.shape[1] + 1
        self._check("histograms", (rows, kinds, None))
        if self.histograms is not None:
            scores.require_layout("histograms", self.histograms.shape[2])
        self._check_meaning()

    def _check(self, name: str, shape: tuple[int | None, ...]) -> None:
        value = getattr(self, name)
        if value is not None:
            array = integer_array(name, value, shape)
            refuse_negative(name, array)
            object.__setattr__(self, name, array)

    def _check_meaning(self) -> None:
        """Refuse fields that contradict each other."""
        require(
            np.unique(self.index).size == self.index.size,
            "index must name each input once, got repeated values",
        )
        if self.labels is not None and self.labels.max() >= self.classes:
            worst = self.labels.max()
            message = f"labels must lie in 0..{self.classes - 1} (K = {self.classes}), got {worst}"
            require(False, message)
        # Floats cannot overflow: a sum past 2^63 would wrap to a small number and pass.
        total = self.counts.sum(axis=1, dtype=float) + self.invalid
        require(
            bool((total < MOST_DRAWS).all()),
            f"counts must sum to fewer than 2^53 draws per input, got {total.max():.6g}",
        )
        require(
            bool((self.draws > 0).all()),
            f"counts must hold at least one draw per input, got none at row {self.draws.argmin()}",
        )
        scores.check_scores(self)
        self._check_history()

    def _check_history(self) -> None:
        """Derive the looks from the plan; refuse segments that overlap or exceed the draws."""
        draws = self.draws
        if self.segments is not None:
            object.__setattr__(self, "segments", join_segments(self.segments))
            held = segment_lengths(self.segments, self.inputs)
            require(
                bool((held <= draws).all()),
                "segments must not be longer than the draws they describe",
            )
        if self.plan is None:
            require(self.looks is None, "looks must come with a plan")
        else:
            require(isinstance(self.plan, Plan), f"plan must be a Plan, got {self.plan!r}")
            at = np.array(self.plan.looks)
            taken = np.where(np.isin(draws, at), np.searchsorted(at, draws) + 1, 0)
            if self.segments is not None and len(at) > 1:
                one_seed = self.plan.rule != "fixed"
                taken = np.where(has_first_draws(self.segments, self.inputs, one_seed), taken, 0)
            given = self.looks
            require(
                given is None or bool((given == taken).all()),
                f"looks must match the draws and the plan {self.plan.looks}, got {given}",
            )
            taken.setflags(write=False)
            object.__setattr__(self, "looks", taken)

    @property
    def classes(self) -> int:
        """K, the number of classes."""
        return int(self.counts.shape[1])

    @property
    def draws(self) -> Ints:
        """(N,) draws of each input, the invalid ones included."""
        return np.asarray(self.counts.sum(axis=1) + self.invalid, dtype=np.int64)

    @property
    def inputs(self) -> Ints:
        """(N,) the numbers of the inputs: another name for `index`."""
        return self.index

    def __len__(self) -> int:
        """Return N, the number of inputs."""
        return len(self.counts)

    def __add__(self, other: "Tally") -> "Tally":
        """Add the draws of inputs that both have, and keep the rest; refuse what would be false."""
        if not isinstance(other, Tally):
            return NotImplemented
        merging.require_compatible(self, other)
        return Tally(
            **merging.merge_fields(self, other),
            sigma=self.sigma,
            plan=self.plan,
            norm=self.norm,
            grid=self.grid,
            reading=self.reading or other.reading,
            noise=self.noise,
            lipschitz=self.lipschitz,
        )

    def __eq__(self, other: object) -> bool:
        """Whether every field is equal, bit for bit."""
        return isinstance(other, Tally) and all(
            np.array_equal(getattr(self, f.name), getattr(other, f.name))
            if isinstance(getattr(self, f.name), np.ndarray)
            else getattr(self, f.name) == getattr(other, f.name)
            for f in fields(self)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Show size, noise, draws and the evidence held, in one line."""
        low, high = self.draws.min(), self.draws.max()
        draws = f"{low}" if low == high else f"{low} to {high}"
        held = ("labels", "softmax_sums", "votes", "histograms", "pilot", "plan")
        also = ", ".join(name for name in held if getattr(self, name) is not None)
        return (
            f"Tally({len(self)} inputs, {self.classes} classes, "
            f"{say_noise(self.noise, self.sigma)}, {draws} draws each"
            f"{', with ' + also if also else ''})"
        )


def select_inputs(tally: Tally, rows: Ints | Bools) -> Tally:
    """Make a tally of some rows (at least one, each once), with their history.

    A part of a checked tally needs no second check: rows do not depend on each other.
    """
    part = object.__new__(Tally)
    for field in fields(tally):
        value = getattr(tally, field.name)
        if value is not None and field.name not in NOT_PER_INPUT:
            value = read_only(value[rows])
        object.__setattr__(part, field.name, value)
    require(part.index.ndim == 1, f"rows must be one list of rows, got {np.shape(rows)}")
    require(len(part) >= 1, "rows must name at least one input, got none")
    require(np.unique(part.index).size == len(part), "rows must name each input once")
    if tally.segments is not None:
        own = tally.segments[np.isin(tally.segments[:, 0], part.index)]
        object.__setattr__(part, "segments", read_only(own))
    return part
