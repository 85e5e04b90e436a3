"""Confirm with fresh draws, at a stated level, that another class scores higher at a point.

Hypothesis: the rival's probability (or mean score) at the point is at most the certified class's.
The point and the rival were chosen by other draws, so given them the fresh ones are independent of
the choice, and a test at level a wrongly rejects with probability at most a, whatever the search
did. If the hypothesis is wrong, the certified class is not the largest there, so the smoothed
class is another one.

Counts: of the draws that fell on either class, the rival's share is at most 1/2 under the
hypothesis, so its number is stochastically at most Bin(m, 1/2): the exact sign test.

Scores: a draw's vote C ~ Categorical(scores) falls on class j with probability its mean score, so
the same test of the votes is exact; it has half the level. The other half goes to limits on both
mean scores, a quarter each: a lower one of the rival above an upper one of the certified class.
Either is enough.
"""

from collections.abc import Callable

import numpy as np

from simplicert.bounds import binomial
from simplicert.bounds.softmax import LIMITS, ScoreSums, read_score_sums
from simplicert.types import Kind, Tally

LIMIT = "bentkus+bernstein"  # of the mean scores of fresh draws

Test = Callable[[Tally, int, int, float], bool]  # fresh draws, certified, rival, level


def counts_differ(fresh: Tally, certified: int, rival: int, level: float) -> bool:
    """Test whether the rival is drawn more often than the certified class."""
    wins, losses = fresh.counts[0, [rival, certified]]
    return bool(binomial.passes_sign_test(wins, losses, np.asarray(level)))


def scores_differ(fresh: Tally, certified: int, rival: int, level: float) -> bool:
    """Test whether the rival's mean score is above that of the certified class."""
    assert fresh.votes is not None
    wins, losses = fresh.votes[0, [rival, certified]]
    if binomial.passes_sign_test(wins, losses, np.asarray(level / 2)):
        return True
    sums, tail = read_score_sums(fresh, slice(None)), np.array([level / 4])
    own, other = (_class_sums(sums, number) for number in (rival, certified))
    low = LIMITS[LIMIT].lower(ScoreSums(*(values[:, 0] for values in own)), fresh.draws, tail)
    high = LIMITS[LIMIT].upper(other, fresh.draws, tail)
    return bool(low[0] > high[0])


def _class_sums(sums: ScoreSums, number: int) -> ScoreSums:
    """Return (1, 1) the sums of one class."""
    return ScoreSums(*(values[:, [number]] for values in sums))


CONFIRM: dict[Kind, Test] = {"multinomial": counts_differ, "softmax": scores_differ}
