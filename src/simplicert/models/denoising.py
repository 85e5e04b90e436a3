"""Put a denoiser in front of a classifier that never saw noise (denoised smoothing).

Salman et al. (2020) train the denoiser; Carlini et al. (2022) take one step of a diffusion model.
The composition is an ordinary deterministic classifier, so every certificate holds for it as it
stands: the quality of the denoiser decides how large the radii are, not whether they are true.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import cos, pi, sqrt

import torch
from torch import Tensor, nn

from simplicert.errors import check_positive, require

STEPS = 1000  # of a schedule, by default
LINEAR = (1e-4, 0.02)  # first and last beta of Ho et al. (2020), for 1000 steps
COSINE, LARGEST_BETA = 0.008, 0.999  # the offset and the cap of Nichol and Dhariwal (2021)


class Denoised(nn.Module):
    """classifier(denoiser(x)), both in eval mode and without gradients of their own."""

    def __init__(self, denoiser: nn.Module, classifier: nn.Module) -> None:
        """`denoiser` maps a batch of noisy inputs to inputs of the same shape."""
        super().__init__()
        self.denoiser = denoiser
        self.classifier = classifier
        self.eval()

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits of a noisy batch."""
        clean = self.denoiser(x)
        require(
            clean.shape == x.shape,
            f"denoiser must keep the shape {tuple(x.shape)}, got {tuple(clean.shape)}",
        )
        logits: Tensor = self.classifier(clean)
        return logits


class DiffusionStep(nn.Module):
    """One step of a diffusion model as a denoiser of x + sigma * noise, x in [0, 1].

    A diffusion model knows images z in [-1, 1] as z_t = sqrt(a_t) z + sqrt(1 - a_t) noise, where
    a_t falls from 1 to 0. Here z = 2 x - 1, so the noise on z is 2 sigma, and z_t has that ratio of
    noise to image where (1 - a_t) / a_t = (2 sigma)^2. So: find this t, scale 2 (x + noise) - 1 by
    sqrt(a_t), ask the network for the noise in it, take it out, and go back to [0, 1].
    """

    def __init__(self, network: nn.Module, sigma: float, alphas: Sequence[float]) -> None:
        """`network(z_t, t)` predicts the noise; `alphas` are a_0 > a_1 > ... of its schedule."""
        super().__init__()
        self.network = network
        self.step = time_step(sigma, alphas)
        self.alpha = float(alphas[self.step])

    def forward(self, x: Tensor) -> Tensor:
        """Return the images without noise; channels past the image's (a variance) are not used."""
        scaled = sqrt(self.alpha) * (2 * x - 1)
        steps = torch.full((len(x),), self.step, dtype=torch.long, device=x.device)
        noise = self.network(scaled, steps)[:, : x.shape[1]]
        image = (scaled - sqrt(1 - self.alpha) * noise) / sqrt(self.alpha)
        clean: Tensor = (image.clamp(-1, 1) + 1) / 2
        return clean

    def extra_repr(self) -> str:
        """Show the step, which is not a weight but belongs to the fingerprint."""
        return f"step={self.step}, alpha={self.alpha!r}"


def time_step(sigma: float, alphas: Sequence[float]) -> int:
    """Return the t whose ratio of noise to image, sqrt((1 - a_t) / a_t), is nearest to 2 sigma."""
    check_positive("sigma", sigma)
    falling = all(a > b for a, b in pairwise(alphas))
    require(
        len(alphas) > 0 and falling and alphas[-1] > 0 and alphas[0] < 1,
        "alphas must fall strictly from below 1 to above 0",
    )
    ratios = [sqrt((1 - a) / a) for a in alphas]
    require(
        2 * sigma <= ratios[-1],
        f"sigma must be at most {ratios[-1] / 2:.4g}, the most noise the diffusion model knows, "
        f"got {sigma:g}",
    )
    return min(range(len(ratios)), key=lambda t: abs(ratios[t] - 2 * sigma))


def linear_alphas(
    steps: int = STEPS, first: float = LINEAR[0], last: float = LINEAR[1]
) -> list[float]:
    """Return a_t of a schedule whose betas rise linearly (Ho et al. 2020)."""
    betas = torch.linspace(first, last, steps, dtype=torch.float64)
    alphas: list[float] = torch.cumprod(1 - betas, 0).tolist()
    return alphas


def cosine_alphas(steps: int = STEPS) -> list[float]:
    """Return a_t of the cosine schedule of Nichol and Dhariwal (2021) and its CIFAR-10 models."""

    def shape(share: float) -> float:
        return cos((share + COSINE) / (1 + COSINE) * pi / 2) ** 2

    alphas, alpha = [], 1.0
    for t in range(steps):
        alpha *= 1 - min(1 - shape((t + 1) / steps) / shape(t / steps), LARGEST_BETA)
        alphas.append(alpha)
    return alphas
