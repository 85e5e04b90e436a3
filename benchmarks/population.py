"""Population certificates: are they true, what do they cost, and what do certificates of each give?

coverage    simulated populations whose true share is known: how often the limit exceeds it
proof       how much the linear programme alone exceeds its target between the points of its grid
designs     the share to expect at sigma 1, radius .5, by draws per input, pilot and prior
divisions   640,000 draws divided in every way, expected for inputs like the pilot's; and how
            confident the best population certificate is of what the best certificates of each state
runs        the committed runs of 64 draws, beside certificates of 500 inputs of 10,000 draws

python benchmarks/population.py --json benchmarks/results/population.json
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np

import simplicert as sc
from simplicert.bounds.bets import betting_lower
from simplicert.metrics.intervals import rate_limits
from simplicert.metrics.statement import statement_from_hits
from simplicert.plan import DeclaredSettings
from simplicert.plan.division import divide_budget
from simplicert.populations import coefficients, read_design
from simplicert.populations.designing import label_probabilities
from simplicert.populations.proof import TARGETS, SmoothedTarget, bound_excess, radius_in_sigmas

CIFAR = Path(__file__).parents[1] / "experiments" / "cifar10"
PAIRS = {0.25: (0.25, 0.5), 1.0: (0.5, 1.0)}  # sigma: radii of the committed runs
BUDGET, MOST_INPUTS = 640_000, 10_000
REPEATS = 1_000  # simulated runs of each case
CONFIDENCE = 0.9  # of the simulated limits: errors at .999 would be too rare to count
ALPHA = 0.001
SMALLEST_TAIL, LARGEST_TAIL, TAIL_HALVINGS = 1e-30, 0.5, 40  # of the search for a confidence


def pilot_tally(sigma):
    """The committed run of 500 inputs, 10,000 draws each."""
    return sc.open_run(CIFAR / "runs" / f"sigma-{sigma:g}").tally()


def simulate_cases():
    """Populations of probabilities, each with what the design assumed of it."""
    edge = TARGETS["smoothed"](radius_in_sigmas(0.5, 1.0, 1.0)).threshold
    real = label_probabilities(pilot_tally(1.0))
    rng = np.random.default_rng(1)
    spread = rng.beta(0.5, 0.5, 5000)
    return {
        "CIFAR-10 at sigma 1, designed by it": (real, real),
        "CIFAR-10 at sigma 1, designed by a prior": (real, spread),
        "all just below the threshold": (np.full(1, edge * (1 - 1e-9)), real),
        "half just below it, half certain": (np.array([edge * (1 - 1e-9), 1.0]), real),
        "all certain": (np.ones(1), real),
        "near the worst dip of the design": (None, real),
    }


def measure_coverage():
    """How often the limit exceeds the true share, at confidence .9."""
    rows = []
    for classifier in ("smoothed", "randomised"):
        target = TARGETS[classifier](radius_in_sigmas(0.5, 1.0, 1.0))
        for name, (truth, assumed) in simulate_cases().items():
            for draws, inputs in ((16, 200), (64, 1000)):
                rows.append(
                    {"classifier": classifier, "population": name, "draws": draws}
                    | {"inputs": inputs}
                    | count_errors(target, truth, assumed, draws, inputs)
                )
    return rows


def count_errors(target, truth, assumed, draws, inputs):
    """Simulate inputs and draws, and count the limits that are above the true share."""
    rng = np.random.default_rng([draws, inputs])
    tail = 1 - CONFIDENCE
    chance = coefficients.binomial_table(draws, assumed).mean(axis=0)
    found, bets = coefficients.fit_coefficients(target, chance, 1.0, inputs, tail)
    if truth is None:  # where the inequality is nearly an equality: the hardest single p
        grid = np.linspace(0, 1, 20_001)
        gap = target.value(grid) - coefficients.binomial_table(draws, grid) @ found
        truth = grid[[np.argmin(np.where((grid > 0.3) & (grid < 0.99), gap, 9.0))]]
    share = float((truth > target.threshold).mean()) if isinstance(target, SmoothedTarget) else None
    share = float(target.value(truth).mean()) if share is None else share
    wrong = 0
    for _ in range(REPEATS):
        right = rng.binomial(draws, rng.choice(truth, inputs))
        counts = np.bincount(right, minlength=draws + 1).astype(float)
        wrong += betting_lower(found, counts, bets, tail) > share
    low, high = rate_limits(np.array(wrong), np.array(REPEATS), 0.95)
    values = {"share": share, "wrong": int(wrong), "repeats": REPEATS}
    return values | {"rate": wrong / REPEATS, "low": float(low), "high": float(high)}


def measure_lists():
    """The same for listed sets: half of a list at random without replacement, and all of it."""
    target = TARGETS["smoothed"](radius_in_sigmas(0.5, 1.0, 1.0))
    real, draws, rows = label_probabilities(pilot_tally(1.0)), 16, []
    chance = coefficients.binomial_table(draws, real).mean(axis=0)
    share = float((real > target.threshold).mean())
    for name, inputs in (("half of the list", 250), ("all of the list", 500)):
        rng = np.random.default_rng(inputs)
        found, bets = coefficients.fit_coefficients(target, chance, 1.0, inputs, 1 - CONFIDENCE)
        wrong = 0
        for _ in range(REPEATS):
            chosen = rng.choice(real, inputs, replace=False)
            counts = np.bincount(rng.binomial(draws, chosen), minlength=draws + 1).astype(float)
            wrong += betting_lower(found, counts, bets, 1 - CONFIDENCE) > share
        low, high = rate_limits(np.array(wrong), np.array(REPEATS), 0.95)
        rows.append(
            {"drawn": name, "list": len(real), "wrong": int(wrong), "repeats": REPEATS}
            | {"rate": wrong / REPEATS, "low": float(low), "high": float(high)}
        )
    return rows


def measure_proofs():
    """The excess of the linear programme between its points, and the time of a proof."""
    target = TARGETS["smoothed"](radius_in_sigmas(0.5, 1.0, 1.0))
    real, rows = label_probabilities(pilot_tally(1.0)), []
    for draws in (16, 64, 256):
        chance = coefficients.binomial_table(draws, real).mean(axis=0)
        alone = coefficients._Programme(target, chance, 1.0).solve()
        proved, _ = coefficients.fit_coefficients(target, chance, 1.0, MOST_INPUTS, ALPHA)
        begin = time.perf_counter()
        assert bound_excess(proved, target) == 0
        seconds = time.perf_counter() - begin
        excess = bound_excess(alone, target, coefficients.TOLERANCE)
        rows.append({"draws": draws, "excess": excess, "seconds": seconds})
    return rows


def measure_designs():
    """The share to expect at sigma 1, radius .5, from 10,000 inputs, by what was assumed."""
    target = TARGETS["smoothed"](radius_in_sigmas(0.5, 1.0, 1.0))
    tally = pilot_tally(1.0)
    real = label_probabilities(tally)
    rng = np.random.default_rng(2)
    few = (rng.binomial(64, real) + 0.5) / 65  # a pilot of 64 draws of each of the 500
    spread = coefficients_prior()
    rows = []
    for draws in (4, 16, 64, 128, 256):
        truth = coefficients.binomial_table(draws, real).mean(axis=0)
        row = {"draws": draws}
        for name, assumed in (("pilot", real), ("few", few), ("prior", spread)):
            chance = coefficients.binomial_table(draws, assumed).mean(axis=0)
            found, bets = coefficients.fit_coefficients(target, chance, 1.0, MOST_INPUTS, ALPHA)
            row[name] = coefficients.expect_limit(found, truth, bets, MOST_INPUTS, ALPHA)
        rows.append(row)
    one = TARGETS["randomised"](radius_in_sigmas(0.5, 1.0, 1.0))
    randomised = []
    for draws in (1, 4, 8, 64):
        chance = coefficients.binomial_table(draws, real).mean(axis=0)
        found, bets = coefficients.fit_coefficients(one, chance, 1.0, MOST_INPUTS, ALPHA)
        share = coefficients.expect_limit(found, chance, bets, MOST_INPUTS, ALPHA)
        randomised.append({"draws": draws, "share": share})
    true = {
        "smoothed": float(target.value(real).mean()),
        "randomised": float(one.value(real).mean()),
    }
    return {"true": true, "smoothed": rows, "randomised": randomised}


def coefficients_prior():
    """The prior of a design without a pilot."""
    from simplicert.populations.designing import PRIOR, _read_prior

    return _read_prior(PRIOR)[0]


def measure_divisions():
    """Every division of 640,000 draws, for inputs like the pilot's, in both ways."""
    rows = []
    for sigma, radii in PAIRS.items():
        declared = DeclaredSettings(sigma=sigma, alpha=ALPHA)
        for radius in radii:
            found = divide_budget(pilot_tally(sigma), declared, BUDGET, radius, 0.999, MOST_INPUTS)
            best = {
                method: max((row for row in found.rows if row.method == method), key=share_of)
                for method in ("population", "each input")
            }
            tail = find_tail(sigma, radius, best["population"], best["each input"].share)
            held = [row._asdict() for row in found.rows]
            rows.append(
                {"sigma": sigma, "radius": radius, "true": found.true, "rows": held}
                | {"tail": ALPHA, "tail_at_share_of_each": tail}
            )
    return rows


