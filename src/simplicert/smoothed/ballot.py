"""The votes of one call of `predict`: the draws of a run's own loop, counted by class.

The noise is that of `sample`, in a stream of its own: with one seed for both, a prediction and a
certificate still rest on other draws. An input's votes depend on the seed and its place among the
inputs, and not on what is asked beside it or in another thread.
"""

import secrets

import numpy as np

from simplicert.sampling import draw
from simplicert.sampling.batch import Copies
from simplicert.sampling.draw import Loop
from simplicert.sampling.forward import first_outputs
from simplicert.sampling.ledger import votes_by_score
from simplicert.sampling.noise import NOISE, chunk_rows, named_seed, stream_of
from simplicert.sampling.noisy import Evaluation
from simplicert.sampling.score import Scores
from simplicert.sampling.settings import check_whole, default_batch
from simplicert.types import Floats, Ints


class Ballot:
    """One vote for each draw: the class itself, or one drawn by the scores.

    A vote by scores has the scores' mean as its expectation, so that the same test decides
    which mean is the largest (STATISTICS.md B2). A draw without an answer votes for no class.
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
        """With a batch size every pass is of that many rows, as a run's are; else as it fits.

        `classes`: None before the classifier was ever asked about inputs of this shape.
        """
        if seed is not None:
            check_whole("seed", seed, 0)
        evaluation.refuse_off_grid(inputs, np.arange(len(inputs)))
        self.soft = soft
        self.inputs = evaluation.laid_out(inputs)
        size = batch_size or default_batch(evaluation.shape, evaluation.device)
        chunk = chunk_rows(size)
        own = secrets.randbits(63) if seed is None else named_seed("simplicert predict", seed)
        batch = evaluation.batch(size, chunk)
        whole = batch_size is not None
        self.loop = Loop(batch, size, chunk, evaluation.read, packable=True, seed=own, whole=whole)
        self.classes = classes or self._first_classes(evaluation)
        self.found = np.zeros((len(inputs), self.classes + 1), np.int64)
        self.going = np.arange(len(inputs))

    def _first_classes(self, evaluation: Evaluation) -> int:
        """By a first pass, whose answers are looked at and not counted."""
        rows = self.loop.passed(1)
        where = (self.loop.seed, len(self), 0, stream_of(NOISE, self.loop.chunk))
        self.loop.batch.fill([Copies(0, self.inputs[0], where, slice(0, 1))])
        outputs = first_outputs(lambda: self.loop.batch.outputs(rows), (rows, *evaluation.shape))
        return evaluation.classes_of(outputs, rows)

    def __len__(self) -> int:
        """Inputs."""
        return len(self.inputs)

    def draw(self, going: Ints, span: tuple[int, int]) -> Ints:
        """(N, K) all votes so far, after the draws span[0]..span[1]-1 of these inputs."""
        self.going = going
        draw.run(self.loop, self.inputs[going], going, span, self)
        return self.found[:, :-1]

    def add(self, slots: Ints, scores: Scores, lots: Floats) -> None:
        """Count one batch: row i belongs to input going[slots[i]]."""
        chosen = scores.hard
        if self.soft:
            assert scores.soft is not None  # kind softmax is refused with labels
            chosen = votes_by_score(scores.soft, lots)
        np.add.at(self.found, (self.going[slots], chosen), 1)
