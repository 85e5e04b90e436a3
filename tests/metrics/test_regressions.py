"""Against a baseline, noise passes in both directions and a true loss fails."""

import json
from itertools import product
from math import comb

import numpy as np
import pytest
from scipy.stats import binom

import simplicert as sc
from simplicert.errors import InvalidInput
from simplicert.metrics.gate import parse_requirement
from simplicert.metrics.regressions import (
    check_regressions,
    describe_change,
    describe_regression_rule,
    share_loss_p_value,
    swap_test_p_value,
)
from simplicert.metrics.study import read_studies
from simplicert.store import Manifest

WANTED = ("accuracy@0.25>=0", "average_radius>=0", "median_radius>=0", "abstained<=1")


def truths(inputs=120):
    """Return class probabilities of one model under noise, many close, so that seeds matter."""
    return np.random.default_rng(7).dirichlet([1.5, 1.0, 0.5], inputs)


def made(place, name, seed, truth=None, worse=0.0):
    """A run of one model under a seed; `worse` moves that share of the top class to the next."""
    truth = truths() if truth is None else truth
    top, rows = truth.argmax(axis=1), np.arange(len(truth))
    changed = truth.copy()
    moved = worse * truth[rows, top]
    changed[rows, top] -= moved
    changed[rows, (top + 1) % 3] += moved
    counts = np.random.default_rng(seed).multinomial(1000, changed)
    tally = sc.Tally(counts, 0.5, labels=top, plan=sc.Plan((1000,)))
    sc.create_run(place / name, Manifest(0.5, len(truth), 3, plan=tally.plan), tally)
    return place / name


def compared(before, now, most=0.0, wanted=WANTED):
    baseline, study = read_studies([before, now])
    return check_regressions(study, baseline, [parse_requirement(text) for text in wanted], most)


def test_two_seeds_of_one_model_pass_in_both_directions(tmp_path):
    """Each of these pairs loses something in one direction: that was enough to fail."""
    one, other = made(tmp_path, "one", 1), made(tmp_path, "other", 2)
    there, back = compared(one, other), compared(other, one)
    assert all(item.holds for item in (*there, *back))
    assert any(item.value > 0 for item in there) and any(item.value > 0 for item in back)
    assert all(item.p > item.level == pytest.approx(0.05 / 4) for item in (*there, *back))


@pytest.mark.slow
def test_noise_alone_fails_as_rarely_as_stated(tmp_path):
    """30 pairs at level .05: 7 failures or more have probability 6e-4 even at the full level."""
    few, failures = truths(40), 0
    for pair in range(30):
        one, other = (made(tmp_path, f"{pair}-{k}", 1000 + 2 * pair + k, few) for k in range(2))
        failures += not all(item.holds for item in compared(one, other))
    assert binom.sf(6, 30, 0.05) < 1e-3
    assert failures < 7


@pytest.mark.slow
def test_a_true_loss_fails_and_one_within_max_drop_does_not(tmp_path):
    good, bad = made(tmp_path, "good", 1), made(tmp_path, "bad", 2, worse=0.25)
    found = {item.requirement: item for item in compared(good, bad)}
    assert not any(item.holds for item in found.values())
    assert "accuracy@0.25 falls by at most 0" in found
    rose = found["abstained rises by at most 0"]
    assert rose.shown.startswith("rose by ") and rose.value > 0
    assert all(item.holds for item in compared(bad, good))  # better is never worse
    assert all(item.holds for item in compared(good, bad, most=0.9))
    small = [item.p for item in compared(good, bad, most=0.02)]
    none = [item.p for item in compared(good, bad)]
    assert all(p >= q for p, q in zip(small, none, strict=True))  # more is allowed


def mcnemar(lost, gained):
    """P(Bin(m, 1/2) >= lost), summed."""
    differ = lost + gained
    return sum(comb(differ, k) for k in range(lost, differ + 1)) / 2**differ


@pytest.mark.parametrize(("lost", "gained"), [(0, 0), (1, 0), (5, 1), (3, 3), (2, 9), (20, 4)])
def test_without_a_margin_it_is_mcnemars_one_sided_test(lost, gained):
    had = np.array([True] * lost + [False] * gained + [True] * 30)
    has = np.array([False] * lost + [True] * gained + [True] * 30)
    assert share_loss_p_value(had, has, 0.0, 0.05) == pytest.approx(mcnemar(lost, gained))


