"""Handle signals: the first asks to stop and loses nothing, a second Ctrl-C ends at once.

SIGINT is Ctrl-C, SIGTERM comes from batch systems, SIGHUP from a terminal that is closed. No signal
ends in a traceback, however many there are. `stop_after_batch` is for loops that finish a batch
first, `stop_at_once` for everything else.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

STOPPED_EXIT = 130

SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


class ExitState:
    """Whether this process is on its way out, and with which exit code."""

    code: int | None = None
    depth = 0  # of nested contexts that handle signals

    @classmethod
    def exit_if_leaving(cls, number: int) -> bool:
        """Return whether the process is leaving already; one more Ctrl-C then ends it at once."""
        if cls.code is not None and number == signal.SIGINT:
            os._exit(cls.code)
        return cls.code is not None


class StoppedBySignal(KeyboardInterrupt):
    """A signal came while nothing was being drawn; libraries do not catch it as an error."""


def handle_interrupt(number: int, frame: object) -> None:
    """Handle Ctrl-C outside the contexts below: raise as Python does, but only once."""
    if not ExitState.exit_if_leaving(number):
        ExitState.code = STOPPED_EXIT
        _say("stopped")
        raise KeyboardInterrupt


@contextmanager
def stop_after_batch(unit: str = "batch") -> Iterator["StopFlag"]:
    """Let a signal stop the loop after its batch, and a second Ctrl-C stop it at once."""
    flag = StopFlag(unit)
    with _route_signals(flag.handle_signal):
        yield flag


@contextmanager
def stop_at_once() -> Iterator[None]:
    """Let a signal end the work inside at once: there is no batch to finish."""
    received = []

    def handle(number: int, frame: object) -> None:
        if not ExitState.exit_if_leaving(number):
            ExitState.code = STOPPED_EXIT
            received.append(number)
            raise StoppedBySignal

    with _route_signals(handle):
        try:
            yield
        finally:
            if received:  # Ray raises another exception instead, and some libraries raise none
                raise StoppedBySignal


@contextmanager
def _route_signals(handle: Callable[[int, Any], None]) -> Iterator[None]:
    """Send signals that ask to stop to a function; one that `nohup` ignores stays ignored."""
    wanted = [sign for sign in SIGNALS if not _is_ignored_by_nohup(sign)]
    terminals = [file for file in (1, 2) if os.isatty(file)]

    def mute_and_handle(number: int, frame: object) -> None:
        if number not in (signal.SIGINT, signal.SIGTERM):
            _mute_terminals(terminals)
        handle(number, frame)

    if ExitState.depth == 0:
        ExitState.code = None
    ExitState.depth += 1
    before = {sign: signal.signal(sign, mute_and_handle) for sign in wanted}
    try:
        yield
    finally:
        ExitState.depth -= 1
        for sign, handler in before.items():
            signal.signal(sign, handler)


def _is_ignored_by_nohup(sign: int) -> bool:
    """Return whether the process was started to outlive its terminal."""
    return sign not in (signal.SIGINT, signal.SIGTERM) and (
        signal.getsignal(sign) is signal.SIG_IGN
    )


def _mute_terminals(terminals: list[int]) -> None:
    """Discard what would be printed on terminals that are gone, so that it is no error."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for file in terminals:
            os.dup2(nowhere, file)
        os.close(nowhere)


def _say(words: str) -> None:
    """Print a line, perhaps while another one is being printed or where the terminal is gone."""
    with suppress(OSError, RuntimeError, ValueError):
        print(f"simplicert: {words}", file=sys.stderr)


class StopFlag:
    """Remembers that a signal asked to stop."""

    def __init__(self, unit: str = "batch") -> None:
        """Start without a signal; `unit` is what the loop finishes first."""
        self.stop, self.unit = False, unit

    def handle_signal(self, number: int, frame: object) -> None:
        """Ask the loop to stop; a second Ctrl-C raises."""
        if ExitState.exit_if_leaving(number):
            return
        if self.stop and number == signal.SIGINT:
            ExitState.code = STOPPED_EXIT
            raise KeyboardInterrupt
        self.stop = True
        _say(f"stopping after this {self.unit}")

    def __call__(self) -> bool:
        """Return whether to stop; the loop calls this after every batch."""
        return self.stop
