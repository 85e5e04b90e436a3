"""A plan's promises are checked against `bound` itself, never against a second formula."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

import simplicert as sc
from simplicert.plan import (
    DeclaredSettings,
    Population,
    Workload,
    certifies_nothing,
    largest_radius,
    make_plan_report,
    pilot_population,
    point_population,
    published_population,
    resample_inputs,
    simulate_plan,
    smallest_draws,
)
from simplicert.plan.population import PUBLISHED_CERTIFIED, expected_tally
from simplicert.plan.simulation import SimulatedPlan, slowest_worker_draws
from simplicert.tables.plan import format_duration, plan_record, plan_tables

COHEN = {"scheme": "split", "method": "one_sided"}


def certified(counts, alpha, scheme="gated", method=None):
    """The two-sided radius that the package itself gives these counts."""
    pilot = [[1, *[0] * (len(counts) - 1)]] if scheme == "split" else None
    tally = sc.Tally([counts], sigma=1.0, pilot=pilot)
    return sc.certify(sc.bound(tally, alpha, scheme=scheme, method=method)).radii["two_sided"][0]


@pytest.mark.parametrize(
    ("draws", "radius"),
    [(100, 1.445), (1000, 2.424), (10**4, 3.167), (10**5, 3.784), (10**6, 4.323)],
)
def test_largest_radius(draws, radius):
    gated = largest_radius(DeclaredSettings(), draws)
    assert gated == pytest.approx(radius, abs=5e-4)
    assert gated == pytest.approx(ndtri(0.45e-3 ** (1 / draws)), abs=1e-4)
    assert gated == pytest.approx(
        largest_radius(DeclaredSettings(), draws, mechanism="cohen"), rel=1e-9
    )
    cohen = largest_radius(DeclaredSettings(**COHEN), draws)
    assert 0.02 < cohen - gated < 0.06
    assert cohen == pytest.approx(ndtri(0.001 ** (1 / draws)), abs=1e-4)


def test_radii_are_in_units_of_the_input():
    assert largest_radius(DeclaredSettings(sigma=0.25), 1000) == pytest.approx(
        0.25 * largest_radius(DeclaredSettings(), 1000)
    )


@pytest.mark.parametrize(
    ("setting", "fewest"),
    [
        ({}, 15),  # the gate: 2^-n <= 5e-5
        ({"classes": 2}, 14),  # Theorem 1: 2^-n <= 1e-4
        ({"scheme": "paper"}, 11),  # 5e-4^(1/n) > 1/2
        ({"scheme": "split"}, 11),
        (COHEN, 10),
        ({"scheme": "joint"}, 15),
    ],
)
def test_fewest_draws(setting, fewest):
    declared = DeclaredSettings(**setting)
    assert smallest_draws(declared) == fewest
    agree = {"scheme": declared.scheme, "method": declared.method}
    others = [0] * (declared.classes - 1)
    assert certified([fewest, *others], 0.001, **agree) > 0
    assert certified([fewest - 1, *others], 0.001, **agree) == 0


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(
    alpha=st.floats(1e-12, 0.3),
    radius=st.floats(0.01, 4.0),
    scheme=st.sampled_from(["gated", "paper", "split"]),
    classes=st.sampled_from([2, 3, 10]),
)
def test_fewest_draws_for_a_radius_are_enough_and_no_fewer_are(alpha, radius, scheme, classes):
    fewest = smallest_draws(DeclaredSettings(alpha=alpha, scheme=scheme, classes=classes), radius)
    others = [0] * (classes - 1)
    assert certified([fewest, *others], alpha, scheme) >= radius
    assert fewest == 1 or certified([fewest - 1, *others], alpha, scheme) < radius


@pytest.mark.slow
def test_a_radius_out_of_reach():
    assert smallest_draws(DeclaredSettings(), radius=20) is None
    assert smallest_draws(DeclaredSettings(kind="softmax"), radius=6) is None


def test_a_share_of_alpha_is_a_smaller_alpha():
    assert (
        smallest_draws(DeclaredSettings(), share=0.5)
        == smallest_draws(DeclaredSettings(alpha=0.0005))
        == 16
    )


@pytest.mark.parametrize(
    ("setting", "plan", "nothing"),
    [
        ({}, sc.Plan((14,)), True),
        ({}, sc.Plan((15,)), False),
        ({}, sc.Plan((8, 15), (0.5, 0.5)), True),  # the last look has half of alpha
        ({}, sc.Plan((8, 16), (0.5, 0.5)), False),
        ({"scheme": "paper"}, sc.Plan((10,)), True),
        ({"scheme": "paper"}, sc.Plan((11,)), False),
        ({"scheme": "split"}, sc.Plan((10,)), True),
        ({"scheme": "split"}, sc.Plan((11,)), False),
        ({"kind": "softmax", "scheme": "paper"}, sc.Plan((15,)), True),
        ({"kind": "softmax", "scheme": "paper"}, sc.Plan((16,)), False),
    ],
)
def test_settings_that_certify_nothing(setting, plan, nothing):
    assert certifies_nothing(DeclaredSettings(**setting), plan) is nothing


def test_histograms_take_their_share():
    """Of alpha: what is left for the mean scores reaches a little less far."""
    radii = [
        largest_radius(DeclaredSettings(kind="softmax", histograms=kept), 1000)
        for kept in (True, False)
    ]
    assert 0.9 * radii[1] < radii[0] < radii[1]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"sigma": 0.0}, "sigma must be a positive finite number"),
        ({"kind": "x"}, "kind must be one of"),
        ({"scheme": "x"}, "scheme must be one of"),
        ({"method": "x"}, "method must be one of"),
        ({"classes": 1}, "classes must be a whole number in 2..10000000, got 1"),
    ],
)
def test_bad_settings(setting, message):
    with pytest.raises(sc.InvalidInput, match=message):
        DeclaredSettings(**setting)


def test_bad_draws():
    with pytest.raises(sc.InvalidInput, match=r"draws must be a whole number in 1\.\."):
        largest_radius(DeclaredSettings(), 0)


@pytest.mark.parametrize(
    ("pa", "pb", "classes", "message"),
    [
        (1.0, 0.1, 10, "pa must lie strictly between 0 and 1, got 1.0"),
        (0.5, 0.5, 10, "pb must be positive, less than pa = 0.5"),
        (0.9, 0.2, 10, "pb must be positive, less than pa = 0.9 and at most 0.1, got 0.2"),
        (0.3, 0.05, 10, "pb must be at least 0.0777778 with pa = 0.3 and classes = 10"),
        (0.9, 0.08, 2, "pb must be at least 0.1"),
    ],
)
def test_points_that_cannot_be(pa, pb, classes, message):
    with pytest.raises(sc.InvalidInput, match=message):
        point_population(pa, pb, classes)


@pytest.mark.parametrize(
    ("point", "draws", "gated", "true"),
    [  # STATISTICS: radii with counts at their expectation
        ((0.9, 0.08, 1000), 10**5, 1.3248, 1.3433),
        ((0.55, 0.4, 10), 10**4, 0.148, 0.190),
        ((0.1, 0.02, 1000), 1000, 0.146, 0.386),
    ],
)
def test_radius_lost_to_sampling(point, draws, gated, true):
    *_, classes = point
    declared, population = DeclaredSettings(classes=classes), point_population(*point)
    assert population.cells.sum() == pytest.approx(1)
    report = make_plan_report(declared, Workload(draws), population, ["decided"])
    middle = report.losses[1]
    assert middle.draws == draws
    assert middle.certified == pytest.approx(gated, abs=6e-4)
    assert middle.true == pytest.approx(true, abs=6e-4)
    fewer, more = report.losses[0], report.losses[2]
    assert fewer.certified < middle.certified < more.certified < middle.true


def test_losses_stop_at_the_most_draws_that_are_exact():
    report = make_plan_report(
        DeclaredSettings(kind="softmax"),
        Workload(2**22),
        point_population(0.9, None, 10),
        ["fixed"],
    )
    assert [row.draws for row in report.losses] == [2**22 // 10, 2**22]


def test_published_inputs_are_certified_as_the_column_says():
    population = published_population(10, 2000)
    assert population.cells.sum(axis=1) == pytest.approx(1)
    for radius, share in PUBLISHED_CERTIFIED.items():
        above = (population.shares[:, 0] > ndtr(radius)).mean()
        assert above == pytest.approx(share, abs=1e-3)
    lowest = population.shares[:, 0].min()
    assert 0.15 < lowest < 0.151


def test_a_pilot_gives_its_shares_and_a_little_that_it_did_not_see():
    tally = sc.Tally([[100, 0, 0], [60, 30, 9]], sigma=0.5, invalid=[0, 1])
    population = pilot_population(tally, "multinomial")
    assert population.shares == pytest.approx(
        np.array([[100.5, 0.5, 0], [60.5, 30.5, 9]]) / 101, abs=1e-12
    )
    assert population.cells[1, -1] == pytest.approx(1 / 101)
    assert np.isfinite(population.true_radii(DeclaredSettings(sigma=0.5))).all()
    with pytest.raises(sc.MissingEvidence, match="softmax_sums"):
        pilot_population(tally, "softmax")


def test_an_invalid_cell_is_a_rival():
    population = Population(np.array([[0.6, 0.1]]), "by hand")
    assert population.true_radii(DeclaredSettings())[0] == pytest.approx(
        sc.radius("two_sided", 0.6, 0.3)
    )


def softmax_tally(spread):
    """Scores that vary by `spread` around .8 and .15; the last class has the rest."""
    n = 1000
    means = np.array([0.8, 0.15, 0.05])
    squares = means**2 + spread**2 * means * (1 - means)
    unit = n * 2**40
    return sc.Tally(
        [[800, 150, 50]],
        sigma=1.0,
        votes=[[800, 150, 50]],
        softmax_sums=(means * unit).astype(np.int64)[None],
        softmax_squares=(squares * unit).astype(np.int64)[None],
    )


def test_scores_that_vary_less_lose_less():
    declared = DeclaredSettings(kind="softmax", classes=3)
    lost = {}
    for spread in (0.1, 0.9):
        population = pilot_population(softmax_tally(spread), "softmax")
        radii = declared.radii(expected_tally(declared, population, 10_000, sc.Plan((10_000,))))
        lost[spread] = population.true_radii(DeclaredSettings())[0] - radii[0]
        outcome = simulate_plan(declared, resample_inputs(population, 200), "fixed", 10_000)
        # The mean of 200 radii whose deviation is below .02: six standard errors.
        assert outcome.radius.mean() == pytest.approx(radii[0], abs=0.009)
    assert 0 < lost[0.1] < 0.5 * lost[0.9]


def test_the_fixed_plan_is_simulated_as_it_is_bounded():
    declared, population = DeclaredSettings(), resample_inputs(point_population(0.9, 0.08, 10), 300)
    outcome = simulate_plan(declared, population, "fixed", 1000, seed=1)
    assert (outcome.draws == 1000).all()
    # 1.159 with counts at their expectation; a radius deviates by .05, their mean by .003.
    assert outcome.radius.mean() == pytest.approx(1.159, abs=0.018)
    again = simulate_plan(declared, population, "fixed", 1000, seed=1)
    assert (again.radius == outcome.radius).all()


def test_stopping_is_at_looks_and_for_a_reason():
    declared, population = DeclaredSettings(), resample_inputs(point_population(0.7, 0.2, 10), 200)
    until = sc.Until("radius=0.5")
    outcome = simulate_plan(declared, population, "radius=0.5", 10_000)
    looks = until.plan(10_000).looks
    assert set(outcome.draws) <= set(looks)
    early = outcome.draws < looks[-1]
    assert early.any()
    # The true radius is .683: an input that is given up before the end is rare (futility .02).
    assert (outcome.radius[early] >= 0.5).mean() > 0.9


@pytest.mark.parametrize("radius", [0.25, 0.5, 1.0, 1.5, 2.0, 3.0])
def test_deciding_a_radius_takes_a_twentieth_and_loses_half_a_point(radius):
    """Of the published distribution; the seeds are fixed, and the loss is about .2 points."""
    declared, population = DeclaredSettings(method="one_sided"), published_population(10, 1000)
    adaptive = simulate_plan(declared, population, f"radius={radius}", 100_000, seed=3)
    fixed = simulate_plan(declared, population, "fixed", 100_000, seed=4)
    assert adaptive.draws.mean() <= 0.05 * 100_000
    lost = (fixed.radius >= radius).mean() - (adaptive.radius >= radius).mean()
    assert lost <= 0.005


def test_workers_wait_for_the_slowest():
    outcome = SimulatedPlan("decided", np.array([100, 100, 100, 5000]), np.zeros(4))
    total = 1000 * outcome.draws.mean()
    assert slowest_worker_draws(outcome, 1000, 1) == total
    assert 1.01 * total / 8 < slowest_worker_draws(outcome, 1000, 8) < 1.5 * total / 8
    even = SimulatedPlan("fixed", np.full(4, 700), np.zeros(4))
    assert slowest_worker_draws(even, 10, 4) == 3 * 700  # two workers have three inputs of ten


def test_enough_inputs_are_all_of_them_or_every_so_many():
    population = published_population(10, 30)
    repeated, thinned = resample_inputs(population, 70), resample_inputs(population, 10)
    assert len(repeated) == 90
    assert (np.unique(repeated.shares, axis=0) == np.unique(population.shares, axis=0)).all()
    assert (thinned.shares == population.shares[1::3]).all()


@pytest.mark.parametrize(
    ("work", "message"),
    [
        ({"inputs": 0}, "inputs must be a positive whole number, got 0"),
        ({"workers": 0}, "workers must be a positive whole number, got 0"),
        ({"throughput": 0.0}, "throughput must be a positive finite number, got 0.0"),
    ],
)
def test_bad_work(work, message):
    with pytest.raises(sc.InvalidInput, match=message):
        Workload(1000, **work)


@pytest.mark.slow
def test_report():
    declared = DeclaredSettings(sigma=0.5)
    work = Workload(1000, inputs=100, workers=4, throughput=50.0)
    report = make_plan_report(declared, work, point_population(0.9, 0.08, 10), radius=0.5)
    assert not report.certifies_nothing
    assert [row.rule for row in report.costs] == ["fixed", "radius=0.5"]
    fixed, adaptive = report.costs
    assert (fixed.seconds, fixed.shared) == (2000.0, 500.0)
    assert adaptive.seconds == pytest.approx(100 * adaptive.draws / 50)
    assert adaptive.seconds / 4 < adaptive.shared < adaptive.seconds
    assert adaptive.certified > 0.95 and adaptive.draws < 700
    assert [row.share for row in report.reach] == [1.0, 0.5, 1.0]
    found = json.loads(json.dumps(plan_record(report)))
    assert found["reach"][0]["fewest_for_radius"] == smallest_draws(declared, 0.5)
    assert found["losses"][1]["lost"] == report.losses[1].true - report.losses[1].certified
    reach, loss, cost = plan_tables(report)
    assert float(reach.rows[0][2]) <= report.reach[0].two_sided
    assert float(loss.rows[1][1]) <= report.losses[1].certified
    assert float(loss.rows[1][3]) >= found["losses"][1]["lost"]
    assert cost.rows[0][5:] == ("33 min 20 s", "8 min 20 s")


@pytest.mark.slow
def test_a_reserve_is_taken_from_reach_loss_and_cost():
    """Each is what alpha without the reserve comes to, but for Cohen's own row."""
    people, work = point_population(0.9, 0.08, 10), Workload(1000)
    kept, less = (
        make_plan_report(declared, work, people, ["radius=1"])
        for declared in (DeclaredSettings(reserve=0.5), DeclaredSettings(alpha=0.0005))
    )
    assert [row.share for row in kept.reach] == [0.5, 0.25, 1.0]
    for mine, theirs in zip(kept.reach[:2], less.reach[:2], strict=True):
        assert (mine.two_sided, mine.fewest) == (theirs.two_sided, theirs.fewest)
    assert kept.losses == less.losses
    assert [(row.draws, row.mean_radius) for row in kept.costs] == [
        (row.draws, row.mean_radius) for row in less.costs
    ]


