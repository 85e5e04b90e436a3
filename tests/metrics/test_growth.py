"""Shorter runs are taken from one run, and the cost of each is measured."""

from itertools import pairwise

import numpy as np
import pytest
from figured import DRAWS, INPUTS, write_log, write_run

import simplicert as sc
from simplicert.metrics.growth import certify_shorter_runs, measure_cost, nested_subsamples
from simplicert.metrics.study import read_studies

LADDER = [10, 20, 50, 100, 200, DRAWS]


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return read_studies([write_run(tmp_path_factory.mktemp("growth") / "run")])[0]


def test_the_longest_is_the_run_itself(study):
    found = certify_shorter_runs(study)
    assert list(found) == LADDER
    np.testing.assert_array_equal(found[DRAWS].radius, study.certificates().radius)
    assert [int(item.known.draws[0]) for item in found.values()] == LADDER


def test_each_is_chosen_from_the_next_longer(study):
    tallies = list(nested_subsamples(study.tally, 5).values())
    for shorter, longer in pairwise(tallies):
        assert (shorter.counts <= longer.counts).all()


def test_the_seed_decides(study):
    assert nested_subsamples(study.tally, 1) == nested_subsamples(study.tally, 1)
    assert nested_subsamples(study.tally, 1) != nested_subsamples(study.tally, 2)


def test_bounds_are_those_the_run_declares(tmp_path):
    (study,) = read_studies([write_run(tmp_path / "run", alpha=0.02, scheme="paper")])
    for draws, certificates in certify_shorter_runs(study, 4).items():
        tally = nested_subsamples(study.tally, 4)[draws]
        known = sc.bound(tally, alpha=0.02, scheme="paper")
        np.testing.assert_array_equal(certificates.known.e0, known.e0)
        assert not certificates.exploratory


def test_a_reserve_is_kept_at_every_length(tmp_path):
    plan = sc.Plan((DRAWS,)).reserved(0.5)
    (study,) = read_studies([write_run(tmp_path / "run", plan=plan)])
    (plain,) = read_studies([write_run(tmp_path / "plain", plan=sc.Plan((DRAWS,)))])
    found, free = certify_shorter_runs(study), certify_shorter_runs(plain)
    np.testing.assert_array_equal(found[DRAWS].radius, study.certificates().radius)
    for draws in LADDER[-3:]:
        issued = ~found[draws].abstained
        assert issued.any() and (found[draws].radius <= free[draws].radius).all()
        assert (found[draws].radius[issued] < free[draws].radius[issued]).all()


def test_of_a_softmax_run_the_counts_are_used_and_marked(tmp_path):
    (study,) = read_studies([write_run(tmp_path / "run", kind="softmax")])
    for certificates in certify_shorter_runs(study).values():
        assert certificates.known.kind == "multinomial" and certificates.exploratory


def test_a_log_holds_no_shorter_run(tmp_path):
    (study,) = read_studies([write_log(tmp_path / "log")])
    with pytest.raises(sc.MissingEvidence, match="imported log and no tally"):
        certify_shorter_runs(study)


@pytest.mark.slow
def test_cost_adds_up_what_was_recorded_and_what_was_measured(study):
    """The clock moves on by a second whenever it is read."""
    ticks = iter(range(10**6))
    found = measure_cost(study, clock=lambda: next(ticks))
    assert found.draws.tolist() == LADDER and found.inputs == INPUTS
    a_draw = study.run.seconds / (INPUTS * DRAWS)
    np.testing.assert_allclose(found.drawing, a_draw * found.draws)
    np.testing.assert_allclose(found.bounds, 1 / INPUTS)
    hard = [name for name, row in sc.MECHANISMS.items() if "multinomial" in row.kinds]
    assert list(found.mechanisms) == hard
    certified = [~item.abstained.all() for item in certify_shorter_runs(study).values()]
    for seconds in found.mechanisms.values():
        np.testing.assert_array_equal(np.isfinite(seconds), certified)
        np.testing.assert_allclose(seconds[certified], 1 / INPUTS)
    assert 0 < sum(certified) < len(LADDER)  # ten draws certify nothing
