"""The experiment's own modules, which are not part of the package."""

from pathlib import Path

import pytest
from memory import made

FOLDER = Path(__file__).parents[2] / "experiments" / "cifar10"


@pytest.fixture
def findings(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    import findings

    return findings


@pytest.fixture
def shorter(findings):
    import shorter

    return shorter


@pytest.fixture
def clear():
    """Inputs from nearly a tie to almost certain."""
    return made("made")


@pytest.fixture
def paper(findings):
    import paper

    return paper
