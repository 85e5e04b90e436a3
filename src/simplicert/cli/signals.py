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
    depth = 0  # of those who listen

    @classmethod
    def exit_if_leaving(cls, number: int) -> bool:
        """Whether it is leaving already; then one more Ctrl-C ends it here and now."""
        if cls.code is not None and number == signal.SIGINT:
            os._exit(cls.code)
        return cls.code is not None


class StoppedBySignal(KeyboardInterrupt):
    """A signal came while nothing was being drawn; no library takes it for an error of its own."""


def handle_interrupt(number: int, frame: object) -> None:
    """Ctrl-C where nobody listens: as Python has it, but only once."""
    if not ExitState.exit_if_leaving(number):
        ExitState.code = STOPPED_EXIT
        raise KeyboardInterrupt


@contextmanager
def stop_after_batch(unit: str = "batch") -> Iterator["StopFlag"]:
    """A signal asks the loop to stop after its batch; a second Ctrl-C stops at once."""
    told = StopFlag(unit)
    with _route_signals(told.handle_signal):
        yield told


@contextmanager
def stop_at_once() -> Iterator[None]:
    """A signal ends what is done here at once: there is no batch to finish."""
    heard = []

    def hear(number: int, frame: object) -> None:
        if not ExitState.exit_if_leaving(number):
            ExitState.code = STOPPED_EXIT
            heard.append(number)
            raise StoppedBySignal

    with _route_signals(hear):
        try:
            yield
        finally:
            if heard:  # whatever a library made of it: Ray raises another exception, some none
                raise StoppedBySignal


@contextmanager
def _route_signals(hear: Callable[[int, Any], None]) -> Iterator[None]:
    """Signals that ask to stop go to this function; one that `nohup` ignores stays ignored."""
    wanted = [sign for sign in SIGNALS if not _is_ignored_by_nohup(sign)]
    terminals = [file for file in (1, 2) if os.isatty(file)]

    def hear_first(number: int, frame: object) -> None:
        if number not in (signal.SIGINT, signal.SIGTERM):
            _mute_terminals(terminals)
        hear(number, frame)

    if ExitState.depth == 0:
        ExitState.code = None
    ExitState.depth += 1
    before = {sign: signal.signal(sign, hear_first) for sign in wanted}
    try:
        yield
    finally:
        ExitState.depth -= 1
        for sign, handler in before.items():
            signal.signal(sign, handler)


def _is_ignored_by_nohup(sign: int) -> bool:
    """Whether the process was started so that it outlives its terminal."""
    return sign not in (signal.SIGINT, signal.SIGTERM) and (
        signal.getsignal(sign) is signal.SIG_IGN
    )


def _mute_terminals(terminals: list[int]) -> None:
    """The terminal is gone: what would be printed on it goes nowhere, and is no error."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for file in terminals:
            os.dup2(nowhere, file)
        os.close(nowhere)


class StopFlag:
    """Whether anyone asked to stop."""

    def __init__(self, unit: str = "batch") -> None:
        """Not yet; `unit` is what the loop finishes first."""
        self.stop, self.unit = False, unit

    def handle_signal(self, number: int, frame: object) -> None:
        """A signal came in."""
        if ExitState.exit_if_leaving(number):
            return
        if self.stop and number == signal.SIGINT:
            ExitState.code = STOPPED_EXIT
            raise KeyboardInterrupt
        self.stop = True
        with suppress(OSError, RuntimeError, ValueError):  # in the middle of another line
            print(f"simplicert: stopping after this {self.unit}", file=sys.stderr)

    def __call__(self) -> bool:
        """What the loop asks after every batch."""
        return self.stop
