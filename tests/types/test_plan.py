"""Plans spend at most alpha, and extending one keeps half for the last look."""

import math

import pytest

from simplicert import InvalidInput, Plan


def test_extended_keeps_half_for_the_last_look():
    plan = Plan((100,)).extended(1000)
    assert plan == Plan((100, 1000), (0.5, 0.5), offered=1.5)
    again = plan.extended(5000)
    assert again.weights == (0.375, 0.375, 0.25)
    assert math.fsum(again.weights) == 1
    assert again.offered == 1.75


def test_however_often_it_is_extended_no_more_than_twice_alpha_is_offered():
    plan = Plan((100,))
    for look in range(200, 3000, 100):
        plan = plan.extended(look)
        assert math.fsum(plan.weights) <= 1 + 1e-12
    assert 1.99 < plan.offered <= 2


def test_a_reserve_makes_every_extension_a_theorem():
    plan = Plan((100,)).reserved(0.5)
    assert plan.weights == (0.5,)
    plan = plan.extended(1000)
    assert plan.weights == (0.5, 0.25)
    plan = plan.extended(5000)
    assert plan.weights == (0.5, 0.25, 0.125)
    assert plan.offered == math.fsum(plan.weights) <= 1


def test_a_tenth_is_kept_by_default_and_halved_by_each_extension():
    plan = Plan((100,)).reserved()
    assert plan.weights == (0.9,)
    for extension in range(1, 31):
        plan = plan.extended(100 + extension)
        assert plan.weights[-1] == pytest.approx(0.1 / 2**extension, rel=1e-3)
        assert plan.weights[0] == 0.9
    assert plan.offered < 1


def test_a_reserve_that_is_used_up_is_not_taken_for_none():
    """Halved 36 times nothing is left of it, and no look is then added outside alpha."""
    plan = Plan((100,)).reserved()
    with pytest.raises(InvalidInput, match=r"its reserve is used up by 3\d looks"):
        for look in range(101, 1000):
            plan = plan.extended(look)
            assert plan.offered <= 1


def test_a_share_of_none_is_no_reserve():
    assert Plan((100, 200), (0.5, 0.5), "decided").reserved(0) == Plan(
        (100, 200), (0.5, 0.5), "decided"
    )


@pytest.mark.parametrize("share", [-0.1, 0.91, 1, float("nan"), "0.1", True, None])
def test_a_share_that_cannot_be_reserved(share):
    with pytest.raises(InvalidInput, match=r"reserve must be a share of alpha in 0\.\.0\.9, got"):
        Plan((100,)).reserved(share)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (((),), "increasing"),
        (((0, 5), (0.5, 0.5)), "increasing"),
        (((5, 5), (0.5, 0.5)), "increasing"),
        (((100.9,),), "plan looks must be a sequence of numbers"),
        (("123",), "plan looks must be a sequence of numbers"),
        ((5,), "plan looks must be a sequence of numbers"),
        (((5, 6), (1.0,)), "one for each look, got 1"),
        (((5, 6), (0.6, 0.6)), "sum to at most 1"),
        (((5, 6), (0.5, 0.0)), "must be positive"),
        (((5,), (float("nan"),)), "must be positive"),
        (((5,), (1.0,), []), "plan rule must be a word"),
    ],
)
def test_refused(fields, message):
    with pytest.raises(InvalidInput, match=message):
        Plan(*fields)


def test_an_earlier_look_cannot_be_added():
    with pytest.raises(InvalidInput, match="must exceed the plan's last look 100, got 100"):
        Plan((100,)).extended(100)
