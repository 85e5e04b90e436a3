"""The interval that holds at every number of inputs: by enumeration, and beside Clopper-Pearson."""

import numpy as np
import pytest

import simplicert as sc
from simplicert.metrics.intervals import rate_limits
from simplicert.metrics.sequence import watched_share

TAIL, LAST = 0.2, 30


@pytest.fixture(scope="module")
def limits():
    """The interval of every number of hits and inputs up to LAST."""
    totals = range(1, LAST + 1)
    return {(s, n): watched_share(s, n, 1 - TAIL) for n in totals for s in range(n + 1)}


def chance_of_a_miss(p, limits):
    """The exact probability that p lies outside the interval at some total up to LAST."""
    alive, missed = np.array([1.0]), 0.0  # by hits, of those never outside
    for total in range(1, LAST + 1):
        alive = np.append(alive * (1 - p), 0) + np.append(0, alive * p)
        for hits in range(total + 1):
            rate = limits[hits, total]
            if not rate.low <= p <= rate.high:
                missed += alive[hits]
                alive[hits] = 0.0
    return missed


@pytest.mark.slow
def test_it_holds_at_all_totals_at_once(limits):
    found = {p: chance_of_a_miss(p, limits) for p in (0.02, 0.1, 0.3, 0.5, 0.8, 0.95)}
    assert max(found.values()) <= TAIL
    assert max(found.values()) > TAIL / 4, found  # nor is it much too wide


def test_it_is_wider_than_an_interval_for_one_total():
    for hits in (0, 3, 50, 100):
        rate = watched_share(hits, 100)
        low, high = rate_limits(np.array(hits), 100, 0.95)
        assert rate.low <= low and high <= rate.high
        assert rate.low <= rate.value <= rate.high
    assert watched_share(0, 10).low == 0 and watched_share(10, 10).high == 1


@pytest.mark.parametrize(("hits", "total"), [(-1, 5), (6, 5), (0, 0)])
def test_counts_that_cannot_be_are_refused(hits, total):
    with pytest.raises(sc.InvalidInput, match="hits must lie in"):
        watched_share(hits, total)
