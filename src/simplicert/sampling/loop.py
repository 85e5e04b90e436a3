"""The drawing loop: which draws fill which rows of a batch, and where their outputs are counted."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np

from simplicert.errors import InvalidInput
from simplicert.sampling.batch import NoisyCopies, SamplingBatch
from simplicert.sampling.forward import ClassifierFailed, call_with_retries
from simplicert.sampling.noise import (
    NOISE,
    PILOT,
    PILOT_VOTES,
    VOTES,
    chunk_generator,
    stream_number,
)
from simplicert.sampling.score import Scores
from simplicert.types import Floats, Ints

# The pilot is the same whatever the seed: tallies of other seeds then share leaders and pilot, and
# can be added. Its draws are in a stream of their own, so it is separate from every tally's.
PILOT_SEED = 0

STREAMS = {False: (NOISE, VOTES), True: (PILOT, PILOT_VOTES)}

AfterBatch = Callable[[int, int], bool]


def go_on(rows: int, complete: int) -> bool:
    """Never stop."""
    return False


class DrawCounter(Protocol):
    """Where draws are counted."""

    classes: int

    def add(self, slots: Ints, scores: Scores, lots: Floats) -> None:
        """One batch: row i belongs to input slots[i] (not falling), lots[i] is its lot."""


class ChunkSlice(NamedTuple):
    """Some rows of one chunk of one input."""

    slot: int  # which input of the block
    chunk: int
    rows: slice


class DrawingLoop(NamedTuple):
    """What the loop needs, made once for a classifier."""

    batch: SamplingBatch
    size: int  # rows of a batch
    chunk: int  # rows of a chunk
    read: Callable[[np.ndarray], Scores]
    packable: bool  # inputs may share a batch without changing a bit
    seed: int
    whole: bool = True  # passes of whole batches only: kernels give other last bits for fewer

    def passed(self, filled: int) -> int:
        """Rows of the pass that classifies so many."""
        return self.size if self.whole else min(self.size, max(2, 1 << (filled - 1).bit_length()))


def chunk_slices(slots: int, first: int, stop: int, chunk: int) -> Iterator[ChunkSlice]:
    """The draws first..stop-1 of every input, chunk by chunk."""
    for slot in range(slots):
        for number in range(first // chunk, -(-stop // chunk)):
            start = max(first - number * chunk, 0)
            yield ChunkSlice(slot, number, slice(start, min(stop - number * chunk, chunk)))


def pack_batches(
    work: Iterator[ChunkSlice], size: int, together: bool
) -> Iterator[list[ChunkSlice]]:
    """Pieces that fill one batch after another; `together`: inputs may share a batch."""
    group: list[ChunkSlice] = []
    used = 0
    for piece in work:
        rows = piece.rows.stop - piece.rows.start
        if group and (used + rows > size or not (together or piece.slot == group[-1].slot)):
            yield group
            group, used = [], 0
        group.append(piece)
        used += rows
    if group:
        yield group


def _classify_batch(loop: DrawingLoop, rows: int, classes: int) -> np.ndarray:
    """The outputs for the batch; others than it gave at first would be counted for other inputs."""
    outputs = loop.batch.outputs(rows)
    allowed = (rows,), (rows, classes)
    if outputs.shape not in allowed:
        raise InvalidInput(f"its outputs have shape {outputs.shape}, and had {allowed[1]} at first")
    return outputs


def _refill_batch(batch: SamplingBatch, copies: Sequence[NoisyCopies]) -> None:
    """The same rows anew, and no others: the classifier may have failed on those around them."""
    batch.clear()
    batch.fill(copies)


def draw_inputs(
    loop: DrawingLoop,
    inputs: np.ndarray,
    items: np.ndarray,
    span: tuple[int, int],
    ledger: DrawCounter,
    *,
    pilot: bool = False,
    after_batch: AfterBatch = go_on,
    keep_finished: bool = False,
) -> int:
    """Draw span[0]..span[1]-1 of each input into the ledger; the number of inputs completed.

    `after_batch` is told the rows drawn and the inputs completed, and stops the loop by True. So
    does a classifier that fails, with `keep_finished`, once an input is complete.
    """
    complete = 0
    noise, votes = (stream_number(stream, loop.chunk) for stream in STREAMS[pilot])
    slots, lots = np.empty(loop.size, np.int64), np.empty(loop.size)
    for group in pack_batches(
        chunk_slices(len(inputs), *span, loop.chunk), loop.size, loop.packable
    ):
        at, copies = 0, []
        for slot, chunk, rows in group:
            end = at + rows.stop - rows.start
            where = (PILOT_SEED if pilot else loop.seed, int(items[slot]), chunk)
            copies.append(NoisyCopies(at, inputs[slot], (*where, noise), rows))
            slots[at:end] = slot
            lots[at:end] = chunk_generator(*where, votes).random(rows.stop)[rows]
            at = end
        loop.batch.fill(copies)
        asked = partial(_classify_batch, loop, loop.passed(at), ledger.classes)
        try:
            outputs = call_with_retries(asked, partial(_refill_batch, loop.batch, copies))
        except ClassifierFailed:
            if complete and keep_finished:
                return complete
            raise
        ledger.add(slots[:at], loop.read(outputs[:at]), lots[:at])
        last = group[-1]
        ended = last.chunk * loop.chunk + last.rows.stop == span[1]
        complete = last.slot + int(ended)
        if after_batch(at, complete) and complete < len(inputs):
            return complete
    return len(inputs)
