"""Scheme joint: its level by enumeration and simulation, its gain, and what it carries."""

from math import lgamma

import numpy as np
import pytest
from scipy.special import gammaln, ndtr, ndtri
from scipy.stats import binom, binomtest

from simplicert import InvalidInput, KindMismatch, Plan, Tally, bound, certify, radius
from simplicert.bounds.box import Box, certificate_reasons
from simplicert.bounds.joint import REGION, buehler, search
from simplicert.mechanisms import two_sided


def joint(counts, alpha=0.001, method=None, **more):
    return bound(Tally(counts, 1.0, **more), alpha, scheme="joint", method=method)


def compositions(n, cells):
    """All (cells,)-tuples of counts that sum to n."""
    if cells == 1:
        return np.array([[n]])
    parts = [
        np.column_stack([np.full(len(rest), first), rest])
        for first in range(n + 1)
        for rest in [compositions(n - first, cells - 1)]
    ]
    return np.concatenate(parts)


def true_radius(p, top):
    """At sigma 1, all other cells being rivals."""
    rest = np.delete(p, top).max()
    with np.errstate(divide="ignore"):
        return float(ndtri(p[top]) - ndtri(rest)) / 2


def wrong(known, p):
    """Issued, and the radius is larger than the true one, or the pair does not hold the true p."""
    each = range(len(p))
    truth = np.array([true_radius(p, top) for top in each])[known.top]
    rest = np.array([np.delete(p, top).max() for top in each])[known.top]
    radius = np.nan_to_num(known.margin) > truth
    pair = (np.nan_to_num(known.e0) > p[known.top]) | (rest > np.nan_to_num(known.e1, nan=1))
    return ~known.abstained & (radius | pair)


def worst_level(cells, known, points):
    """The largest probability, over the points, of a certificate that is issued and wrong."""
    ways = lgamma(cells[0].sum() + 1) - gammaln(cells + 1).sum(axis=1)
    worst = 0.0
    for p in points:
        bad = wrong(known, p)
        logs = ways[bad] + cells[bad] @ np.log(np.maximum(p, 1e-300))
        worst = max(worst, np.exp(logs).sum())
    return worst


def boundary_points(known, cells, random, count=60):
    """P with a true radius just below a certified one, where errors are likeliest."""
    issued = np.flatnonzero(~known.abstained)
    out = []
    for row in random.choice(issued, min(count, len(issued)), replace=False):
        r = known.margin[row] - 1e-9
        for share in (0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0):
            rival = share * ndtr(-r)
            top = ndtr(ndtri(rival) + 2 * r)
            rest = (1 - top - rival) / max(cells - 2, 1)
            if 0 <= rest <= rival:
                out.append(np.array([top, rival, *[rest] * (cells - 2)]))
    return out


def corner_points(known, cells, random, count=60):
    """P just outside a pair: a top class below its E_0, or a rival above its E_1."""
    issued = np.flatnonzero(~known.abstained)
    out = []
    for row in random.choice(issued, min(count, len(issued)), replace=False):
        low, high = known.e0[row] - 1e-9, known.e1[row] + 1e-9
        pairs = [(low, share * min(low, 1 - low)) for share in (0.3, 0.6, 0.9, 1.0)]
        pairs += [(top, high) for top in np.linspace(high, 1 - high, 4)]
        for top, rival in pairs:
            rest = (1 - top - rival) / max(cells - 2, 1)
            if 0 <= rest <= rival:
                out.append(np.array([top, rival, *[rest] * (cells - 2)]))
    return out


def spread_points(cells, random, count=150):
    """Ties of two and of all, and points drawn from all over the simplex."""
    ties = [
        np.array([t, t, *[(1 - 2 * t) / (cells - 2)] * (cells - 2)])
        for t in np.linspace(1 / cells, 0.5, 20)
    ]
    drawn = [np.sort(p)[::-1] for p in random.dirichlet(np.full(cells, 0.7), count)]
    return [*ties, np.full(cells, 1 / cells), *drawn]