@pytest.mark.slow
def test_joint_reaches_farther_and_is_simulated_by_a_faster_scheme():
    report = make_plan_report(
        DeclaredSettings(scheme="joint"),
        Workload(1000),
        published_population(10, 100),
        ["radius=1"],
    )
    gated = make_plan_report(
        DeclaredSettings(), Workload(1000), published_population(10, 100), ["radius=1"]
    )
    assert report.reach[0].two_sided > gated.reach[0].two_sided
    assert 0 < report.reach[0].one_sided < gated.reach[0].one_sided  # a smaller share of alpha
    assert report.losses[1].certified > gated.losses[1].certified
    assert report.costs == gated.costs
    assert "simulated by scheme gated" in " ".join(plan_tables(report)[2].notes)


def test_report_of_draws_that_are_too_few():
    report = make_plan_report(DeclaredSettings(), Workload(14), point_population(0.9, 0.08, 10))
    assert report.certifies_nothing
    assert [row.rule for row in report.costs] == ["fixed", "decided", "atol=0.05"]
    assert all(row.certified == 0 and row.seconds is None for row in report.costs)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "-"),
        (0.01, "0.1 s"),
        (59.99, "60.0 s"),
        (61, "1 min 1 s"),
        (119.7, "2 min 0 s"),
        (3599.7, "1 h 0 min"),
        (3700, "1 h 1 min"),
        (200_000, "2 d 7 h"),
    ],
)
def test_durations(seconds, text):
    assert format_duration(seconds) == text
