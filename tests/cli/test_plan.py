"""`simplicert plan`, and the warning of `sample`, as a user meets them."""

import json

import numpy as np
import pytest

import simplicert as sc
from simplicert.store import create_run
from simplicert.store.manifest import Manifest


@pytest.fixture
def pilot(tmp_path):
    """A run of 40 inputs made by hand: it does not say how long it took."""
    random = np.random.default_rng(0)
    counts = random.multinomial(500, [0.8, 0.15, 0.05], size=40)
    tally = sc.Tally(counts, sigma=0.5, plan=sc.Plan((500,)))
    manifest = Manifest(0.5, 40, 3, alpha=0.01, plan=tally.plan)
    create_run(tmp_path / "pilot", manifest, tally)
    return tmp_path / "pilot"


def test_numbers_that_are_known(command):
    words = ("plan", "--sigma", 1, "--draws", 1000, "--pa", 0.9, "--pb", 0.08, "--until", "decided")
    words = (*words, "--scheme", "gated")
    code, out, err = command(*words)
    assert (code, err) == (0, "")
    gated = next(line for line in out.splitlines() if line.startswith("gated"))
    assert gated.split()[-4:] == ["0.9", "2.4190", "2.4190", "15"]  # a tenth is kept in reserve
    row = next(line.split() for line in out.splitlines() if line.startswith("1,000 "))
    exact = sc.certify(sc.bound(sc.Tally([[900, 80, 20]], sigma=1.0), 0.0009)).radius[0]
    assert exact - 1e-4 < float(row[1]) <= exact
    assert row[2] == "1.3433"
    assert 0 <= float(row[3]) - (sc.radius("two_sided", 0.9, 0.08) - exact) < 1e-4
    assert "no times" in out
    assert "10 % of alpha is kept for a later --extend" in out
    code, out, _ = command(*words, "--reserve", "0")
    gated = next(line for line in out.splitlines() if line.startswith("gated"))
    assert gated.split()[-4:] == ["1", "2.4239", "2.4239", "15"] and "is kept" not in out


def test_json_has_the_same_numbers_exactly(command):
    words = ("--sigma", 0.5, "--draws", 1000, "--radius", 0.5, "--pa", 0.9, "--json")
    words = (*words, "--reserve", "0", "--scheme", "gated")
    found = json.loads(command("plan", *words)[1])
    assert found["reach"][0]["two_sided"] == pytest.approx(0.5 * 2.42393, abs=1e-5)
    assert found["reach"][0]["fewest_for_radius"] == 45
    assert found["losses"][1]["true"] == sc.radius("two_sided", 0.9, 0.1, sigma=0.5)
    assert [row["rule"] for row in found["costs"]] == ["fixed", "radius=0.5"]
    assert found["costs"][0]["draws"] == 1000


@pytest.mark.parametrize(("kind", "scheme"), [("multinomial", "joint"), ("softmax", "gated")])
def test_it_plans_for_the_scheme_that_sample_declares(command, pilot, kind, scheme):
    """Without a scheme; a pilot's own is kept where the kind has it."""
    words = ("--sigma", 1, "--draws", 200, "--pa", 0.9, "--until", "decided", "--kind", kind)
    assert json.loads(command("plan", *words, "--json")[1])["declared"]["scheme"] == scheme
    run = ("--run", pilot, "--draws", 200, "--until", "decided", "--json")
    assert json.loads(command("plan", *run)[1])["declared"]["scheme"] == "gated"


def test_without_anything_it_says_what_it_assumes(command):
    code, out, _ = command("plan", "--sigma", 1, "--draws", 2000, "--until", "radius=1")
    assert code == 0
    assert "as in ImageNet logs at sigma 1 (Cohen et al. 2019)" in out
    fixed, adaptive = (
        next(line.split() for line in out.splitlines() if line.startswith(rule))
        for rule in ("fixed", "radius=1")
    )
    assert int(adaptive[1].replace(",", "")) < 0.3 * int(fixed[1].replace(",", ""))


def test_a_pilot_run_says_sigma_alpha_classes_and_inputs(command, pilot):
    words = ("--run", pilot, "--draws", 5000, "--until", "decided", "--throughput", 100)
    found = json.loads(command("plan", *words, "--json")[1])
    declared = found["declared"]
    assert (declared["sigma"], declared["alpha"], declared["classes"]) == (0.5, 0.01, 3)
    assert found["work"]["inputs"] == 40
    assert found["costs"][0]["seconds"] == 40 * 5000 / 100
    assert "as in a pilot of 40 inputs, 500 draws each" in command("plan", *words)[1]


