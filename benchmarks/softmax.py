"""Softmax radii by every method, as shares of the radius at the true means; and their levels.

    python benchmarks/softmax.py [--json FILE]

Five families of scores, from one whose scores are all near 1 to one of a thousand classes. Their
means and distributions are known, so the radius that `two_sided` or `cdf` would give with
infinitely many draws is known too. A share above 1 is more than `two_sided` can ever give.
"""

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from bands import compare_middles, compared
from bins import (
    FINEST,
    all_layouts,
    coarsened,
    compare_layouts,
    endless_radii,
    former_radius,
    measure_bytes,
)
from scipy import integrate, stats
from scipy.special import expit, logit, ndtr, ndtri

import simplicert as sc
from simplicert.bounds import betting, gated, means
from simplicert.bounds.softmax import LIMITS, ScoreLimit, read_score_sums
from simplicert.mechanisms import MECHANISMS
from simplicert.sampling.outputs import RunningSums, Scores, keep_leading_sums
from simplicert.sampling.settings import LEADERS, PILOT_FOR_LEADERS
from simplicert.types import FIXED_POINT

SEED, ALPHA = 0, 0.001
REPEATS = {1000: 20, 10_000: 8, 100_000: 3}  # tallies of each size
DESIGN_DRAWS = 100_000  # where designs of the bands are compared
AT_ONCE = 4000  # draws in memory
OURS = 128  # steps in the middle of our layout of bins
SIZE_INPUTS, SIZE_DRAWS = 100, 1000  # of the part whose bytes are counted

# Levels: tallies of 300 draws at alpha .1, where a wrong certificate is not too rare to count.
LEVEL_ALPHA, LEVEL_DRAWS, LEVEL_REPEATS = 0.1, 300, 4000
FEWER_REPEATS = 500  # with a thousand classes
NODES, WEIGHTS = np.polynomial.legendre.leggauss(2000)


@dataclass(frozen=True)
class Family:
    """Scores of one input: how they are drawn, and what is true of them."""

    draw: Callable[[np.random.Generator, int], np.ndarray]  # n -> (n, K)
    mean: np.ndarray  # (K,)
    above: Callable[[int, np.ndarray], np.ndarray]  # P(score of class j >= t)

    @property
    def two_sided(self) -> float:
        """The radius at the true means."""
        return float(ndtri(self.mean[0]) - ndtri(self.mean[1:].max())) / 2

    @property
    def cdf(self) -> float:
        """The radius at the true distributions."""
        t = (NODES + 1) / 2
        t = np.clip(t**3 * (10 - 15 * t + 6 * t**2), 0, 1)  # dense at both ends
        width = WEIGHTS / 2 * 30 * ((NODES + 1) / 2 * (1 - NODES) / 2) ** 2
        top, *others = (ndtri(self.above(j, t)) for j in range(min(len(self.mean), 3)))
        low, high = 0.0, 20.0
        for _ in range(60):
            d = (low + high) / 2
            own = width @ ndtr(top - d)
            rival = max(width @ ndtr(other + d) for other in others)
            low, high = (d, high) if own > min(rival, 1 - own) else (low, d)
        return low


def dirichlet(*weights: float) -> Family:
    """Scores that are Dirichlet: each is Beta by itself. Classes in falling order."""
    alpha = np.array(weights)
    return Family(
        lambda random, n: random.dirichlet(alpha, n),
        alpha / alpha.sum(),
        lambda j, t: stats.beta.sf(t, alpha[j], alpha.sum() - alpha[j]),
    )


def logistic(centre: float, spread: float, *others: float) -> Family:
    """A top score that is logistic in a normal variable; the others share what it leaves."""
    shares = np.array(others) / np.sum(others)
    mean, _ = integrate.quad(
        lambda z: expit(centre + spread * z) * stats.norm.pdf(z), -12, 12, epsabs=1e-13, limit=200
    )

    def draw(random: np.random.Generator, n: int) -> np.ndarray:
        top = expit(random.normal(centre, spread, n))
        return np.column_stack([top, (1 - top)[:, None] * shares])

    def above(j: int, t: np.ndarray) -> np.ndarray:
        if j == 0:
            return ndtr((centre - logit(t)) / spread)
        with np.errstate(divide="ignore"):
            return ndtr((logit(np.maximum(1 - t / shares[j - 1], 0.0)) - centre) / spread)

    return Family(draw, np.concatenate([[mean], (1 - mean) * shares]), above)


def hard(*shares: float) -> Family:
    """Scores that are 0 or 1: what bounds find hardest. For the levels only."""
    p = np.array(shares)
    return Family(
        lambda random, n: np.eye(len(p))[random.choice(len(p), n, p=p)],
        p,
        lambda j, t: np.full(t.shape, p[j]),
    )


