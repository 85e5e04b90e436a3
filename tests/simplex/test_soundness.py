"""Our mechanisms pass the check; mechanisms broken on purpose do not, and it says where."""

import numpy as np
import pytest
from scipy.special import ndtri

import simplicert as sc
from simplicert.mechanisms.threats import find_threat
from simplicert.simplex import soundness
from simplicert.simplex.probes import Probes, call_mechanism
from simplicert.simplex.soundness import check_repeated_calls, check_soundness, list_rules

PAIRED = [name for name, row in sc.MECHANISMS.items() if row.needs == "pair"]
FEWER = 5_000
FEW = 100_000  # points where a rule is broken widely
two_sided = sc.MECHANISMS["two_sided"].radius
lecuyer = sc.MECHANISMS["lecuyer"].radius


@pytest.fixture
def uncompared(monkeypatch):
    """A check of the rules alone, which does not go on to say where a sound mechanism wins."""
    monkeypatch.setattr(soundness, "_compare_with_ensemble", lambda *_: None)


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRED)
def test_every_mechanism_of_ours_passes_a_million_points(name):
    found = check_soundness(name)
    assert found.sound, found.findings
    assert found.points >= 1_000_000
    assert found.notes == ()
    assert found.wins is not None and name not in found.wins.over


# Mechanisms that are unsound by a plausible mistake.


def quantile_not_halved(e0, e1):
    """The factor 1/2 of Cohen's Theorem 1 forgotten."""
    return 2 * two_sided(e0, e1)


def li_in_plain_powers(e0, e1):
    """Li's bound as printed: powers overflow, and rounding below 0 or above 1 is taken as fact."""
    best = np.zeros(e0.shape)
    for omega in 1 + np.geomspace(0.01, 1000, 30):
        mean = ((e0 ** (1 - omega) + e1 ** (1 - omega)) / 2) ** (1 / (1 - omega))
        overlap = 1 - e0 - e1 + 2 * mean
        best = np.fmax(best, np.sqrt(np.maximum(-2 / omega * np.log(overlap), 0)))
    return best


def cohen_without_its_sign(e0, e1):
    """The size of a quantile, where there is no certificate below one half."""
    return np.abs(ndtri(e0))


def one_sided_with_a_bonus(e0, e1):
    """Above the limit in a small place only: 1/500 of the width of the triangle."""
    bonus = (np.abs(e0 - 0.6) < 0.001) & (np.abs(e1 - 0.25) < 0.002)
    return two_sided(e0, e1) * np.where(bonus, 1.02, 0.9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("unsound", "where"),
    [
        (quantile_not_halved, lambda e0, e1: True),
        (li_in_plain_powers, lambda e0, e1: True),
        (cohen_without_its_sign, lambda e0, e1: e0 < 0.5),
        (
            one_sided_with_a_bonus,
            lambda e0, e1: abs(e0 - 0.6) < 0.001 and abs(e1 - 0.25) < 0.002,
        ),
    ],
)
def test_a_false_radius_is_caught_and_placed(unsound, where):
    found = check_soundness(unsound)
    assert not found.sound
    finding = next(finding for finding in found.findings if finding.rule == "limit")
    assert where(finding.e0, finding.e1)
    assert finding.limit == two_sided(np.array([finding.e0]), np.array([finding.e1]))[0]
    assert finding.value > finding.limit * (1 + 1e-9) + 1e-9
    assert finding.points > 0
    assert found.wins is None
    assert found.name == unsound.__name__
    with np.errstate(all="ignore"), pytest.raises(sc.UnsoundMechanism, match="above the limit"):
        sc.radius(unsound, finding.e0, finding.e1)  # certification agrees


# Every other rule, broken alone.


def not_a_number(e0, e1):
    return two_sided(e0, e1) * np.where(e1 < 1e-250, np.nan, 0.5)


def negative(e0, e1):
    return lecuyer(e0, e1) - 1e-3


def infinite(e0, e1):
    return np.where(e1 < 1e-200, np.inf, two_sided(e0, e1) / 2)


def falls_in_e0(e0, e1):
    return two_sided(e0, e1) * (1 - e0 / 2) / 2


def rises_in_e1(e0, e1):
    return two_sided(e0, e1) * (0.1 + 0.4 * np.minimum(e1 / 0.01, 1))


def dips_in_a_small_place(e0, e1):
    dip = (np.abs(e0 - 0.6) < 0.003) & (np.abs(e1 - 0.2) < 0.003)
    return two_sided(e0, e1) * np.where(dip, 0.3, 0.9)


