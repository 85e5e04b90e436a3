"""A plan as numbers: what the draws can reach, what they lose, what they cost."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from simplicert.bounds import SCHEMES
from simplicert.errors import require
from simplicert.plan.declared import Declared
from simplicert.plan.population import Population, expected
from simplicert.plan.reach import largest_radius, smallest_draws
from simplicert.plan.simulation import SIMULATED, enough, simulate, slowest_share
from simplicert.stopping import FOR_THE_LAST, Until
from simplicert.types import Plan
from simplicert.types.arrays import positive

RULES = ("decided", "rtol=0.05")  # simulated where neither a rule nor a radius is asked for
PATIENT = "gated"  # scheme of the simulation where the declared one takes too long
SLOW = ("joint",)
FEW = 100  # inputs whose radii such a scheme computes in a moment
STEPS = (-1, 0, 1)  # powers of ten by which more or fewer draws are shown


class Reach(NamedTuple):
    """What draws that all agree come to, at a look with a share of alpha."""

    scheme: str
    share: float
    two_sided: float
    cohen: float | None
    fewest: int | None  # draws that certify anything
    fewest_for_radius: int | None  # draws that reach the radius asked for


class Loss(NamedTuple):
    """The radius that is certified with so many draws, and with endlessly many."""

    draws: int
    certified: float
    true: float


class Cost(NamedTuple):
    """What a rule takes over all inputs; seconds are None where nobody said how fast drawing is."""

    rule: str
    draws: float  # of an input, on average
    certified: float  # share of inputs, at the radius asked for or at any
    mean_radius: float
    seconds: float | None  # by one worker
    shared: float | None  # by all workers, until the slowest is done


@dataclass(frozen=True)
class Work:
    """How much is to be drawn, by whom."""

    draws: int
    inputs: int = 500
    workers: int = 1
    throughput: float | None = None  # draws a second of one worker

    def __post_init__(self) -> None:
        """Refuse what is no amount of work."""
        for name in ("inputs", "workers"):
            value = getattr(self, name)
            require(value >= 1, f"{name} must be a positive whole number, got {value}")
        if self.throughput is not None:
            positive("throughput", self.throughput)


@dataclass(frozen=True)
class Report:
    """All that `simplicert plan` says."""

    declared: Declared
    work: Work
    radius: float | None  # asked for
    population: Population
    reach: list[Reach]
    losses: list[Loss]
    costs: list[Cost]
    simulated: str  # scheme of the simulation

    @property
    def fruitless(self) -> bool:
        """Whether not even draws that all agree certify anything."""
        return self.reach[0].two_sided == 0


def make_report(
    declared: Declared,
    work: Work,
    population: Population,
    rules: Sequence[str] = (),
    radius: float | None = None,
) -> Report:
    """Everything at once, by calls of `bound`; the costs by simulation with a fixed seed."""
    declared.require_draws(work.draws)
    if radius is not None:
        positive("radius", radius)
    wanted = tuple(rules) or (RULES if radius is None else (f"radius={radius:g}",))
    for rule in wanted:
        Until(rule)
    slow = declared.scheme in SLOW
    followed = replace(declared, scheme=PATIENT, method=None) if slow else declared
    inputs = enough(population)
    return Report(
        declared,
        work,
        radius,
        population,
        reaches(declared, work.draws, radius),
        losses(declared, population, work.draws),
        [cost(followed, inputs, rule, work, radius) for rule in dict.fromkeys(("fixed", *wanted))],
        followed.scheme,
    )


def reaches(declared: Declared, draws: int, radius: float | None) -> list[Reach]:
    """The declared scheme in one look and at the last of several; beside it Cohen's own."""
    once = 1 - declared.reserve
    settings = [(declared, once), (declared, once * FOR_THE_LAST)]
    if declared.kind == "multinomial":
        settings.append((replace(declared, scheme="split", method="one_sided"), 1.0))
    return [reach(setting, draws, radius, share) for setting, share in settings]


def reach(declared: Declared, draws: int, radius: float | None, share: float) -> Reach:
    """One row: largest radii and fewest draws."""
    method = declared.method or next(iter(SCHEMES[declared.kind][declared.scheme]))
    pairs = declared.kind == "multinomial" and declared.scheme not in SLOW
    return Reach(
        f"{declared.scheme}, {method}",
        share,
        largest_radius(declared, draws, share),
        largest_radius(declared, draws, share, "cohen") if pairs else None,
        smallest_draws(declared, share=share),
        None if radius is None else smallest_draws(declared, radius, share),
    )


def losses(declared: Declared, population: Population, draws: int) -> list[Loss]:
    """Radii at a tenth, at all and at ten times the draws, the average of the population's."""
    few = population
    if len(population) > 1:
        few = enough(population, FEW if declared.scheme in SLOW else SIMULATED)
    true = float(few.true_radii(declared.sigma).mean()) / declared.sensitivity
    numbers = [draws * 10**step if step >= 0 else draws // 10**-step for step in STEPS]
    found = []
    for n in numbers:
        if 1 <= n <= declared.most:
            plan = Plan((n,)).reserved(declared.reserve)
            radii = declared.radii(expected(declared, few, n, plan))
            found.append(Loss(n, float(radii.mean()), true))
    return found


def cost(
    declared: Declared, inputs: Population, rule: str, work: Work, radius: float | None
) -> Cost:
    """One rule's draws, certificates and time."""
    outcome = simulate(declared, inputs, rule, work.draws)
    name, target = Until(rule).parsed()
    target = target if name == "radius" else (radius or 0.0)
    certified = (outcome.radius > 0) & (outcome.radius >= target)
    mean, rate = float(outcome.draws.mean()), work.throughput
    return Cost(
        rule,
        mean,
        float(certified.mean()),
        float(outcome.radius.mean()),
        None if rate is None else work.inputs * mean / rate,
        None if rate is None else slowest_share(outcome, work.inputs, work.workers) / rate,
    )