@pytest.mark.parametrize(
    ("falls", "rises"), [(0.1, 0.0), (0.12, 0.02), (0.25, 0.15), (0.45, 0.35), (0.55, 0.45)]
)
def test_with_a_margin_it_rejects_a_loss_at_the_margin_at_most_as_often_as_stated(falls, rises):
    """Exact, over every outcome of 40 inputs: falls - rises is the margin itself."""
    inputs, level, margin = 40, 0.05, falls - rises
    wrong = 0.0
    for lost, gained in product(range(inputs + 1), repeat=2):
        if lost + gained <= inputs:
            had, has = np.zeros(inputs, bool), np.zeros(inputs, bool)
            had[:lost] = True
            has[lost : lost + gained] = True
            if share_loss_p_value(had, has, margin, level) <= level:
                rest = inputs - lost - gained
                ways = comb(inputs, lost) * comb(inputs - lost, gained)
                wrong += ways * falls**lost * rises**gained * (1 - falls - rises) ** rest
    assert wrong <= level
    assert (
        share_loss_p_value(np.ones(40, bool), np.zeros(40, bool), margin, level) <= level
    )  # it can reject


def test_swaps_are_the_permutation_test():
    """Against all 2^10 swaps; 5000 random ones err by less than five standard errors."""
    random = np.random.default_rng(3)
    before, now = random.normal(0.4, 1, 10), random.normal(0, 1, 10)
    for centre in (np.mean, np.median):
        every = np.array(list(product([False, True], repeat=10)))
        lost = centre(np.where(every, now, before), axis=1) - centre(
            np.where(every, before, now), axis=1
        )
        exact = (lost >= centre(before) - centre(now) - 1e-12).mean()
        error = 5 * np.sqrt(exact * (1 - exact) / 5000)
        assert swap_test_p_value(before, now, centre) == pytest.approx(exact, abs=error + 1e-3)


def test_inputs_in_another_order_are_paired_by_number(tmp_path):
    one = made(tmp_path, "one", 1)
    tally = sc.open_run(one).tally()
    order = np.random.default_rng(0).permutation(len(tally))
    turned = sc.Tally(
        tally.counts[order],
        0.5,
        labels=tally.labels[order],
        index=tally.inputs[order],
        plan=tally.plan,
    )
    sc.create_run(tmp_path / "turned", Manifest(0.5, len(tally), 3, plan=tally.plan), turned)
    assert [item.p for item in compared(one, tmp_path / "turned")] == [1.0] * len(WANTED)


def test_a_larger_level_in_a_statement_is_a_certain_loss(tmp_path):
    one = made(tmp_path, "one", 1)
    tally = sc.open_run(one).tally()
    manifest = Manifest(0.5, len(tally), 3, alpha=0.2, plan=tally.plan)
    sc.create_run(tmp_path / "loose", manifest, tally)
    (found,) = compared(one, tmp_path / "loose", wanted=("statement@0.25>=0",))
    assert not found.holds and found.p == 0.0


def test_words():
    assert describe_change(0.0) == "unchanged"
    assert (
        describe_change(-0.25) == "fell by 0.2500" and describe_change(0.00001) == "rose by 0.0001"
    )


def test_on_screen_and_for_machines(command, tmp_path):
    one, other = made(tmp_path, "one", 1), made(tmp_path, "other", 2)
    words = [word for text in WANTED for word in ("--require", text)]
    code, out, err = command("gate", other, *words, "--baseline", one)
    assert (code, err) == (0, "") and "FAILS" not in out
    assert "abstained rises by at most 0" in out and "drops" not in out
    assert "at level 0.05 (0.0125 for each of 4): McNemar's exact test" in out
    code, out, _ = command("gate", other, *words, "--baseline", one, "--json", "--drop-level", 0.4)
    checks = json.loads(out)["checks"]
    assert [item["level"] for item in checks] == [None] * 4 + [0.1] * 4
    assert all(0 < item["p"] <= 1 for item in checks[4:])
    assert "at level 0.4" in json.loads(out)["remarks"][-1]


def test_refused(command, tmp_path):
    one = made(tmp_path, "one", 1)
    code, _, err = command("gate", one, "--require", "abstained<=1", "--drop-level", 0.1)
    assert code == 2 and "drop_level must come with baseline" in err
    with pytest.raises(InvalidInput, match="drop_level must lie strictly between 0 and 1"):
        (study,) = read_studies([one])
        check_regressions(study, study, [parse_requirement("abstained<=1")], 0.0, 1.0)


@pytest.mark.parametrize("most", [0.0, 0.05])
def test_the_rule_says_where_its_level_is_approximate(tmp_path, most):
    """Swaps are exact where runs differ by noise alone, and not for skewed losses around a drop."""
    before, now = made(tmp_path, "a", 1), made(tmp_path, "b", 2)
    said = describe_regression_rule(compared(before, now, most), most, 0.05)
    assert ("approximate" in said) == (most > 0)
