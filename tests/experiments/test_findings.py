"""experiments/cifar10/findings.py on tallies whose answers are known."""

import numpy as np
import pytest

import simplicert as sc
from simplicert.analysis.study import Study

DRAWS = 2000


class Made:
    """A run in memory: the tally and how it is certified, as a study asks for them."""

    def __init__(self, shares, labels, seed=0, sigma=0.5, draws=DRAWS):
        """Counts drawn by these shares; what is left of each row's goes to no class."""
        random = np.random.default_rng(seed)
        counts = random.multinomial(draws, np.column_stack([shares, 1 - shares.sum(axis=1)]))
        self.held = sc.Tally(
            counts[:, :-1], sigma, labels=labels, invalid=counts[:, -1], plan=sc.Plan((draws,))
        )
        self.manifest = type(
            "Manifest", (), {"sigma": sigma, "alpha": 0.001, "kind": "multinomial"}
        )
        self.missing = 0

    def tally(self):
        """As a run's."""
        return self.held

    def certify(self, kind=None, **options):
        """As a run's."""
        return sc.certify(sc.bound(self.held, 0.001, **options))


def made(name, **options):
    """Inputs from nearly a tie to almost certain; a hundredth of what is not the top class ties."""
    top = np.linspace(0.46, 0.999, 40)
    shares = np.column_stack([top, 0.8 * (1 - top), 0.19 * (1 - top)])
    return Study(name, Made(shares, np.zeros(40, int), **options))


@pytest.fixture
def clear():
    return made("made")


def test_shorter_runs_are_parts_of_longer_ones(findings, clear):
    looks = findings.nested(clear.tally, (100, 500, DRAWS))
    for shorter, longer in ((100, 500), (500, DRAWS)):
        assert (looks[shorter].draws == shorter).all()
        assert (looks[shorter].counts <= looks[longer].counts).all()
        assert (looks[shorter].invalid <= looks[longer].invalid).all()
    assert (looks[DRAWS].counts == clear.tally.counts).all()
    assert clear.tally.invalid.any() and (looks[DRAWS].invalid == clear.tally.invalid).all()


def test_stopping_early_decides_the_same_inputs(findings, clear):
    """A rule stops only where it has its answer or no hope of one: few inputs change sides."""
    for rule in ("radius=0.25", "decided"):
        found = findings.stopped_early(clear, rule)
        assert 0 < found["share_of_draws"] < 1 and found["median_draws"] < DRAWS
        # Futility gives up at most a few certificates; a plan spends its alpha on several looks.
        assert found["reached_fixed"] - 0.1 <= found["reached"] <= found["reached_fixed"] + 0.05


def test_the_ensemble_needs_fewer_draws(findings, clear):
    found = findings.draws_needed(clear)
    assert found["two_sided"] <= found["ensemble"] < found["draws"] == DRAWS


def test_gain(findings):
    new, base = np.array([0.0, 0.3, 0.4, 0.2]), np.array([0.0, 0.0, 0.2, 0.2])
    assert findings.gain(new, base, sigma=1.0) == {
        "mean": pytest.approx(0.225),
        "base_mean": pytest.approx(0.1),
        "ratio": pytest.approx(2.25),
        "best": pytest.approx(0.3),
        "best_ratio": pytest.approx(2.0),
        "from_nothing": 1,
    }


def test_the_best_case_is_over_a_base_that_counts_in_units_of_sigma(findings):
    new, base = np.array([0.9, 0.4]), np.array([0.09, 0.2])
    assert findings.gain(new, base, sigma=1.0)["best_ratio"] == pytest.approx(10)
    assert findings.gain(new, base, sigma=2.0)["best_ratio"] == pytest.approx(2)


def test_the_longer_run_beside_its_part(findings, clear):
    longer = made("longer", draws=10 * DRAWS)
    found = findings.longer(clear, longer)
    short, part, whole = found["rows"]
    assert [row["draws"] for row in (short, part, whole)] == [DRAWS, DRAWS, 10 * DRAWS]
    assert whole["agree"] == 1 and whole["gained"] == 0
    assert whole["refused"] < part["refused"] and part["gained"] > 0
    assert whole["means"]["two_sided"] > part["means"]["two_sided"]
    # Draws of the same inputs: the parts' spread, and ten times of it for a short run's own noise.
    assert 0 < found["spread"] < 0.01
    assert part["means"]["cohen"] == pytest.approx(
        short["means"]["cohen"], abs=10 * found["spread"]
    )


def test_the_heaviest_input(findings, clear):
    """By hand: all percentages but the largest."""
    given = clear.certificates("multinomial")
    found = findings.heaviest(given)
    base, new = given.column("cohen"), given.column("ensemble")
    percent = [100 * (b / a - 1) for a, b in zip(base, new, strict=True) if a > 0]
    assert found["without"] == pytest.approx((sum(percent) - max(percent)) / (len(percent) - 1))
    assert found["base"] == base[(base > 0) & (new / np.maximum(base, 1e-300) > 1)].min()


def test_the_median_percentage_counts_inputs_without_a_base(findings):
    class Columns:
        def column(self, name):
            return {
                "cohen": np.array([0.0, 0.0, 0.1, 0.2, 0.2]),
                "ensemble": np.array([0.3, 0.0, 0.2, 0.2, 0.3]),
            }[name]

    # inf, 0, 100, 0, 50: sorted 0, 0, 50, 100, inf
    assert findings.median_percent(Columns()) == pytest.approx(50)


def test_the_joint_bound_reaches_the_mean_with_fewer_draws(findings, clear):
    found = findings.joint_saves(clear)
    assert found["draws"] == found["share"] * DRAWS < DRAWS
    pair = clear.certificates("multinomial").column("two_sided").mean()
    shorter = findings.nested(clear.tally, [round(DRAWS * part / 20) for part in range(1, 21)])
    for draws, reaches in ((found["draws"], True), (found["draws"] - DRAWS // 20, False)):
        known = sc.bound(shorter[draws], 0.001, scheme="joint")
        assert (sc.certify(known).column("two_sided").mean() >= pair) == reaches


def test_how_often_inputs_are_right(findings):
    class Columns:
        correct = np.array([True, False, True, True, False])
        abstained = np.array([False, False, False, False, True])

        def column(self, name):
            return np.array([0.1, 0.2, 0.3, 0.0, 0.0])

    assert findings.right(Columns()) == {"with_cohen": pytest.approx(2 / 3), "without_cohen": 1.0}
