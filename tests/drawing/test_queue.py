"""The queue makes each draw once, in whatever order units finish, fail or are cut short."""

import random as chance

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simplicert as sc
from simplicert.drawing.queue import TRIES, UnitQueue, UnitResult, next_target, unit_size
from simplicert.types.tally import select_inputs

PLAN = sc.Plan((10, 20, 40), (0.25, 0.25, 0.5), rule="decided")
FIXED = sc.Plan((40,))
POISON = 7


def tally_of(items, span, plan):
    """Make a tally in which all draws of this span are of class 0."""
    counts = np.zeros((len(items), 3), np.int64)
    counts[:, 0] = span[1] - span[0]
    segments = np.column_stack(
        [
            items,
            np.zeros(len(items), int),
            np.full(len(items), span[0]),
            np.full(len(items), span[1]),
        ]
    )
    return sc.Tally(counts, sigma=1.0, index=items, plan=plan, segments=segments)


def until(tally):
    """Stop input i at look 1 + i mod 3."""
    looks = np.searchsorted(PLAN.looks, tally.draws) + 1
    done = (looks >= 1 + tally.inputs % 3) | (tally.draws == 40)
    return np.where(done, "budget", "").astype("U16")


def wanted(plan, item):
    return 40 if plan is FIXED else PLAN.looks[item % 3]


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    st.integers(1, 60),
    st.integers(1, 4),
    st.sampled_from([PLAN, FIXED]),
    st.booleans(),
    st.integers(0, 2**32),
)
def test_any_order_makes_each_draw_once(inputs, workers, plan, poisoned, seed):
    """Units end in any order; some fail by bad luck, some come back short, one input always fails.

    Bad luck strikes an input fewer than TRIES times when it is alone, so only poison is given up.
    """
    luck = chance.Random(seed)
    held = None
    fresh = np.arange(inputs)
    if plan is PLAN and inputs > 3:
        held, fresh = tally_of(np.arange(2, 4), (0, 10), plan), np.setdiff1d(fresh, [2, 3])
        held = select_inputs(held, until(held) == "")  # as a resumed run has it
    done_before = set(range(inputs)) - set(fresh) - set([] if held is None else held.inputs)
    queue = UnitQueue(plan, until, 16, fresh, held)
    drawn = {int(item): [(0, 10)] for item in ([] if held is None else held.inputs)}
    finished, out, bad_luck = [], [], {}
    while queue.left or queue.out:
        while len(out) < workers and (unit := queue.next(luck.choice([0.0, 1.0, 30.0]), workers)):
            out.append(unit)
        unit = out.pop(luck.randrange(len(out)))
        assert len(unit.items) >= 1
        alone = len(unit.items) == 1 and int(unit.items[0])
        if poisoned and POISON in unit.items:
            gone = queue.fail(unit, "poison")
            assert gone in ([], [POISON])
            continue
        if luck.random() < 0.2 and bad_luck.get(alone, 0) < TRIES - 1:
            if len(unit.items) == 1:
                bad_luck[alone] = bad_luck.get(alone, 0) + 1
            assert queue.fail(unit, "bad luck") == []
            continue
        count = luck.randrange(len(unit.items) + 1) if luck.random() < 0.2 else len(unit.items)
        for item in unit.items[:count].tolist():
            drawn.setdefault(item, []).append(unit.span)
        tally = tally_of(unit.items[:count], unit.span, plan) if count else None
        done = queue.record_drawn(unit, tally)
        finished += [] if done is None else done.inputs.tolist()
        if done is not None:
            assert done.draws.tolist() == [wanted(plan, item) for item in done.inputs.tolist()]
    lost = {POISON} if poisoned and inputs > POISON else set()
    assert set(queue.failed) == lost
    assert sorted(finished) == sorted(set(range(inputs)) - lost - done_before)
    for item in finished:
        spans = sorted(drawn[item])
        assert [span[0] for span in spans] == [0, *(span[1] for span in spans[:-1])]
        assert spans[-1][1] == wanted(plan, item)


