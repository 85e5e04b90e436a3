"""Predict the class of each input, or abstain with a p-value, with no more draws than needed.

Votes are counted at looks, which are numbers of draws, and each look may spend a share of alpha.
The winner of the votes is returned if the sign test between it and the runner-up has a tail of at
most half the look's share: by Hung and Fithian (2019) the winner is then wrong with probability at
most that share, for any number of classes, and the shares sum to alpha. Nothing is promised about
an input that is never decided: the prediction abstains.

`VoteCounter` draws and counts the votes of one call of `predict`. The noise is that of `sample`, in
a stream of its own: with one seed for both, a prediction and a certificate still rest on different
draws. An input's votes depend on the seed and on its place among the inputs, and not on the other
inputs or on other threads.

`predict_classes` goes from look to look and returns `Predictions`.
"""

import math
import secrets
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from simplicert.bounds import binomial
from simplicert.bounds.binomial import SHRINK
from simplicert.errors import require
from simplicert.sampling import loop
from simplicert.sampling.forward import first_outputs
from simplicert.sampling.loop import DrawingLoop, pass_rounded, pass_whole
from simplicert.sampling.noise import NOISE, chunk_rows, hash_seed, stream_number
from simplicert.sampling.noisy import Evaluation, NoisyCopies
from simplicert.sampling.outputs import Scores, draw_votes
from simplicert.sampling.settings import check_whole_number, default_batch_size
from simplicert.types import Bools, Floats, Ints

GROWTH = 1.4  # factor from one look to the next

LAST_LOOK_SHARE = 0.5  # share of alpha that the last look keeps

ABSTAIN = -1  # stands for no class


def prediction_looks(draws: int, alpha: float) -> tuple[int, ...]:
    """Return the numbers of draws at which votes are counted, the last at `draws`."""
    looks = [first_look(alpha)]
    while looks[-1] * GROWTH < draws / GROWTH:
        looks.append(math.ceil(looks[-1] * GROWTH))
    return (*(look for look in looks if look < draws), draws)


def first_look(alpha: float) -> int:
    """Return the fewest draws that decide if all agree, with a twentieth of alpha to spend."""
    return math.ceil(-math.log2(alpha / 2 / 20))


def look_shares(count: int) -> Floats:
    """Return each look's share of alpha: the last one half, the others equal parts of the rest."""
    if count == 1:
        return np.ones(1)
    return np.append(np.full(count - 1, (1 - LAST_LOOK_SHARE) / (count - 1)), LAST_LOOK_SHARE)


def p_values(votes: Ints, share: float) -> tuple[Ints, Floats]:
    """Return (N,) the winners and their p-values at a look with this share of alpha.

    A p-value is twice the tail of the sign test, divided by the share, at most 1; on a tie it is 1.
    An input is decided if its p-value is at most alpha.
    """
    order = np.argsort(-votes, axis=1, kind="stable")[:, :2]
    rows = np.arange(len(votes))
    wins, losses = votes[rows, order[:, 0]], votes[rows, order[:, 1]]
    tail = binomial.sign_test_tail(wins, losses) / SHRINK  # with passes_sign_test's allowance
    p = np.minimum(2 * tail / share, 1.0)
    return order[:, 0], np.where(wins > losses, p, 1.0)


def require_decidable(draws: int, alpha: float) -> None:
    """Refuse an alpha outside (0, 1), and fewer draws than could ever decide."""
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