def writes_into_its_inputs(e0, e1):
    found = two_sided(e0, e1) / 2
    e0 -= e1
    return found


def looks_at_its_neighbours(e0, e1):
    return two_sided(e0, e1) * np.mean(e0 > 0.5)


def fails_alone(e0, e1):
    return np.squeeze(two_sided(e0, e1))


def scalar(e0, e1):
    return 0.0


def raises_at_small_e1(e0, e1):
    if (e1 < 1e-250).any():
        raise OverflowError("too small")
    return two_sided(e0, e1)


@pytest.mark.parametrize(
    ("broken", "rule"),
    [
        (not_a_number, "number"),
        (negative, "sign"),
        (infinite, "finite"),
        (falls_in_e0, "rising"),
        (rises_in_e1, "falling"),
        (writes_into_its_inputs, "inputs"),
        (looks_at_its_neighbours, "neighbours"),
        (fails_alone, "neighbours"),
        (scalar, "shape"),
        (raises_at_small_e1, "answers"),
    ],
)
def test_every_rule_can_be_broken(broken, rule):
    found = check_soundness(broken, points=FEW)
    rules = {finding.rule for finding in found.findings}
    # A radius that is raised or lowered somewhere may fall or rise there too.
    assert rule in rules and rules <= {rule, "rising", "falling"}
    finding = next(finding for finding in found.findings if finding.rule == rule)
    assert 0 < finding.e1 < finding.e0 < 1 and finding.points > 0


def test_a_small_dip_is_found():
    found = check_soundness(dips_in_a_small_place)
    assert {finding.rule for finding in found.findings} <= {"rising", "falling"}
    rising = next(finding for finding in found.findings if finding.rule == "rising")
    assert abs(rising.e0 - 0.6) < 0.004 and abs(rising.e1 - 0.2) < 0.004
    assert rising.value < rising.limit
    assert rising.says == "less than at a smaller E0"


def test_a_random_mechanism_is_caught():
    random = np.random.default_rng(0)

    def noisy(e0, e1):
        return two_sided(e0, e1) * (1 - 1e-6 * random.random(e0.shape))

    found = check_soundness(noisy, points=FEW)
    assert "repeatable" in {finding.rule for finding in found.findings}


def test_the_place_in_an_array_must_not_matter():
    """Asked twice in one order it answers the same; so it is asked backwards, and alone."""
    few = Probes(np.linspace(0.5, 0.6, 100), np.full(100, 0.2), 0, 0)

    def by_place(e0, e1):
        return two_sided(e0, e1) * (0.5 + 0.001 * np.arange(len(e0)))

    (finding,) = check_repeated_calls(by_place, call_mechanism(by_place, few.e0, few.e1), few)
    assert finding.rule == "neighbours" and finding.says == "asked in another order"
    assert finding.points == 100

    def by_number(e0, e1):
        return two_sided(e0, e1) * (0.5 if len(e0) > 1 else 0.4)

    (finding,) = check_repeated_calls(by_number, call_mechanism(by_number, few.e0, few.e1), few)
    assert finding.rule == "neighbours" and finding.says == "asked alone"


@pytest.mark.usefixtures("uncompared")
def test_rounding_is_forgiven_as_certification_forgives_it():
    def rounded(e0, e1):
        return two_sided(e0, e1) * (1 + 5e-10)

    assert check_soundness(rounded, points=FEW).sound
    assert not check_soundness(lambda e0, e1: two_sided(e0, e1) * (1 + 5e-9), points=FEW).sound


def test_the_commonest_rounding_mistake_gets_a_hint():
    (finding,) = check_soundness(lambda e0, e1: (ndtri(e0) - ndtri(e1)) / 4).findings
    assert finding.rule == "sign" and -1e-12 < finding.value < 0
    assert "np.maximum(radius, 0)" in finding.says
    (finding,) = check_soundness(negative, points=FEW).findings
    assert finding.says == ""


# Notes, and where it wins


@pytest.mark.usefixtures("uncompared")
def test_what_is_no_rule_is_a_note():
    found = check_soundness(lambda e0, e1: np.abs(two_sided(e0, e1)) / 2 + 1e-12, points=FEW)
    assert found.sound
    (note,) = found.notes
    assert note.startswith("returns 1e-12 at e0 = 0.05, e1 = 0.05, where E0 <= E1")

    def touchy(e0, e1):
        if e0.ndim > 1 or (e1 == 0).any() or (e0 <= e1).any():
            raise ValueError("not\nhere")
        return two_sided(e0, e1) / 2

    found = check_soundness(touchy, points=FEW)
    assert found.sound
    ends = ("where E0 <= E1", "at E1 = 0", "for arrays of two dimensions")
    for note, where in zip(found.notes, ends, strict=True):
        assert note.startswith(f"raises ValueError: not here {where}")


