"""What the committed results must show, whatever the pages make of them."""

import csv
import json
import tomllib
from pathlib import Path

import pytest

import simplicert as sc
from simplicert.plan.division import BudgetRow

ROOT = Path(__file__).parents[1]
RUNS = ROOT / "experiments" / "cifar10" / "runs"
SHARES_OF_DRAWS = {
    (0.3, 0.1, 10**5): 0.60,
    (0.9, 0.08, 10**5): 0.88,
    (0.05, 0.02, 10**5): 0.52,
    (0.6, 0.05, 10**4): 0.66,
}
BY_CELLS = (0.8432, 0.8505, 0.5986, 0.5670, 0.5503, 0.5259, 0.4737, 0.6967, 0.8332)  # no pair


def read_result(name):
    return json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text())


def test_radii_are_a_thousand_times_as_fast_as_a_solver():
    against = read_result("radii")["improved_dp_against_slsqp"]
    assert against["ratio_same_points"] > 1000
    assert against["slsqp_too_large_by_more_than_1e-6"] > 0


def test_sampling_keeps_the_speed_of_the_network():
    result = read_result("sampling")
    assert result["ours_of_bare"] > 0.9
    assert result["ours_compiled_of_reference"] > 1.7
    few, many = result["peak_megabytes"]["ours"].values()
    assert many < 1.1 * few


def test_other_noises_cost_no_more_than_gaussian_noise():
    """Network included; the noise alone takes less time in every case."""
    rows = read_result("noises")["noises"]
    for name in ("laplace", "uniform", "ablation", "shift", "brightness"):
        assert rows[name]["noise_milliseconds"] < rows["gaussian"]["noise_milliseconds"]
    assert rows["laplace"]["high"] < 1.15 and rows["uniform"]["high"] < 1.15
    assert rows["ablation"]["of_gaussian"] <= 1


def test_softmax_keeps_most_of_the_radius_and_histograms_give_more():
    result = read_result("softmax")
    assert len(result["families"]) == 5
    for family in result["families"].values():
        share = family["share"]
        assert share["10000"]["bentkus+bernstein"] > 0.86
        for n in ("1000", "10000"):  # betting pays up to 1e4 draws, and costs next to nothing after
            assert share[n]["bentkus+betting"] > share[n]["bentkus+bernstein"]
        assert share["100000"]["bentkus+betting"] > 0.997 * share["100000"]["bentkus+bernstein"]
        for n in share:
            assert share[n]["cdf"] > 0.995 * share[n]["cdf, run format 1"]
        assert share["10000"]["two_sided, with histograms"] > 0.86
        assert share["100000"]["cdf"] > 1
        assert min(family["least_cdf_over_two_sided_without_histograms"].values()) > 0.996
        assert max(family["designs"].values()) < 1.01 * family["designs"]["ours"]
    levels = result["levels_of_alpha"].values()
    assert all(value <= 1 for row in levels for value in row.values())


def test_a_neighbour_is_worth_less_than_its_draws():
    """Four networks and divisions: no gain in the mean, and next to none where it is free."""
    networks = read_result("geometry")["networks"]
    assert [(one["sigma"], one["draws"]) for one in networks] == [
        (0.25, 1000),
        (1.0, 1000),
        (0.25, 500),
        (1.0, 500),
    ]
    for network in networks:
        summary = network["summary"]
        assert summary["inputs"] == 50 and summary["mean_ratio"] < 1
        assert all(row["radius"] == max(row["own"], row["found"]) for row in network["rows"])
    assert all(one["free"]["largest_ratio"] < 1.01 for one in networks if one["free"])


def test_everything_after_the_draws_takes_less_than_a_minute():
    assert read_result("analysis")["all"] < 60


def test_ray_keeps_most_of_the_speed_of_local_processes():
    result = read_result("engines")
    assert result["rounds"] >= 5
    assert result["ray_of_local"] >= 0.85


def test_resuming_a_share_costs_less_than_the_whole():
    times = list(read_result("resuming")["times_as_fast"].values())
    assert times == sorted(times, reverse=True) and times[0] > 10


def test_verification_takes_at_most_five_times_the_time_of_certification():
    costs = read_result("scale")["costs"]
    for code in ("now", "merged"):
        assert costs[code]["verify"]["seconds"] <= 5 * costs[code]["certify"]["seconds"]
    assert costs["merged"]["open"]["seconds"] < costs["now"]["open"]["seconds"] / 10


def test_no_kill_of_a_compaction_did_harm():
    result = read_result("merging")
    assert result["everywhere"]["kills"] > 30 and result["by_chance"]["kills"] > 30
    assert not result["everywhere"]["wrong"] and not result["by_chance"]["wrong"]


