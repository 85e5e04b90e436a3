"""A pickle that would give itself away, and small networks."""

import copy
from pathlib import Path

import pytest
import torch
from torch import nn


class Trap:
    """Unpickling it creates a file."""

    def __init__(self, mark):
        """`mark` is the file."""
        self.mark = mark

    def __reduce__(self):
        """What a pickle says to do when it is read."""
        return (Path.touch, (self.mark,))


@pytest.fixture
def trap(tmp_path):
    """A booby-trapped object; the test fails if anyone unpickled it."""
    mark = tmp_path / "somebody-unpickled-me"
    yield Trap(mark)
    assert not mark.exists(), "a pickle was executed"


@pytest.fixture(scope="session")
def untouched_network():
    """A small image network with dropout and batch statistics, in eval mode; not to be changed."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        layers = [nn.Conv2d(1, 3, 3), nn.BatchNorm2d(3), nn.Dropout(0.5), nn.Flatten()]
        return nn.Sequential(*layers, nn.Linear(3 * 6 * 6, 4)).eval()


@pytest.fixture
def network(untouched_network):
    """The same network, as a copy to change."""
    return copy.deepcopy(untouched_network)


@pytest.fixture(scope="session")
def images():
    """A batch of five grey images of 8 x 8."""
    return torch.linspace(0, 1, 5 * 64).reshape(5, 1, 8, 8)
