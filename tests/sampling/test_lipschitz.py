"""The radius of a Lipschitz constant, from draws: how often it is wrong."""

import numpy as np
import pytest
import torch
from scipy.stats import binom
from torch import nn

import simplicert as sc

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.slow
@pytest.mark.parametrize("at", [0.0, 0.004])
def test_level_by_simulation(at):
    """At a tie and close to one: wrong certificates are at most alpha of 1,000 inputs.

    Budget: at a true level of alpha the test fails with probability 1e-6.
    """
    network = nn.Linear(1, 2, bias=False).eval()
    network.weight.data = torch.tensor([[60.0], [-60.0]])  # scores near 0 and 1
    inputs = np.full((1000, 1), at, np.float32)
    drawn = sc.sample(network, inputs, 0.5, 64, lipschitz=True, seed=3, compile=False)
    alpha = 0.4
    certificates = sc.certify(sc.bound(drawn, alpha, "softmax"), ["lipschitz"])
    wrong = (certificates.predicted == 1) | (certificates.radii["lipschitz"] > at)
    wrong &= ~certificates.abstained
    assert 0 < wrong.sum() <= binom.isf(1e-6, 1000, alpha)
