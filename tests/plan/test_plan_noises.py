"""Plans for other noises: radii in their own unit, from the same counts as `bound` sees."""

import json

import numpy as np
import pytest

import simplicert as sc
from simplicert.noises import NoiseModel
from simplicert.plan import (
    DeclaredSettings,
    Workload,
    certifies_nothing,
    largest_radius,
    make_plan_report,
    point_population,
    resample_inputs,
    simulate_plan,
    smallest_draws,
)
from simplicert.store import create_run
from simplicert.store.manifest import Manifest
from simplicert.tables.plan import plan_record, plan_tables

ABLATION = NoiseModel("ablation", size=784, keep=45)


def certified(counts, model, scale=1.0, norm=None, alpha=0.001):
    """The two-sided radius that the package itself gives these counts."""
    known = sc.bound(sc.Tally([counts], scale, noise=model), alpha)
    return sc.certify(known, ["two_sided"], norm=norm).radius[0]


@pytest.mark.parametrize(
    ("model", "scale", "norm"),
    [
        (NoiseModel("laplace"), 0.5, None),
        (NoiseModel("uniform"), 2.0, None),
        (NoiseModel("uniform", size=12), 2.0, "linf"),
        (NoiseModel("gaussian", size=12), 0.5, "linf"),
        (NoiseModel("exponential-linf"), 0.1, None),
        (NoiseModel("shift"), 2.0, None),
        (ABLATION, 1.0, None),
        (NoiseModel("deletion", rate=0.9), 1.0, "insertions"),
    ],
    ids=str,
)
def test_what_draws_reach_is_what_certify_gives(model, scale, norm):
    declared = DeclaredSettings(sigma=scale, noise=model, norm=norm)
    for draws in (30, 1000):
        found = largest_radius(declared, draws)
        assert found == certified([draws, *[0] * 9], model, scale, norm) > 0
    wanted = 0.4 * found
    fewest = smallest_draws(declared, wanted)
    assert certified([fewest, *[0] * 9], model, scale, norm) >= wanted
    assert certified([fewest - 1, *[0] * 9], model, scale, norm) < wanted
    assert smallest_draws(declared) == 15  # whatever the noise: counts are counts


def test_a_wanted_number_of_features_is_reached_by_that_number():
    declared = DeclaredSettings(noise=ABLATION)
    fewest = smallest_draws(declared, 5)
    assert largest_radius(declared, fewest) == 5 > largest_radius(declared, fewest - 1)
    assert not certifies_nothing(declared, sc.Plan((15,)))  # though no feature may change
    assert largest_radius(declared, 15) < 3
    assert certifies_nothing(declared, sc.Plan((14,)))


def test_a_rule_is_simulated_in_the_noises_own_unit():
    declared = DeclaredSettings(sigma=0.5, noise=NoiseModel("laplace"))
    inputs = resample_inputs(point_population(0.9, 0.05, 10), 50)
    found = simulate_plan(declared, inputs, "radius=0.5", 2000)
    assert (found.radius >= 0.5).all() and (found.draws < 2000).all()
    truth = sc.radius("two_sided", 0.9, 0.05, noise="laplace", scale=0.5)
    np.testing.assert_allclose(inputs.true_radii(declared), truth)


@pytest.mark.slow
def test_the_report_names_noise_norm_and_unit():
    work, point = Workload(1000), point_population(0.9, None, 10)
    report = make_plan_report(DeclaredSettings(noise=ABLATION), work, point, radius=5.0)
    reach, losses, costs = plan_tables(report)
    assert "largest radius in features" in reach.title and "keep 45" in reach.title
    assert reach.headings[3] == "one_sided" and reach.rows[0][2] == "11"
    assert losses.rows[1][2] == "8.0000"
    assert costs.rows[1][0] == "radius=5"
    record = json.loads(json.dumps(plan_record(report)))
    assert record["declared"]["noise"] == {"name": "ablation", "size": 784, "keep": 45}
    assert record["declared"]["norm"] == "l0" and record["reach"][0]["one_sided"] == 11
    plain = plan_record(make_plan_report(DeclaredSettings(), work, point, ["fixed"]))
    assert not {"noise", "norm"} & set(plain["declared"]) and "cohen" in plain["reach"][0]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"noise": NoiseModel("laplace"), "sigma": -1.0}, "scale must be a positive finite"),
        ({"noise": NoiseModel("laplace"), "norm": "l2"}, "norm must be one that laplace noise"),
        ({"norm": "linf"}, "size must be given for gaussian noise and norm linf"),
        ({"noise": NoiseModel("ablation", keep=4)}, "size must be given for ablation noise"),
        ({"noise": ABLATION, "sensitivity": 2.0}, "sensitivity must be 1 for ablation noise"),
        ({"noise": NoiseModel("splitting")}, "noise must be random to be planned for"),
    ],
)
def test_settings_that_no_run_could_declare(settings, message):
    with pytest.raises(sc.InvalidInput, match=message):
        DeclaredSettings(**settings)


