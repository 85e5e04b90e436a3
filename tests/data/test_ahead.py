"""read_ahead yields results in the order of the jobs and never holds many at once."""

import threading
import time

import pytest

from simplicert.data.dataset import read_ahead

PATIENCE = 60  # seconds before a thread that does not come is given up


@pytest.mark.parametrize("threads", [1, 3, 8])
def test_results_come_in_the_order_of_the_jobs(threads):
    def read(job):
        time.sleep(0.001 * (job % 3))
        return job * job

    assert list(read_ahead(read, range(20), threads)) == [job * job for job in range(20)]
    assert list(read_ahead(read, [], threads)) == []


def test_threads_read_side_by_side():
    """Each of three waits for the other two."""
    meeting = threading.Barrier(3)
    assert sorted(read_ahead(lambda job: meeting.wait(PATIENCE), range(3), 3)) == [0, 1, 2]


def test_few_results_wait():
    """When a result is used, at most the four after it were begun: memory does not grow."""
    begun = []

    def read(job):
        begun.append(job)
        return job

    for job in read_ahead(read, range(30), 4):
        time.sleep(0.002)
        assert max(begun) <= job + 4
    assert sorted(begun) == list(range(30))


def test_the_first_error_in_order_is_raised_and_the_rest_is_left():
    begun = []

    def read(job):
        begun.append(job)
        if job == 2:
            time.sleep(0.02)
        if job >= 2:
            raise ValueError(job)
        return job

    seen = []
    with pytest.raises(ValueError, match="2"):
        seen.extend(read_ahead(read, range(100), 3))
    assert len(begun) < 10


def test_one_who_stops_early_ends_the_threads():
    before = set(threading.enumerate())
    results = read_ahead(lambda job: job, range(100), 3)
    assert next(results) == 0
    results.close()
    assert set(threading.enumerate()) <= before