FAMILIES = {
    "saturated": logistic(9.0, 2.0, 5, *[0.5] * 8),
    "peaked": dirichlet(20, 0.5, *[0.06] * 8),
    "mild": dirichlet(6, 2, *[0.25] * 8),
    "bimodal": logistic(2.0, 4.0, 8, *[0.125] * 8),
    "diffuse": dirichlet(0.884, 0.309, *[1.182 / 998] * 998),
}

HARDEST = {
    "hard .6 .3 .1": hard(0.6, 0.3, 0.1),
    "hard .5 .5 (two classes)": hard(0.5, 0.5),
    "hard tie of two": hard(0.4, 0.4, 0.2),
    "hard tie of ten": hard(*[0.1] * 10),
    "mild tie": dirichlet(4, 4, 1, 1),
    "spread tie": dirichlet(0.1, 0.1, 0.02),
}


def tally_of(
    family: Family,
    random: np.random.Generator,
    draws: int,
    inputs: int = 1,
    histograms: bool = True,
    bins: int = FINEST,
) -> sc.Tally:
    """Drawn, voted and binned by the sampler's own ledger, its leaders chosen by separate draws."""
    classes = len(family.mean)
    leaders = None
    if histograms:
        pilot = family.draw(random, inputs * PILOT_FOR_LEADERS)
        sums = pilot.reshape(inputs, PILOT_FOR_LEADERS, classes).sum(axis=1)
        leaders = np.argsort(-sums, axis=1, kind="stable")[:, : min(LEADERS, classes - 1)]
    ledger = RunningSums(inputs, classes, True, leaders, bins)
    slots = np.repeat(np.arange(inputs), draws)
    for start in range(0, len(slots), AT_ONCE):
        part = slots[start : start + AT_ONCE]
        soft = np.minimum(family.draw(random, len(part)), 1.0)
        scores = Scores(soft.argmax(axis=1), soft)
        ledger.add(part, scores, random.random(len(part)))
    return sc.Tally(
        ledger.counts[:, :-1],
        1.0,
        invalid=ledger.counts[:, -1],
        votes=ledger.votes[:, :-1],
        votes_invalid=ledger.votes[:, -1],
        leaders=leaders,
        histograms=ledger.histograms,
        **keep_leading_sums(ledger.sums, ledger.squares)._asdict(),
    )


def without(tally: sc.Tally) -> sc.Tally:
    """The same draws, had no histograms been kept."""
    fields = {name: getattr(tally, name) for name in tally.__dataclass_fields__}
    return sc.Tally(**{**fields, "histograms": None, "leaders": None})


# The limits of the two default methods, each alone with the whole tail: for comparison only.
ALONE = {
    "bentkus alone": ScoreLimit(
        lambda own, n, a: means.bentkus_lower(own.at_least, n, a),
        lambda rivals, n, a: means.bentkus_upper(rivals.at_most.max(axis=1), n, a),
        bands=False,
    ),
    "betting alone": ScoreLimit(
        lambda own, n, a: betting.betting_lower(own.at_least, own.squares, n, a),
        lambda rivals, n, a: betting.betting_upper(*rivals, n[:, None], a[:, None]).max(axis=1),
        bands=False,
    ),
    "bernstein alone": ScoreLimit(
        lambda own, n, a: means.bernstein_lower(own.at_least, own.squares, n, a),
        lambda rivals, n, a: means.bernstein_upper(*rivals, n[:, None], a[:, None]).max(axis=1),
        bands=False,
    ),
}


def radii(tally: sc.Tally, alpha: float) -> dict[str, np.ndarray]:
    """(N,) radii by every method at the same confidence, 0 where refused."""
    tally, finest = coarsened(tally, OURS), tally
    bare = without(tally)
    out = {}
    for name, limit in {**LIMITS, **ALONE}.items():
        box = gated.gated_softmax(bare, np.full(len(bare), alpha), limit)
        live = box.gate & (box.e0 > box.e1)
        out[name] = np.zeros(len(bare))
        out[name][live] = MECHANISMS["two_sided"].radius(box.e0[live], box.e1[live])
    certificates = sc.certify(sc.bound(tally, alpha, "softmax"), ["two_sided", "cdf"])
    return out | {
        "two_sided, with histograms": certificates.radii["two_sided"],
        "cdf": certificates.radii["cdf"],
        "cdf, run format 1": former_radius(finest, alpha),
    }


def measure_widening(tally: sc.Tally, alpha: float) -> float:
    """How much farther from the mean scores E0 and E1 lie if histograms share the tail."""
    tally = coarsened(tally, OURS)
    with_bands = sc.bound(tally, alpha, "softmax")
    bare = sc.bound(without(tally), alpha, "softmax")
    means = read_score_sums(tally, slice(0, 1)).at_least / 2.0**FIXED_POINT / tally.draws[:, None]
    top = int(bare.top[0])
    own, rival = means[0, top], np.delete(means[0], top).max()
    ratios = [(own - with_bands.e0[0]) / (own - bare.e0[0])]
    if with_bands.e1[0] < 1 - with_bands.e0[0]:  # it is a limit of its own, not what E0 leaves
        ratios.append((with_bands.e1[0] - rival) / (bare.e1[0] - rival))
    return float(max(ratios))


