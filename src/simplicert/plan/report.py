"""Compute a plan's numbers: the radius in reach, what sampling loses of it, and the cost."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from simplicert.bounds import SCHEMES
from simplicert.bounds.joint import ALONE
from simplicert.errors import check_positive, require
from simplicert.plan.declared import DeclaredSettings
from simplicert.plan.population import Population, expected_tally
from simplicert.plan.simulation import (
    SIMULATED_INPUTS,
    largest_radius,
    resample_inputs,
    simulate_plan,
    slowest_worker_draws,
    smallest_draws,
)
from simplicert.stopping import LAST_LOOK_SHARE, Until
from simplicert.types import Plan

DEFAULT_TOLERANCE = 0.05  # of atol, at scale 1: simulated if neither a rule nor a radius is given
FALLBACK_SCHEME = "gated"  # simulated where the declared scheme takes too long: it needs more draws
SLOW_SCHEMES = ("joint",)  # a simulation asks for ten thousand bounds: several seconds by these
FEW_INPUTS = 100  # inputs whose radii a slow scheme computes in a moment
STEPS = (-1, 0, 1)  # losses are shown at the draws times these powers of ten


class RadiusCeiling(NamedTuple):
    """The largest radii if all draws agree, at a look with a share of alpha."""

    scheme: str
    share: float
    two_sided: float
    one_sided: float | None
    fewest: int | None  # draws that certify anything
    fewest_for_radius: int | None  # draws that reach the wanted radius


class SamplingLoss(NamedTuple):
    """The radius certified with this many draws, and with endlessly many."""

    draws: int
    certified: float
    true: float


class RuleCost(NamedTuple):
    """What a rule costs over all inputs; seconds are None where the throughput is not known."""

    rule: str
    draws: float  # per input, on average
    certified: float  # share of inputs, at the wanted radius or at any
    mean_radius: float
    seconds: float | None  # by one worker
    shared: float | None  # by all workers, until the slowest is done


@dataclass(frozen=True)
class Workload:
    """How much is to be drawn, and by how many workers."""

    draws: int
    inputs: int = 500
    workers: int = 1
    throughput: float | None = None  # draws per second of one worker

    def __post_init__(self) -> None:
        """Refuse fewer than one input or worker, or a throughput that is not positive."""
        for name in ("inputs", "workers"):
            value = getattr(self, name)
            require(value >= 1, f"{name} must be a positive whole number, got {value}")
        if self.throughput is not None:
            check_positive("throughput", self.throughput)


@dataclass(frozen=True)
class PlanReport:
    """Everything that `simplicert plan` shows."""

    declared: DeclaredSettings
    work: Workload
    radius: float | None  # wanted by the caller
    population: Population
    reach: list[RadiusCeiling]
    losses: list[SamplingLoss]
    costs: list[RuleCost]
    simulated: str  # the scheme that was simulated

    @property
    def certifies_nothing(self) -> bool:
        """Whether not even draws that all agree certify anything."""
        return self.reach[0].two_sided == 0


def make_plan_report(
    declared: DeclaredSettings,
    work: Workload,
    population: Population,
    rules: Sequence[str] = (),
    radius: float | None = None,
) -> PlanReport:
    """Make the whole report by calls of `bound`; costs are simulated with a fixed seed."""
    declared.require_draws(work.draws)
    if radius is not None:
        check_positive("radius", radius)
    require(
        declared.usual or not rules,
        f"until must be left out with norm {declared.norm}: the rules of a run are about its usual "
        f"norm, got {', '.join(rules)}",
    )
    wanted = tuple(rules) or _default_rules(declared, radius)
    for rule in wanted:
        Until(rule)
    slow = declared.scheme in SLOW_SCHEMES
    followed = replace(declared, scheme=FALLBACK_SCHEME, method=None) if slow else declared
    inputs = resample_inputs(population)
    return PlanReport(
        declared,
        work,
        radius,
        population,
        _find_ceilings(declared, work.draws, radius),
        _sampling_losses(declared, population, work.draws),
        [
            _rule_cost(followed, inputs, rule, work, radius)
            for rule in dict.fromkeys(("fixed", *wanted))
        ],
        followed.scheme,
    )


def _default_rules(declared: DeclaredSettings, radius: float | None) -> tuple[str, ...]:
    """Return the rules that are simulated if none is asked for: the wanted radius, or any."""
    if not declared.usual:
        return ()
    if radius is not None:
        return (f"radius={radius:.15g}",)
    if declared.threat.whole:
        return ("decided", "atol=1")
    tolerance = DEFAULT_TOLERANCE * declared.sigma / declared.sensitivity
    return ("decided", f"atol={tolerance:.15g}")


def _find_ceilings(
    declared: DeclaredSettings, draws: int, radius: float | None
) -> list[RadiusCeiling]:
    """Find the declared scheme's ceilings, at one look and at the last of several, and Cohen's."""
    once = 1 - declared.reserve
    settings = [(declared, once), (declared, once * LAST_LOOK_SHARE)]
    if declared.kind == "multinomial":
        settings.append((replace(declared, scheme="split", method="one_sided"), 1.0))
    return [_find_ceiling(setting, draws, radius, share) for setting, share in settings]


def _find_ceiling(
    declared: DeclaredSettings, draws: int, radius: float | None, share: float
) -> RadiusCeiling:
    """Return one scheme's largest radii and fewest draws."""
    method = declared.method or next(iter(SCHEMES[declared.kind][declared.scheme]))
    pairs = declared.kind == "multinomial" and method != ALONE
    return RadiusCeiling(
        f"{declared.scheme}, {method}",
        share,
        largest_radius(declared, draws, share),
        largest_radius(declared, draws, share, declared.one_sided) if pairs else None,
        smallest_draws(declared, share=share),
        None if radius is None else smallest_draws(declared, radius, share),
    )


def _sampling_losses(
    declared: DeclaredSettings, population: Population, draws: int
) -> list[SamplingLoss]:
    """Return mean radii at a tenth of the draws, at all of them and at ten times as many."""
    few = population
    if len(population) > 1:
        few = resample_inputs(
            population, FEW_INPUTS if declared.scheme in SLOW_SCHEMES else SIMULATED_INPUTS
        )
    true = float(few.true_radii(declared).mean()) / declared.sensitivity
    numbers = [draws * 10**step if step >= 0 else draws // 10**-step for step in STEPS]
    losses = []
    for n in numbers:
        if 1 <= n <= declared.most:
            plan = Plan((n,)).reserved(declared.reserve)
            radii = declared.radii(expected_tally(declared, few, n, plan))
            losses.append(SamplingLoss(n, float(radii.mean()), true))
    return losses


def _rule_cost(
    declared: DeclaredSettings, inputs: Population, rule: str, work: Workload, radius: float | None
) -> RuleCost:
    """Simulate one rule: its draws, certificates and time."""
    outcome = simulate_plan(declared, inputs, rule, work.draws)
    name, target = Until(rule).parsed()
    target = target if name == "radius" else (radius or 0.0)
    certified = (outcome.radius > 0) & (outcome.radius >= target)
    mean, rate = float(outcome.draws.mean()), work.throughput
    return RuleCost(
        rule,
        mean,
        float(certified.mean()),
        float(outcome.radius.mean()),
        None if rate is None else work.inputs * mean / rate,
        None if rate is None else slowest_worker_draws(outcome, work.inputs, work.workers) / rate,
    )
