"""Patience: how long a drawing waits for a model that fails every time it is asked."""

import logging
import time
from collections.abc import Callable

FIRST, LONGEST = 0.5, 60.0  # seconds of the first pause, and of the longest
WORTH_SAYING = 1.0  # a shorter pause is over before it is read

Say = Callable[[str], None]


def say_nothing(sentence: str) -> None:
    """For those who do not watch."""


def log_warning(sentence: str) -> None:
    """For engines, which have no screen."""
    logging.getLogger("simplicert").warning("simplicert: %s", sentence)


class Patience:
    """Pauses that double, until the model answers or `seconds` have passed since it last did."""

    def __init__(self, seconds: float, say: Say = say_nothing) -> None:
        """The model has not failed yet; `say` is told of pauses."""
        self.seconds, self.say = seconds, say
        self.since: float | None = None  # the first failure of a row of failures
        self.pause, self.until = 0.0, 0.0

    def fail(self, error: str) -> bool:
        """The model failed: begin a pause, and say so; False if there is no time left for one."""
        now = time.monotonic()
        if self.since is None:
            self.since, self.pause = now, FIRST
        elif now < self.until:  # one of several that failed together
            return True
        else:
            self.pause = min(2 * self.pause, LONGEST)
        left = self.seconds - (now - self.since)
        if left <= 0:
            return False
        pause = min(self.pause, left)
        self.until = now + pause
        if pause >= WORTH_SAYING:
            self.say(f"the model failed ({error}); trying again in {pause:.0f} s")
        return True

    def end(self) -> None:
        """The model answered."""
        self.since = None

    def left(self) -> float:
        """Seconds until the pause is over."""
        return 0.0 if self.since is None else max(self.until - time.monotonic(), 0.0)

    def wait(self) -> None:
        """Sleep until then; a signal handler that raises ends it."""
        time.sleep(self.left())
