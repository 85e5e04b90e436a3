"""Certificates of a population: true in simulation, and refused where the design was not kept."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import binomtest

import simplicert as sc
from simplicert.errors import InvalidInput, MissingEvidence
from simplicert.populations import read_design

SIGMA, DRAWS, INPUTS = 0.5, 16, 300
BEFORE, AFTER = "2026-01-01T00:00:00+00:00", "2026-01-02T00:00:00+00:00"
PROBABILITIES = np.random.default_rng(7).beta(0.6, 0.4, 400)


def drawn(rng, inputs=INPUTS, draws=DRAWS, probabilities=PROBABILITIES, **fields):
    """A tally of three classes; label 1 has its probability, class 2 half of the rest."""
    p = rng.choice(probabilities, inputs)
    counts = rng.multinomial(draws, np.column_stack([(1 - p) / 2, p, (1 - p) / 2]))
    settings = {"labels": np.ones(inputs, int), "plan": sc.Plan((draws,))}
    return sc.Tally(counts, SIGMA, **settings | fields)


@pytest.fixture(scope="module")
def pilot():
    return drawn(np.random.default_rng(0), 200, 100, index=np.arange(1000, 1200))


@pytest.fixture(scope="module")
def design(pilot):
    made = sc.design_population(SIGMA, [0.25], DRAWS, INPUTS, pilot=pilot)
    return replace(made, recorded=BEFORE)


@pytest.fixture(scope="module")
def tally():
    return drawn(np.random.default_rng(1))


def as_run(folder, tally, **changes):
    made = {"began": AFTER} | changes.pop("made", {})
    settings = {"plan": tally.plan, "made": made} | changes
    return sc.create_run(folder, sc.Manifest(SIGMA, len(tally), 3, **settings), tally)


def test_the_share_is_below_the_truth_and_not_far(design, tally):
    found = sc.population(tally, design)
    threshold = ndtr(0.25 / SIGMA)
    truth = float((threshold < PROBABILITIES).mean())
    assert truth - 0.25 < found.share(0.25) < truth
    assert found.share(0.25) < found.shares[0].mean
    assert (
        "at least" in found.shares[0].sentence
        and "within l2 distance 0.25" in found.shares[0].sentence
    )
    assert any("user's word" in text for text in found.remarks)
    assert found.record()["shares"][0]["share"] == found.share(0.25)
    with pytest.raises(InvalidInput, match=r"one of the design's, 0\.25, got 0\.3"):
        found.share(0.3)


@pytest.mark.slow
@pytest.mark.parametrize("classifier", ["smoothed", "randomised"])
def test_coverage_where_the_truth_is_known(pilot, classifier):
    """400 simulated runs at confidence .9: more than 69 failures have a chance below 1e-5.

    The true rate is at most .1 by the proof, so that the test fails by chance less than once in
    100,000 seeds; the seed is fixed.
    """
    settings = {"pilot": pilot, "classifier": classifier}
    design = sc.design_population(SIGMA, [0.25], DRAWS, INPUTS, 0.9, **settings)
    truth = float(design.target(0.25).value(PROBABILITIES).mean())
    rng = np.random.default_rng(2)
    wrong = sum(sc.population(drawn(rng), design).share(0.25) > truth for _ in range(400))
    assert binomtest(70, 400, 0.1, "greater").pvalue < 1e-5
    assert wrong < 70


def test_the_worst_single_probability_is_covered(design):
    """All inputs just below the threshold: the truth is 0, and any positive share is wrong."""
    edge = np.array([ndtr(0.25 / SIGMA) - 1e-6])
    rng = np.random.default_rng(3)
    found = [sc.population(drawn(rng, probabilities=edge), design).share(0.25) for _ in range(50)]
    assert max(found) == 0


def test_a_run_drawn_for_the_design(design, tally, tmp_path):
    run = as_run(tmp_path / "run", tally)
    design.write(tmp_path / "a.toml")
    found = sc.population(run, tmp_path / "a.toml")
    assert found.shares == sc.population(tally, design).shares
    assert any("by the clocks" in text for text in found.remarks)


def test_draws_that_began_before_the_design_are_refused(design, tally, tmp_path):
    run = as_run(tmp_path / "run", tally, made={"began": "2025-12-31T23:59:59+00:00"})
    with pytest.raises(InvalidInput, match="recorded before the draws begin"):
        sc.population(run, design)
    run = as_run(tmp_path / "odd", tally, made={"began": "yesterday"})
    with pytest.raises(InvalidInput, match="must be times"):
        sc.population(run, design)
    run = as_run(tmp_path / "silent", tally, made={"began": 5})
    assert any("user's word" in text for text in sc.population(run, design).remarks)


def test_inputs_of_the_pilot_are_refused_or_left_out(design, tmp_path):
    index = np.arange(900, 900 + INPUTS + 200)
    tally = drawn(np.random.default_rng(1), INPUTS + 200, index=index)
    with pytest.raises(InvalidInput, match=r"must not be among the pilot's, .* and 200 are"):
        sc.population(tally, design)
    found = sc.population(tally, design, leave_out_pilot=True)
    assert (found.inputs, found.left_out) == (INPUTS, 200)
    others = np.flatnonzero((index < 1000) | (index >= 1200))
    same = sc.Tally(tally.counts[others], SIGMA, labels=tally.labels[others], index=index[others])
    assert sc.population(same, design).shares == found.shares


def test_inputs_of_other_data_are_not_the_pilots(design, tally, tmp_path):
    """The same numbers in a data set with another fingerprint are other inputs."""
    pilot = replace(design.pilot, index=tally.index, data_fingerprint="aa")
    known = replace(design, pilot=pilot)
    run = as_run(tmp_path / "run", tally, source={"data_fingerprint": "bb"})
    assert sc.population(run, known).left_out == 0
    for name, source in (("same", {"data_fingerprint": "aa"}), ("unknown", {})):
        with pytest.raises(InvalidInput, match="among the pilot's"):
            sc.population(as_run(tmp_path / name, tally, source=source), known)
    with pytest.raises(InvalidInput, match="among the pilot's"):
        sc.population(tally, known, leave_out_pilot=True)  # nothing would be left


def test_other_settings_are_refused(design, tally):
    rng = np.random.default_rng(4)
    for other, words in (
        (replace(tally, sigma=1.0), "sigma must be the design's 0.5, got 1"),
        (drawn(rng, draws=32), "design's 16 of every input, got 32"),
        (drawn(rng, inputs=INPUTS - 1), "as many as the design's 300, got 299"),
        (replace(tally, plan=sc.Plan((16, 32), (0.5, 0.5)), looks=None), "one fixed look"),
        (replace(tally, plan=sc.Plan((16,), rule="decided"), looks=None), "one fixed look"),
        (replace(tally, plan=sc.Plan((32,)), looks=None), "one fixed look at 16 draws"),
    ):
        with pytest.raises(InvalidInput, match=words):
            sc.population(other, design)
    with pytest.raises(MissingEvidence, match="labels"):
        sc.population(replace(tally, labels=None), design)
    with pytest.raises(MissingEvidence, match="needs a run with counts or a tally, got list"):
        sc.population([1], design)
    with pytest.raises(InvalidInput, match="design must be"):
        sc.population(tally, 0.5)


def test_runs_in_doubt_are_refused(design, tally, tmp_path):
    for name, changes, words in (
        ("doubt", {"made": {"label_doubt": "the classes differ"}}, "labels must"),
        ("stage", {"source": {"sensitivity": 2.0}}, "sensitivity must be the design's 1, got 2"),
    ):
        with pytest.raises(InvalidInput, match=words):
            sc.population(as_run(tmp_path / name, tally, **changes), design)
    extended = replace(tally, plan=sc.Plan((16, 32), (0.5, 0.5)), looks=None)
    with pytest.raises(InvalidInput, match="one fixed look"):
        sc.population(as_run(tmp_path / "extended", extended), design)
    manifest = sc.Manifest(SIGMA, INPUTS + 1, 3, plan=tally.plan, made={"began": AFTER})
    with pytest.raises(InvalidInput, match="complete, and 1 inputs are missing"):
        sc.population(sc.create_run(tmp_path / "missing", manifest, tally), design)


def test_draws_without_a_class_count_as_wrong(design, tally):
    moved = tally.counts.copy()
    moved[:, 0] = 0
    same = sc.Tally(moved, SIGMA, labels=tally.labels, invalid=tally.counts[:, 0])
    assert sc.population(same, design).shares == sc.population(tally, design).shares


def test_a_sensitivity_scales_the_radius(pilot, tally, tmp_path):
    """A stage of sensitivity 2 halves every radius."""
    plain = sc.design_population(SIGMA, [0.25], DRAWS, INPUTS, pilot=pilot)
    stage = sc.design_population(SIGMA, [0.125], DRAWS, INPUTS, pilot=pilot, sensitivity=2.0)
    run = as_run(
        tmp_path / "run",
        tally,
        source={"sensitivity": 2.0},
        made={"began": "2099-01-01T00:00:00+00:00"},
    )
    found = sc.population(run, stage)
    assert found.share(0.125) == sc.population(tally, plain).share(0.25)
    assert "first stage of sensitivity 2" in found.shares[0].sentence


def test_the_randomised_classifier_is_named(pilot, tally):
    design = sc.design_population(
        SIGMA, [0.25, 0.1], DRAWS, INPUTS, pilot=pilot, classifier="randomised"
    )
    found = sc.population(tally, design)
    assert all(
        "randomised classifier, which answers by one noisy copy" in s.sentence for s in found.shares
    )
    assert all("both radii of the design together" in s.sentence for s in found.shares)
    assert found.share(0.1) > found.share(0.25) > 0


def test_a_design_of_the_pilot_run_names_it(tmp_path, pilot):
    run = as_run(tmp_path / "pilot", pilot, source={"data_fingerprint": "aa"})
    design = sc.design_population(SIGMA, [0.25], 4, 10, pilot=run)
    assert run.manifest.id in design.pilot.source and design.pilot.data_fingerprint == "aa"
    design.write(tmp_path / "a.toml")
    assert read_design(tmp_path / "a.toml").pilot.data_fingerprint == "aa"


def test_sentences_round_neither_radius_nor_confidence_up(tally):
    design = sc.design_population(SIGMA, [0.4999999], DRAWS, INPUTS, 0.99999999999999)
    said = sc.population(tally, design).shares[0].sentence
    assert said.startswith("With 99.999999999999 % confidence")
    assert "within l2 distance 0.4999999 (" in said
    with pytest.raises(InvalidInput, match=r"the design's, 0\.4999999, got 0\.5$"):
        sc.population(tally, design).share(0.5)


def test_draws_that_may_have_been_seen_before_are_named(design, tally, tmp_path):
    """A run is drawn again with its seed: the same draws, with a later time."""
    again = as_run(tmp_path / "again", tally, source={"seed": 0})
    said = sc.population(again, design).remarks
    assert any("user's word" in text and str(design.seed) in text for text in said)
    own = as_run(tmp_path / "own", tally, source={"seed": design.seed})
    said = sc.population(own, design).remarks
    assert any("nobody saw these draws before" in text for text in said)
    assert not any("user's word" in text for text in said)
    assert replace(design, recorded=AFTER).seed != design.seed


def test_a_pilot_of_other_data_is_named(design, tally, tmp_path):
    known = replace(design, pilot=replace(design.pilot, data_fingerprint="aa"))
    for data, named in (("aa", False), ("bb", True)):
        run = as_run(tmp_path / data, tally, source={"data_fingerprint": data})
        said = sc.population(run, known).remarks
        assert any("drawn of other data" in text for text in said) == named