@pytest.mark.slow
def test_the_resuming_benchmark_reads_what_it_says(benchmark, tmp_path):
    resuming = benchmark("resuming")
    run = resuming.made(tmp_path / "run", 8)
    assert len(run.paths()) == 8
    assert [resuming.ours(run, shares) for shares in (4, 1)] == [2, 8] == [2, resuming.twice(run)]


def test_the_joint_bound_is_as_good_as_promised():
    result = read_result("joint")
    shares = {(r["p_top"], r["p_rival"], r["draws"]): r["share_of_draws"] for r in result["gain"]}
    assert all(shares[point] <= most for point, most in SHARES_OF_DRAWS.items())
    assert [row["draws"] for row in result["grid"]] == [100, 1000, 10**4, 10**5]
    assert all(row["smallest_ratio"] >= 1 - 2e-3 for row in result["grid"])
    assert all(row["smallest_ratio_of_radii"] >= 1 - 1e-4 for row in result["time"])


def test_the_joint_bound_gives_little_of_its_gain_for_pair_and_speed():
    result = read_result("joint")
    rows = zip(result["gain"], BY_CELLS, strict=True)
    assert all(row["share_of_draws"] <= before + 0.015 for row, before in rows)
    sizes = [(row["draws"], row["classes"]) for row in result["speed"]]
    assert sizes == [(10**power, classes) for classes in (10, 1000) for power in (3, 4, 5, 6)]
    assert all(row["times_as_fast"] > 2 for row in result["speed"] if row["draws"] >= 10**4)


def test_stopping_early_saves_most_draws_and_loses_little():
    rows = read_result("draws")["adaptive"]
    published = [row for row in rows if row["case"].startswith("published")]
    assert [len(rows), len(published)] == [18, 12]
    for row in published:
        assert row["share_of_draws"] <= 0.05
        assert row["certified_fixed"] - row["certified_adaptive"] <= 0.005


def test_stopping_early_saves_time_as_well():
    found = read_result("draws")["wall_time"]
    assert found["ratio"] >= 0.8
    assert found["ratio"] == pytest.approx(found["time_saved"] / found["draws_saved"])


def test_rules_beside_a_fixed_number_of_draws():
    """What docs/adaptive.md says of them: which gain, which lose, and what there is to gain."""
    result = read_result("rules")
    gains = {
        name: {row["rule"]: row["mean_radius"] / row["fixed_mean_radius"] for row in found["rules"]}
        for name, found in result["populations"].items()
    }
    assert result["most"] == 100_000 and len(gains) == 3
    for name, found in gains.items():
        assert found["fixed"] == 1
        for rule, gain in found.items():
            word = rule.partition("=")[0].partition(",")[0]
            if word in ("rtol", "decided", "three cells", "Voracek", "ISS"):
                assert gain < 1, (name, rule)
            if word in ("pilot", "oracle"):
                assert gain > 1, (name, rule)
        pays = name != "CIFAR-10, sigma 1"
        assert (found["atol=0.02"] > 1) == (found["atol=0.05"] > 1) == pays
    imagenet = {row["rule"]: row for row in result["populations"]["ImageNet, sigma 1"]["rules"]}
    assert imagenet["atol=0.05"]["draws"] < 0.65 * imagenet["atol=0.05"]["fixed_draws_for_radius"]


def test_errors_of_looks_stay_below_alpha():
    """And would not without a plan."""
    rows = read_result("draws")["adversary"]
    for row in rows:
        for name in ("stopped", "reserved", "extended"):
            assert row[name]["high"] <= row["alpha"]
    assert max(row["without_plan"]["rate"] / row["alpha"] for row in rows) > 2


def test_joint_needs_the_fewest_draws():
    result = read_result("draws")
    assert len(result["grid"]) == 21
    for row in result["grid"]:
        assert row["paper"] == pytest.approx(1, abs=0.01)  # the search finds n again
        assert row["joint"] < 0.95 < row["paper"] < row["gated"] < 1.03
    assert [row["draws"] for row in result["real"]] == [2000, 10_000]
    for row in result["real"]:
        assert row["joint"]["reached"] == row["gated"]["reached"] == 1.0


def test_a_small_network_draws_three_times_as_fast():
    assert read_result("training")["small_cnn_of_resnet20"] >= 3


@pytest.mark.parametrize("sigma", ["0.25", "1"])
def test_macer_moves_expectations_towards_cohen(sigma):
    result = read_result("macer")
    control, moved = (result[f"{kind}-{sigma}"] for kind in ("control", "macer"))
    assert moved["largest_of_issued"]["cohen"] > control["largest_of_issued"]["cohen"]
    assert moved["mean_radius"] > control["mean_radius"]
    assert moved["mean_e0_of_issued"] > control["mean_e0_of_issued"]


