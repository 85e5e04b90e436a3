"""Times are divided by the right numbers; a clock of the test says how long each job takes."""

import numpy as np
import pytest
from figured import DRAWS, INPUTS, write_log, write_run

import simplicert as sc
from simplicert.metrics import growth


class Clock:
    """A clock that moves by the next of the given seconds whenever a job is done."""

    def __init__(self, *seconds):
        """Start the clock at 0."""
        self.now, self.steps, self.jobs = 0.0, iter(seconds), 0

    def __call__(self):
        """Return the time."""
        return self.now

    def job(self):
        """Take as long as the next step says."""
        self.jobs += 1
        self.now += next(self.steps)


def test_a_job_is_timed_by_its_median_after_a_first_time():
    clock = Clock(100.0, 0.02, 0.01, 0.03, 9.0, 0.02)
    assert growth.measure_seconds(clock.job, clock) == pytest.approx(0.02)
    assert clock.jobs == 6


def test_a_quick_job_is_repeated_until_a_moment_is_full():
    clock = Clock(*[0.001] * 200)
    assert growth.measure_seconds(clock.job, clock) == pytest.approx(0.001)
    assert clock.jobs * 0.001 == pytest.approx(growth.LEAST, abs=0.003)


def test_drawing_is_what_the_run_recorded(tmp_path):
    run = sc.open_run(write_run(tmp_path / "run", seconds=3.6))
    assert growth.seconds_per_draw(run) == pytest.approx(3.6 / (INPUTS * DRAWS))


def test_a_run_that_was_not_drawn_here_is_refused(tmp_path):
    run = sc.open_run(write_run(tmp_path / "run", seconds=0.0))
    with pytest.raises(sc.MissingEvidence, match="does not say how long drawing took"):
        growth.seconds_per_draw(run)


def test_a_log_says_in_its_own_words_that_it_has_no_tally(tmp_path):
    run = sc.open_run(write_log(tmp_path / "log"))
    with pytest.raises(sc.MissingEvidence, match="imported log and no tally"):
        growth.seconds_per_draw(run)


def known(e0, e1):
    return sc.Expectations(np.zeros(len(e0), int), e0, e1, sigma=0.5)


def test_each_mechanism_is_timed_over_as_many_points_as_there_are_inputs(monkeypatch):
    """A job takes one second per point, so one second per input; abstained inputs are replaced."""
    seen = []
    clock = Clock()

    def unit_radius(name, row, e0, e1):
        seen.append((name, row is sc.MECHANISMS[name], e0.tolist(), e1.tolist()))
        clock.now += len(e0)

    monkeypatch.setattr(growth, "unit_radius", unit_radius)
    points = known([0.9, np.nan, 0.6, np.nan, np.nan], [0.1, np.nan, 0.3, np.nan, np.nan])
    found = growth.mechanism_seconds(points, ("li", "cohen"), clock)
    assert found == {"li": 1.0, "cohen": 1.0}
    assert seen[0] == ("li", True, [0.9, 0.6, 0.9, 0.6, 0.9], [0.1, 0.3, 0.1, 0.3, 0.1])


def test_without_a_certified_input_there_is_nothing_to_time():
    found = growth.mechanism_seconds(known([np.nan], [np.nan]), ("li",))
    assert list(found) == ["li"] and np.isnan(found["li"])
