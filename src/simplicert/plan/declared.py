"""DeclaredSettings: the settings that a plan is made for, with tallies and radii by them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from simplicert.bounds import SCHEMES, bound, joint
from simplicert.certification import certify, radius
from simplicert.errors import check_positive, choose, require
from simplicert.mechanisms.threats import Threat, threat_of
from simplicert.noises import GAUSSIAN, NOISES, NoiseModel, check_scale, choose_norm, scale_argument
from simplicert.noises.stage import check_stage
from simplicert.sampling.settings import LEADERS
from simplicert.types import FIXED_POINT, KINDS, Floats, Ints, Plan, Tally
from simplicert.types.scores import BINS, MOST_SOFTMAX_DRAWS

# The most draws of an input that are planned for, whatever the scheme.
MOST_PLANNED_DRAWS = {"multinomial": joint.MOST_DRAWS, "softmax": MOST_SOFTMAX_DRAWS}

MOST_CLASSES = 10**7  # that can be planned for


@dataclass(frozen=True)
class DeclaredSettings:
    """The settings of `bound`, by the names that `sample` declares them with."""

    sigma: float = 1.0
    alpha: float = 0.001
    classes: int = 10
    kind: str = "multinomial"
    scheme: str = "gated"
    method: str | None = None
    reserve: float = 0.0  # share of alpha kept for extensions
    sensitivity: float = 1.0  # of a stage before the noise; radii are measured before it
    histograms: bool = False  # kept beside softmax scores; they take a share of alpha
    noise: NoiseModel = GAUSSIAN  # sigma is its scale, whatever that is called
    norm: str | None = None  # of the radii; None: the one that runs of this noise certify in

    def __post_init__(self) -> None:
        """Refuse what no run could declare; `bound` checks alpha."""
        require(
            not NOISES[self.noise.name].deterministic,
            f"noise must be random to be planned for, got {self.noise.name}: all its draws are "
            "made, and its radii are exact",
        )
        object.__setattr__(self, "sigma", check_scale(self.noise, self.sigma))
        object.__setattr__(self, "sensitivity", check_positive("sensitivity", self.sensitivity))
        object.__setattr__(self, "norm", choose_norm(self.noise.name, self.norm))
        check_stage(self.threat.noise, self.threat.norm, self.sensitivity)
        object.__setattr__(self, "kind", choose("kind", self.kind, KINDS))
        methods = choose("scheme", self.scheme, SCHEMES[self.kind], f" for kind {self.kind}")
        if self.method is not None:
            choose("method", self.method, methods)
        Plan((1,)).reserved(self.reserve)  # raises an error if it is not a share
        require(
            2 <= self.classes <= MOST_CLASSES,  # noqa: PLR2004
            f"classes must be a whole number in 2..{MOST_CLASSES}, got {self.classes}",
        )

    @property
    def threat(self) -> Threat:
        """The mechanisms of this noise and norm."""
        assert self.norm is not None
        return threat_of(self.noise, self.norm)

    @property
    def usual(self) -> bool:
        """Whether radii are in the norm that runs of this noise certify in."""
        return self.norm == NOISES[self.noise.name].norms[0]

    @property
    def one_sided(self) -> str:
        """The mechanism that reads e0 alone; Gaussian noise has it by its author's name."""
        return "cohen" if "cohen" in self.threat.mechanisms else "one_sided"

    @property
    def most(self) -> int:
        """The largest number of draws that can be planned for."""
        return MOST_PLANNED_DRAWS[self.kind]

    def require_draws(self, draws: int) -> None:
        """Refuse a number of draws that cannot be planned for."""
        require(
            1 <= draws <= self.most, f"draws must be a whole number in 1..{self.most}, got {draws}"
        )

    def radii(self, tally: Tally, mechanism: str = "two_sided") -> Floats:
        """(N,) certified radii in units of the input; 0 for an abstained input."""
        known = bound(tally, self.alpha, self.kind, self.scheme, self.method)
        norm = None if self.usual else self.norm
        made = certify(known, [mechanism], self.sensitivity, norm=norm)
        return np.asarray(made.radii[mechanism])

    def exact_radii(self, own: Floats, rival: Floats) -> Floats:
        """(N,) radii at probabilities that are known, in units of what the noise is added to."""
        numbers = {name: getattr(self.noise, name) for name in self._numbers()}
        where: dict[str, Any] = {"noise": self.noise.name, "norm": self.norm, **numbers}
        where |= scale_argument(self.noise, self.sigma)
        return np.asarray(radius("two_sided", own, rival, **where))

    def _numbers(self) -> tuple[str, ...]:
        """Names of the noise's numbers that its radius needs."""
        assert self.norm is not None
        return NOISES[self.noise.name].parameters[self.norm]

    def certifies(self, tally: Tally) -> bool:
        """Whether any input of this tally would be certified with a radius above 0."""
        known = bound(tally, self.alpha, self.kind, self.scheme, self.method)
        issued = known.e0 > known.e1 if known.margin is None else known.margin > 0
        return bool((issued & ~known.abstained).any())

    def tally(
        self, cells: Ints, plan: Plan, top: Ints, sums: Ints | None = None, squares: Any = None
    ) -> Tally:
        """Make the tally of these class counts: cells (N, K + 1), the last for no class.

        `top` is what a pilot would have chosen. Scores are 0 or 1 unless their sums are given.
        """
        counts, fields = cells[:, :-1], dict[str, Any]()
        if self.scheme == "split":
            fields["pilot"] = np.zeros(counts.shape, np.int64)
            fields["pilot"][np.arange(len(top)), top] = 1
        if self.kind == "softmax":
            whole = counts << FIXED_POINT
            fields["votes"], fields["votes_invalid"] = counts, cells[:, -1]
            fields["softmax_sums"] = whole if sums is None else sums
            fields["softmax_squares"] = whole if squares is None else squares
        return Tally(
            counts, self.sigma, invalid=cells[:, -1], plan=plan, noise=self.noise, **fields
        )

    def unanimous_tally(self, draws: int, share: float = 1.0) -> Tally:
        """Make the best possible tally: all draws agree, at a look with this share of alpha."""
        cells = np.zeros((1, self.classes + 1), np.int64)
        cells[0, 0] = draws
        tally = self.tally(cells, Plan((draws,), (share,)), np.zeros(1, np.int64))
        if self.kind != "softmax" or not self.histograms:
            return tally
        leaders = np.arange(min(LEADERS, self.classes - 1))[None]
        histograms = np.zeros((1, leaders.size + 1, BINS), np.int64)
        histograms[:, 1:, 0] = draws
        histograms[:, 0, -1] = draws
        fields = {**vars(tally), "looks": None, "leaders": leaders, "histograms": histograms}
        return Tally(**fields)


def certifies_nothing(declared: DeclaredSettings, plan: Plan) -> bool:
    """Whether even draws that all agree would not be certified at any look of the plan."""
    looks = zip(plan.looks, plan.weights, strict=True)
    return not any(declared.certifies(declared.unanimous_tally(n, share)) for n, share in looks)
