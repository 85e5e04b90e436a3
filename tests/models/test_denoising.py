"""Denoised smoothing: with denoisers trained here, on digits, in a second."""

from math import sqrt

import numpy as np
import pytest
import torch
from torch import nn

import simplicert as sc
from simplicert.data import load_data
from simplicert.errors import InvalidInput
from simplicert.models import denoised, diffusion_denoiser
from simplicert.models.denoising import cosine_alphas, linear_alphas, time_step
from simplicert.training import train

SIGMA = 0.5


class NoiseNet(nn.Module):
    """Predicts the noise in an image of [-1, 1], for any step: a small network told a_t."""

    def __init__(self):
        """Random weights."""
        super().__init__()
        self.inside = nn.Sequential(nn.Linear(65, 256), nn.ReLU(), nn.Linear(256, 64))
        self.alphas = torch.tensor(linear_alphas(), dtype=torch.float32)

    def forward(self, z, t):
        """The noise in z at step t."""
        told = torch.cat([z.flatten(1), self.alphas[t][:, None]], 1)
        return self.inside(told).unflatten(1, (1, 8, 8))


def fitted(module, loss, steps=400):
    adam = torch.optim.Adam(module.parameters(), 3e-3)
    for _ in range(steps):
        adam.zero_grad()
        loss().backward()
        adam.step()
    return module.eval()


@pytest.fixture(scope="module")
def case(tmp_path_factory):
    """A classifier that never saw noise, images to train denoisers on, and noisy test images."""
    out = tmp_path_factory.mktemp("nets") / "clean"
    data, test = load_data("digits", stop=1200), load_data("digits", start=1200)
    model = train(data, out, test=test, arch="mlp", sigma=1e-3, epochs=20, batch_size=64, rate=0.05)
    x = torch.from_numpy(data.inputs[np.arange(1200)])
    clean = torch.from_numpy(test.inputs[np.arange(len(test))])
    noise = torch.randn(clean.shape, generator=torch.Generator().manual_seed(0))
    return model.classifier, x, clean + SIGMA * noise, torch.from_numpy(test.labels)


def share_right(module, inputs, labels):
    with torch.no_grad():
        return float((module(inputs).argmax(1) == labels).double().mean())


@pytest.mark.slow
def test_a_denoiser_of_our_own_training_helps(case):
    classifier, x, noisy, labels = case
    with torch.random.fork_rng():
        torch.manual_seed(0)
        layers = [nn.Flatten(), nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 64)]
        network = nn.Sequential(*layers, nn.Unflatten(1, (1, 8, 8)))

        def loss():
            return ((network(x + SIGMA * torch.randn_like(x)) - x) ** 2).mean()

        denoiser = fitted(network, loss)
    both = denoised(denoiser, classifier)
    assert share_right(both, noisy, labels) > share_right(classifier, noisy, labels) + 0.03


@pytest.mark.slow
def test_one_step_of_a_diffusion_model_helps(case):
    """Trained over all steps, as a diffusion model is; certified like any other classifier."""
    classifier, x, noisy, labels = case
    with torch.random.fork_rng():
        torch.manual_seed(0)
        network = NoiseNet()

        def loss():
            t = torch.randint(0, 1000, (len(x),))
            alpha = network.alphas[t][:, None, None, None]
            noise = torch.randn_like(x)
            z = alpha.sqrt() * (2 * x - 1) + (1 - alpha).sqrt() * noise
            return ((network(z, t) - noise) ** 2).mean()

        fitted(network, loss, steps=600)
    both = denoised(diffusion_denoiser(network, SIGMA), classifier)
    assert share_right(both, noisy, labels) > share_right(classifier, noisy, labels) + 0.03
    tally = sc.sample(both, x[:2].numpy(), sigma=SIGMA, draws=300, seed=0)
    assert (sc.certify(sc.bound(tally)).radius > 0).any()


def test_a_perfect_noise_predictor_gives_the_image_back():
    """Time step and scaling are right only if knowing the noise exactly undoes it exactly."""
    x = torch.rand(4, 3, 5, 5, generator=torch.Generator().manual_seed(1))
    alphas = linear_alphas()
    step = time_step(SIGMA, alphas)
    exact = sqrt((1 - alphas[step]) / alphas[step]) / 2  # the sigma that this very step stands for
    noise = torch.randn(x.shape, generator=torch.Generator().manual_seed(2))

    class Knows(nn.Module):
        def forward(self, z, t):
            assert t.shape == (4,) and bool((t == step).all())
            return torch.cat([noise, torch.full_like(noise, 9.0)], 1)  # and a variance to ignore

    clean = diffusion_denoiser(Knows(), SIGMA)(x + exact * noise)
    torch.testing.assert_close(clean, x, rtol=0, atol=1e-5)
    assert abs(exact - SIGMA) < 0.01 * SIGMA


@pytest.mark.parametrize("alphas", [linear_alphas(), cosine_alphas()], ids=["linear", "cosine"])
def test_time_steps(alphas):
    """By brute force over all steps; more noise is a later step."""
    steps = [time_step(sigma, alphas) for sigma in (0.05, 0.25, 0.5, 1.0, 2.0)]
    assert steps == sorted(steps) and len(set(steps)) == 5
    for sigma, step in zip((0.05, 0.25, 0.5, 1.0, 2.0), steps, strict=True):
        distance = abs(np.sqrt((1 - np.array(alphas)) / np.array(alphas)) - 2 * sigma)
        assert step == distance.argmin()


def test_known_schedules():
    """Ho et al.: a falls to about 4e-5; Nichol and Dhariwal: half the signal in the middle."""
    assert linear_alphas()[-1] == pytest.approx(4.04e-5, rel=0.01)
    assert cosine_alphas()[499] == pytest.approx(0.494, abs=0.005)


def test_the_step_is_in_the_fingerprint():
    from simplicert.models.model import module_fingerprint

    network = nn.Identity()
    prints = {module_fingerprint(diffusion_denoiser(network, sigma)) for sigma in (0.25, 0.5)}
    assert len(prints) == 2


def test_wrong_arguments():
    with pytest.raises(InvalidInput, match=r"sigma must be at most .* diffusion model knows"):
        diffusion_denoiser(nn.Identity(), 1e4)
    with pytest.raises(InvalidInput, match="alphas must fall strictly"):
        diffusion_denoiser(nn.Identity(), 0.5, [0.5, 0.9])
    bad = denoised(nn.Flatten(), nn.Identity())
    with pytest.raises(InvalidInput, match=r"denoiser must keep the shape \(2, 1, 8, 8\)"):
        bad(torch.zeros(2, 1, 8, 8))
