"""Decide for each input whether it has been drawn often enough.

`Until` is a stopping rule with the settings of the certificates it asks about: it maps a tally at a
look to the reason to stop, or "" to go on. `plan_looks` makes the looks that such a rule needs.
The rules (fixed, radius=R, rtol=X, decided) map (radii, target) to a word for every input. They get
radii as functions, because radii are expensive and no rule needs all of them: the radius now, the
likely one at the last look, and the best to hope for.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simplicert.bounds import bound
from simplicert.certification import certify
from simplicert.errors import InvalidInput, require
from simplicert.stopping.projection import project_hopeful, project_likely
from simplicert.types import Floats, Plan, Tally
from simplicert.types.arrays import Texts

__all__ = ["BUDGET", "CERTIFIED", "GO_ON", "Until", "plan_looks"]

GO_ON, CERTIFIED, BELOW_TARGET, HOPELESS = "", "certified", "below target", "hopeless"


class RadiusForecast(NamedTuple):
    """(N,) in units of the input: certified now, likely at the last look, the best to hope for."""

    inputs: int
    now: Callable[[], Floats]
    likely: Callable[[], Floats]
    hopeful: Callable[[], Floats]


RuleFunction = Callable[[RadiusForecast, float], Texts]


def _stop_at_last_look(radii: RadiusForecast, target: float) -> Texts:
    """Never before the last look."""
    return np.full(radii.inputs, GO_ON)


def _stop_at_radius(radii: RadiusForecast, target: float) -> Texts:
    """Is the radius at least the target? Stop when it is, or when it cannot be any more."""
    now = radii.now()
    lost = (now < target) & (radii.hopeful() < target)
    return np.select([now >= target, lost], [CERTIFIED, BELOW_TARGET], GO_ON)


def _stop_at_rtol(radii: RadiusForecast, target: float) -> Texts:
    """Stop when all further draws would raise the radius by less than a share `target` of it."""
    now = radii.now()
    near = (now > 0) & (now >= (1 - target) * radii.likely())
    lost = (now == 0) & (radii.hopeful() == 0)
    return np.select([near, lost], [CERTIFIED, HOPELESS], GO_ON)


def _stop_when_decided(radii: RadiusForecast, target: float) -> Texts:
    """Stop when anything is certified, or nothing ever will be."""
    now = radii.now()
    lost = (now == 0) & (radii.hopeful() == 0)
    return np.select([now > 0, lost], [CERTIFIED, HOPELESS], GO_ON)


# By the word before "=" of `until`; True where a target follows it.
RULES: dict[str, tuple[RuleFunction, bool]] = {
    "fixed": (_stop_at_last_look, False),
    "radius": (_stop_at_radius, True),
    "rtol": (_stop_at_rtol, True),
    "decided": (_stop_when_decided, False),
}

FUTILITY = 0.02  # of a share that is given up at a look; costs certificates, never truth

SMALLEST_LOOK = 150  # the first look of a plan that doubles is not below it

LAST_LOOK_SHARE = 0.5  # share of alpha that the last look keeps

BUDGET = "budget"  # the plan's last look was reached


@dataclass(frozen=True)
class Until:
    """A stopping rule with the settings whose certificates it asks about.

    Called with a tally whose inputs stand at looks of its plan, it says for each why to stop, or
    "" to go on. It reads the tally alone, so whoever resumes a run stops where it would have.
    """

    rule: str
    alpha: float = 0.001
    kind: str = "multinomial"
    scheme: str = "gated"
    method: str | None = None
    sensitivity: float = 1.0  # of a stage before the noise; the rule's radii are before it

    def __post_init__(self) -> None:
        """Refuse a rule that does not exist or lacks its number."""
        self.parsed()

    def parsed(self) -> tuple[str, float]:
        """The rule's name and its target; NaN where it has none."""
        word, equals, text = self.rule.partition("=")
        require(
            word.strip() in RULES, f"until must be radius=R, rtol=X or decided, got {self.rule!r}"
        )
        _, wants = RULES[word.strip()]
        if not wants:
            require(not equals, f"until must be {word} without a number, got {self.rule!r}")
            return word.strip(), math.nan
        try:
            target = float(text)
        except ValueError:
            target = math.nan
        upper = 1.0 if word.strip() == "rtol" else math.inf
        if not 0 < target < upper:
            raise InvalidInput(
                f"until must be {word}=NUMBER with a number in (0, {upper:g}), got {self.rule!r}"
            )
        return word.strip(), target

    def plan(self, draws: int) -> Plan:
        """Looks that double up to `draws`: the last keeps half of alpha, the others share half."""
        return plan_looks(draws, self.rule)

    def __call__(self, tally: Tally) -> Texts:
        """(N,) the reason to stop: certified, below target, hopeless, budget; or ""."""
        require(tally.plan is not None, "tally must have a plan to be stopped by one")
        assert tally.plan is not None
        name, target = self.parsed()
        judge, _ = RULES[name]
        radii = RadiusForecast(
            len(tally),
            lambda: self._radii(tally),
            lambda: self._radii(project_likely(tally)),
            lambda: self._radii(project_hopeful(tally, FUTILITY)),
        )
        reasons = judge(radii, target)
        ended = (tally.draws >= tally.plan.looks[-1]) & (reasons != CERTIFIED)
        return np.where(ended, BUDGET, reasons)

    def _radii(self, tally: Tally) -> Floats:
        """(N,) best radius at each input's look, in units of the input."""
        known = bound(tally, self.alpha, self.kind, self.scheme, self.method)
        names = ["two_sided"] if known.bands is None else ["two_sided", "cdf"]
        return np.asarray(certify(known, names, self.sensitivity).radius)


def plan_looks(draws: int, rule: str) -> Plan:
    """Looks that double up to `draws`; the last keeps half of alpha, the others share the rest."""
    if rule == "fixed":
        return Plan((draws,))
    looks = [draws]
    while -(-looks[0] // 2) >= SMALLEST_LOOK:
        looks.insert(0, -(-looks[0] // 2))
    before = len(looks) - 1
    if not before:
        return Plan((draws,), rule=rule)
    weights = [(1 - LAST_LOOK_SHARE) / before] * before
    return Plan(tuple(looks), (*weights, LAST_LOOK_SHARE), rule)