def level_of(n, classes, alpha, invalid=False, method=None):
    """The exact worst level over all outcomes; one more cell for draws without a class."""
    random = np.random.default_rng(n + classes)
    cells = compositions(n, classes + invalid)
    known = joint(cells[:, :classes], alpha, method, invalid=cells[:, classes] if invalid else None)
    assert (~known.abstained).sum() > 0
    every = classes + invalid
    points = [*spread_points(every, random), *boundary_points(known, every, random)]
    points += corner_points(known, every, random) if known.has_pair else []
    points += [np.roll(p, 1) for p in points] if invalid else []  # the invalid cell leads, too
    return worst_level(cells, known, points)


SIXTY = pytest.param(60, marks=pytest.mark.slow)  # draws


@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.001])
@pytest.mark.parametrize("n", [15, 25, 40, SIXTY])
def test_three_classes_exactly(n, alpha):
    assert level_of(n, 3, alpha) <= alpha


@pytest.mark.parametrize("alpha", [0.1, 0.01, 0.001])
@pytest.mark.parametrize("n", [15, 24, SIXTY])
def test_four_classes_exactly(n, alpha):
    assert level_of(n, 4, alpha) <= alpha


@pytest.mark.parametrize("alpha", [0.1, 0.01, 0.001])
@pytest.mark.parametrize("n", [20, SIXTY])
def test_three_classes_and_invalid_draws_exactly(n, alpha):
    assert level_of(n, 3, alpha, invalid=True) <= alpha


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.1, 0.01, 0.001])
def test_four_classes_and_invalid_draws_exactly(alpha):
    assert level_of(24, 4, alpha, invalid=True) <= alpha


def test_the_method_of_earlier_runs_exactly():
    """The margin alone: of its .882 alpha all but a thousandth is spent at the worst p."""
    assert 0.875 * 0.05 < level_of(40, 3, 0.05, method="buehler") <= 0.05


def test_the_level_is_used_up():
    """Not loose: of .81 alpha for the radius almost all is spent at the worst p."""
    assert level_of(40, 3, 0.05) > 0.8 * 0.05


def test_enumeration_catches_a_pair_that_is_not_paid_for(monkeypatch):
    """The corner of a region at ten times its share: the pair fails, the radius does not."""
    from simplicert.bounds import joint as scheme

    whole = scheme._region_corner
    monkeypatch.setattr(scheme, "_region_corner", lambda *a: whole(*a[:2], 20 * a[2]))
    assert level_of(25, 3, 0.05) > 0.05


def test_enumeration_catches_a_tail_that_lost_what_was_seen(monkeypatch):
    """Each outcome missing from its own tail: too large radii, and enumeration says so."""
    whole, of_many = buehler.build_staircase, search.build_staircases

    def without(seen, *rest):
        counts, least = whole(seen, *rest)
        return counts, np.where(counts <= seen[1], np.maximum(least, seen[0] + 1), least)

    def all_without(seen, *rest):
        made = of_many(seen, *rest)
        owner = np.repeat(np.arange(len(made.draws)), made.steps)
        counts = np.arange(len(owner)) + (made.first - made.begin[:-1])[owner]
        more = np.maximum(made.least, seen.wins[owner] + 1)
        return made._replace(least=np.where(counts <= seen.losses[owner], more, made.least))

    monkeypatch.setattr(buehler, "build_staircase", without)
    assert level_of(25, 3, 0.05, method="buehler") > 0.05
    monkeypatch.setattr(search, "build_staircases", all_without)
    assert level_of(25, 3, 0.05) > 0.05


def test_enumeration_catches_a_radius_at_the_full_alpha_without_a_gate(monkeypatch):
    from simplicert.bounds import joint as scheme

    monkeypatch.setattr(scheme, "RADIUS", 2.0)
    assert level_of(25, 3, 0.05) > 0.05


