"""`sc.compare` against the metrics of each run, and what it refuses."""

from dataclasses import replace

import numpy as np
import pytest
from certified import drawn, stated

import simplicert as sc
from simplicert.errors import InvalidInput
from simplicert.metrics import accuracy_curve, average_radius_change, mcnemar_test
from simplicert.metrics.two_runs import compare
from simplicert.noises import NoiseModel


def other_draws(certificates, seed=3):
    """Certificates of the same inputs and labels, with other counts."""
    random = np.random.default_rng(seed)
    counts = random.multinomial(1000, random.dirichlet([1.0, 0.7, *[0.02] * 8], len(certificates)))
    tally = sc.Tally(counts, sigma=0.5, labels=certificates.known.labels)
    return sc.certify(sc.bound(tally, alpha=0.05))


def make_run(folder, counts, sigma=0.5, *, noise=None, labels=(0, 1), index=None, **settings):
    tally = sc.Tally(counts, sigma, labels=labels, index=index)
    if noise is not None:
        tally = replace(tally, noise=noise, norm=None)
    manifest = sc.Manifest(sigma, len(counts), len(counts[0]), **settings)
    return sc.create_run(folder, manifest if noise is None else manifest.with_noise(noise), tally)


ROWS = [[900, 80, 20], [80, 900, 20]]


@pytest.fixture(scope="module")
def pair():
    first = drawn()
    return first, other_draws(first)


@pytest.fixture(scope="module")
def both(pair):
    return compare(*pair, radii=[0, 0.3, 0.7])


def test_shares_are_certified_accuracy_and_tests_those_of_the_pairs_table(both, pair):
    for certificates, curve in zip(pair, (both.first, both.second), strict=True):
        wanted = accuracy_curve(certificates, curve.at)
        np.testing.assert_array_equal(curve.hits, wanted.hits)
        np.testing.assert_array_equal(curve.low, wanted.low)
    assert both.radii == (0, 0.3, 0.7) and both.sign == ">"
    for radius in both.radii:
        test, place = mcnemar_test(*pair, radius), both.difference.at.tolist().index(radius)
        assert both.index[both.gained(radius)].tolist() == test.gained.tolist()
        assert both.index[both.lost(radius)].tolist() == test.lost.tolist()
        assert both.difference.p[place] == test.p
        assert both.difference.value[place] == pytest.approx(test.difference, abs=1e-15)
    average = average_radius_change(*pair)
    assert (both.average_radius.low, both.average_radius.high) == (average.low, average.high)


def test_the_curves_begin_at_0_and_end_where_nothing_counts(pair):
    both = compare(*pair)
    assert both.difference.at[0] == 0 and 50 < len(both.difference.at) < 120
    assert both.first.hits[-1] == both.second.hits[-1] == both.difference.value[-1] == 0
    assert set(both.radii) <= set(both.difference.at)


def test_swapping_the_two_turns_every_sign(both, pair):
    back = compare(*reversed(pair), radii=[0, 0.3, 0.7])
    np.testing.assert_allclose(back.difference.value, -both.difference.value)
    np.testing.assert_allclose(back.difference.low, -both.difference.high, atol=1e-12)
    assert back.average_radius_p == both.average_radius_p


def test_inputs_in_another_order_are_the_same_inputs(tmp_path):
    counts = [[990, 8, 2], [80, 900, 20], [400, 390, 210]]
    one = make_run(tmp_path / "a", counts, labels=[0, 1, 2], index=[4, 7, 9])
    two = make_run(tmp_path / "b", counts[::-1], labels=[2, 1, 0], index=[9, 7, 4])
    both = compare(one, str(tmp_path / "b"))
    assert both.names == ("a", "b") and both.index.tolist() == [4, 7, 9]
    assert both.agreement["same"] == 2 and both.agreement["neither"] == 1
    np.testing.assert_array_equal(both.first_radius, both.second_radius)
    assert compare(one, one.folder).names == ("a (a)", "a (b)")
    assert compare(one, two.certify()).names == ("a", "b")
    assert two.missing == 0


def test_whole_numbers_are_compared_at_whole_numbers():
    noise = NoiseModel("ablation", size=784, keep=45)
    first, second = (
        sc.certify(sc.Expectations([0, 1], e0, [0.05, 0.1], labels=[0, 1], noise=noise))
        for e0 in ([0.9, 0.8], [0.95, 0.6])
    )
    both = compare(first, second)
    assert both.sign == ">=" and both.norm == "l0"
    assert both.difference.at.tolist() == sorted(set(range(len(both.difference.at))))
    assert both.first.hits[0] == 2  # a radius of 0 certifies the input itself


def test_nothing_certified_at_all():
    none = stated([True, False], two_sided=[0.0, 0.0])
    both = compare(none, none)
    assert both.difference.at.tolist() == [0] and both.average_radius_p == 1
    assert both.agreement["neither"] == 2


def test_names_are_two_and_different(pair):
    assert compare(*pair, names=["x", "y"]).names == ("x", "y")
    with pytest.raises(InvalidInput, match="names must be two"):
        compare(*pair, names=["x"])
    with pytest.raises(InvalidInput, match="names must be different, got 'x' twice"):
        compare(*pair, names=["x", "x"])


def test_radii_must_be_numbers_at_least_0(pair):
    for radii in ([-1.0], [], [float("inf")]):
        with pytest.raises(InvalidInput, match="radii must be"):
            compare(*pair, radii=radii)


def test_what_is_no_run_is_refused(pair):
    with pytest.raises(
        InvalidInput, match=r"b must be certificates, a run or the path .*, got int"
    ):
        compare(pair[0], 3)


def test_other_inputs_labels_and_norms_are_refused(tmp_path):
    base = make_run(tmp_path / "base", ROWS)
    others = make_run(tmp_path / "others", ROWS, index=[0, 5])
    relabelled = make_run(tmp_path / "relabelled", ROWS, labels=[1, 1])
    laplace = make_run(tmp_path / "laplace", ROWS, noise=NoiseModel("laplace"))
    with pytest.raises(InvalidInput, match="same inputs to be compared, and base lacks 1 of 3: 5"):
        compare(base, others)
    with pytest.raises(InvalidInput, match="give 1 of them different labels: 0"):
        compare(base, relabelled)
    with pytest.raises(InvalidInput, match=r"one norm to be compared, .* l2 \(base, .* l1 \(lapl"):
        compare(base, laplace)
    with pytest.raises(InvalidInput, match=r"a and b must have radii in one norm .* l2 and l1"):
        compare(base.certify(), laplace)


def test_other_sensitivities_and_reaches_of_certificates_are_refused(pair):
    with pytest.raises(InvalidInput, match="one sensitivity to be compared, got 1 and 2"):
        compare(pair[0], replace(pair[1], sensitivity=2.0))
    open_, closed = (
        sc.certify(sc.Expectations([0], [0.9], [0.05], noise=NoiseModel(name), norm="l1"))
        for name in ("laplace", "splitting")
    )
    with pytest.raises(InvalidInput, match=r"only those of one cover changes .* laplace and split"):
        compare(open_, closed)


def test_certificates_of_other_inputs_are_refused(pair):
    with pytest.raises(InvalidInput, match="same inputs, each once"):
        compare(pair[0], drawn(20))
