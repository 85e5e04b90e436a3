"""Paired tests against scipy's, the normal limit, and cases worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest
from certified import certificates, drawn, stated
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import simplicert as sc
from simplicert.metrics import averages, pairing


def numbered(certs: sc.Certificates, index: list[int]) -> sc.Certificates:
    return replace(certs, known=replace(certs.known, index=np.array(index)))


def shuffled(certs: sc.Certificates, seed: int) -> sc.Certificates:
    """The same inputs in another order."""
    order = np.random.default_rng(seed).permutation(len(certs))
    known = certs.known
    moved = replace(
        known,
        top=known.top[order],
        e0=known.e0[order],
        e1=known.e1[order],
        labels=known.labels[order],
        index=known.index[order],
        draws=None,
        reason=None,
    )
    return sc.Certificates(
        moved,
        {name: values[order] for name, values in certs.radii.items()},
        certs.ensemble[order],
        certs.winner[order],
    )


@given(st.integers(0, 400), st.integers(0, 400))
def test_the_exact_p_is_the_two_sided_binomial_test(gained, lost):
    p = pairing.mcnemar_p_value(gained, lost)
    if gained + lost == 0:
        assert p == 1
    else:
        assert p == pytest.approx(stats.binomtest(gained, gained + lost).pvalue, rel=1e-9)


def test_the_exact_p_is_not_above_one_nor_lost_far_out():
    assert pairing.mcnemar_p_value(5, 5) == 1
    assert pairing.mcnemar_p_value(0, 1000) == pytest.approx(2.0**-999, rel=1e-9)


def test_gained_and_lost_by_hand():
    """Input 7 is wrong in both; 3 only the second reaches; 9 only the first; 5 both."""
    first = stated([True, False, True, True], two_sided=[0.5, 2.0, 0.2, 0.9])
    second = stated([True, False, True, True], two_sided=[0.6, 2.0, 0.8, 0.1])
    index = [5, 7, 3, 9]
    found = pairing.mcnemar_test(numbered(first, index), numbered(second, index), 0.4)
    assert found.gained.tolist() == [3]
    assert found.lost.tolist() == [9]
    assert (found.first.hits, found.second.hits, found.first.total) == (2, 2, 4)
    assert (found.difference, found.p) == (0, 1)


def test_a_radius_that_occurs_counts_only_when_inclusive():
    first = stated([True, True], two_sided=[0.5, 0.5])
    second = stated([True, True], two_sided=[0.6, 0.5])
    assert pairing.mcnemar_test(first, second, 0.5).gained.tolist() == [0]
    assert pairing.mcnemar_test(first, second, 0.5, inclusive=True).gained.size == 0


def test_a_radius_of_zero_is_no_certificate_even_when_inclusive():
    """By another mechanism both are certified, so both are correct: cohen itself gains one."""
    first = stated([True, True], cohen=[0.0, 1.0], two_sided=[1.0, 1.0])
    second = stated([True, True], cohen=[0.5, 1.0], two_sided=[1.0, 1.0])
    found = pairing.mcnemar_test(first, second, 0.0, "cohen", inclusive=True)
    assert (found.gained.tolist(), found.lost.size) == ([0], 0)


@pytest.mark.slow
@settings(deadline=None)
@given(st.data(), st.booleans(), st.sampled_from(["cohen", "ensemble", "radius"]))
def test_discordant_inputs_account_for_the_difference_of_accuracies(data, inclusive, column):
    first = data.draw(certificates())
    radii = {name: np.flip(values) for name, values in first.radii.items()}
    second = sc.Certificates(first.known, radii, np.flip(first.ensemble), np.flip(first.winner))
    for radius in (0.0, 0.25, 0.4, 1.75):
        found = pairing.mcnemar_test(first, second, radius, column, inclusive=inclusive)
        for side, rate in ((first, found.first), (second, found.second)):
            assert rate == averages.certified_accuracy(side, radius, column, inclusive=inclusive)
        assert found.gained.size - found.lost.size == found.second.hits - found.first.hits
        assert not set(found.gained) & set(found.lost)


def test_the_order_of_the_inputs_does_not_matter():
    first, second = drawn(seed=0), drawn(seed=0)
    second = sc.Certificates(
        second.known,
        {name: np.where(values > 0, values + 0.05, 0) for name, values in second.radii.items()},
        np.where(second.ensemble > 0, second.ensemble + 0.05, 0),
        second.winner,
    )
    straight = pairing.mcnemar_test(first, second, 0.4)
    turned = pairing.mcnemar_test(shuffled(first, 1), shuffled(second, 2), 0.4)
    assert straight.gained.size > 0
    assert turned.gained.tolist() == straight.gained.tolist()
    assert turned.lost.tolist() == straight.lost.tolist()
    shifts = [
        pairing.average_radius_change(*pair, resamples=200)
        for pair in ((first, second), (shuffled(first, 1), shuffled(second, 2)))
    ]
    assert shifts[0].gained.tolist() == shifts[1].gained.tolist()
    assert shifts[0].low == pytest.approx(shifts[1].low, abs=1e-12)


def pair_of_runs(inputs: int) -> tuple[sc.Certificates, sc.Certificates, np.ndarray]:
    random = np.random.default_rng(5)
    right = (random.random(inputs) < 0.8).tolist()
    one = random.gamma(2.0, 0.3, inputs)
    two = one + random.normal(0.03, 0.2, inputs).clip(-one)
    gain = np.where(right, two - one, 0.0)
    return stated(right, two_sided=one.tolist()), stated(right, two_sided=two.tolist()), gain


def test_the_bootstrap_interval_is_scipys_and_the_normal_limits():
    """Both ends, to within a quarter of a standard deviation of the mean.

    A 2.5 % quantile of 10,000 resamples has an error of 0.027 deviations, so the two bootstraps
    differ by 6 of their errors with probability below 1e-8; seeds are fixed besides.
    """
    first, second, gain = pair_of_runs(400)
    found = pairing.average_radius_change(first, second)
    deviation = gain.std() / np.sqrt(gain.size)
    other = stats.bootstrap(
        (gain,),
        np.mean,
        method="percentile",
        n_resamples=10_000,
        rng=np.random.default_rng(77),
    ).confidence_interval
    assert found.difference == pytest.approx(gain.mean(), rel=1e-12)
    assert found.difference == pytest.approx(found.second.value - found.first.value, rel=1e-9)
    assert (found.low, found.high) == pytest.approx(tuple(other), abs=0.25 * deviation)
    limit = (gain.mean() - 1.96 * deviation, gain.mean() + 1.96 * deviation)
    assert (found.low, found.high) == pytest.approx(limit, abs=0.25 * deviation)
    assert found.gained.tolist() == np.flatnonzero(gain > 0).tolist()
    assert found.lost.tolist() == np.flatnonzero(gain < 0).tolist()


def test_resamples_are_paired():
    """Radii that vary much and differ by a constant: paired, the interval has no width."""
    radii = np.linspace(0.1, 3.0, 50)
    first = stated([True] * 50, two_sided=radii.tolist())
    second = stated([True] * 50, two_sided=(radii + 0.25).tolist())
    found = pairing.average_radius_change(first, second, resamples=500)
    assert (found.low, found.high) == pytest.approx((0.25, 0.25), abs=1e-9)


def test_the_same_seed_gives_the_same_interval_and_blocks_do_not_matter(monkeypatch):
    first, second, _ = pair_of_runs(30)
    whole = pairing.average_radius_change(first, second, resamples=300, seed=3)
    monkeypatch.setattr(pairing, "BLOCK", 64)
    blocked = pairing.average_radius_change(first, second, resamples=300, seed=3)
    assert (whole.low, whole.high) == (blocked.low, blocked.high)
    other = pairing.average_radius_change(first, second, resamples=300, seed=4)
    assert (whole.low, whole.high) != (other.low, other.high)


def test_a_wider_confidence_is_wider():
    first, second, _ = pair_of_runs(60)
    wide, narrow = (
        pairing.average_radius_change(first, second, resamples=2000, confidence=c)
        for c in (0.99, 0.5)
    )
    assert wide.low < narrow.low < narrow.high < wide.high


def test_what_cannot_be_paired_is_refused():
    first = stated([True, True], two_sided=[1, 1])
    with pytest.raises(sc.errors.InvalidInput, match="same inputs"):
        pairing.mcnemar_test(first, numbered(first, [0, 2]), 0.5)
    with pytest.raises(sc.errors.InvalidInput, match="each once"):
        pairing.mcnemar_test(numbered(first, [1, 1]), numbered(first, [1, 1]), 0.5)
    with pytest.raises(sc.errors.InvalidInput, match="same labels"):
        pairing.mcnemar_test(first, stated([True, False], two_sided=[1, 1]), 0.5)
    with pytest.raises(sc.errors.InvalidInput, match="resamples must be at least 1, got 0"):
        pairing.average_radius_change(first, first, resamples=0)
    with pytest.raises(sc.errors.InvalidInput, match="confidence"):
        pairing.average_radius_change(first, first, confidence=1.0)
    with pytest.raises(sc.errors.InvalidInput, match="negative"):
        pairing.mcnemar_test(first, first, -1.0)