def worst_of(wins, rival, n, alpha, classes):
    """Class probabilities on the boundary of the radius certified for these two counts."""
    counts = (np.array([v]) for v in (wins, rival, n))
    case = next(buehler.make_cases(*counts, np.array([0.9 * alpha]), REGION))
    r = buehler.bound_radius(case) - 1e-9
    x, values = buehler.boundary_probabilities(case, buehler.make_case_tail(case, 7.0), 7.0, r)
    rest = 1 - ndtr(x) - ndtr(x + 2 * r)
    values = np.where(rest / (classes - 2) <= ndtr(x), values, 0)
    at = values.argmax()
    return np.array([ndtr(x[at] + 2 * r), ndtr(x[at]), *[rest[at] / (classes - 2)] * (classes - 2)])


WORST = {"spread": (50, 15), "sure": (110, 5), "close": (70, 35)}


@pytest.mark.parametrize("name", WORST)
def test_ten_classes_at_a_worst_p_by_simulation(name):
    """The class selected from the same draws; at most alpha of 20,000 tallies are wrong.

    Error budget: a scheme whose level is exactly alpha fails this test with probability 1e-6.
    """
    n, alpha, repeats = 120, 0.05, 20_000
    p = worst_of(*WORST[name], n, alpha, 10)
    counts = np.random.default_rng(len(name)).multinomial(n, p, size=repeats)
    bad = wrong(joint(counts, alpha), p).sum()
    assert bad <= binom.isf(1e-6, repeats, alpha)
    assert bad > 0.1 * alpha * repeats  # the point is one where errors do happen


@pytest.mark.parametrize("p", [np.full(10, 0.1), np.r_[0.4, 0.4, np.full(8, 0.025)]])
def test_ten_classes_at_ties_by_simulation(p):
    """Every certificate is wrong there. Budget: as above."""
    counts = np.random.default_rng(3).multinomial(300, p, size=20_000)
    known = joint(counts, 0.05)
    assert (~known.abstained).sum() <= binom.isf(1e-6, 20_000, 0.05)


GAIN = [
    (0.3, 0.1, 10**5, 0.60),
    (0.9, 0.08, 10**5, 0.88),
    (0.05, 0.02, 10**5, 0.52),
    (0.6, 0.05, 10**4, 0.66),
]
FORMER = [  # the points of benchmarks/joint.py
    *(point[:3] for point in GAIN),
    (0.55, 0.4, 10**4),
    (0.3, 0.1, 1000),
    (0.15, 0.0224, 1000),
    (0.57, 0.001, 10**4),
    (0.999, 0.0008, 10**4),
]


def filled(wins, rival, n, classes=1003):
    """Counts with these two the largest and the rest in classes of at most the rival's."""
    out = np.zeros(classes, int)
    out[:2] = wins, rival
    left, at = n - wins - rival, 2
    while left > 0:
        out[at] = min(rival, left)
        left, at = left - out[at], at + 1
    return out


@pytest.mark.parametrize(("p_top", "p_rival", "n", "most"), GAIN)
def test_the_same_radius_from_fewer_draws(p_top, p_rival, n, most):
    """Slack falls as 1 / sqrt(n), so the share of draws is the square of the slacks' ratio."""
    counts = filled(round(p_top * n), round(p_rival * n), n)[None]
    truth = (ndtri(p_top) - ndtri(p_rival)) / 2
    gated = certify(bound(Tally(counts, 1.0))).radii["two_sided"][0]
    ours = joint(counts).margin[0]
    assert ((truth - ours) / (truth - gated)) ** 2 <= most


@pytest.mark.parametrize(("p_top", "p_rival", "n"), FORMER)
def test_what_the_pair_costs_the_radius(p_top, p_rival, n):
    """Against the method that gives no pair: radius, and draws for the gated pair's radius."""
    counts = filled(round(p_top * n), round(p_rival * n), n)[None]
    truth = (ndtri(p_top) - ndtri(p_rival)) / 2
    slack = truth - certify(bound(Tally(counts, 1.0))).radii["two_sided"][0]
    ours, alone = (joint(counts, method=name).margin[0] for name in (None, "buehler"))
    if n >= 10**4:
        assert alone - ours < (0.002 if p_top > 0.99 else 0.0003)
    assert ((truth - ours) ** 2 - (truth - alone) ** 2) / slack**2 <= 0.015


