"""Run the drawing loop: fill batches with draws, classify them, and count the outputs."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np

from simplicert.errors import InvalidInput
from simplicert.sampling.calls import BudgetSpent
from simplicert.sampling.forward import ClassifierFailed, call_with_retries
from simplicert.sampling.noise import (
    NOISE,
    PILOT,
    PILOT_VOTES,
    VOTES,
    chunk_generator,
    stream_number,
)
from simplicert.sampling.noisy import NoisyCopies, SamplingBatch
from simplicert.sampling.outputs import Scores
from simplicert.types import Floats, Ints

# The pilot is the same whatever the seed: tallies of other seeds then share leaders and pilot, and
# can be added. Its draws are in a stream of their own, so it is separate from every tally's.
PILOT_SEED = 0

STREAMS = {False: (NOISE, VOTES), True: (PILOT, PILOT_VOTES)}  # by whether it is the pilot
AfterBatch = Callable[[int, int], bool]  # (rows drawn, inputs completed) -> whether to stop


class DrawCounter(Protocol):
    """What the loop adds its draws to."""

    classes: int

    def add(self, slots: Ints, scores: Scores, uniforms: Floats) -> None:
        """Count one batch: row i is of input slots[i] (ascending); uniforms[i] picks its vote."""


class ChunkSlice(NamedTuple):
    """Some rows of one chunk of one input."""

    slot: int  # which input of the block
    chunk: int
    rows: slice


class DrawingLoop(NamedTuple):
    """What the loop needs; it is made once for a classifier."""

    batch: SamplingBatch
    size: int  # rows of a batch
    chunk: int  # rows of a chunk
    read: Callable[[np.ndarray], Scores]
    packable: bool  # inputs may share a batch without changing a bit
    seed: int
    pass_rows: Callable[[int], int]  # how many rows to classify when so many are filled


def pass_whole(size: int) -> Callable[[int], int]:
    """Classify whole batches only: kernels give other last bits for fewer rows."""
    return lambda filled: size


def pass_filled(filled: int) -> int:
    """Classify what is filled and nothing else, where every row has its price."""
    return filled


def pass_rounded(size: int) -> Callable[[int], int]:
    """Classify the next power of two: few shapes, each of which kernels prepare for once."""
    return lambda filled: min(size, max(2, 1 << (filled - 1).bit_length()))


def go_on(rows: int, complete: int) -> bool:
    """Never stop: the default."""
    return False


def draw_inputs(
    loop: DrawingLoop,
    inputs: np.ndarray,
    items: np.ndarray,
    span: tuple[int, int],
    counter: DrawCounter,
    *,
    pilot: bool = False,
    after_batch: AfterBatch = go_on,
    keep_finished: bool = False,
) -> int:
    """Count draws span[0]..span[1]-1 of each input; return the number of inputs completed.

    `after_batch` gets the rows drawn and the inputs completed, and returns True to stop. With
    `keep_finished` a classifier that fails stops the loop too, once an input is complete.
    """
    complete = 0
    noise, votes = (stream_number(stream, loop.chunk) for stream in STREAMS[pilot])
    slots, uniforms = np.empty(loop.size, np.int64), np.empty(loop.size)
    for group in pack_batches(
        chunk_slices(len(inputs), *span, loop.chunk), loop.size, loop.packable
    ):
        at, copies = 0, []
        for slot, chunk, rows in group:
            end = at + rows.stop - rows.start
            where = (PILOT_SEED if pilot else loop.seed, int(items[slot]), chunk)
            copies.append(NoisyCopies(at, inputs[slot], (*where, noise), rows))
            slots[at:end] = slot
            uniforms[at:end] = chunk_generator(*where, votes).random(rows.stop)[rows]
            at = end
        loop.batch.fill(copies)
        classify = partial(_classify_batch, loop, loop.pass_rows(at), counter.classes)
        try:
            outputs = call_with_retries(classify, partial(_refill_batch, loop.batch, copies))
        except (ClassifierFailed, BudgetSpent):
            if complete and keep_finished:
                return complete
            raise
        counter.add(slots[:at], loop.read(outputs[:at]), uniforms[:at])
        last = group[-1]
        at_end = last.chunk * loop.chunk + last.rows.stop == span[1]
        complete = last.slot + int(at_end)
        if after_batch(at, complete) and complete < len(inputs):
            return complete
    return len(inputs)


def chunk_slices(slots: int, first: int, stop: int, chunk: int) -> Iterator[ChunkSlice]:
    """Yield the draws first..stop-1 of every input, chunk by chunk."""
    for slot in range(slots):
        for number in range(first // chunk, -(-stop // chunk)):
            start = max(first - number * chunk, 0)
            yield ChunkSlice(slot, number, slice(start, min(stop - number * chunk, chunk)))


def pack_batches(
    work: Iterator[ChunkSlice], size: int, together: bool
) -> Iterator[list[ChunkSlice]]:
    """Group pieces into one batch after another; `together`: inputs may share a batch."""
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
    """Classify the batch; outputs of another shape would be counted for other inputs."""
    outputs = loop.batch.outputs(rows)
    allowed = (rows,), (rows, classes)
    if outputs.shape not in allowed:
        raise InvalidInput(f"its outputs have shape {outputs.shape}, and had {allowed[1]} at first")
    return outputs


def _refill_batch(batch: SamplingBatch, copies: Sequence[NoisyCopies]) -> None:
    """Write the same rows again, and clear the others: the classifier may have failed on those."""
    batch.clear()
    batch.fill(copies)
