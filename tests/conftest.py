"""Commands typed in this process."""

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