@pytest.mark.parametrize(("n", "steps"), [(100, 16), (1000, 14), (10**4, 10), (10**5, 7)])
def test_never_below_the_gated_radius_on_a_grid(n, steps):
    """To a relative 2e-3, for the cells; and issued wherever the pair is."""
    shares = np.linspace(0, 1, steps + 1)
    some = {(round(a * n), round(b * n)) for a in shares for b in shares}
    some |= {(n - i, j) for i in (0, 1, 3, 10) for j in (0, 1, 3, 10)}
    rows = [filled(a, b, n) for a, b in sorted(some) if a > b and a + b <= n and (b > 0 or a == n)]
    tally = Tally(np.array(rows), 1.0)
    gated = certify(bound(tally)).radii["two_sided"]
    ours = certify(bound(tally, scheme="joint")).radius
    assert (gated > 0).sum() > 10
    assert (ours >= gated * (1 - 2e-3)).all()


def test_what_it_carries():
    known = joint([[900, 80, 20], [450, 400, 150]])
    assert (known.scheme, known.method, known.level) == ("joint", "buehler+pair", 0.001)
    assert list(known.abstained) == [False, True]
    assert known.margin[0] > 1
    assert np.isnan([known.margin[1], known.e0[1], known.e1[1]]).all()
    assert list(known.reason) == ["certified", "gate"]


def test_the_pair_is_the_corner_of_the_region():
    """Limits at .045 alpha each, by scipy's own interval, to the allowance for rounding."""
    known = joint([[900, 80, 20], [999, 1, 0], [1000, 0, 0]])
    for row, (wins, rival) in enumerate(((900, 80), (999, 1), (1000, 0))):
        confident = {"confidence_level": 1 - 0.045e-3, "method": "exact"}
        low = binomtest(wins, 1000, alternative="greater").proportion_ci(**confident).low
        high = binomtest(rival, 1000, alternative="less").proportion_ci(**confident).high
        assert 0 <= low - known.e0[row] < 1e-6
        assert 0 <= known.e1[row] - high < 1e-6
    assert (known.e1 <= 1 - known.e0).all()


def test_the_pair_never_proves_more_than_the_margin():
    """Its own two-sided radius bounds every other mechanism, and lies below."""
    random = np.random.default_rng(0)
    counts = random.multinomial(400, random.dirichlet([1.0] * 4, 300))
    known = joint(counts)
    live = ~known.abstained & (known.e0 > known.e1)
    assert live.sum() > 50
    pair = two_sided.radius(known.e0[live], known.e1[live])
    assert (pair <= known.margin[live]).all()
    made = certify(known)
    assert all((radii <= made.radii["two_sided"]).all() for radii in made.radii.values())
    np.testing.assert_array_equal(made.radius, made.radii["two_sided"])


def test_the_margin_decides_what_is_issued():
    """E_0 below E_1: other mechanisms prove nothing, and the input is certified all the same."""
    known = joint([[80, 45, 45, 45, 45, 40]], 0.05)
    assert known.e0[0] < known.e1[0]
    made = certify(known)
    assert list(made.abstained) == [False]
    assert made.radius[0] == made.radii["two_sided"][0] > 0
    assert made.ensemble[0] == made.radii["cohen"][0] == 0
    assert list(made.winner) == [""]
    assert made.to_frame()["e0"][0] == known.e0[0]


def test_reasons():
    known = joint(
        [[900, 50, 50], [500, 500, 0], [500, 480, 20], [100, 50, 50]], invalid=[0, 0, 0, 800]
    )
    assert list(known.reason) == ["certified", "tie", "gate", "invalid"]


def test_no_radius_behind_a_passed_gate_is_an_overlap():
    none, yes = np.full(3, np.nan), np.ones(3, bool)
    margin = np.array([0.0, 0.2, 0.0])
    gate = np.array([True, True, False])
    box = Box(np.zeros(3, int), none, none, gate, np.ones(3, int), ~yes, margin=margin)
    assert list(certificate_reasons(box)) == ["overlap", "certified", "gate"]


