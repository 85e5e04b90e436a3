"""Decide for each input whether it has been drawn often enough.

`Until` is a stopping rule with the settings of the certificates it asks about: it maps a tally at a
look to the reason to stop, or "" to go on. `plan_looks` makes the looks that such a rule needs.
The rules (fixed, radius=R, atol=X, rtol=X, decided) map (radii, target) to a word for every input.
They get radii as functions, because radii are expensive and no rule needs all of them: the radius
now, the likely one at the last look, and the best to hope for.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simplicert.bounds import bound
from simplicert.certification import certify
from simplicert.errors import InvalidInput, require
from simplicert.noises import NOISES
from simplicert.stopping.projection import project_hopeful, project_likely
from simplicert.types import Floats, Plan, Tally
from simplicert.types.arrays import Texts

__all__ = ["BUDGET", "CERTIFIED", "GO_ON", "Until", "plan_looks"]

# Why an input is drawn no further; BUDGET: the plan's last look was reached.
GO_ON, CERTIFIED, BELOW_TARGET, HOPELESS = "", "certified", "below target", "hopeless"
BUDGET = "budget"

FUTILITY = 0.02  # chance that a look gives up too early: costs certificates, never truth

SMALLEST_LOOK = 150  # draws of the first look of a plan that doubles, at least

LAST_LOOK_SHARE = 0.5  # share of alpha that the last look keeps


NOTHING = -1.0  # stands for no certificate where a radius of 0 is one: radii are whole numbers


class RadiusForecast(NamedTuple):
    """Radii (N,) in units of the input, each a function, because radii are expensive."""

    inputs: int  # N
    now: Callable[[], Floats]  # certified at this look
    likely: Callable[[], Floats]  # at the last look, if every class keeps its share
    hopeful: Callable[[], Floats]  # at the last look, at best
    nothing: float = 0.0  # the radius that stands for no certificate


RuleFunction = Callable[[RadiusForecast, float], Texts]


def _stop_at_last_look(radii: RadiusForecast, target: float) -> Texts:
    """Never stop before the last look."""
    return np.full(radii.inputs, GO_ON)


def _stop_at_radius(radii: RadiusForecast, target: float) -> Texts:
    """Stop when the radius has reached the target, or cannot reach it any more."""
    now = radii.now()
    lost = (now < target) & (radii.hopeful() < target)
    return np.select([now >= target, lost], [CERTIFIED, BELOW_TARGET], GO_ON)


def _stop_at_rtol(radii: RadiusForecast, target: float) -> Texts:
    """Stop when all further draws would raise the radius by less than a share `target` of it."""
    now = radii.now()
    near = (now > radii.nothing) & (now >= (1 - target) * radii.likely())
    lost = (now == radii.nothing) & (radii.hopeful() == radii.nothing)
    return np.select([near, lost], [CERTIFIED, HOPELESS], GO_ON)


def _stop_at_atol(radii: RadiusForecast, target: float) -> Texts:
    """Stop when all further draws would raise the radius by at most `target`, certified or not.

    An input without a certificate is let go too where the radius likely at the end is at most the
    target: near-ties are what costs most draws and brings least radius.
    """
    now = radii.now()
    near = radii.likely() - np.maximum(now, 0.0) <= target
    return np.select([near & (now > radii.nothing), near], [CERTIFIED, BELOW_TARGET], GO_ON)


def _stop_when_decided(radii: RadiusForecast, target: float) -> Texts:
    """Stop when the input is certified, or will never be."""
    now = radii.now()
    lost = (now == radii.nothing) & (radii.hopeful() == radii.nothing)
    return np.select([now > radii.nothing, lost], [CERTIFIED, HOPELESS], GO_ON)


# The rules by the word before "=" in `until`; True where a target follows it.
RULES: dict[str, tuple[RuleFunction, bool]] = {
    "fixed": (_stop_at_last_look, False),
    "radius": (_stop_at_radius, True),
    "rtol": (_stop_at_rtol, True),
    "atol": (_stop_at_atol, True),
    "decided": (_stop_when_decided, False),
}


@dataclass(frozen=True)
class Until:
    """A stopping rule, with the settings of the certificates it asks about.

    Called with a tally whose inputs are at looks of its plan, it says for each input why to stop,
    or "" to go on. It reads the tally alone, so a resumed run stops where it would have anyway.
    Radii are those of the tally's noise, in its norm and unit: numbers of features under ablation,
    where radius=2 is reached by 2, and a certificate of 0 features is one.

    >>> import simplicert as sc
    >>> rule = Until("radius=0.25")
    >>> rule.plan(1000).looks
    (250, 500, 1000)
    >>> counts = [[248, 2, 0], [130, 100, 20], [175, 65, 10]]
    >>> rule(sc.Tally(counts, sigma=0.5, plan=rule.plan(1000)))
    array(['certified', 'below target', ''], dtype='<U12')
    """

    rule: str
    alpha: float = 0.001
    kind: str = "multinomial"
    scheme: str = "gated"
    method: str | None = None
    sensitivity: float = 1.0  # of a stage before the noise; the rule's radii are of its input

    def __post_init__(self) -> None:
        """Refuse a rule that does not exist or lacks its number."""
        self.parsed()

    def parsed(self) -> tuple[str, float]:
        """Return the rule's name and its target; NaN where it has none."""
        word, equals, text = self.rule.partition("=")
        require(
            word.strip() in RULES,
            f"until must be radius=R, atol=X, rtol=X or decided, got {self.rule!r}",
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
        """Plan looks that double up to `draws`; the last has half of alpha."""
        return plan_looks(draws, self.rule)

    def __call__(self, tally: Tally) -> Texts:
        """Return (N,) the reason to stop: certified, below target, hopeless, budget; or ""."""
        require(tally.plan is not None, "tally must have a plan to be stopped by one")
        assert tally.plan is not None
        name, target = self.parsed()
        judge, _ = RULES[name]
        radii = RadiusForecast(
            len(tally),
            lambda: self._radii(tally),
            lambda: self._radii(project_likely(tally)),
            lambda: self._radii(project_hopeful(tally, FUTILITY)),
            NOTHING if NOISES[tally.noise.name].closed else 0.0,
        )
        reasons = judge(radii, target)
        ended = (tally.draws >= tally.plan.looks[-1]) & (reasons != CERTIFIED)
        return np.where(ended, BUDGET, reasons)

    def _radii(self, tally: Tally) -> Floats:
        """Compute (N,) the best radius at each input's look, in units of the input."""
        known = bound(tally, self.alpha, self.kind, self.scheme, self.method)
        held = {"cdf": known.bands, "lipschitz": known.lipschitz} if self.kind == "softmax" else {}
        names = ["two_sided", *(name for name, value in held.items() if value is not None)]
        made = certify(known, names, self.sensitivity)
        return np.where(made.abstained, NOTHING, made.radius) if made.closed else made.radius


def plan_looks(draws: int, rule: str) -> Plan:
    """Plan looks that double up to `draws`; the last has half of alpha, the others the rest.

    The others share equally, except for atol: there each has half of what the next one has. An
    input that atol stops early either is let go, which needs no alpha, or has many draws already.
    """
    if rule == "fixed":
        return Plan((draws,))
    looks = [draws]
    while -(-looks[0] // 2) >= SMALLEST_LOOK:
        looks.insert(0, -(-looks[0] // 2))
    before = len(looks) - 1
    if not before:
        return Plan((draws,), rule=rule)
    weights = [(1 - LAST_LOOK_SHARE) / before] * before
    if rule.partition("=")[0].strip() == "atol":
        weights = [LAST_LOOK_SHARE * 0.5 ** (before - place) for place in range(before)]
    return Plan(tuple(looks), (*weights, LAST_LOOK_SHARE), rule)
