"""Asking the classifier, which is foreign code and may stumble: what it raises is its own failure.

A remote model has moments in which it does not answer (HTTP 503, a connection reset). Whatever
class such an error has, it says nothing about our files or our arguments. The same rows are asked
again a few times; then the error travels on as ClassifierFailed, whose cause is the original.
"""

import time
from collections.abc import Callable

import numpy as np

from simplicert.errors import SamplingFailed

PAUSES = (0.05, 0.1, 0.2)  # seconds before the same batch is asked again


class ClassifierFailed(SamplingFailed):
    """The classifier raised, each time it was asked; `__cause__` is what it raised last."""

    def __init__(self, words: str) -> None:
        """`words`: what the classifier said, in one line."""
        super().__init__(words)
        self.words = words

    def __str__(self) -> str:
        """As a sentence."""
        return f"the classifier failed: {self.words}"


def ask(classify: Callable[[], np.ndarray], restore: Callable[[], None]) -> np.ndarray:
    """The classifier's answer; `restore` writes the batch anew, which it may have changed."""
    for pause in PAUSES:
        try:
            return classify()
        except Exception:  # whatever it is, it was raised by the classifier
            time.sleep(pause)
        restore()
    try:
        return classify()
    except Exception as error:
        raise ClassifierFailed(first_line(error)) from error


def asked_again(forward: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    """The same function of rows, which it writes into the batch itself; failures as above."""
    return lambda rows: ask(lambda: forward(rows), lambda: None)


def may_pass(error: Exception) -> bool:
    """Whether a classifier that has not answered yet may do so later, by the error it raised.

    Errors of connections are OSErrors; any other error in the first batch, or a file that is not
    there, means that model and data do not fit, which is better told at once.
    """
    local = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError)
    return isinstance(error, OSError) and not isinstance(error, local)


def first_line(error: BaseException) -> str:
    """What an error says, as one line that cannot move a cursor; its class if it says nothing."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return "".join(letter if letter.isprintable() else "?" for letter in lines[0])
