"""Signals: the first asks to stop, and nothing is lost; a second Ctrl-C ends the process at once.

SIGINT is Ctrl-C, SIGTERM comes from batch systems, SIGHUP from a terminal that is closed. No
signal ends in a traceback, however many there are.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

STOPPED = 130
SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


class Leaving:
    """Whether this process is on its way out, and with which exit code."""

    code: int | None = None
    depth = 0  # of those who listen

    @classmethod
    def hurry(cls, number: int) -> bool:
        """Whether it is leaving already; then one more Ctrl-C ends it here and now."""
        if cls.code is not None and number == signal.SIGINT:
            os._exit(cls.code)
        return cls.code is not None


class Stopped(KeyboardInterrupt):
    """A signal came while nothing was being drawn; no library takes it for an error of its own."""


def interrupt(number: int, frame: object) -> None:
    """Ctrl-C where nobody listens: as Python has it, but only once."""
    if not Leaving.hurry(number):
        Leaving.code = STOPPED
        raise KeyboardInterrupt


@contextmanager
def stoppable(unit: str = "batch") -> Iterator["Told"]:
    """A signal asks the loop to stop after its batch; a second Ctrl-C stops at once."""
    told = Told(unit)
    with heard_by(told.hear):
        yield told


@contextmanager
def at_once() -> Iterator[None]:
    """A signal ends what is done here at once: there is no batch to finish."""
    heard = []

    def hear(number: int, frame: object) -> None:
        if not Leaving.hurry(number):
            Leaving.code = STOPPED
            heard.append(number)
            raise Stopped

    with heard_by(hear):
        try:
            yield
        finally:
            if heard:  # whatever a library made of it: Ray raises another exception, some none
                raise Stopped


@contextmanager
def heard_by(hear: Callable[[int, Any], None]) -> Iterator[None]:
    """Signals that ask to stop go to this function; one that `nohup` ignores stays ignored."""
    wanted = [sign for sign in SIGNALS if not ignored_by_nohup(sign)]
    terminals = [file for file in (1, 2) if os.isatty(file)]

    def hear_first(number: int, frame: object) -> None:
        if number not in (signal.SIGINT, signal.SIGTERM):
            mute(terminals)
        hear(number, frame)

    if Leaving.depth == 0:
        Leaving.code = None
    Leaving.depth += 1
    before = {sign: signal.signal(sign, hear_first) for sign in wanted}
    try:
        yield
    finally:
        Leaving.depth -= 1
        for sign, handler in before.items():
            signal.signal(sign, handler)


def ignored_by_nohup(sign: int) -> bool:
    """Whether the process was started so that it outlives its terminal."""
    return sign not in (signal.SIGINT, signal.SIGTERM) and (
        signal.getsignal(sign) is signal.SIG_IGN
    )


def mute(terminals: list[int]) -> None:
    """The terminal is gone: what would be printed on it goes nowhere, and is no error."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for file in terminals:
            os.dup2(nowhere, file)
        os.close(nowhere)


class Told:
    """Whether anyone asked to stop."""

    def __init__(self, unit: str = "batch") -> None:
        """Not yet; `unit` is what the loop finishes first."""
        self.stop, self.unit = False, unit

    def hear(self, number: int, frame: object) -> None:
        """A signal came in."""
        if Leaving.hurry(number):
            return
        if self.stop and number == signal.SIGINT:
            Leaving.code = STOPPED
            raise KeyboardInterrupt
        self.stop = True
        with suppress(OSError, RuntimeError, ValueError):  # in the middle of another line
            print(f"simplicert: stopping after this {self.unit}", file=sys.stderr)

    def __call__(self) -> bool:
        """What the loop asks after every batch."""
        return self.stop