@pytest.mark.usefixtures("uncompared")
def test_nan_at_e1_of_zero_is_a_note():
    found = check_soundness(lambda e0, e1: two_sided(e0, e1) * (e1 / e1) / 2, points=FEW)
    assert found.sound
    assert found.notes == ("returns NaN at E1 = 0, which no bound gives",)


@pytest.mark.slow
def test_where_it_wins_is_the_region_of_the_simplex():
    wins = check_soundness("li", points=FEW).wins
    assert wins.over == ("cohen", "improved_dp")
    assert wins.share == pytest.approx(0.107, abs=1e-3)
    assert wins.best.value == pytest.approx(
        sc.radius("li", wins.best.e0, wins.best.e1)
        / sc.radius("improved_dp", wins.best.e0, wins.best.e1)
    )
    assert wins.best.value > 1.46
    assert check_soundness("improved_dp", "softmax", FEW).wins.over == ("lecuyer",)
    assert check_soundness("lecuyer", points=FEW).wins.share == 0
    own = check_soundness(lambda e0, e1: 0.99 * two_sided(e0, e1), points=FEW).wins
    assert own.over == sc.PAPER_ENSEMBLE["multinomial"]
    assert 0.5 < own.share < 0.9


def test_another_noise_has_a_limit_of_its_own():
    laplace, uniform = find_threat("laplace"), find_threat("uniform")
    assert check_soundness("one_sided", points=FEWER, threat=uniform).sound
    tight = laplace.mechanisms["two_sided"].radius
    found = check_soundness(lambda e0, e1: 1.01 * tight(e0, e1), points=FEWER, threat=laplace)
    assert [finding.rule for finding in found.findings] == ["limit"]
    worst = found.findings[0]
    assert worst.limit == pytest.approx(
        sc.radius("two_sided", worst.e0, worst.e1, noise="laplace"), rel=1e-9
    )


def test_where_no_limit_is_proved_it_says_so_and_checks_the_rest():
    threat = find_threat("exponential-linf")
    found = check_soundness(quantile_not_halved, points=FEWER, threat=threat)
    assert found.sound and "limit" not in list_rules(threat)
    assert found.notes == (
        "no limit is known for exponential-linf noise and linf: that rule is left out",
    )
    falling = check_soundness(lambda e0, e1: np.ones(e0.shape) - e0, points=FEWER, threat=threat)
    assert [finding.rule for finding in falling.findings] == ["rising"]


def test_radii_that_count_something_are_whole_numbers():
    threat = find_threat("ablation", size=784, keep=45)
    assert check_soundness("one_sided", points=FEWER, threat=threat).sound
    found = check_soundness(lambda e0, e1: (e0 - e1) / 2, points=FEWER, threat=threat)
    assert "whole" in [finding.rule for finding in found.findings]
    assert "np.floor" in found.findings[-1].says


def test_a_mechanism_of_another_threat_is_refused():
    laplace = sc.Mechanism(
        quantile_not_halved, frozenset({"multinomial"}), "a test", noise="laplace", norm="l1"
    )
    with pytest.raises(sc.InvalidInput, match="must be proved for gaussian noise and norm l2"):
        check_soundness(laplace, points=FEWER)


def test_the_same_seed_finds_the_same():
    one, same, other = (
        check_soundness(one_sided_with_a_bonus, points=FEW, seed=s) for s in (0, 0, 1)
    )
    assert one == same
    assert one.findings != other.findings


# Refusals


def test_what_is_no_mechanism_is_refused():
    with pytest.raises(sc.InvalidInput, match=r"must be one of cohen.*got 'ours'"):
        check_soundness("ours")
    with pytest.raises(sc.InvalidInput, match="which needs histograms"):
        check_soundness("cdf", "softmax")
    with pytest.raises(sc.KindMismatch, match="'li' has no proof for softmax"):
        check_soundness("li", "softmax")
    with pytest.raises(sc.InvalidInput, match=r"must answer for arrays .* raises TypeError"):
        check_soundness(lambda e0: e0, name="mine")


@pytest.mark.parametrize("points", [0, 1999, 10**9, 2.5])
def test_points_are_a_number_of_points(points):
    with pytest.raises(sc.InvalidInput, match="points must be a whole number in 2000"):
        check_soundness("cohen", points=points)
