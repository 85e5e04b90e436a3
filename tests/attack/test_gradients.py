"""Directions of ascent: towards the other side, through a network and through the noise."""

import numpy as np
import pytest
from known import WEIGHTS, quarry

from simplicert.attack import Effort
from simplicert.attack.gradients import ThroughNoise, attempt, unit, uphill
from simplicert.attack.losses import LOSSES, best_other
from simplicert.sampling import Sampler

EFFORT = Effort(samples=64)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("way", ["network", "noise"])
def test_the_normal_of_a_hyperplane(run, way, loss):
    """Through 2,048 noise vectors of 12 features the direction is right to about 12 / 2,048."""
    made = quarry(run, 0, EFFORT)
    slope = made.slope if way == "network" else ThroughNoise(made.smoothed.sampler, 64, 1)
    found = slope.direction(made.ball, np.zeros((3, 4)), made.raised(loss))
    normal = (-WEIGHTS / np.linalg.norm(WEIGHTS)).reshape(3, 4)  # input 0 is on the positive side
    assert slope.name == way
    assert np.linalg.norm(found) == pytest.approx(1)
    assert (found * normal).sum() > (0.999999 if way == "network" else 0.95)
    assert slope.draws == (64 if way == "network" else 2048)


def test_a_network_that_is_sure_still_shows_a_slope(run):
    """Twenty sigmas from the boundary the softmax is 1 to the last bit; its logarithm is not."""
    made = quarry(run, 0, EFFORT)
    offset = 10 * (WEIGHTS / np.linalg.norm(WEIGHTS)).reshape(3, 4)
    found = made.slope.direction(made.ball, offset, made.raised("margin"))
    assert (found.ravel() @ WEIGHTS) / np.linalg.norm(WEIGHTS) < -0.999
    blind = ThroughNoise(made.smoothed.sampler, 4, 1)
    assert blind.direction(made.ball, 40 * offset, made.raised("margin")) is None
    assert np.linalg.norm(made.any_direction()) == pytest.approx(1)


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

    made = quarry(run, 0, EFFORT)
    for classifier in (Forward(), Fixed()):
        sampler = Sampler(classifier, made.ball.centre[None], made.smoothed.sampler.settings)
        slope = uphill(made.ball, sampler, 8, 0)
        assert slope.name == "noise" and slope.draws == 0
    assert attempt(lambda: 1 / 0, made.ball) is None


def test_a_gradient_without_a_direction():
    assert unit(np.zeros(3)) is None
    assert unit(np.array([np.nan, 1.0])) is None
    assert unit(np.array([np.inf, 1.0])) is None
    np.testing.assert_allclose(unit(np.array([3e-300, 4e-300])), [0.6, 0.8])


def test_losses_weigh_the_classes_they_name():
    scores = np.array([0.2, 0.5, 0.1, 0.2])
    weights = {name: loss(scores, 1, 2).tolist() for name, loss in LOSSES.items()}
    assert weights == {
        "cross-entropy": [0, -1, 0, 0],
        "margin": [1, -1, 0, 0],
        "runner-up": [0, -1, 1, 0],
    }
    assert best_other(np.zeros(3), 0) == 1