def test_a_rule_in_another_norm_is_refused():
    declared = DeclaredSettings(noise=NoiseModel("gaussian", size=12), norm="linf")
    with pytest.raises(sc.InvalidInput, match="until must be left out with norm linf: the rules"):
        make_plan_report(declared, Workload(100), point_population(0.9, None, 10), ["decided"])


def test_scheme_joint_is_proved_for_gaussian_noise_alone():
    declared = DeclaredSettings(noise=NoiseModel("laplace"), scheme="joint")
    with pytest.raises(sc.InvalidInput, match="scheme must be another than joint for laplace"):
        largest_radius(declared, 100)


# As a user types it


@pytest.mark.slow
def test_a_plan_for_laplace_noise(command):
    words = ("plan", "--noise", "laplace", "--scale", 0.5, "--draws", 1000, "--reserve", 0)
    code, out, _ = command(*words, "--pa", 0.9, "--radius", 1, "--until", "fixed", "--json")
    found = json.loads(out)
    assert code == 0
    agreed = certified([1000, *[0] * 9], NoiseModel("laplace"), 0.5)
    assert found["reach"][0]["two_sided"] == agreed
    assert found["losses"][1]["true"] == sc.radius(
        "two_sided", 0.9, 0.1, noise="laplace", scale=0.5
    )
    code, out, _ = command(*words, "--until", "fixed")
    assert code == 0 and "largest radius in l1" in out and "taken over from Gaussian noise" in out


@pytest.fixture
def pilot(tmp_path):
    """A run of 40 inputs under Laplace noise, made by hand."""
    counts = np.random.default_rng(0).multinomial(500, [0.8, 0.15, 0.05], size=40)
    model = NoiseModel("laplace")
    tally = sc.Tally(counts, 0.5, plan=sc.Plan((500,)), noise=model)
    create_run(tmp_path / "pilot", Manifest(0.5, 40, 3, plan=tally.plan), tally)
    return tmp_path / "pilot"


@pytest.mark.slow
def test_a_pilot_says_which_noise(command, pilot):
    code, out, _ = command("plan", "--run", pilot, "--draws", 1000, "--until", "fixed", "--json")
    assert code == 0
    assert json.loads(out)["declared"]["noise"] == {"name": "laplace"}
    code, out, _ = command("plan", "--serve", pilot, "--json")
    served = json.loads(out)
    assert code == 0 and max(served["operational_radius"]) > 0
    assert served["smoothed"] == {"noise": "laplace", "scale": 0.5, "kind": "multinomial"}
    assert "a distance in l1" in served["operational_radius_rests_on"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--noise", "uniform"), "noise must be the pilot run's laplace, got uniform"),
        (("--scale", 1), "scale must be the pilot run's 0.5, got 1.0"),
        (("--sigma", 0.5), "sigma is no number of the pilot run's noise, got 0.5"),
        (("--norm", "l2"), "norm must be one that laplace noise certifies (l1), got 'l2'"),
        (("--size", 4), "size has no meaning for laplace noise and norm l1, got 4"),
    ],
)
def test_a_pilot_of_another_noise_is_refused(command, pilot, words, message):
    code, _, err = command("plan", "--run", pilot, "--draws", 1000, *words)
    assert code == 2 and message in err


def test_a_population_of_another_noise_is_refused(command, pilot):
    words = ("plan", "--population", 16_000, "--radius", 0.25, "--run", pilot)
    code, _, err = command(*words)
    assert code == 2 and "its proof is about those, got laplace" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--noise", "laplace"), "scale must be given for laplace noise, got None"),
        (("--noise", "laplace", "--sigma", 1), "sigma is not a number of laplace noise"),
        (("--noise", "ablation", "--keep", 4), "size must be given for ablation noise"),
        (("--noise", "uniform", "--scale", 1, "--size", 3), "size has no meaning for uniform"),
        (("--noise", "loud"), "noise must be one of gaussian"),
        ((), "sigma must be given where there is no pilot run"),
    ],
)
def test_bad_noise_is_one_sentence(command, words, message):
    code, out, err = command("plan", "--draws", 100, *words)
    assert (code, out) == (2, "") and message in err and err.count("\n") == 1
