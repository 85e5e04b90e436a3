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

import math
from collections.abc import Mapping
from difflib import get_close_matches
from numbers import Real
from typing import TypeVar

Row = TypeVar("Row")


class SimplicertError(Exception):
    """Base class: `except SimplicertError` catches every deliberate error.

    >>> import simplicert as sc
    >>> try:
    ...     sc.bound(sc.Tally([[90, 10]], sigma=0.5), alpha=2)
    ... except sc.SimplicertError as error:
    ...     print(error)
    alpha must lie strictly between 0 and 1, got 2
    """


class InvalidInput(SimplicertError, ValueError):
    """An argument is outside its domain; the message names it, its value and what is allowed.

    >>> import simplicert as sc
    >>> sc.radius("cohen", e0=1.2, e1=0.1)
    Traceback (most recent call last):
    simplicert.errors.InvalidInput: e0 must lie in [0, 1], got 1.2
    """


class KindMismatch(SimplicertError):
    """A mechanism has no proof for this kind of expectation.

    >>> import simplicert as sc
    >>> sc.certify(sc.Expectations([0], [0.6], [0.3], kind="softmax"), ["cohen"])
    Traceback (most recent call last):
    simplicert.errors.KindMismatch: 'cohen' has no proof for softmax expectations; it needs ...
    """


class UnsoundMechanism(SimplicertError):
    """A mechanism returned a radius above the Neyman-Pearson limit, or one that is not a number.

    >>> import simplicert as sc
    >>> sc.radius(lambda e0, e1: 10 * e0, 0.6, 0.3)
    Traceback (most recent call last):
    simplicert.errors.UnsoundMechanism: mechanism returned 6.0 at e0 = 0.6, e1 = 0.3, above ...
    """


class MissingEvidence(SimplicertError):
    """The tally lacks the draws, votes, pilot or look that the scheme's proof needs.

    >>> import simplicert as sc
    >>> sc.bound(sc.Tally([[90, 10]], sigma=0.5), kind="softmax")
    Traceback (most recent call last):
    simplicert.errors.MissingEvidence: kind 'softmax' needs softmax_sums, and this tally holds ...
    """


class IncompatibleTallies(SimplicertError):
    """Tallies drawn under different conditions, or sharing draws, cannot be added.

    >>> import simplicert as sc
    >>> sc.Tally([[90, 10]], sigma=0.5) + sc.Tally([[90, 10]], sigma=0.25)
    Traceback (most recent call last):
    simplicert.errors.IncompatibleTallies: tallies of another sigma cannot be added: 0.5 and 0.25
    """


class DamagedRun(SimplicertError):
    """A run folder cannot be trusted: a part is missing, altered or of another format."""


class SamplingFailed(SimplicertError):
    """The classifier raised an error in the middle of a run; what was drawn before is kept."""


class TrainingFailed(SimplicertError):
    """The loss is no longer a number; the last checkpoint is intact."""


class SimplicertWarning(UserWarning):
    """The package did what it was told, but that may not be what was meant."""


def require(condition: bool, message: str) -> None:
    """Raise InvalidInput(message) unless condition holds."""
    if not condition:
        raise InvalidInput(message)


def choose(argument: str, name: str, table: Mapping[str, Row], where: str = "") -> Row:
    """Return a row of a table of choices, or raise an InvalidInput that lists the choices.

    `where` ends the list with the case in which these are the choices: " for kind softmax".
    """
    if not isinstance(name, str) or name not in table:
        close = get_close_matches(name, table, n=1) if isinstance(name, str) else []
        meant = f"; did you mean {close[0]}?" if close else ""
        known = ", ".join(table)
        raise InvalidInput(f"{argument} must be one of {known}{where}, got {name!r}{meant}")
    return table[name]


def check_positive(name: str, value: float) -> float:
    """Return a positive finite number, or raise an error that names it."""
    try:
        number = float(value) if isinstance(value, Real) else math.nan
    except OverflowError:
        number = math.inf
    good = math.isfinite(number) and number > 0
    require(good, f"{name} must be a positive finite number, got {value!r}")
    return number