def share_of(row):
    """The share that a division is expected to state."""
    return row.share


def find_tail(sigma, radius, row, share):
    """The least tail at which this population certificate is expected to state the share.

    Bets are chosen for the tail, coefficients as for the usual one: others could do a little more.
    """
    target = TARGETS["smoothed"](radius_in_sigmas(radius, sigma, 1.0))
    chance = coefficients.binomial_table(row.draws, label_probabilities(pilot_tally(sigma)))
    chance = chance.mean(axis=0)
    found, _ = coefficients.fit_coefficients(target, chance, 1.0, row.inputs, ALPHA)

    def reaches(tail):
        bets = coefficients.expect_bets(found, chance, row.inputs, tail)
        return coefficients.expect_limit(found, chance, bets, row.inputs, tail) >= share

    low, high = np.log(SMALLEST_TAIL), np.log(LARGEST_TAIL)
    if reaches(SMALLEST_TAIL):
        return SMALLEST_TAIL
    if not reaches(LARGEST_TAIL):
        return None
    for _ in range(TAIL_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if reaches(np.exp(middle)) else (middle, high)
    return float(np.exp(high))


def measure_runs():
    """The committed runs beside certificates of 500 inputs, and of as many draws in all."""
    rows = []
    for sigma, radii in PAIRS.items():
        run = sc.open_run(CIFAR / "runs" / f"population-{sigma:g}")
        made = sc.population(
            run, CIFAR / "designs" / f"population-{sigma:g}.toml", leave_out_pilot=True
        )
        one = sc.population(
            run, CIFAR / "designs" / f"randomised-{sigma:g}.toml", leave_out_pilot=True
        )
        each = sc.open_run(CIFAR / "runs" / f"sigma-{sigma:g}").certify()
        tail = read_design(CIFAR / "designs" / f"population-{sigma:g}.toml").tail
        pilot = pilot_tally(sigma)
        for radius in radii:
            row = {"sigma": sigma, "radius": radius, "inputs": made.inputs, "draws": made.draws}
            row["population"] = made.share(radius)
            row["mean"] = next(item.mean for item in made.shares if item.radius == radius)
            for column in ("cohen", "two_sided"):
                hit = each.correct & (each.column(column) > radius)
                stated = statement_from_hits(hit, radius, 1 - tail, ALPHA, "l2").share
                row[f"{column}_500"] = stated
            row["estimate"] = float(
                (label_probabilities(pilot) > SmoothedTarget(radius / sigma).threshold).mean()
            )
            if radius == one.shares[0].radius:
                row["randomised"] = one.share(radius)
            rows.append(row)
    return rows


def main():
    """Measure everything and write it as JSON."""
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--json", type=Path)
    path = arguments.parse_args().json
    result = {
        "confidence": CONFIDENCE,
        "coverage": measure_coverage(),
        "lists": measure_lists(),
        "proof": measure_proofs(),
        "designs": measure_designs(),
        "divisions": measure_divisions(),
        "runs": measure_runs(),
    }
    text = json.dumps(result, indent=1)
    print(text)
    if path is not None:
        path.write_text(text + "\n")


if __name__ == "__main__":
    main()
