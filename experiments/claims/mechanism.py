"""Claims of Sections 3 and 4: the simplex, the new mechanism and the ensemble."""

from claim import Check, Claim, above, listing, percent
from evidence import Evidence
from theory import COVERAGE

WINNER = "simplicert simplex --winner"
NEAR = 0.1  # of E0 + E1 from 1: what we take "near" to mean


def list_claims(held: Evidence) -> list[Claim]:
    """In the paper's order."""
    return [*_comparison(held), *_mechanism(held)]


def _comparison(held: Evidence) -> list[Claim]:
    """Section 3's."""
    plane = held.simplex
    return [
        Claim(
            "Section 3",
            "Every radius is proportional to sigma, so the expectations alone decide.",
            "-",
            f"relative difference at sigma 3: at most {plane['linear']:.0e}",
            "simplicert radius --e0 .6 --e1 .3 --sigma 3",
            (Check("proportional up to rounding", plane["linear"] < 1e-12),),  # noqa: PLR2004
        ),
        Claim(
            "Section 3",
            "Cohen's radius exceeds Li's only near E0 + E1 = 1.",
            "-",
            f"on {percent(plane['cohen_over_li'])} % of the area, all of it with E0 + E1 above "
            f"{1 - plane['cohen_over_li_rest']:.3f}",
            "simplicert simplex --difference cohen:li",
            (
                Check(f"only where E0 + E1 > {1 - NEAR:g}", plane["cohen_over_li_rest"] < NEAR),
                Check("Li's is larger on most of the area", plane["cohen_over_li"] < 1 / 2),
            ),
        ),
        Claim(
            "Sections 4, 4.1",
            "For multinomial outputs all other approaches uniformly outperform Lecuyer.",
            "uniformly",
            f"Lecuyer is larger than Li on {percent(plane['lecuyer_over_li'])} % of the area, than "
            f"Cohen on {percent(plane['lecuyer_over_cohen'])} %, than both on "
            f"{percent(plane['lecuyer_over_both'])} %, than improved_dp on "
            f"{percent(plane['lecuyer_over_ours'])} %",
            "simplicert simplex --difference lecuyer:cohen,li",
            (
                Check("improved_dp does", plane["lecuyer_over_ours"] == 0),
                Check("Li does", plane["lecuyer_over_li"] == 0),
                Check("Cohen does", plane["lecuyer_over_cohen"] == 0),
            ),
            "Li's radius is smaller at small E0, and Cohen's is 0 up to E0 = 1/2.",
        ),
    ]


def _mechanism(held: Evidence) -> list[Claim]:
    """Section 4's."""
    plane, slsqp = held.simplex, held.radii["improved_dp_against_slsqp"]
    wins, cifar = plane["wins"], held.cifar
    bounds = [
        row
        for row in held.coverage["fixed"]
        if (row["kind"], row["scheme"]) == ("multinomial", "gated")
    ]
    members = [held.trend(f"{name}_median") for name in ("cohen", "li", "improved_dp")]
    together = held.trend("ensemble_median")
    known = ", ".join(plane["softmax_mechanisms"])
    return [
        Claim(
            "Section 4",
            "The new mechanism beats Cohen and Li on the majority of the simplex.",
            "majority",
            f"largest on {percent(wins['improved_dp'])} % of the area, Cohen on "
            f"{percent(wins['cohen'])} %, Li on {percent(wins['li'])} %",
            WINNER,
            (Check("on more than half of the area", wins["improved_dp"] > 1 / 2),),
            "Area is not data: [Table 1](experiments.md#table-1) has the shares of inputs.",
        ),
        Claim(
            "Section 4",
            "Cohen stays strongest only near E1 = 1 - E0, Li near (1, 0).",
            "-",
            f"Cohen where E0 + E1 > {1 - plane['cohen_wins_rest']:.3f}; Li where E0 > "
            f"{plane['li_wins_least_e0']:.2f} and E1 < {plane['li_wins_largest_e1']:.2f}",
            WINNER,
            (
                Check(f"Cohen only where E0 + E1 > {1 - NEAR:g}", plane["cohen_wins_rest"] < NEAR),
                Check("Li only where E0 > 1/2 > E1", plane["li_wins_least_e0"] > 1 / 2),
            ),
        ),
        Claim(
            "Section 4",
            "Any conventional optimiser quickly solves the new mechanism's constrained problem.",
            "any",
            f"SLSQP, {slsqp['points']} random points: {slsqp['slsqp_unsound']} radii above the "
            f"true one by up to {slsqp['slsqp_largest_excess_percent']:.1f} %; "
            f"{slsqp['slsqp_too_small_by_more_than_1_percent']} more than 1 % too small; "
            f"{slsqp['slsqp_per_second']:.0f} points per second",
            "python benchmarks/radii.py",
            (
                Check("it never returns too large a radius", slsqp["slsqp_unsound"] == 0),
                Check(
                    "it never returns one more than 1 % too small",
                    slsqp["slsqp_too_small_by_more_than_1_percent"] == 0,
                ),
            ),
            f"Our closed form is {slsqp['ratio_same_points']:,.0f} times as fast, and each of its "
            "points is a true radius ([method](method.md)).",
        ),
        Claim(
            "Section 4",
            "The radii of the new mechanism are provably true.",
            "-",
            f"at least {1 - plane['ours_of_limit']:.0e} (relative) below the largest true radius "
            f"on {plane['cells']:,} cells",
            "simplicert simplex --ratio improved_dp:two_sided",
            (Check("never above Neyman and Pearson's limit", plane["ours_of_limit"] <= 1),),
            "The sentence under the paper's equation swaps the bounds: E0 must be bounded from "
            "below and E1 from above, as in its Section 2.1.",
        ),
        Claim(
            "Section 4.1",
            "The ensemble is never below a member and above each of them somewhere.",
            "-",
            f"each member is the largest on a part of the area: {listing(list(wins.values()))} % "
            f"for {', '.join(wins)}",
            WINNER,
            (
                Check("each member is largest somewhere", min(wins.values()) > 0),
                Check(
                    "the ensemble's median is at least each member's (CIFAR-10)",
                    all(not above(one, together) for one in members)
                    and all(a <= b for one in members for a, b in zip(one, together, strict=True)),
                ),
            ),
        ),
        Claim(
            "Section 4.1",
            "For softmax outputs only the new mechanism and Lecuyer's apply.",
            "2 mechanisms",
            f"{len(plane['softmax_mechanisms'])} have a proof here: {known}",
            "simplicert radius --e0 .6 --e1 .3 --kind softmax",
            (Check("no other has a proof", len(plane["softmax_mechanisms"]) <= 2),),  # noqa: PLR2004
            "At sigma 1 the mean softmax radius of two_sided is "
            f"{cifar['gaussian'][-1]['radii']['softmax: two_sided over improved_dp']['ratio']:.2f} "
            "times improved_dp's.",
        ),
        Claim(
            "Section 4.1",
            "Several mechanisms can share the same expectations without a smaller alpha.",
            "-",
            "scheme gated: the largest radius is wrong at a rate of at most "
            f"{max(row['wrong']['rate'] / row['alpha'] for row in bounds):.2f} alpha in "
            f"{len(bounds)} settings",
            COVERAGE,
            (
                Check(
                    "no measured rate is significantly above its level",
                    all(row["wrong"]["low"] <= row["level"] for row in bounds),
                ),
            ),
            "All radii hold whenever both bounds hold. A rate counted in simulated runs may be "
            "above its level by chance; its 95 % interval then reaches below.",
        ),
    ]
