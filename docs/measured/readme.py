"""The table of the README: Cohen et al., the paper's ensemble and simplicert side by side.

Radii at one pair of expectations are computed; mean radii are those of the experiments, draws and
speeds those of the benchmarks.
"""

from typing import Any

from measured import percent_up, round_down, round_up

Result = dict[str, Any]
POINT = {"e0": 0.6, "e1": 0.3, "sigma": 0.5}
SIGMA, DRAWS = 1, 10_000  # of the experiment, and of the tallies


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


def _find_tallies(draws: Result) -> Result:
    (found,) = (part for part in draws["real"] if part["draws"] == DRAWS)
    return dict(found)


def state_tallies(draws: Result) -> str:
    """How many real tallies there are."""
    return f"{_find_tallies(draws)['certified_by_paper']} real tallies"


def state_draws_cohen(draws: Result) -> str:
    """How many tallies get to the paper's radius at all."""
    found = _find_tallies(draws)
    inputs = found["certified_by_paper"]
    reached = round(found["cohen"]["reached"] * inputs)
    return f"{reached} of {inputs} gets there with 64 n"


def state_draws_ours(draws: Result) -> str:
    """Draws for the paper's radius, as a share of the paper's."""
    found = _find_tallies(draws)
    joint, gated = (percent_up(found[name]["mean"], 0) for name in ("joint", "gated"))
    return f"{joint} (`joint`, the default), {gated} (`gated`)"


def compare_speeds(radii: Result) -> str:
    """Our closed form against a general solver."""
    against = radii["improved_dp_against_slsqp"]
    return (
        f"SLSQP computed {round_up(against['slsqp_per_second'])} points a second and our closed "
        f"form {round_down(against['ours_per_second_same_points'])}, a ratio of "
        f"{round_down(against['ratio_same_points'])}; "
        f"{against['slsqp_too_large_by_more_than_1e-6']} of SLSQP's {against['points']} answers "
        "were too large by more than one part in a million, by up to "
        f"{against['slsqp_largest_excess_percent']:.1f} percent."
    )
