"""Commands typed in this process, and torch on one thread."""

import sys

import pytest

from simplicert.cli import main


@pytest.fixture
def command(monkeypatch, capsys):
    """Type a command; returns exit code, stdout, stderr."""

    def typed(*words):
        monkeypatch.setattr(sys, "argv", ["simplicert", *map(str, words)])
        with pytest.raises(SystemExit) as stop:
            main()
        printed = capsys.readouterr()
        return stop.value.code or 0, printed.out, printed.err

    return typed


@pytest.fixture
def one_thread():
    """Sums in one order, and no threads that wait for each other."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
