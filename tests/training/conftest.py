"""Small trainings on digits: seconds each, one thread, so that every bit is repeatable."""

import pytest

from simplicert.data import load_data
from simplicert.training import train

TINY = {"arch": "mlp", "sigma": 0.3, "epochs": 3, "batch_size": 64, "rate": 0.05, "seed": 1}


@pytest.fixture(autouse=True)
def repeatable(one_thread):
    """Make every bit repeatable."""


@pytest.fixture(scope="session")
def digits():
    """300 inputs to train on and 100 others to test on."""
    return load_data("digits", stop=300), load_data("digits", start=300, stop=400)


@pytest.fixture
def trained(digits):
    """Train on a few digits into a folder; options stand in for those of TINY."""

    def run(out, **options):
        data, test = digits
        return train(data, out, test=test, **(TINY | options))

    return run
