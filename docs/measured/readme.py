"""The table of the README: Cohen et al., the paper's ensemble and simplicert side by side.

Radii at one pair of expectations are computed; mean radii are those of the experiments.
"""

from typing import Any

from measured import round_down

Result = dict[str, Any]
POINT = {"e0": 0.6, "e1": 0.3, "sigma": 0.5}
SIGMA = 1  # of the experiment


def _find_radius(*names: str) -> str:
    """The largest of some mechanisms at the point of the table."""
    from simplicert import radius

    return round_down(max(float(radius(name, **POINT)) for name in names), 4)


def state_radius_cohen() -> str:
    """By one number."""
    return _find_radius("cohen")


def state_radius_paper() -> str:
    """By the paper's ensemble."""
    from simplicert import PAPER_ENSEMBLE

    return _find_radius(*PAPER_ENSEMBLE["multinomial"])


def state_radius_ours() -> str:
    """By the largest radius that is true of the pair."""
    return _find_radius("two_sided")


def _find_mean(findings: Result, name: str) -> str:
    (found,) = (one["means"] for one in findings["gaussian"] if one["sigma"] == SIGMA)
    return round_down(found[name], 3)


def state_mean_cohen(findings: Result) -> str:
    """Mean radius by one number."""
    return _find_mean(findings, "cohen")


def state_mean_paper(findings: Result) -> str:
    """Mean radius by the paper's ensemble."""
    return _find_mean(findings, "ensemble")


def state_mean_ours(findings: Result) -> str:
    """Mean radius by both schemes of ours."""
    joint, gated = (_find_mean(findings, name) for name in ("two_sided, joint", "two_sided"))
    return f"{joint} (`joint`), {gated} (`gated`)"