def test_two_classes_are_the_default_scheme():
    counts = [[15, 0], [14, 0], [700, 300]]
    ours, default = certify(joint(counts)), certify(bound(Tally(counts, 1.0)))
    for name in default.columns:
        np.testing.assert_array_equal(ours.column(name), default.column(name))
    np.testing.assert_array_equal(ours.known.e0, default.known.e0)
    alone = joint(counts, method="buehler")
    assert np.isnan(alone.e0).all()
    np.testing.assert_array_equal(certify(alone).radius, default.radius)


def test_certificates_are_sigma_times_the_margin():
    known = bound(Tally([[900, 80, 20]], 0.25), scheme="joint")
    certificates = certify(known)
    assert list(certificates.radii) == ["cohen", "li", "lecuyer", "improved_dp", "two_sided"]
    np.testing.assert_allclose(certificates.radius, 0.25 * known.margin, rtol=1e-15)
    assert certificates.radius[0] <= 0.25 * known.margin[0]
    np.testing.assert_allclose(certify(known, sensitivity=2).radius, 0.125 * known.margin)


def test_other_mechanisms_read_the_pair():
    known = joint([[900, 80, 20]])
    made = certify(known, {"mine": lambda e0, e1: (e0 - e1) / 10, "cohen": "cohen"})
    np.testing.assert_allclose(made.radii["mine"], (known.e0 - known.e1) / 10)
    np.testing.assert_array_equal(made.radii["cohen"], radius("cohen", known.e0, known.e1))
    assert made.ensemble[0] >= made.radii["cohen"][0]


@pytest.mark.parametrize("asked", [["cohen"], ["two_sided", "li"], {"mine": lambda e0, e1: e0}])
def test_another_mechanism_is_refused_where_there_is_no_pair(asked):
    with pytest.raises(KindMismatch, match="method buehler: it bounds the two-sided radius and no"):
        certify(joint([[900, 80, 20]], method="buehler"), asked)


def test_each_input_at_its_own_look():
    plan = Plan((100, 1000), (0.25, 0.75), rule="decided")
    known = joint([[90, 5, 5], [900, 50, 50]], 0.01, plan=plan)
    for row, share in ((0, 0.25), (1, 0.75)):
        counts = [[90, 5, 5], [900, 50, 50]][row]
        assert known.margin[row] == joint([counts], share * 0.01).margin[0]


def test_the_same_counts_are_computed_once(monkeypatch):
    seen = []
    whole = search.search_radii
    monkeypatch.setattr(search, "search_radii", lambda some: seen.extend(some.wins) or whole(some))
    known = joint([[90, 5, 5], [5, 90, 5], [90, 6, 4], [40, 40, 20]])
    assert len(seen) == 2  # the tie does not pass the gate
    assert known.margin[0] == known.margin[1] > known.margin[2]


def test_kinds_and_draws_it_is_not_for():
    with pytest.raises(InvalidInput, match="scheme must be one of gated, paper, split"):
        bound(Tally([[9, 1, 0]], 1.0), kind="softmax", scheme="joint")
    with pytest.raises(InvalidInput, match="at most 100000000 draws per input, got 1000000000"):
        joint([[900, 80, 20], [9 * 10**8, 10**8, 0]])


@pytest.mark.parametrize("alpha", [1e-300, 1e-15, 0.5, 0.999])
def test_alpha_at_its_edges(alpha):
    known = joint([[900, 80, 20]], alpha)
    assert known.abstained[0] or 0 < known.margin[0] < 2


def test_one_draw_always_abstains():
    assert joint([[1, 0, 0]]).abstained[0]


def test_the_most_draws_it_takes():
    known = joint([[6 * 10**7, 3 * 10**7, 10**7]])
    truth = (ndtri(0.6) - ndtri(0.3)) / 2
    assert 0.999 * truth < known.margin[0] < truth