def shares() -> dict[str, object]:
    """Mean share of the true two-sided radius, by family, method and draws."""
    out: dict[str, object] = {}
    for name, family in FAMILIES.items():
        random = np.random.default_rng(SEED)
        true = family.two_sided
        by_draws, least, widening, designs, layouts = {}, {}, {}, {}, {}
        for draws, repeats in REPEATS.items():
            tallies = [tally_of(family, random, draws) for _ in range(repeats)]
            found = [radii(tally, ALPHA) for tally in tallies]
            by_draws[str(draws)] = {
                method: float(np.mean([row[method][0] for row in found]) / true)
                for method in found[0]
            }
            ratios = [row["cdf"][0] / row["bentkus+betting"][0] for row in found]
            least[str(draws)] = float(np.min(ratios))
            widening[str(draws)] = max(measure_widening(tally, ALPHA) for tally in tallies)
            layouts[str(draws)] = compare_layouts(tallies, ALPHA, true)
            if draws == DESIGN_DRAWS:
                ours = [coarsened(tally, OURS) for tally in tallies]
                designs, middle = compared(ours, ALPHA, true), compare_middles(ours[0], ALPHA)
        out[name] = {
            "mean_top": float(family.mean[0]),
            "mean_rival": float(family.mean[1]),
            "classes": len(family.mean),
            "two_sided_radius": true,
            "cdf_with_infinitely_many_draws": family.cdf / true,
            "share": by_draws,
            "least_cdf_over_two_sided_without_histograms": least,
            "largest_widening_of_half_widths": widening,
            "designs": designs,
            "uniform_over_ours_in_the_middle": middle,
            "bins": layouts,
            "bins_with_endless_draws": endless_radii(family.above, family.mean, family.cdf),
            "bytes_of_an_input": measure_bytes(tally_of(family, random, SIZE_DRAWS, SIZE_INPUTS)),
        }
        print(name, layouts, out[name]["bytes_of_an_input"], flush=True)
    return out


def levels() -> dict[str, dict[str, float]]:
    """Share of tallies whose certificate is wrong, of the allowed share alpha.

    Wrong: another class than the one with the largest mean, or a radius above that of infinitely
    many draws. At a tie every certificate is wrong.
    """
    out = {}
    for name, family in {**FAMILIES, **HARDEST}.items():
        random = np.random.default_rng(SEED)
        repeats = LEVEL_REPEATS if len(family.mean) <= 100 else FEWER_REPEATS
        tally = tally_of(family, random, LEVEL_DRAWS, repeats)
        tie = np.isclose(family.mean[1:].max(), family.mean[0])
        wrong_class = tie | (tally.votes.argmax(axis=1) != 0)
        out[name] = {}
        for method, values in radii(tally, LEVEL_ALPHA).items():
            allowed = family.cdf if method.startswith("cdf") else family.two_sided
            wrong = (values > 0) & (wrong_class | (values > allowed))
            out[name][method] = float(wrong.mean() / LEVEL_ALPHA)
    return out


def main() -> None:
    """Run, print, write JSON where asked."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--json", type=Path, help="where to write the result")
    chosen = arguments.parse_args()
    with all_layouts():
        result = {"alpha": ALPHA, "families": shares(), "levels_of_alpha": levels()}
    for name, row in result["families"].items():
        print(
            f"{name}: means {row['mean_top']:.4f}, {row['mean_rival']:.4f}, "
            f"{row['classes']} classes, two_sided {row['two_sided_radius']:.3f}, "
            f"cdf at infinity {row['cdf_with_infinitely_many_draws']:.3f}"
        )
        for method in row["share"]["1000"]:
            cells = "  ".join(f"{row['share'][str(n)][method]:6.3f}" for n in REPEATS)
            print(f"  {method:28} {cells}")
        least = row["least_cdf_over_two_sided_without_histograms"]
        print(
            f"  {'cdf over two_sided, least':28} " + "  ".join(f"{v:6.3f}" for v in least.values())
        )
        wider = "  ".join(f"{v:6.3f}" for v in row["largest_widening_of_half_widths"].values())
        print(f"  {'half-widths, at most':28} {wider}")
        print(f"  {'uniform band in the middle':28} {row['uniform_over_ours_in_the_middle']:6.3f}")
        for design, value in row["designs"].items():
            print(f"    {design:40} {value:6.3f}")
    print("wrong certificates, of the alpha allowed")
    for name, row in result["levels_of_alpha"].items():
        print(f"  {name:26} " + "  ".join(f"{method} {v:.3f}" for method, v in row.items()))
    if chosen.json:
        chosen.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
