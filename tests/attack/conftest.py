"""Models of known truth and a run of them, for the tests of the attack."""

import pytest
from known import drawn, place_model


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    """A folder with models and data of known truth; the models can be imported."""
    folder = tmp_path_factory.mktemp("attack")
    place_model(folder, "known_truth")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield folder


@pytest.fixture(scope="session")
def run(place):
    """A run drawn from the network."""
    return drawn(place, "known_truth:network")
