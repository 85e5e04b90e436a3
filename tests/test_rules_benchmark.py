"""benchmarks/rules.py and its rivals: levels by exact enumeration, searches by brute force."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri, xlogy

import simplicert as sc


@pytest.fixture
def sequences(benchmark):
    return benchmark("sequences")


@pytest.fixture
def rules(benchmark):
    return benchmark("rules")


def chance_of_ever(rejected, p, draws):
    """The exact chance that three cells with probabilities p are rejected at some n up to draws.

    `rejected` maps cells (M, 3) to a mask. What was rejected is taken out, the rest goes on.
    """
    alive, gone = np.array([[1.0]]), 0.0  # by the counts of the first two cells
    for n in range(1, draws + 1):
        grown = np.zeros((n + 1, n + 1))
        grown[:n, :n] += alive * p[2]
        grown[1:, :n] += alive * p[0]
        grown[:n, 1:] += alive * p[1]
        first, second = np.nonzero(grown)
        cells = np.column_stack([first, second, n - first - second]).astype(float)
        out = rejected(cells)
        gone += grown[first[out], second[out]].sum()
        grown[first[out], second[out]] = 0.0
        alive = grown
    assert gone + alive.sum() == pytest.approx(1)
    return gone


POINTS = [(0.5, 0.5, 0.0), (0.4, 0.4, 0.2), (0.6, 0.3, 0.1), (ndtr(0.5), ndtr(-0.5), 0.0)]


@pytest.mark.parametrize("p", POINTS)
def test_three_cells_are_wrong_at_some_moment_at_most_alpha_of_the_time(sequences, p):
    truth = np.array((ndtri(p[0]) - ndtri(p[1])) / 2)

    def rejected(cells):
        return sequences.reject_radius(cells, np.full(len(cells), truth), 0.2)

    assert 0.005 < chance_of_ever(rejected, p, 40) <= 0.2


def test_a_fixed_level_is_passed_too_often_by_one_who_may_stop_at_any_time(sequences):
    """By the likelihood's largest value instead of its mixture, with the same level."""

    def rejected(cells):
        n = cells.sum(axis=1, keepdims=True)
        likely = xlogy(cells, cells / n).sum(axis=1)
        edge = sequences.largest_likelihood(cells, np.zeros(len(cells)))
        return (cells[:, 0] > cells[:, 1]) & (likely - edge >= 0.5 * ndtri(0.2) ** 2)

    assert chance_of_ever(rejected, (0.5, 0.5, 0.0), 40) > 0.4


def test_the_gate_is_passed_at_some_moment_at_most_at_its_level(sequences):
    """By one class that ties with the top class; the sign test at the same level is not a gate."""
    level = 0.3

    def passed(cells):
        return sequences.pass_gate(cells, np.zeros(len(cells), int), level) & (
            cells[:, 0] > cells[:, 1]
        )

    def signed(cells):
        n = cells[:, 0] + cells[:, 1]
        return cells[:, 0] - n / 2 >= -ndtri(level / 3) * np.sqrt(n) / 2

    assert 0.001 < chance_of_ever(passed, (0.5, 0.5, 0.0), 60) <= level / 3
    assert chance_of_ever(signed, (0.5, 0.5, 0.0), 60) > level


@pytest.mark.parametrize("p", [0.5, 0.8, 0.9])
def test_one_number_is_wrong_at_some_moment_at_most_alpha_of_the_time(sequences, p):
    alive, gone = np.array([1.0]), 0.0
    for n in range(1, 301):
        alive = np.append(alive * (1 - p), 0.0) + np.append(0.0, alive * p)
        out = sequences.lower_end(np.arange(n + 1), np.full(n + 1, n), 0.05) > p
        gone += alive[out].sum()
        alive = np.where(out, 0.0, alive)
    assert 0.001 < gone <= 0.05


def test_shares_of_looks_sum_to_one(sequences):
    assert 0.99 < sequences.spend_look(np.arange(1, 10**4)).sum() <= 1


def test_the_mixture_is_a_martingale(sequences):
    """Its value is the sum of its values after one more draw, whichever cell that falls in."""
    cells = np.random.default_rng(0).integers(0, 500, (50, 3)).astype(float)
    after = [sequences.log_dirichlet(cells + step) for step in np.eye(3)]
    np.testing.assert_allclose(np.exp(after - sequences.log_dirichlet(cells)).sum(axis=0), 1)
    assert sequences.log_dirichlet(np.zeros((1, 3)))[0] == pytest.approx(0)


def test_the_largest_likelihood_against_a_fine_grid(sequences):
    """Over all points of the simplex at which the radius is at most this, not its edge alone."""
    random = np.random.default_rng(1)
    cells = random.multinomial(random.integers(20, 3000), [0.6, 0.25, 0.15], 20).astype(float)
    radius = sequences.seen_radius(cells) * random.uniform(0.2, 0.9, 20)
    found = sequences.largest_likelihood(cells, radius)
    a, b = np.meshgrid(*[np.linspace(0.0005, 0.9995, 800)] * 2)
    inside = a + b < 1
    a, b = a[inside], b[inside]
    ratios = (ndtri(a) - ndtri(b)) / 2
    for row, limit, value in zip(cells, radius, found, strict=True):
        part = ratios <= limit
        logs = xlogy(row, np.column_stack([a, b, 1 - a - b])[part]).sum(axis=1).max()
        assert value - 1 <= logs <= value + 1e-6  # the grid misses the edge by .001


def test_the_runner_up_is_the_rival_that_counts(sequences):
    """With the top class's draws the same, more draws of a rival leave a smaller radius."""
    for n in (50, 300, 5000):
        for top in (int(0.4 * n), int(0.6 * n), int(0.95 * n)):
            rival = np.unique(np.linspace(0, min(top, n - top), 40).astype(int))
            found = sequences.bound_rival(np.full(len(rival), top), rival, n - top - rival, 0.001)
            assert (np.diff(found) <= 1e-5).all()


def test_all_rules_see_the_same_streams(rules):
    """Counts at any moment are those of the first draws, whatever was asked for before."""
    shares = np.array([[0.7, 0.2, 0.1], [0.4, 0.35, 0.25], [0.98, 0.01, 0.01]])
    one, other = (rules.Streams(shares, 3000) for _ in range(2))
    for n in (3000, 196, 100, 777):
        np.testing.assert_array_equal(
            one.count(n), [np.bincount(row[:n], minlength=3) for row in other.drawn]
        )
    np.testing.assert_array_equal(
        one.count_from(100, np.array([196, 777, 100])),
        [one.count(n)[row] - one.count(100)[row] for row, n in enumerate((196, 777, 100))],
    )
    # 3,000 draws: five standard deviations of a share are below .046.
    np.testing.assert_allclose(one.count(3000) / 3000, shares, atol=0.046)


@pytest.mark.slow
def test_every_rule_runs_on_a_few_streams(rules):
    shares = rules.published_population(10, 8).cells
    streams = rules.Streams(shares, 2000)
    for name, follow in rules.list_rules(2000).items():
        used, radius = follow(streams)
        assert used.shape == radius.shape == (8,), name
        assert (used >= 0).all() and (used <= 2000).all() and (radius >= 0).all()
    used, radius = rules.follow_looks(streams, "atol=0.05")
    plan = sc.Until("atol=0.05").plan(2000)
    counts = np.stack([streams.count(n)[row] for row, n in enumerate(used)])
    np.testing.assert_array_equal(radius, rules.radii_of(rules.tally_of(counts, plan)))
