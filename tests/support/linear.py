"""Classifiers whose smoothed expectations are known."""

import numpy as np
import torch
from scipy.special import ndtri


class Line(torch.nn.Module):
    """Class 0 where the first feature is above 0: smoothed, p_0 = Phi(x_0 / sigma)."""

    def forward(self, x):
        """Two logits."""
        first = x.flatten(1)[:, 0]
        return torch.stack([first, -first], 1)


def line_array(x):
    first = x.reshape(len(x), -1)[:, 0]
    return np.stack([first, -first], 1)


def point(p, sigma, features=4):
    """An input at which class 0 has the expectation p."""
    x = np.zeros((1, features), np.float32)
    x[0, 0] = sigma * ndtri(p)
    return x


def bands(x):
    """Three classes by the first feature: below -1, between, above 1."""
    first = x.reshape(len(x), -1)[:, 0]
    return np.stack([-first - 1, 1 - np.abs(first), first - 1], 1)
