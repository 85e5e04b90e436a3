"""Classify sequences of tokens: a batch of them, and inputs that may be sequences or arrays.

A classifier of sequences is called with a list of lists of tokens, as many as the batch has rows,
and returns labels, logits or probabilities like any other. A copy may have lost all its tokens, and
a short batch is filled up with empty sequences: the classifier must answer an empty list too.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simplicert.data.sequences import are_sequences, convert_sequences, hold_sequences
from simplicert.errors import choose, require
from simplicert.noises import NOISES, NoiseModel
from simplicert.sampling.noise import chunk_generator
from simplicert.sampling.settings import convert_inputs

if TYPE_CHECKING:
    from simplicert.sampling.noisy import NoiseWriter, NoisyCopies


class SequenceBatch:
    """A batch of sequences of any lengths, in host memory.

    It never holds what an earlier batch held: a model that pads to the longest sequence may give
    other last bits beside longer ones.
    """

    def __init__(
        self, size: int, classify: Callable[[list[list[Any]]], np.ndarray], writer: "NoiseWriter"
    ) -> None:
        """Begin with `size` empty sequences; `writer` knows the noise."""
        self.size, self.classify, self.writer = size, classify, writer
        self.memory: list[tuple[Any, ...]] = [()] * size

    def fill(self, copies: "Sequence[NoisyCopies]") -> None:
        """Draw copies, chunk after chunk; each chunk has its own generator and its own rows."""
        self.clear()
        drop, rate = self.writer.row.drop, self.writer.context.model.rate
        assert drop is not None
        for at, x, where, rows in copies:
            left = drop(x, chunk_generator(*where), rows, rate)
            self.memory[at : at + len(left)] = left

    def outputs(self, rows: int | None = None) -> np.ndarray:
        """Classify lists of our own making, so that the classifier may do with them what it likes.

        A tensor that it returns becomes an array.
        """
        return self.classify([list(one) for one in self.memory[:rows]])

    def rows(self) -> np.ndarray:
        """Return the sequences."""
        return hold_sequences(self.memory)

    def outputs_for(self, rows: np.ndarray) -> np.ndarray:
        """Take these sequences into the batch and classify them."""
        self.memory[: len(rows)] = list(rows)
        return self.outputs(len(rows))

    def clear(self) -> None:
        """Make all sequences empty, as at first."""
        self.memory = [()] * self.size


def convert_batch(inputs: Any, noise: NoiseModel | str) -> np.ndarray:
    """Return a caller's inputs as this noise needs them: sequences of tokens, or numbers."""
    return convert_inputs(inputs) if takes_numbers(inputs, noise) else convert_sequences(inputs)


def takes_numbers(inputs: Any, noise: NoiseModel | str) -> bool:
    """Say whether the noise is for arrays of numbers; refuse texts for such a noise."""
    name = noise.name if isinstance(noise, NoiseModel) else noise
    if choose("noise", name, NOISES).drop is not None:
        return False
    require(
        not _holds_texts(inputs),
        f"noise must be deletion for sequences of tokens, got {name}: it is for arrays of numbers",
    )
    return True


def _holds_texts(inputs: Any) -> bool:
    """Say whether inputs begin with a text, or with a list that begins with one."""
    if isinstance(inputs, np.ndarray):
        return inputs.dtype == object and are_sequences(inputs)
    first = inputs[0] if isinstance(inputs, (list, tuple)) and inputs else None
    return isinstance(first[0] if isinstance(first, (list, tuple)) and first else first, str)
