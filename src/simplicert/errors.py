"""Every error and warning that this package raises on purpose.

SimplicertError
  InvalidInput          an argument is outside its domain (also a ValueError)
  KindMismatch          a mechanism was asked to certify expectations it has no proof for
  UnsoundMechanism      a mechanism promised more than any true radius can be
  MissingEvidence       the tally does not hold what a bounding scheme needs
  IncompatibleTallies   two tallies that must not be added were added
  DamagedRun            a run folder is incomplete, altered or of another format
  SamplingFailed        the classifier failed while it was drawn from
  TrainingFailed        the training loss is no longer a number

SimplicertWarning       what is done may not be what was meant (a UserWarning)
"""

from collections.abc import Mapping
from typing import TypeVar

Row = TypeVar("Row")


class SimplicertError(Exception):
    """Base class: `except SimplicertError` catches every deliberate error."""


class InvalidInput(SimplicertError, ValueError):
    """An argument is outside its domain; the message names it, its value and what is allowed."""


class KindMismatch(SimplicertError):
    """A mechanism has no proof for this kind of expectation."""


class UnsoundMechanism(SimplicertError):
    """A mechanism returned a radius above the Neyman-Pearson limit, or one that is not a number."""


class MissingEvidence(SimplicertError):
    """The tally lacks the draws, votes, pilot or look that the scheme's proof needs."""


class IncompatibleTallies(SimplicertError):
    """Tallies drawn under different conditions, or sharing draws, cannot be added."""


class DamagedRun(SimplicertError):
    """A run folder cannot be trusted: a part is missing, altered or of another format."""


class SamplingFailed(SimplicertError):
    """The classifier raised an error in the middle of a run; what was drawn before is kept."""


class TrainingFailed(SimplicertError):
    """The loss is no longer a number; the last checkpoint is intact."""


class SimplicertWarning(UserWarning):
    """What was asked for is done, and may not be what was meant."""


def require(condition: bool, message: str) -> None:
    """Raise InvalidInput(message) unless condition holds."""
    if not condition:
        raise InvalidInput(message)


def choose(argument: str, name: str, table: Mapping[str, Row], where: str = "") -> Row:
    """The row of a table of choices, or an InvalidInput that lists them, and `where` they hold."""
    if not isinstance(name, str) or name not in table:
        raise InvalidInput(f"{argument} must be one of {', '.join(table)}{where}, got {name!r}")
    return table[name]
