"""A shorter run out of a longer one: exact in distribution, whole where nothing is left out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simplicert as sc
from simplicert.metrics.growth import list_draw_counts, subsample_tally


def tally(counts, **more):
    return sc.Tally(np.array(counts), sigma=0.5, **more)


def rows():
    """Counts of a few inputs and their invalid draws, the same number of draws for each."""
    cell = st.integers(0, 50)
    return st.lists(
        st.lists(cell, min_size=4, max_size=4).filter(lambda row: sum(row) > 0),
        min_size=1,
        max_size=5,
    )


@given(rows(), st.integers(0, 2**32), st.data())
def test_what_is_kept_was_there_and_nothing_is_lost(cells, seed, data):
    cells = np.array(cells)
    whole = tally(cells[:, :-1], invalid=cells[:, -1])
    draws = data.draw(st.integers(1, int(whole.draws.min())))
    kept = subsample_tally(whole, draws, seed)
    assert (kept.draws == draws).all()
    assert (kept.counts <= whole.counts).all() and (kept.invalid <= whole.invalid).all()


@given(rows(), st.integers(0, 2**32))
def test_all_draws_are_the_same_counts(cells, seed):
    cells = np.array(cells)
    cells[:, -1] += cells.sum(axis=1).max() - cells.sum(axis=1)  # one number of draws for all
    whole = tally(cells[:, :-1], invalid=cells[:, -1])
    same = subsample_tally(whole, int(whole.draws[0]), seed)
    np.testing.assert_array_equal(same.counts, whole.counts)
    np.testing.assert_array_equal(same.invalid, whole.invalid)


def test_mean_and_variance_are_the_hypergeometric_ones():
    """20,000 shorter runs of one input, its invalid draws a cell of their own.

    Each of five means, and of five variances, is asked to lie within 5 standard errors: for a
    normal estimate that fails once in 1.7 million, so ten of them once in 170,000 seeds. The
    standard error of a variance is that of a normal variable's, sqrt(2 / repeats); cells of a
    hypergeometric have lighter tails.
    """
    cells, draws, repeats = np.array([60, 25, 10, 3, 2]), 40, 20_000
    whole = tally(np.tile(cells[:-1], (repeats, 1)), invalid=np.full(repeats, cells[-1]))
    kept = subsample_tally(whole, draws, 11)
    found = np.column_stack([kept.counts, kept.invalid])
    total = cells.sum()
    share = cells / total
    mean = draws * share
    variance = draws * share * (1 - share) * (total - draws) / (total - 1)
    assert (np.abs(found.mean(axis=0) - mean) < 5 * np.sqrt(variance / repeats)).all()
    error = np.abs(found.var(axis=0) / variance - 1)
    assert (error < 5 * np.sqrt(2 / repeats)).all(), error
    # Binomial variances, those of draws with replacement, are 1.65 times as large.
    assert (draws * share * (1 - share) / variance > 1 + 10 * np.sqrt(2 / repeats)).all()


def test_the_same_seed_gives_the_same_run_and_another_another():
    whole = tally([[500, 300, 200]] * 20)
    assert subsample_tally(whole, 100, 3) == subsample_tally(whole, 100, 3)
    assert subsample_tally(whole, 100, 3) != subsample_tally(whole, 100, 4)


def test_a_generator_goes_on_where_it_was():
    whole = tally([[500, 300, 200]] * 20)
    random = np.random.default_rng(3)
    assert subsample_tally(whole, 100, random) == subsample_tally(whole, 100, 3)
    assert subsample_tally(whole, 100, random) != subsample_tally(whole, 100, 3)


def test_what_belongs_to_the_input_stays_and_what_belongs_to_the_draws_goes():
    counts = np.array([[6, 3, 1], [1, 8, 1]])
    whole = tally(
        counts,
        labels=[0, 1],
        index=[40, 60],
        pilot=[[3, 0, 0], [0, 3, 0]],
        votes=counts,
        softmax_sums=counts * 2**40,
        plan=sc.Plan((10,)),
        segments=[[40, 0, 0, 10], [60, 0, 0, 10]],
        norm="scaled l2",
    )
    kept = subsample_tally(whole, 5)
    for name in ("labels", "index", "pilot"):
        np.testing.assert_array_equal(getattr(kept, name), getattr(whole, name))
    assert (kept.sigma, kept.norm) == (0.5, "scaled l2")
    for name in ("votes", "softmax_sums", "segments"):
        assert getattr(kept, name) is None
    assert kept.plan == sc.Plan((5,))
    assert (kept.looks == 1).all()


def test_a_shorter_run_keeps_what_the_longer_one_holds_in_reserve():
    """It looks once, at its own end, and with no more of alpha than the run itself has."""
    counts = [[8000, 1000, 1000]]
    planned = sc.Tally(counts, 1.0, plan=sc.Plan((10_000,)).reserved(0.5))
    short = subsample_tally(planned, 10_000)  # all of them: the same evidence
    found, whole, unreserved = (
        float(sc.certify(sc.bound(one, alpha=0.001)).radius[0])
        for one in (short, planned, sc.Tally(counts, 1.0))
    )
    assert found == whole < unreserved
    twice = subsample_tally(subsample_tally(planned, 5000), 1000)
    assert twice.plan == sc.Plan((1000,), (0.5,))


def test_draws_that_were_broken_off_hold_no_shorter_run():
    """How many there are may depend on what they were."""
    broken = tally([[60, 40]], plan=sc.Plan((200,)))
    with pytest.raises(sc.MissingEvidence, match="it can be bounded at a look only"):
        subsample_tally(broken, 50)


@pytest.mark.parametrize("draws", [0, -1, 101, 1.5, True, "9"])
def test_a_number_of_draws_that_cannot_be_is_refused(draws):
    with pytest.raises(sc.InvalidInput, match=r"draws must be a whole number in 1\.\.100"):
        subsample_tally(tally([[60, 40], [90, 60]]), draws)


def test_more_draws_than_numpy_can_choose_from_are_refused():
    with pytest.raises(sc.InvalidInput, match="fewer than 10\\^9"):
        subsample_tally(tally([[10**9, 5]]), 100)


def test_a_run_that_stopped_when_it_looked_good_holds_no_shorter_run():
    stopped = tally([[60, 40]], plan=sc.Plan((100,), rule="until certified"))
    with pytest.raises(sc.MissingEvidence, match="stopped by 'until certified'"):
        subsample_tally(stopped, 50)
    extended = tally([[60, 40]], plan=sc.Plan((50,)).extended(100))
    with pytest.raises(sc.MissingEvidence, match="a run that was extended holds no shorter run"):
        subsample_tally(extended, 100)


def test_ladder_rises_and_ends_at_the_run_itself():
    assert list_draw_counts(2000) == (10, 20, 50, 100, 200, 500, 1000, 2000)
    assert list_draw_counts(137) == (10, 20, 50, 100, 137)
    assert list_draw_counts(7) == (7,)
