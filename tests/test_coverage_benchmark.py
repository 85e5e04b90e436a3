"""The coverage harness: its truths are true, its draws the sampler's, its result sound."""

import copy
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import simplicert as sc
from simplicert.sampling.outputs import RunningSums, keep_leading_sums, read_probabilities

ROOT = Path(__file__).parents[1]
RESULT = json.loads((ROOT / "benchmarks" / "results" / "coverage.json").read_text())


def test_every_rate_is_at_most_its_level_and_every_control_was_caught(benchmark):
    assert benchmark("coverage_rates").failures(RESULT) == []
    rows = RESULT["fixed"] + RESULT["looked"] + RESULT["runs"]
    assert {(row["kind"], row["scheme"]) for row in rows} == {
        *(("multinomial", scheme) for scheme in ("gated", "joint", "paper", "split")),
        *(("softmax", scheme) for scheme in ("gated", "paper", "split")),
    }
    for part in ("fixed", "looked", "runs"):
        methods = {row["method"] for row in RESULT[part]}
        assert {"buehler+pair", "bentkus+betting, histograms"} <= methods
    assert {row["classes"] for row in rows} >= {2, 3, 10, 100, 1000}
    inflated = [row for row in RESULT["controls"] if row["control"].startswith("radii times 1.5")]
    assert all(row["wrong"]["low"] > 3 * row["alpha"] for row in inflated)


def test_a_rate_above_its_level_fails_the_harness(benchmark):
    failures = benchmark("coverage_rates").failures
    broken = copy.deepcopy(RESULT)
    broken["looked"][5]["wrong"]["low"] = 1.01 * broken["looked"][5]["level"]
    broken["controls"][0]["wrong"]["low"] = broken["controls"][0]["alpha"]
    broken["low_bits"][1]["contradiction"] = True
    assert [words.split(":")[0] for words in failures(broken)] == [
        "above its level",
        "not caught",
        "low bits",
    ]


def test_a_pair_that_is_wrong_makes_its_certificate_wrong(benchmark):
    """E_0 above the true expectation of its class, or E_1 below that of another."""
    misses, slabs = benchmark("coverage_rates").misses_pair, benchmark("truths").hard(0.6, 0.3, 0.1)
    nothing = np.nan
    known = sc.Expectations(
        top=[0, 0, 0, 1, 1, 0],
        e0=[0.59, 0.61, 0.59, 0.29, 0.29, nothing],
        e1=[0.31, 0.31, 0.29, 0.61, 0.59, nothing],
    )
    assert misses(slabs, "multinomial", known).tolist() == [False, True, True, False, True, False]


def test_radii_in_closed_form_are_those_of_a_search(benchmark):
    """The search looks both ways along the line: nothing else changes the smoothed class."""
    truths = benchmark("truths")
    small = {name: slabs for name, slabs in truths.HARD.items() if slabs.classes <= 100}
    assert len(small) > 15
    for name, slabs in small.items():
        searched = truths.Slabs(slabs.cuts, slabs.scores).radius("multinomial")
        assert slabs.radius("multinomial") == pytest.approx(searched, abs=1e-9), name
        assert slabs.top("multinomial") == (2 if "steps" in name else 0)


def test_the_smoothed_class_changes_at_the_radius(benchmark):
    """By 200,000 draws of the real classifier a little inside and a little outside.

    The lead there is .005 or more, five deviations of it: a failure has chance below 1e-5.
    """
    truths = benchmark("truths")
    random = np.random.default_rng(0)
    for kind, name in [
        ("multinomial", "unequal .58 .31 .11"),
        ("multinomial", "linear, ten steps"),
        ("softmax", "stairs, clear"),
        ("softmax", "stairs among ten"),
    ]:
        slabs = truths.POINTS_OF[kind][name]
        classify = slabs.classifier(np.ones(1), 2.0)
        radius, top = slabs.radius(kind), slabs.top(kind)
        signs = []
        for shift in (radius - 0.03, radius + 0.03):
            batch = 2 * (shift + random.normal(size=(200_000, 1)))
            means = [slabs.vectors(kind)[np.searchsorted(slabs.cuts, batch[:, 0] / 2)].mean(axis=0)]
            means.append(classify(batch).mean(axis=0))
            np.testing.assert_array_equal(means[0], means[1])
            lead = means[0][top] - np.delete(means[0], top).max()
            signs.append(np.sign(lead))
        assert signs == [1, -1]


@pytest.mark.parametrize("name", ["stairs, tie", "hard .58 .31 .11", "stairs among 1,000"])
def test_tallies_are_those_of_the_sampler(benchmark, name):
    """The same draws, one by one through the sampler's own ledger; votes by their mean."""
    slabs = benchmark("truths").SOFT[name]
    people = benchmark("known_draws").Drawn(slabs, "softmax", 5, 3)
    people.draw(40)
    people.draw(60, np.array([0, 2, 3]))
    tally = people.tally()
    ledger = RunningSums(5, slabs.classes, True, people.leaders)
    for slot, held in enumerate(people.held):
        scores = read_probabilities(np.repeat(slabs.scores, held, axis=0))
        slots = np.full(held.sum(), slot)
        ledger.add(slots, scores, np.random.default_rng(slot).random(len(slots)))
    np.testing.assert_array_equal(tally.draws, [100, 40, 100, 100, 40])
    np.testing.assert_array_equal(tally.counts, ledger.counts[:, :-1])
    np.testing.assert_array_equal(tally.histograms, ledger.histograms)
    kept = keep_leading_sums(ledger.sums, ledger.squares)
    for field, values in kept._asdict().items():
        np.testing.assert_array_equal(getattr(tally, field), values, err_msg=field)


def test_votes_and_counts_have_the_known_means(benchmark):
    """20,000 inputs of 50 draws: within 6 deviations, so that a failure has chance below 1e-7."""
    slabs = benchmark("truths").SOFT["stairs among ten"]
    people = benchmark("known_draws").Drawn(slabs, "softmax", 20_000, 1, histograms=False)
    people.draw(50)
    tally = people.tally()
    for found, kind in ((tally.votes, "softmax"), (tally.counts, "multinomial")):
        known = slabs.masses() @ slabs.vectors(kind)
        off = np.abs(found.sum(axis=0) / 1e6 - known)
        assert (off <= 6 * np.sqrt(known * (1 - known) / 1e6) + 1e-9).all()


@pytest.mark.slow
@pytest.mark.long
def test_the_harness_runs():
    """Few repeats: whole intervals above a level would have a chance of about 1e-3 even at it."""
    words = [sys.executable, "-W", "ignore", str(ROOT / "benchmarks" / "coverage.py"), "--quick"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    assert "every rate is at most its level, every control was caught" in done.stdout
