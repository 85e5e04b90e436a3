"""Test whether a run is worse than a baseline on the same inputs by more than is allowed.

A loss counts if it is larger than `max_drop` and a paired test rejects "the true loss is at most
max_drop". Two runs of one model with different seeds differ by noise, in both directions, and so
do small changes of a model: a difference alone is not a regression.

    accuracy, statement, abstained   inputs that only one of the two runs has: McNemar's exact test
                                     (max_drop 0), or the binomial test given the number of such
                                     inputs, whose share is bounded from below first
    average_radius, median_radius    the two runs' radii swapped at random, input by input

The measures that are compared share the level, so it is the probability that runs which differ by
noise alone fail on any of them. For a max_drop above 0 the swaps assume that every input lost the
same. Where few inputs gain much and many lose a little, the true level is larger than stated: .11
for .05 in a simulation of 40 inputs, .08 with 200.
"""

from collections.abc import Callable, Sequence

import numpy as np

from simplicert.bounds import binomial
from simplicert.errors import require
from simplicert.metrics.comparable import require_same_inputs, require_same_norm
from simplicert.metrics.gate import Requirement, RequirementCheck
from simplicert.metrics.measures import MEASURES, CertificateRows, certificate_rows
from simplicert.metrics.numbers import format_down, format_exactly, format_p_value, format_up
from simplicert.metrics.pairing import match_inputs
from simplicert.metrics.statement import CONFIDENCE
from simplicert.metrics.study import Study
from simplicert.types import Bools, Floats

LEVEL = 0.05  # of all comparisons of a gate together
SWAPS = 5_000  # random swaps of the two runs
NUISANCE = 0.1  # share of a test's level spent on bounding the share of inputs that differ
BLOCK = 2**22  # radii held in memory at once
SLACK = 1e-12  # losses that differ by less are equal
APPROXIMATE = ", whose level is approximate where max-drop is above 0 and losses are skewed"

SHARES: dict[str, Callable[[CertificateRows, float], Bools]] = {
    "accuracy": lambda rows, at: rows.certified_at(at),
    "statement": lambda rows, at: rows.certified_at(at),
    "abstained": lambda rows, _: rows.abstained,
}


def check_regressions(
    study: Study,
    baseline: Study,
    requirements: Sequence[Requirement],
    most: float,
    level: float = LEVEL,
) -> list[RequirementCheck]:
    """Check each measure: it must not be worse than the baseline's by more than `most`."""
    require(0 <= most <= 1, f"max_drop must lie in [0, 1], got {most}")
    require(0 < level < 1, f"drop_level must lie strictly between 0 and 1, got {level}")
    require_same_inputs([baseline, study])
    require_same_norm([baseline, study])
    require(not baseline.run.missing, f"baseline {baseline.name} must be complete")
    _, mine, its = match_inputs(baseline.certificates(), study.certificates())
    before = certificate_rows(baseline.certificates()).chosen(mine)
    now = certificate_rows(study.certificates()).chosen(its)
    measures = dict.fromkeys((item.measure, item.at, item.side) for item in requirements)
    each = level / len(measures)
    checks = []
    for name, at, side in measures:
        old, new = (MEASURES[name][1](rows, at or 0.0, CONFIDENCE) for rows in (before, now))
        falling = side == ">="  # then lower is worse
        loss = old - new if falling else new - old
        p = _loss_p_value(name, at or 0.0, before, now, most, falling=falling, level=each)
        holds = bool(loss <= most + SLACK or p > each)
        what = f"{name}{'' if at is None else f'@{format_exactly(at)}'}"
        wanted = f"{what} {'falls' if falling else 'rises'} by at most {most:g}"
        group = f"against {baseline.name}"
        shown = f"{describe_change(new - old)}, p = {format_p_value(p)}"
        checks.append(RequirementCheck(wanted, group, len(now.radius), loss, holds, shown, p, each))
    return checks


def describe_change(change: float) -> str:
    """Say how a measure changed, rounded up: a loss is never shown smaller than it is."""
    if abs(change) <= SLACK:
        return "unchanged"
    return f"{'rose' if change > 0 else 'fell'} by {format_up(abs(change) - SLACK, 4)}"


def describe_regression_rule(checks: Sequence[RequirementCheck], most: float, level: float) -> str:
    """Say in one sentence, for the note below the table, when a loss counts and at which level."""
    each = (
        f" ({format_down(level / len(checks), 4)} for each of {len(checks)})"
        if len(checks) > 1
        else ""
    )
    return (
        f"against the baseline a loss counts where it is beyond max-drop {most:g} and the paired "
        f"test rejects that the true loss is at most that, at level {level:g}{each}: McNemar's "
        f"exact test for shares of inputs, {SWAPS:,} swaps of the two runs' radii (seed 0) for "
        f"average and median radius{APPROXIMATE if most > 0 else ''}"
    )


def _loss_p_value(
    name: str,
    at: float,
    before: CertificateRows,
    now: CertificateRows,
    most: float,
    *,
    falling: bool,
    level: float,
) -> float:
    """Return the p-value of "this measure's true loss is at most `most`"."""
    sign = 1.0 if falling else -1.0
    if name in SHARES:
        had, has = (SHARES[name](rows, at) for rows in (before, now))
        if not falling:
            had, has = has, had
        if name == "statement":  # the level that it subtracts is known exactly, not by sampling
            most -= sign * (now.level - before.level)
        return 0.0 if most < 0 else share_loss_p_value(had, has, most, level)
    centre: Callable[[Floats], Floats] = np.mean if name == "average_radius" else np.median
    values = [
        rows.correct * rows.radius if name == "average_radius" else rows.radius
        for rows in (before, now)
    ]
    return swap_test_p_value(sign * values[0] - most, sign * values[1], centre)


def share_loss_p_value(had: Bools, has: Bools, most: float, level: float) -> float:
    """Test whether more inputs are lost than a true loss of `most` explains.

    Given that m of N inputs differ, the lost ones are binomial with at most (1 + most / share) / 2,
    where share is the true share of inputs that differ. It is bounded from below by Clopper and
    Pearson at a part of the level, which is added to p; with `most` 0 it does not matter.
    """
    from scipy.special import bdtrc

    lost, gained = int((had & ~has).sum()), int((has & ~had).sum())
    differ, spent, even = lost + gained, 0.0, 0.5
    if differ == 0:
        return 1.0
    if most > 0:
        spent = NUISANCE * level
        share, _ = binomial.clopper_pearson_lower(
            np.array(differ), np.array(len(had)), np.array(spent)
        )
        even = 1.0 if share <= most else 0.5 * (1 + most / float(share))
    return 1.0 if even >= 1 or lost == 0 else min(1.0, spent + float(bdtrc(lost - 1, differ, even)))


def swap_test_p_value(
    before: Floats, now: Floats, centre: Callable[..., Floats], seed: int = 0
) -> float:
    """Return how often random swaps of the two runs, input by input, lose as much."""
    random, total = np.random.default_rng(seed), len(before)
    seen = float(centre(before) - centre(now))
    rows = max(1, BLOCK // total)
    as_much = 0
    for done in range(0, SWAPS, rows):
        swap = random.random((min(rows, SWAPS - done), total)) < 0.5  # noqa: PLR2004
        one, other = np.where(swap, now, before), np.where(swap, before, now)
        as_much += int((centre(one, axis=1) - centre(other, axis=1) >= seen - SLACK).sum())
    return (1 + as_much) / (1 + SWAPS)
