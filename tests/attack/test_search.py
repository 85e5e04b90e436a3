"""Proposals stay inside the radius, start where they should, and the best of them is taken."""

from dataclasses import replace

import numpy as np
import pytest
from known import WEIGHTS, attacked_input, true_distance

from simplicert.attack import Effort
from simplicert.attack.losses import LOSSES
from simplicert.attack.norms import offset_length
from simplicert.attack.search import (
    RANDOM,
    find_strongest_offset,
    most_promising_offset,
    projected_ascent,
    propose_offsets,
)

EFFORT = Effort(steps=6, restarts=3, samples=8, explore=400)


@pytest.fixture
def made(run):
    return attacked_input(run, 1, EFFORT)


def test_an_ascent_ends_on_the_sphere_in_the_direction_of_the_boundary(made):
    start = 2.0 * made.random_direction()
    end = projected_ascent(made, start, 0.4, made.class_loss("margin"), 12)
    assert offset_length(end) == pytest.approx(0.4)
    assert end.ravel() @ -WEIGHTS / np.linalg.norm(WEIGHTS) > 0.98 * 0.4


def test_every_loss_from_every_start_and_random_directions(made, monkeypatch):
    asked, uphill = [], type(made).uphill

    def watched(self, offset, loss):
        asked.append((loss.loss, offset_length(offset)))
        return uphill(self, offset, loss)

    monkeypatch.setattr(type(made), "uphill", watched)
    offsets = list(propose_offsets(made, 0.4, EFFORT))
    assert len(offsets) == len(LOSSES) * EFFORT.restarts + RANDOM
    assert all(offset_length(offset) <= 0.4 * (1 + 1e-12) for offset in offsets)
    assert len(asked) == len(LOSSES) * EFFORT.restarts * EFFORT.steps
    starts = asked[:: EFFORT.steps]
    assert [loss for loss, _ in starts] == [*LOSSES.values()] * EFFORT.restarts
    far = [distance for _, distance in starts]
    assert far[:3] == [0, 0, 0] and min(far[3:]) > 0


@pytest.mark.slow
def test_the_strongest_crosses_where_the_radius_reaches(made):
    truth = true_distance(made.ball.centre)
    for radius, crosses in ((1.3 * truth, True), (0.7 * truth, False)):
        point = made.ball.within(find_strongest_offset(made, radius, EFFORT), radius)
        lead = made.lead(point, 4000)
        assert made.ball.norm(point) < radius
        assert (lead.other > lead.own) == crosses


def test_where_all_draws_agree_the_scores_rank(made):
    """Seven sigmas from the boundary no draw is of the other class, and nearer is still better."""
    back = (WEIGHTS / np.linalg.norm(WEIGHTS)).reshape(3, 4)
    far, near = 3.5 * back, 3.0 * back
    assert all(made.lead(made.ball.at(offset), 100).own == 1 for offset in (far, near))
    for offsets in ([far, near], [near, far]):
        assert most_promising_offset(made, offsets, 4.0, EFFORT) is near


def test_features_without_noise_are_in_no_direction(made):
    scale = np.ones((3, 4))
    scale[0] = 0
    own = replace(made, ball=replace(made.ball, scale=scale))
    assert (own.random_direction()[0] == 0).all()
    assert offset_length(own.random_direction()) == pytest.approx(1)