def test_an_input_alone_has_a_few_tries_and_pairs_are_parted():
    queue = UnitQueue(FIXED, until, 80, np.arange(2), None)
    pair = queue.next(0.0)
    assert pair.items.tolist() == [0, 1]
    assert queue.fail(pair, "both") == []
    tried = []
    while queue.left:
        unit = queue.next(0.0)
        assert len(unit.items) == 1
        tried.append(int(unit.items[0]))
        if unit.items[0] == 0:
            queue.fail(unit, f"try {len(tried)}")
        else:
            queue.record_drawn(unit, tally_of(unit.items, unit.span, FIXED))
    assert tried.count(0) == TRIES
    assert tried.count(1) == 1
    assert queue.failed == {0: f"try {len(tried)}"}


@pytest.mark.parametrize("other_works", [True, False])
def test_without_a_wait_an_input_is_given_up_only_if_another_was_drawn_since(other_works):
    queue = UnitQueue(FIXED, until, 80, np.arange(2), None)
    queue.fail(queue.next(0.0), "both", waited=False)
    for _ in range(5 * TRIES):
        unit = queue.next(0.0)
        if unit is None:
            break
        if other_works and unit.items[0] == 1:
            queue.record_drawn(unit, tally_of(unit.items, unit.span, FIXED))
        else:
            queue.fail(unit, "alone", waited=False)
    assert queue.failed == ({0: "alone"} if other_works else {})


def test_the_last_units_are_shared_out():
    """With eight workers the last units are shorter than fifteen seconds would allow."""
    queue = UnitQueue(FIXED, until, 16, np.arange(1000), None)
    alone = queue.next(1e6, 1)
    assert len(alone.items) == 1000
    queue = UnitQueue(FIXED, until, 16, np.arange(1000), None)
    sizes = []
    while queue.left:
        sizes.append(len(queue.next(1e6, 8).items))
    assert sizes[0] == 63
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-2] == 2  # a unit still fills a few batches


def test_few_inputs_wait_between_looks():
    """A full unit between looks is handed out before new inputs."""
    queue = UnitQueue(PLAN, lambda tally: np.full(len(tally), "", "U16"), 16, np.arange(500), None)
    most = 0
    while queue.fresh.size:
        unit = queue.next(10.0)
        if unit.span[1] == 40:
            queue.out.pop(unit.key)  # done
        else:
            queue.record_drawn(unit, tally_of(unit.items, unit.span, PLAN))
        most = max(most, sum(len(t) for tallies in queue.waiting.values() for t in tallies))
    assert most < 60


def test_what_earlier_draws_decided_goes_with_the_unit():
    leaders, pilot = np.array([[2, 0], [1, 2]]), np.array([[3, 0, 1], [0, 4, 0]])
    held = sc.Tally(
        np.full((2, 3), 10), sigma=1.0, index=np.array([4, 9]), pilot=pilot, leaders=leaders
    )
    queue = UnitQueue(sc.Plan((30, 60), (0.5, 0.5), rule="decided"), until, 16, np.arange(0), held)
    unit = queue.next(1.0)
    np.testing.assert_array_equal(unit.before.leaders, leaders[: len(unit.items)])
    np.testing.assert_array_equal(unit.before.pilot, pilot[: len(unit.items)])


def test_units_take_about_the_same_time():
    assert unit_size(0.0, 1000, 256) == 1
    assert unit_size(0.0, 10, 256) == 26
    assert unit_size(1000.0, 100, 256) == 150
    assert unit_size(1.0, 10**6, 256) == 1
    assert unit_size(1e9, 10, 256) == 2000


@pytest.mark.parametrize(("draws", "target"), [(0, 10), (10, 20), (15, 20), (20, 40)])
def test_the_next_look(draws, target):
    assert next_target(PLAN, draws) == target
    assert next_target(FIXED, draws) == 40


def test_a_result_claims_nothing_by_itself():
    none = UnitResult()
    assert (none.rows, none.calls, none.seconds) == (0, 0, 0)
    assert not (none.written or none.lost or none.content or none.error or none.spent)
