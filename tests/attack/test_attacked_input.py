"""Draws that steer are always the same, draws that confirm never come twice."""

from itertools import pairwise

import numpy as np
from known import attacked_input

from simplicert.attack import Effort
from simplicert.attack.attacked_input import STEERING, attack_seed


def test_fresh_draws_are_made_once_and_looks_again_and_again(run, monkeypatch):
    made = attacked_input(run, 0, Effort())
    smoothed, spans = made.smoothed, []
    tally = smoothed.sampler.tally

    def watched(inputs, index, span):
        spans.append(span)
        assert index.tolist() == [0]
        return tally(inputs, index, span)

    monkeypatch.setattr(smoothed.sampler, "tally", watched)
    looks = [smoothed.look(made.ball.centre, 300) for _ in range(2)]
    np.testing.assert_array_equal(*(look.shares for look in looks))
    fresh = [smoothed.draw_fresh(made.ball.centre, draws) for draws in (300, 70, 300)]
    assert (fresh[0].counts != fresh[2].counts).any()
    assert spans[:2] == [(0, 300)] * 2
    assert spans[2][0] == STEERING >= 2**20  # the most that a look may take
    assert all(stop == first for (_, stop), (first, _) in pairwise(spans[2:]))
    assert [stop - first for first, stop in spans[2:]] == [300, 70, 300]
    assert smoothed.draws == made.draws == 2 * 300 + 670


def test_a_look_is_of_the_kind_that_is_attacked(run):
    point = attacked_input(run, 0, Effort()).ball.centre
    hard, soft = (attacked_input(run, 0, Effort(), kind=kind).smoothed for kind in ("hard", "soft"))
    counts = hard.look(point, 400).shares * 400
    np.testing.assert_allclose(counts, np.rint(counts), atol=1e-9)
    scores = soft.look(point, 400).shares * 400
    assert np.abs(scores - np.rint(scores)).max() > 1e-3
    assert abs(scores.sum() - 400) < 1e-6
    np.testing.assert_array_equal(scores, hard.look(point, 400).scores * 400)


def test_other_words_are_other_streams():
    seeds = {attack_seed(*words) for words in ((), (0,), (1,), ("a", "b"), ("a b",), ("ab",))}
    assert len(seeds) == 6 and all(0 <= seed < 2**63 for seed in seeds)
    assert attack_seed("a", 1) == attack_seed("a", "1")
