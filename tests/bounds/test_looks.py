"""A tally with a plan is bounded at its look's share of alpha, and at no other draw."""

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import binom

from simplicert import MissingEvidence, Plan, Tally, bound, certify

PLAN = Plan((100, 1000), (0.25, 0.75), rule="decided")


def test_each_input_at_its_own_look():
    tally = Tally([[90, 5, 5], [900, 50, 50]], 1.0, plan=PLAN)
    known = bound(tally, 0.01)
    for row, share in ((0, 0.25), (1, 0.75)):
        alone = bound(Tally(tally.counts[row : row + 1], 1.0), share * 0.01)
        assert known.e0[row] == alone.e0[0]
        assert known.e1[row] == alone.e1[0]
    assert known.alpha == 0.01


def test_between_looks_nothing_is_bounded():
    tally = Tally([[90, 5, 5], [300, 50, 50]], 1.0, plan=PLAN, index=[3, 8])
    with pytest.raises(MissingEvidence, match="input 8 holds 400 draws"):
        bound(tally)


def test_repeated_looks_stay_below_alpha():
    """Looking at 100, 200, ..., 1600 draws and stopping at the first certificate, at a tie.

    Every certificate is wrong there. Budget: at exactly alpha this fails with probability 1e-6.
    """
    from scipy.stats import binom

    alpha, repeats = 0.1, 4000
    looks = tuple(100 * 2**k for k in range(5))
    plan = Plan(looks, (0.125,) * 4 + (0.5,), "decided")
    random = np.random.default_rng(3)
    steps = np.diff((0, *looks))
    counts = np.cumsum([random.multinomial(s, [0.5, 0.5, 0], size=repeats) for s in steps], axis=0)
    issued = np.zeros(repeats, bool)
    naive = np.zeros(repeats, bool)
    for seen in counts:
        issued |= ~bound(Tally(seen, 1.0, plan=plan), alpha).abstained
        naive |= ~bound(Tally(seen, 1.0), alpha).abstained
    assert issued.sum() <= binom.isf(1e-6, repeats, alpha)
    assert naive.sum() > 1.3 * issued.sum()  # the plan is what makes the difference


def test_the_level_counts_every_share_that_was_ever_offered():
    tally = Tally([[90, 5, 5]], 1.0, plan=Plan((50,)).extended(100))
    assert bound(tally, 0.01).level == pytest.approx(0.015)
    assert bound(tally, 0.01, scheme="paper").level == pytest.approx(0.045)
    kept = Tally([[90, 5, 5]], 1.0, plan=Plan((50,)).reserved().extended(100))
    assert bound(kept, 0.01).level == 0.01
    assert bound(Tally([[90, 5, 5]], 1.0), 0.01).level == 0.01
    assert bound(tally, 0.9).level == 1  # a level is a probability


@pytest.mark.slow
def test_extending_whenever_it_does_not_please_keeps_the_level_with_a_reserve():
    """Nine extensions, at each the certificate so far: ever wrong at most alpha = .05 of 4,000.

    The count may reach the binomial's quantile at 1e-6. Without a reserve it may be more than
    alpha, and no more than the level that `bound` states, at most twice alpha.
    """
    random, alpha, inputs = np.random.default_rng(0), 0.05, 4000
    true = float(ndtri(0.6))
    plans = [(Plan((100,)).reserved(share), 1.0) for share in (0.1, 0.5)]
    for plan, allowed in (*plans, (Plan((100,)), 2.0)):
        counts, ever, before = np.zeros((inputs, 2), np.int64), np.zeros(inputs, bool), 0
        for look in [100 * 2**i for i in range(10)]:
            if look > 100:
                plan = plan.extended(look)  # noqa: PLW2901
            counts = counts + random.multinomial(look - before, [0.6, 0.4], inputs)
            before = look
            known = bound(Tally(counts, 1.0, plan=plan), alpha)
            ever |= certify(known, ["two_sided"]).radius > true
        assert ever.sum() <= binom.isf(1e-6, inputs, allowed * alpha)
        assert known.level <= allowed * alpha * (1 + 1e-9)


def test_looks_and_what_they_have_spent_travel_with_the_result():
    known = bound(Tally([[90, 5, 5], [900, 50, 50]], 1.0, plan=PLAN), 0.01)
    np.testing.assert_array_equal(known.looks, [1, 2])
    np.testing.assert_allclose(known.spent, [0.0025, 0.01])
    for plan in (None, Plan((100,))):  # one look is no history
        alone = bound(Tally([[90, 5, 5]], 1.0, plan=plan), 0.01)
        assert alone.looks is None and alone.spent is None


def test_a_share_too_small_to_offer_leaves_the_level_alone():
    """Shares are added up in floating point: what rounding adds to 1 is not a share."""
    from dataclasses import replace

    from simplicert.types.plan import ALPHA_ROUNDING

    plan = replace(Plan((100,)), offered=1 + ALPHA_ROUNDING / 2)
    assert bound(Tally([[90, 5, 5]], 1.0, plan=plan), 0.01).level == 0.01
