"""Functions that misbehave when they are called are reported as broken rules."""

import numpy as np
import pytest

from simplicert.search import BLOCK
from simplicert.simplex.probes import call_mechanism

E0 = np.linspace(0.5, 0.9, BLOCK + 500)
E1 = np.linspace(0.1, 0.05, BLOCK + 500)


def test_values_come_back_in_order():
    found = call_mechanism(lambda e0, e1: e0 - e1, E0, E1)
    np.testing.assert_array_equal(found.values, E0 - E1)
    assert found.answered.all() and not found.findings


def test_it_is_asked_in_blocks_like_certification():
    sizes = []
    call_mechanism(lambda e0, e1: sizes.append(e0.shape) or e0, E0, E1)
    assert sizes == [(BLOCK,), (500,)]


@pytest.mark.parametrize("at", [0, 7, BLOCK - 1, BLOCK + 3])
def test_an_error_is_traced_to_the_point_that_causes_it(at):
    def fragile(e0, e1):
        if (e0 == E0[at]).any():
            raise ZeroDivisionError("of\n  two lines")
        return e0

    found = call_mechanism(fragile, E0, E1)
    (finding,) = found.findings
    assert finding.rule == "answers"
    assert (finding.e0, finding.e1) == (E0[at], E1[at])
    assert finding.says == "raises ZeroDivisionError: of two lines"
    block = slice(0, BLOCK) if at < BLOCK else slice(BLOCK, None)
    assert not found.answered[block].any()
    assert finding.points == (~found.answered).sum() == len(E0[block])
    assert np.isnan(found.values[block]).all()


@pytest.mark.parametrize(
    "value",
    [
        lambda e0, e1: 0.1,
        lambda e0, e1: e0[:-1],
        lambda e0, e1: e0[:, None],
        lambda e0, e1: e0 * 1j,
        lambda e0, e1: e0 > e1,
        lambda e0, e1: None,
        lambda e0, e1: e0.astype(str),
    ],
)
def test_another_shape_or_type_is_no_answer(value):
    found = call_mechanism(value, E0, E1)
    (finding,) = found.findings
    assert finding.rule == "shape" and finding.points == len(E0)
    assert not found.answered.any()


def test_lists_and_whole_numbers_are_answers():
    for value in (lambda e0, e1: list(e0), lambda e0, e1: np.zeros(e0.shape, int)):
        assert not call_mechanism(value, E0[:50], E1[:50]).findings


def test_inputs_written_to_are_noticed_and_do_no_harm():
    before = E0.copy()

    def greedy(e0, e1):
        result = e0 - e1
        e1 *= 0.5
        return result

    found = call_mechanism(greedy, E0, E1)
    (finding,) = found.findings
    assert finding.rule == "inputs" and finding.points == len(E0)
    np.testing.assert_array_equal(E0, before)
    np.testing.assert_array_equal(found.values, E0 - E1)


def test_warnings_of_numpy_are_left_out():
    found = call_mechanism(lambda e0, e1: np.log(e0 - e0), E0[:3], E1[:3])
    assert (found.values == -np.inf).all()