def test_the_result_of_macer_is_that_of_the_committed_runs(benchmark):
    name = "macer-1"
    assert benchmark("macer").summary(RUNS / name) == read_result("macer")[name]


def test_a_million_bad_inputs_and_no_finding(benchmark):
    result = read_result("fuzz")
    assert result["total"] >= 1_000_000
    assert result["entries"]["command line"]["tried"] >= 3000
    assert all(entry["findings"] == 0 for entry in result["entries"].values())
    entries = {entry.name for entry in benchmark("fuzz_entries").ENTRIES}
    assert {*result["entries"]} == entries | {"command line"}


@pytest.mark.parametrize("name", ["control-0.25", "control-1"])
def test_no_certificate_was_broken_by_an_attack(name):
    rows = list(csv.DictReader((RUNS / name / "attack.csv").read_text().splitlines()))
    assert len(rows) == 20 and {row["broken"] for row in rows} == {"false"}
    assert all(float(row["ratio"]) > 1 for row in rows if row["found"])


def list_survivors(result):
    return {
        (name, row["change"])
        for name, held in result.items()
        for row in held["mutants"]
        if row["outcome"] == "survived"
    }


def test_nine_in_ten_mutants_are_killed():
    result = read_result("mutants")
    rows = [row for held in result.values() for row in held["mutants"]]
    assert len(rows) > 300
    assert sum(row["outcome"] != "survived" for row in rows) >= 0.9 * len(rows)


def test_every_survivor_is_explained_and_nothing_else():
    reasons = tomllib.loads((ROOT / "benchmarks" / "survivors.toml").read_text())
    explained = {(name, change) for name, found in reasons.items() for change in found}
    assert list_survivors(read_result("mutants")) == explained


@pytest.mark.parametrize(
    "room", ["bounds", "mechanisms", "store", "drawing", "verification", "smoothed"]
)
def test_mutants_of_every_room_are_tried_and_killed(room):
    """A file that is new or has moved is tried when the benchmark runs next."""
    result = read_result("mutants")
    rows = [
        row
        for name, held in result.items()
        for row in held["mutants"]
        if name.startswith(f"{room}/")
    ]
    assert len(rows) >= 25
    assert sum(row["outcome"] != "survived" for row in rows) >= 0.85 * len(rows)


def test_shares_of_all_inputs_are_true_and_reproduce():
    """Limits fail less often than they may, and the committed runs give the committed shares."""
    result = read_result("population")
    rows = [*result["coverage"], *result["lists"]]
    assert len(rows) >= 26 and all(row["high"] < 1 - result["confidence"] for row in rows)
    assert all(row["excess"] > 0 for row in result["proof"])
    for row in result["runs"]:
        name = f"population-{row['sigma']:g}"
        design = RUNS.parent / "designs" / f"{name}.toml"
        found = sc.population(sc.open_run(RUNS / name), design, leave_out_pilot=True)
        assert found.share(row["radius"]) == pytest.approx(row["population"], abs=1e-9)
        assert any("by the clocks" in text for text in found.remarks)


@pytest.mark.slow
def test_the_confidence_for_an_equal_share_is_found(benchmark):
    """At the share expected at .999 it is .999; of less one is surer, of the truth never."""
    population = benchmark("population")
    row = BudgetRow("population", 16, 400, 0.0)
    known = population.label_probabilities(population.pilot_tally(1.0))
    target = population.TARGETS["smoothed"](population.radius_in_sigmas(0.5, 1.0, 1.0))
    fit = population.coefficients
    chance = fit.binomial_table(16, known).mean(axis=0)
    found, bets = fit.fit_coefficients(target, chance, 1.0, 400, 0.001)
    share = fit.expect_limit(found, chance, bets, 400, 0.001)
    tail = population.find_tail(1.0, 0.5, row, share)
    assert tail * (1 + 1e-9) >= 0.001 and tail == pytest.approx(0.001, rel=1e-6)
    assert population.find_tail(1.0, 0.5, row, 0.9 * share) < 0.0005
    assert population.find_tail(1.0, 0.5, row, 0.298) is None


def test_equal_draws_state_more_and_more_surely_in_most_cases():
    """The gain in confidence that docs/population.md states."""
    rows = read_result("population")["divisions"]
    tails = {(row["sigma"], row["radius"]): row["tail_at_share_of_each"] for row in rows}
    assert len(tails) == 4
    assert sum(tail < 1e-5 for tail in tails.values()) == 3
    assert tails[1.0, 0.5] > 0.001
