"""When a prediction may be given: looks, what each spends of alpha, and p-values at each.

At a look the winner of the votes is given out if the sign test between it and the runner-up has a
tail of at most half the look's share: by Hung and Fithian (2019) the winner is then wrong with
probability at most that share, for any number of classes, and the shares sum to alpha. Nothing is
promised about an input that is never decided: it abstains.
"""

import math

import numpy as np

from simplicert.bounds.limits import sign_test
from simplicert.bounds.limits.clopper_pearson import SHRINK
from simplicert.errors import require
from simplicert.types import Floats, Ints

GROWTH = 1.4  # of one look over the one before
FOR_THE_LAST = 0.5  # share of alpha that the last look keeps


def looks(draws: int, alpha: float) -> tuple[int, ...]:
    """Numbers of draws at which votes are counted, the last at `draws`."""
    found = [first_look(alpha)]
    while found[-1] * GROWTH < draws / GROWTH:
        found.append(math.ceil(found[-1] * GROWTH))
    return (*(look for look in found if look < draws), draws)


def first_look(alpha: float) -> int:
    """The fewest draws that decide anything if all agree, with a twentieth of alpha to spend."""
    return math.ceil(-math.log2(alpha / 2 / 20))


def shares(count: int) -> Floats:
    """What each look spends of alpha: the last one half, the others equal parts of the rest."""
    if count == 1:
        return np.ones(1)
    return np.append(np.full(count - 1, (1 - FOR_THE_LAST) / (count - 1)), FOR_THE_LAST)


def p_values(votes: Ints, share: float) -> tuple[Ints, Floats]:
    """(N,) the winners and their p-values at a look with this share: at most alpha decides.

    Twice the tail of the sign test, over the share, at most 1; a tie is no winner, p is 1.
    """
    order = np.argsort(-votes, axis=1, kind="stable")[:, :2]
    rows = np.arange(len(votes))
    wins, losses = votes[rows, order[:, 0]], votes[rows, order[:, 1]]
    tail = sign_test.tail(wins, losses) / SHRINK  # as `passes` has room for rounding
    p = np.minimum(2 * tail / share, 1.0)
    return order[:, 0], np.where(wins > losses, p, 1.0)


def require_deciding(draws: int, alpha: float) -> None:
    """Refuse what could never be decided, or needs no deciding."""
    require(
        isinstance(alpha, float) and 0 < alpha < 1,
        f"alpha must be a number in (0, 1), got {alpha!r}",
    )
    whole = isinstance(draws, (int, np.integer)) and not isinstance(draws, bool)
    fewest = math.ceil(-math.log2(alpha / 2 * (1.0 if draws <= first_look(alpha) else 0.5)))
    require(
        bool(whole) and draws >= fewest,
        f"draws must be a whole number of at least {fewest} to decide anything at alpha {alpha:g}, "
        f"got {draws!r}",
    )