def test_a_pilot_that_was_drawn_says_how_fast(command, pilot, tmp_path, monkeypatch):
    monkeypatch.setattr(sc.Run, "seconds", 4.0)
    words = ("--run", pilot, "--draws", 1000, "--until", "fixed", "--workers", 4, "--json")
    found = json.loads(command("plan", *words)[1])
    assert found["work"]["throughput"] == 40 * 500 / 4.0
    assert found["costs"][0]["seconds"] == 8.0
    assert found["costs"][0]["shared"] == 2.0


def test_too_few_draws_are_warned_of(command):
    code, _, err = command("plan", "--sigma", 1, "--draws", 14, "--pa", 0.9)
    assert code == 0
    assert err == "simplicert: 14 draws certify nothing at alpha 0.001, even if all agree\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--draws", 100), "sigma must be given where there is no pilot run"),
        (("--draws", 0, "--sigma", 1), "draws must be a whole number in 1.."),
        (("--draws", 100, "--sigma", -1), "sigma must be a positive finite number, got -1.0"),
        (("--draws", 100, "--sigma", 1, "--alpha", 1), "alpha must lie strictly between 0 and 1"),
        (("--draws", 100, "--sigma", 1, "--pb", 0.1), "pb must come with pa, got pb = 0.1 alone"),
        (("--draws", 100, "--sigma", 1, "--pa", 0.3), "pb must be positive, less than pa = 0.3"),
        (
            ("--draws", 100, "--sigma", 1, "--until", "soon"),
            "until must be radius=R, atol=X, rtol=X or decided",
        ),
        (
            ("--draws", 100, "--sigma", 1, "--until", "atol=0"),
            "until must be atol=NUMBER with a number in (0, inf), got 'atol=0'",
        ),
        (("--draws", 100, "--sigma", 1, "--radius", 0), "radius must be a positive finite number"),
        (("--draws", 100, "--sigma", 1, "--scheme", "x"), "scheme must be one of"),
        (
            ("--draws", 100, "--sigma", 1, "--reserve", 1),
            "reserve must be a share of alpha in 0..0",
        ),
        (("--draws", 100, "--sigma", 1, "--workers", 0), "workers must be a positive whole number"),
        (("--draws", 100, "--run", "nowhere"), "run must be a folder that exists, got 'nowhere'"),
    ],
)
def test_bad_words(command, words, message):
    code, out, err = command("plan", *words)
    assert (code, out) == (2, "")
    assert err.startswith("simplicert: ") and message in err
    assert len(err.splitlines()) == 1


def test_words_that_contradict_the_pilot(command, pilot):
    for words, message in (
        (("--sigma", 1), "sigma must be the pilot run's 0.5, got 1.0"),
        (("--classes", 4), "classes must be the pilot run's 3, got 4"),
        (("--pa", 0.9), "pa must not be given with a pilot run"),
        (("--kind", "softmax"), "needs a pilot run with softmax_sums"),
    ):
        code, _, err = command("plan", "--run", pilot, "--draws", 100, *words)
        assert code == 2
        assert message in err


@pytest.mark.parametrize(
    ("words", "warned"),
    [
        (("--draws", 15), False),
        (("--draws", 14), True),
        (("--draws", 12, "--scheme", "paper"), False),
        (("--draws", 11, "--scheme", "paper"), True),
        (("--draws", 11, "--scheme", "paper", "--reserve", "0"), False),
        (("--draws", 12, "--scheme", "split", "--pilot", 5), False),
        (("--draws", 15, "--scheme", "paper", "--kind", "softmax"), True),
        (("--draws", 16, "--scheme", "paper", "--kind", "softmax"), False),
    ],
)
def test_sample_warns_by_what_is_declared(command, tmp_path, monkeypatch, words, warned):
    monkeypatch.chdir(tmp_path)
    np.savez("one.npz", inputs=np.ones((1, 4), np.float32))
    (tmp_path / "nearly.py").write_text(
        "import numpy as np\n"
        "def model():\n"
        "    return lambda x: np.stack([10 + x[:, 0], x[:, 1], x[:, 2]], axis=1)\n"
    )
    common = ("--model", "nearly:model", "--data", "one.npz", "--sigma", 0.1, "--batch-size", 8)
    code, _, err = command("sample", *common, *words, "--out", "run", "--quiet")
    assert code == 0
    assert ("no single input" in err) is warned


def test_one_radius(command):
    """The last of several would answer for all of them; and a radius keeps its digits."""
    words = ("plan", "--sigma", 1, "--draws", 200, "--pa", 0.9)
    code, out, err = command(*words, "--radius", 0.25, "--radius", 0.5)
    assert (code, out) == (2, "")
    assert "radius must be given once, got 0.25 and 0.5: plan answers for one radius" in err
    _, out, _ = command(*words, "--radius", 0.4999999)
    assert "for radius 0.4999999" in out and "radius=0.4999999" in out
