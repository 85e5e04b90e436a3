"""Directions of ascent: towards the other side, through a network and through the noise."""

import numpy as np
import pytest
from known import WEIGHTS, attacked_input

from simplicert.attack import Effort
from simplicert.attack.ball import Ball
from simplicert.attack.gradients import (
    ClassLoss,
    NoiseGradient,
    choose_gradient,
    log_scores,
    try_network_gradient,
)
from simplicert.attack.losses import LOSSES, best_other_class
from simplicert.sampling import Sampler, SamplingSettings, Smoothing
from simplicert.sampling.noise import is_on_grid
from simplicert.sampling.outputs import output_reader

EFFORT = Effort(samples=64)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("way", ["network", "noise"])
def test_the_normal_of_a_hyperplane(run, way, loss):
    """Through 2,048 noise vectors of 12 features the direction is right to about 12 / 2,048."""
    made = attacked_input(run, 0, EFFORT)
    slope = made.slope if way == "network" else NoiseGradient(made.smoothed.sampler, 64, 1)
    found = slope.direction(made.ball, np.zeros((3, 4)), made.class_loss(loss))
    normal = (-WEIGHTS / np.linalg.norm(WEIGHTS)).reshape(3, 4)  # input 0 is on the positive side
    assert slope.name == way
    assert np.linalg.norm(found) == pytest.approx(1)
    assert (found * normal).sum() > (0.999999 if way == "network" else 0.95)
    assert slope.draws == (64 if way == "network" else 2048)


def test_a_network_that_is_sure_still_shows_a_slope(run):
    """Twenty sigmas from the boundary the softmax is 1 to the last bit; its logarithm is not."""
    made = attacked_input(run, 0, EFFORT)
    offset = 10 * (WEIGHTS / np.linalg.norm(WEIGHTS)).reshape(3, 4)
    found = made.slope.direction(made.ball, offset, made.class_loss("margin"))
    assert (found.ravel() @ WEIGHTS) / np.linalg.norm(WEIGHTS) < -0.999
    blind = NoiseGradient(made.smoothed.sampler, 4, 1)
    assert blind.direction(made.ball, 40 * offset, made.class_loss("margin")) is None
    assert np.linalg.norm(made.random_direction()) == pytest.approx(1)


def test_a_network_without_gradients_is_searched_through_the_noise(run):
    torch = pytest.importorskip("torch")

    class Forward(torch.nn.Module):
        """A program that was saved for inference."""

        def forward(self, x):
            return torch.from_numpy(x.detach().reshape(len(x), -1).numpy()[:, :2])

    class Fixed(torch.nn.Module):
        """A program that takes batches of one length only."""

        def forward(self, x):
            assert len(x) == 256
            return x.flatten(1)[:, :2]

    made = attacked_input(run, 0, EFFORT)
    for classifier in (Forward(), Fixed()):
        sampler = Sampler(classifier, made.ball.centre[None], made.smoothed.sampler.settings)
        slope = choose_gradient(made.ball, sampler, 8, 0)
        assert slope.name == "noise" and slope.draws == 0
    assert try_network_gradient(lambda: 1 / 0, made.ball) is None


@pytest.mark.parametrize("grid", [None, 1 / 8])
def test_only_points_of_the_grid_are_classified(grid):
    """Through the network and through the noise; in the mode and precision that was certified."""
    torch = pytest.importorskip("torch")
    seen = []

    class Watched(torch.nn.Module):
        """Left in training mode by its maker."""

        def forward(self, x):
            precise = not torch.is_autocast_enabled("cpu")
            seen.append((x.detach().numpy().copy(), self.training, precise))
            return x.flatten(1)[:, :2]

    centre = np.zeros((3, 4), np.float32)
    settings = SamplingSettings(Smoothing(0.5, grid=grid, autocast=True), batch_size=64)
    sampler = Sampler(Watched().train(), centre[None], settings)
    ball = Ball(centre, None, grid)
    seen.clear()
    for slope in (choose_gradient(ball, sampler, 8, 0), NoiseGradient(sampler, 2, 0)):
        found = slope.direction(ball, np.full((3, 4), 0.03), ClassLoss(LOSSES["margin"], 0, 1))
        assert found.ravel()[1] > 0 > found.ravel()[0]
    assert {len(rows) for rows, *_ in seen} == {8, 64}
    for rows, training, precise in seen:
        assert not training and not precise
        assert bool(is_on_grid(rows, 1 / 8).all()) == (grid is not None)


@pytest.mark.parametrize("limit", [1.0, 4.0])
def test_scores_beyond_their_limit_pull_nowhere(limit):
    """As they are read, they are worth nothing: their logarithm is that of the least number."""
    torch = pytest.importorskip("torch")
    outputs = torch.tensor([[0.25, 0.5], [2.0, 1.0], [-1.0, 1.0]])
    smoothing = Smoothing(1.0, "scores", score_limit=limit)
    found = log_scores(outputs, smoothing).exp().numpy()
    wanted = output_reader(smoothing)(outputs.numpy()).soft
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-20)


def test_a_gradient_without_a_direction():
    assert Ball(np.zeros(3, np.float32)).steepest(np.zeros(3)) is None
    assert Ball(np.zeros(3, np.float32)).steepest(np.array([np.nan, 1.0])) is None
    assert Ball(np.zeros(3, np.float32)).steepest(np.array([np.inf, 1.0])) is None
    np.testing.assert_allclose(
        Ball(np.zeros(3, np.float32)).steepest(np.array([3e-300, 4e-300])), [0.6, 0.8]
    )


def test_losses_weigh_the_classes_they_name():
    scores = np.array([0.2, 0.5, 0.1, 0.2])
    weights = {name: loss(scores, 1, 2).tolist() for name, loss in LOSSES.items()}
    assert weights == {
        "cross-entropy": [0, -1, 0, 0],
        "margin": [1, -1, 0, 0],
        "runner-up": [0, -1, 1, 0],
    }
    assert best_other_class(np.zeros(3), 0) == 1