class VoteCounter:
    """Draw noisy copies and count one vote for each: its class, or a class drawn by its scores.

    A vote by scores has the scores' mean as its expectation, so that the same test decides
    which mean is the largest (docs/method.md, softmax). A draw without an answer votes for no
    class.
    """

    def __init__(
        self,
        evaluation: Evaluation,
        inputs: np.ndarray,
        soft: bool,
        seed: int | None,
        batch_size: int | None,
        classes: int | None,
    ) -> None:
        """Prepare passes of `batch_size` rows, as in a run, or of a size that fits.

        `classes` is None before the classifier was first called with inputs of this shape.
        """
        if seed is not None:
            check_whole_number("seed", seed, 0)
        evaluation.refuse_off_grid(inputs, np.arange(len(inputs)))
        self.soft = soft
        self.inputs = evaluation.lay_out(inputs)
        size = batch_size or default_batch_size(
            evaluation.shape, evaluation.device, len(inputs), evaluation.torch_kind
        )
        chunk = chunk_rows(size)
        own = secrets.randbits(63) if seed is None else hash_seed("simplicert predict", seed)
        batch = evaluation.batch(size, chunk)
        rows = pass_rounded(size) if batch_size is None else pass_whole(size)
        self.loop = DrawingLoop(
            batch, size, chunk, evaluation.read, packable=True, seed=own, pass_rows=rows
        )
        self.classes = classes or self._first_classes(evaluation)
        self.votes = np.zeros((len(inputs), self.classes + 1), np.int64)
        self.going = np.arange(len(inputs))

    def _first_classes(self, evaluation: Evaluation) -> int:
        """Learn the number of classes from a first pass, whose outputs are not counted."""
        rows = self.loop.pass_rows(1)
        where = (self.loop.seed, len(self), 0, stream_number(NOISE, self.loop.chunk))
        self.loop.batch.fill([NoisyCopies(0, self.inputs[0], where, slice(0, 1))])
        outputs = first_outputs(lambda: self.loop.batch.outputs(rows), (rows, *evaluation.shape))
        return evaluation.count_classes(outputs, rows)

    def __len__(self) -> int:
        """Return N, the number of inputs."""
        return len(self.inputs)

    def draw(self, going: Ints, span: tuple[int, int]) -> Ints:
        """Make the draws span[0]..span[1]-1 of some inputs; return (N, K) all votes so far."""
        self.going = going
        loop.draw_inputs(self.loop, self.inputs[going], going, span, self)
        return self.votes[:, :-1]

    def add(self, slots: Ints, scores: Scores, uniforms: Floats) -> None:
        """Count one batch: row i belongs to input going[slots[i]] and votes by uniforms[i]."""
        chosen = scores.hard
        if self.soft:
            assert scores.soft is not None  # kind softmax is refused with labels
            chosen = draw_votes(scores.soft, uniforms)
        np.add.at(self.votes, (self.going[slots], chosen), 1)


@dataclass(frozen=True, eq=False)
class Predictions:
    """One entry per input. A class that is given is wrong with probability at most alpha.

    Wrong means: not the class of the smoothed classifier, which has endless draws. Where the draws
    did not decide, `classes` is -1 and `p_value` is above alpha.

    >>> import simplicert as sc
    >>> smooth = sc.Smoothed(lambda x: np.column_stack([x[:, 0], -x[:, 0]]), sigma=0.5)
    >>> answer = smooth.predict(np.array([[1.0], [0.001]], dtype=np.float32), seed=0)
    >>> answer.classes, answer.abstained
    (array([ 0, -1]), array([False,  True]))
    """

    classes: Ints  # (N,)
    p_value: Floats  # (N,)
    draws: Ints  # (N,)
    votes: Ints  # (N, K)
    alpha: float

    @property
    def abstained(self) -> Bools:
        """(N,) where no class is given."""
        return np.asarray(self.classes == ABSTAIN)

    def __len__(self) -> int:
        """Return N, the number of inputs."""
        return len(self.classes)


def predict_classes(counter: VoteCounter, alpha: float, draws: int) -> Predictions:
    """Go from look to look until each input is decided or has had all its draws."""
    plan = prediction_looks(draws, alpha)
    count = len(counter)
    used, best = np.zeros(count, np.int64), np.ones(count)
    classes = np.full(count, ABSTAIN)
    going = np.arange(count)
    for span, share in zip(pairwise((0, *plan)), look_shares(len(plan)), strict=True):
        votes = counter.draw(going, span)
        used[going] = span[1]
        top, p = p_values(votes[going], float(share))
        best[going] = np.minimum(best[going], p)
        decided = p <= alpha
        classes[going[decided]] = top[decided]
        going = going[~decided]
        if not going.size:
            break
    return Predictions(classes, best, used, votes, alpha)


def predict_exactly(counter: VoteCounter, draws: int) -> Predictions:
    """Make every draw there is, and return the most frequent class: the lowest at a tie.

    It abstains where as many draws had no class as had the most frequent one, or more.
    """
    everyone = np.arange(len(counter))
    votes = counter.draw(everyone, (0, draws))
    top = votes.argmax(axis=1)
    decided = votes[everyone, top] > counter.votes[:, -1]
    return Predictions(
        np.where(decided, top, ABSTAIN),
        np.where(decided, 0.0, 1.0),
        np.full(len(counter), draws),
        votes,
        0.0,
    )
