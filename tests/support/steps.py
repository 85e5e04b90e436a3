"""A linear classifier whose smoothed answer is known exactly, for inputs of any shape.

The input is projected on one direction and the line is cut into K steps of equal width; argmax of
the linear logits j t - j^2 h / 2 finds the step. Under Gaussian noise a step's probability is a
difference of two normal distribution functions, and the smoothed class changes at the step's ends.
"""

import numpy as np
from scipy.special import ndtr


class Steps:
    """K steps of width h along a unit vector; step 0 begins at -infinity, the last never ends."""

    def __init__(self, shape, classes, width, seed=0):
        """A random direction in inputs of this shape."""
        direction = np.random.default_rng(seed).normal(size=shape)
        self.direction = direction / np.linalg.norm(direction)
        self.classes, self.width = classes, width
        self.ends = width * (np.arange(classes - 1) + 0.5)

    def logits(self, batch):
        """The linear classifier, in double precision."""
        t = batch.reshape(len(batch), -1).astype(float) @ self.direction.ravel()
        j = np.arange(self.classes)
        return j * t[:, None] - j**2 * self.width / 2

    def input_at(self, t):
        """An input whose projection is t."""
        return (t * self.direction).astype(np.float32)

    def probabilities(self, t, sigma):
        """The exact probability of each class under noise."""
        below = ndtr((self.ends - t) / sigma)
        return np.diff(np.r_[0.0, below, 1.0])

    def radius(self, t):
        """How far the smoothed classifier keeps its class: the distance to the nearest end."""
        return np.abs(self.ends - t).min()

    def label(self, t):
        """The smoothed class."""
        return int((t > self.ends).sum())
