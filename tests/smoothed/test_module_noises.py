"""The smoothed classifier as a torch module, under noise that is added by torch."""

import numpy as np
import pytest
import torch
from linear import Line

import simplicert as sc

# P(class 0) of half-space x_0 > 0 at x_0 = 0.2 for scale 0.5.
CASES = {"laplace": 1 - np.exp(-0.4) / 2, "uniform": 0.7}


class Steep(Line):
    """The same half-space, with scores that are nearly 0 or 1."""

    def forward(self, x):
        """Two logits."""
        return 400 * super().forward(x)


@pytest.mark.parametrize("noise", CASES)
def test_scores_are_means_under_the_noise(noise):
    """20,000 draws: five standard errors of the mean."""
    smooth = sc.Smoothed(Steep(), noise=noise, scale=0.5)
    x = torch.tensor([[0.2, 0.0, 0.0]])
    p = CASES[noise]
    found = smooth.module(draws=20_000, seed=1)(x).exp()[0]
    assert float(found[0]) == pytest.approx(p, abs=5 * np.sqrt(p * (1 - p) / 20_000) + 0.003)
    assert float(found.sum()) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("noise", CASES)
def test_gradients_reach_the_input_and_a_seed_fixes_the_function(noise):
    module = sc.Smoothed(Line(), noise=noise, scale=0.5).module(draws=64, seed=7)
    x = torch.full((2, 4), 0.1, requires_grad=True)
    one, other = module(x), module(x)
    assert torch.equal(one, other)
    one[:, 0].sum().backward()
    assert (x.grad[:, 0] > 0).all() and (x.grad[:, 1:] == 0).all()


def test_a_share_for_each_feature_scales_the_noise():
    """A feature without noise stays as it is: the half-space of it is then certain."""
    smooth = sc.Smoothed(Steep(), noise="laplace", scale=0.5, noise_scale=[0.0, 1.0, 1.0])
    found = smooth.module(draws=64, seed=7)(torch.tensor([[0.2, 0.0, 0.0]])).exp()
    assert float(found[0, 0]) == pytest.approx(1)


@pytest.mark.parametrize(
    "settings",
    [
        {"noise": "exponential-linf", "scale": 0.5},
        {"noise": "ablation", "keep": 2, "absent": -1.0},
        {"noise": "brightness", "sigma": 0.5},
        {"noise": "contrast", "sigma": 0.5},
        {"noise": "shift", "sigma": 1.0},
    ],
    ids=lambda settings: settings["noise"],
)
def test_other_noise_is_refused_in_a_sentence(settings):
    with pytest.raises(sc.InvalidInput, match="noise must be one that adds independent numbers"):
        sc.Smoothed(Line(), **settings).module()
