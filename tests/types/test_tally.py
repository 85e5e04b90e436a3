"""A tally checks itself at construction, and adds only what may be added."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simplicert import Expectations, IncompatibleTallies, InvalidInput, Plan, Tally, bound
from simplicert.metrics.growth import subsample_tally
from simplicert.types import FIXED_POINT
from simplicert.types.tally import select_inputs

UNIT = 1 << FIXED_POINT


def sampled(index, seed, first, stop, **more):
    """A tally of the draws [first, stop) of each input, as sampling would make it."""
    rows = len(index)
    counts = np.zeros((rows, 3), int)
    counts[:, 0] = stop - first
    segments = [[i, seed, first, stop] for i in index]
    return Tally(counts, 1.0, index=index, segments=segments, **more)


def test_counts_are_enough():
    tally = Tally([[7, 2, 1], [0, 4, 6]], sigma=0.25)
    assert (len(tally), tally.classes) == (2, 3)
    np.testing.assert_array_equal(tally.draws, [10, 10])
    np.testing.assert_array_equal(tally.inputs, [0, 1])
    assert repr(tally) == "Tally(2 inputs, 3 classes, sigma 0.25, 10 draws each)"


def test_index_and_invalid_are_always_arrays():
    """None is taken for 0..N-1 and for no invalid draws; nothing tells the two apart afterwards."""
    plain = Tally([[7, 2, 1], [0, 4, 6]], sigma=0.25, index=None, invalid=None)
    given = Tally(plain.counts, sigma=0.25, index=[0, 1], invalid=[0, 0])
    assert plain == given
    assert plain.inputs is plain.index
    for values in (plain.index, plain.invalid, Expectations([0, 1], [0.6] * 2, [0.3] * 2).index):
        assert isinstance(values, np.ndarray) and values.dtype == np.int64
        assert not values.flags.writeable
    assert (plain + given).draws.tolist() == [20, 20]  # by hand: added at its maker's word


def test_vars_make_the_same_tally_again():
    """Nothing but the fields is kept in it, so that vars(tally) with a change makes another."""
    tally = Tally([[7, 2, 1]], sigma=0.25, plan=Plan((10,)))
    assert Tally(**vars(tally)) == tally


def test_frozen_in_every_way():
    mine = np.array([[7, 2, 1]])
    tally = Tally(mine, sigma=0.25)
    mine[0, 0] = 99
    assert tally.counts[0, 0] == 7
    with pytest.raises(ValueError, match="read-only"):
        tally.counts[0, 0] = 1
    with pytest.raises(AttributeError):
        tally.sigma = 2.0
    for again in (copy.deepcopy(tally), pickle.loads(pickle.dumps(tally))):
        with pytest.raises(ValueError, match="read-only"):
            again.counts[0, 0] = 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"counts": [[1.0, 2.0]]}, "counts must hold integers, got an array of float64"),
        ({"counts": [[np.nan, 2.0]]}, "counts must hold integers"),
        ({"counts": [["a", "b"]]}, "counts must hold integers"),
        ({"counts": [[True, False]]}, "counts must hold integers, got an array of bool"),
        ({"counts": [[-1, 2]]}, r"counts must not be negative, got -1 at \(0, 0\)"),
        (
            {"counts": [1, 2]},
            r"counts must have shape \(any, any\) \(one row per input\), got \(2,\)",
        ),
        ({"counts": [[5], [6]]}, "counts must have at least two classes .columns., got 1"),
        ({"counts": np.zeros((0, 3), int)}, "counts must have at least one row"),
        ({"counts": [[0, 0]]}, "counts must hold at least one draw per input, got none at row 0"),
        ({"counts": [[2**52, 2**52]]}, r"fewer than 2\^53 draws"),
        ({"counts": [[2**62, 2**62, 2**62, 2**62]]}, r"fewer than 2\^53 draws"),
        ({"counts": np.array([[2**63, 1]], np.uint64)}, "counts must fit in 64-bit"),
        ({"sigma": 0}, "sigma must be a positive finite number, got 0"),
        ({"sigma": -1.0}, "sigma must be a positive finite number, got -1.0"),
        ({"sigma": np.nan}, "sigma must be a positive finite number, got nan"),
        ({"sigma": np.inf}, "sigma must be a positive finite number, got inf"),
        ({"sigma": "1"}, "sigma must be a positive finite number, got '1'"),
        ({"labels": [0, 1]}, r"labels must have shape \(1,\), got \(2,\)"),
        ({"labels": [3]}, r"labels must lie in 0..2 \(K = 3\), got 3"),
        ({"labels": [-1]}, "labels must not be negative"),
        ({"invalid": [-1]}, "invalid must not be negative"),
        ({"votes": [[9, 0, 0]]}, "votes must add up to the draws, got .9. for .10. draws"),
        ({"votes": [[10, 0]]}, r"votes must have shape \(1, 3\), got \(1, 2\)"),
        ({"votes_invalid": [0]}, "votes_invalid must come with votes"),
        ({"softmax_sums": [[11 * UNIT, 0, 0]]}, "softmax_sums must not exceed the draws"),
        ({"softmax_sums": [[0.5, 0.2, 0.3]]}, "softmax_sums must hold integers"),
        ({"softmax_squares": [[1, 0, 0]]}, "softmax_squares must come with softmax_sums"),
        (
            {"softmax_sums": [[5, 0, 0]], "softmax_squares": [[6, 0, 0]]},
            "softmax_squares must not exceed softmax_sums",
        ),
        ({"norm": "l1"}, "norm must be one of l2, scaled l2"),
        ({"looks": [1]}, "looks must come with a plan"),
        ({"plan": "fixed"}, "plan must be a Plan, got 'fixed'"),
        ({"plan": Plan((10,)), "looks": [2]}, "looks must match the draws and the plan"),
        ({"segments": [[0, 1, 5, 5]]}, "segments must hold at least one draw each"),
        ({"segments": [[0, 1, 0, 11]]}, "segments must not be longer than the draws"),
        ({"segments": [[4, 1, 0, 10]]}, "input 4 is not in the index"),
    ],
)
def test_refused(change, message):
    fields = {"counts": [[7, 2, 1]], "sigma": 0.25, **change}
    with pytest.raises(InvalidInput, match=message):
        Tally(**fields)


def test_softmax_sums_have_their_own_limit():
    with pytest.raises(InvalidInput, match="softmax sums are exact up to 8388607 draws"):
        Tally([[2**23, 0]], 1.0, softmax_sums=[[0, 0]])
    Tally([[2**23 - 1, 0]], 1.0, softmax_sums=[[(2**23 - 1) * UNIT, 0]])


def test_repeated_inputs():
    with pytest.raises(InvalidInput, match="index must name each input once"):
        Tally([[1, 2], [3, 4]], 1.0, index=[5, 5])


def test_looks_follow_from_the_plan():
    plan = Plan((10, 20), (0.5, 0.5))
    tally = Tally([[7, 3], [10, 10], [12, 3]], 1.0, plan=plan)
    np.testing.assert_array_equal(tally.looks, [1, 2, 0])


def test_sum_of_draws_of_the_same_inputs():
    a, b = Tally([[7, 3], [1, 9]], 1.0), Tally([[1, 1], [2, 0]], 1.0)
    np.testing.assert_array_equal((a + b).counts, [[8, 4], [3, 9]])
    assert a + b == b + a


def test_sum_over_other_inputs_joins_them():
    a = Tally([[7, 3], [1, 9]], 1.0, index=[4, 2], labels=[0, 1])
    b = Tally([[1, 1], [5, 5]], 1.0, index=[2, 0], labels=[1, 0])
    both = a + b
    assert both == b + a
    np.testing.assert_array_equal(both.inputs, [0, 2, 4])
    np.testing.assert_array_equal(both.counts, [[5, 5], [2, 10], [7, 3]])
    np.testing.assert_array_equal(both.labels, [0, 1, 0])


@settings(max_examples=50, deadline=None)
@given(st.permutations(range(5)))
def test_the_order_of_parts_changes_nothing(order):
    """Softmax sums are integers: adding is exact, whatever the order."""
    random = np.random.default_rng(0)
    parts = []
    for k in range(5):
        counts = random.multinomial(100, [0.5, 0.3, 0.2], size=4)
        sums = (random.random((4, 3)) * 100 * UNIT / 3).astype(np.int64)
        segments = [[i, 0, 100 * k, 100 * k + 100] for i in range(4)]
        parts.append(
            Tally(counts, 1.0, softmax_sums=sums, votes=counts, segments=segments, pilot=counts * 0)
        )
    whole = parts[order[0]]
    for k in order[1:]:
        whole = whole + parts[k]
    expected = parts[0] + parts[1] + parts[2] + parts[3] + parts[4]
    assert whole == expected
    np.testing.assert_array_equal(whole.segments, [[i, 0, 0, 500] for i in range(4)])


def test_draws_never_count_twice():
    a = sampled([0, 1], 7, 0, 100)
    with pytest.raises(IncompatibleTallies, match=r"draw 0 of input 0 .seed 7. would be counted"):
        a + a
    with pytest.raises(IncompatibleTallies, match=r"draw 99 of input 1 .seed 7."):
        a + sampled([1], 7, 99, 120)
    assert (a + sampled([0, 1], 7, 100, 150)).draws.tolist() == [150, 150]
    assert (a + sampled([0, 1], 8, 0, 100)).draws.tolist() == [200, 200]


def test_a_hand_made_tally_adds_at_its_makers_word():
    by_hand = Tally([[5, 5, 0]], 1.0)
    assert (by_hand + by_hand).draws[0] == 20
    both = sampled([0], 7, 0, 100) + by_hand
    assert both.draws[0] == 110
    with pytest.raises(IncompatibleTallies, match="counted twice"):
        both + sampled([0], 7, 50, 60)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sigma": 0.5}, "tallies of another sigma cannot be added: 1.0 and 0.5"),
        ({"counts": [[1, 2, 3]]}, "tallies of another number of classes cannot be added: 2 and 3"),
        ({"plan": Plan((3,))}, "tallies of another plan cannot be added"),
        ({"norm": "scaled l2"}, "tallies of another norm cannot be added"),
        ({"labels": [1]}, "disagree about the labels of input 0"),
        ({"labels": None}, "one tally holds labels, the other does not"),
        ({"pilot": [[1, 2]]}, "one tally holds pilot, the other does not"),
        ({"votes": [[1, 2]]}, "one tally holds votes, the other does not"),
    ],
)
def test_other_conditions_are_refused(change, message):
    one = Tally([[1, 2]], 1.0, labels=[0])
    other = Tally(**{"counts": [[1, 2]], "sigma": 1.0, "labels": [0], **change})
    with pytest.raises(IncompatibleTallies, match=message):
        one + other


def test_adding_something_else():
    with pytest.raises(TypeError):
        Tally([[1, 2]], 1.0) + 3


def test_equality_is_bit_for_bit():
    one = Tally([[1, 2]], 1.0, labels=[0])
    assert one == Tally([[1, 2]], 1.0, labels=[0])
    assert one != Tally([[2, 1]], 1.0, labels=[0])
    assert one != Tally([[1, 2]], 1.0)
    assert one != 5


def test_later_draws_alone_are_no_look():
    plan = Plan((100, 200), (0.5, 0.5))
    assert sampled([0], 7, 0, 100, plan=plan).looks.tolist() == [1]
    assert sampled([0], 7, 100, 200, plan=plan).looks.tolist() == [0]


def test_seeds_add_up_to_a_look_only_where_no_count_decided_how_many_draws():
    fixed, stopped = (Plan((100, 200), (0.5, 0.5), rule) for rule in ("fixed", "decided"))
    for plan, look in ((fixed, 2), (stopped, 0)):
        both = sampled([0], 1, 0, 100, plan=plan) + sampled([0], 2, 0, 100, plan=plan)
        assert both.looks.tolist() == [look]


@pytest.mark.parametrize("grids", [(1 / 255, None), (None, 1 / 255), (1 / 255, 1 / 127)])
def test_tallies_of_different_grids_do_not_add(grids):
    """Rounding changes the function whose draws are counted."""
    one, other = (Tally([[9, 1]], 0.5, grid=grid) for grid in grids)
    with pytest.raises(IncompatibleTallies, match="another grid"):
        one + other


def test_the_grid_goes_wherever_the_tally_goes():
    tally = Tally([[900, 100], [800, 200]], 0.5, grid=1 / 255)
    assert (tally + tally).grid == 1 / 255
    assert select_inputs(tally, np.array([1])).grid == 1 / 255
    assert subsample_tally(tally, 10).grid == 1 / 255
    assert bound(tally).grid == 1 / 255
    assert tally != Tally(tally.counts, 0.5)


@pytest.mark.parametrize("wrong", [0.0, -1.0, np.inf, np.nan, "1/255"])
def test_a_grid_is_a_positive_step(wrong):
    with pytest.raises(InvalidInput, match="grid must be a positive finite number"):
        Tally([[9, 1]], 0.5, grid=wrong)
    with pytest.raises(InvalidInput, match="grid must be a positive finite number"):
        Expectations([0], [0.6], [0.3], grid=wrong)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_some_inputs_of_a_tally_are_what_a_checked_tally_would_be(seed):
    """They are made without the checks, so every field is compared with one that was checked."""
    random = np.random.default_rng(seed)
    rows = int(random.integers(1, 6))
    inputs = np.sort(random.choice(50, rows, replace=False))
    whole = sampled(inputs.tolist(), 1, 0, 100, plan=Plan((100, 200), (0.5, 0.5)))
    chosen = random.permutation(rows)[: random.integers(1, rows + 1)]
    part = select_inputs(whole, chosen)
    fields = {name: getattr(part, name) for name in vars(part) if name != "looks"}
    assert part == Tally(**fields)
    assert part.inputs.tolist() == inputs[chosen].tolist()
    arrays = [value for value in vars(part).values() if isinstance(value, np.ndarray)]
    assert arrays and not any(array.flags.writeable for array in arrays)


@pytest.mark.parametrize(
    ("rows", "message"),
    [([], "at least one"), ([1, 1], "each input once"), ([[0], [1]], "one list of rows")],
)
def test_no_inputs_and_the_same_twice_are_refused(rows, message):
    tally = Tally([[900, 100], [800, 200]], 0.5)
    with pytest.raises(InvalidInput, match=message):
        select_inputs(tally, np.array(rows, dtype=int))
