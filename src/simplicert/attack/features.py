"""Change whole features of an input, as few as possible: pixels of an image, else numbers.

A path is an order of features with a new value for each: so many of the first are changed. The
order comes from ablated copies themselves: a feature whose presence speaks for the certified class
comes first. New values are corners of the range of the data, and never the mark of absence.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simplicert.attack.gradients import MORE, ClassLoss
from simplicert.noises import NOISES
from simplicert.sampling import Sampler
from simplicert.sampling.forward import retry_calls
from simplicert.types import Floats, Ints

IMAGE = 3  # axes of an input whose features are pixels


@dataclass(frozen=True, eq=False)
class FeatureBall:
    """The inputs that differ from one in some features, counted."""

    centre: np.ndarray  # float32, the input
    low: float  # range of the data
    high: float
    absent: float  # the mark, which no feature may have

    @property
    def size(self) -> int:
        """The number of features."""
        return int(
            np.prod(self.centre.shape[1:] if self.centre.ndim == IMAGE else self.centre.shape)
        )

    def _rows(self, values: np.ndarray) -> np.ndarray:
        """Return (parts, features): an image has a part for each channel."""
        parts = len(values) if values.ndim == IMAGE else 1
        return values.reshape(parts, -1)

    def norm(self, point: np.ndarray) -> float:
        """Return the number of features that differ."""
        return float((self._rows(point) != self._rows(self.centre)).any(axis=0).sum())

    def replaced(self, order: Ints, values: np.ndarray, count: int) -> np.ndarray:
        """Return the input with the first `count` features of the order at their new values."""
        point = self.centre.copy()
        chosen = order[:count]
        self._rows(point)[:, chosen] = self._rows(values)[:, chosen]
        return point

    def put(self, values: np.ndarray, others: np.ndarray, place: int) -> None:
        """Take the values of one feature from another array, in place."""
        self._rows(values)[:, place] = self._rows(others)[:, place]

    def corners(self, random: np.random.Generator) -> list[np.ndarray]:
        """Return images of new values: the far end of the range, both ends, and random ends."""
        ends = np.array([self._avoid_mark(end) for end in (self.low, self.high)], np.float32)
        far = np.where(self.centre < (ends[0] + ends[1]) / 2, ends[1], ends[0])
        flat = [np.full_like(self.centre, end) for end in ends]
        return [far, *flat, random.choice(ends, self.centre.shape)]

    def _avoid_mark(self, value: float) -> float:
        """Return the value, or one next to it if it is the mark of absence."""
        single = np.float32(value)
        if single != np.float32(self.absent):
            return float(single)
        return float(np.nextafter(single, np.float32((self.low + self.high) / 2)))

    def perturbation(self, point: np.ndarray) -> np.ndarray:
        """Return what is added to the input, in doubles; the float32 sum is the point, exactly."""
        return np.asarray(point.astype(np.float64) - self.centre.astype(np.float64))


@dataclass(frozen=True, eq=False)
class FeaturePath:
    """An order of features and their new values."""

    ball: FeatureBall
    order: Ints
    values: np.ndarray

    def at(self, distance: float) -> np.ndarray:
        """Return the input with so many features changed."""
        return self.ball.replaced(self.order, self.values, int(distance))

    def within(self, radius: float) -> np.ndarray:
        """Return the input with as many features changed as the radius covers."""
        return self.at(radius)

    def swapped(self, count: int, random: np.random.Generator, value: np.ndarray) -> "FeaturePath":
        """Return the path with one of its first `count` features exchanged for a later one."""
        order, values = self.order.copy(), self.values.copy()
        out = int(random.integers(count))
        other = int(random.integers(count, len(order))) if count < len(order) else out
        order[[out, other]] = order[[other, out]]
        self.ball.put(values, value, int(order[out]))
        return FeaturePath(self.ball, order, values)


class FeatureImportance:
    """Ranks features by what their presence in ablated copies does to a loss."""

    name = "ablation"

    def __init__(self, sampler: Sampler, copies: int, seed: int) -> None:
        """Use whole batches, at least MORE times the copies."""
        self.sampler, self.batches = sampler, -(-MORE * copies // sampler.settings.batch_size)
        self.random = np.random.default_rng(seed)
        self.draws = 0

    def order(self, ball: FeatureBall, point: np.ndarray, loss: ClassLoss) -> Ints:
        """Return features, those first whose presence lowers the loss most."""
        drawn = [self._batch(ball, point) for _ in range(self.batches)]
        kept = np.concatenate([one for one, _ in drawn])
        scores = np.concatenate([values for _, values in drawn])
        worth = scores @ loss.weights(scores.mean(axis=0))
        return np.argsort((worth - worth.mean()) @ kept, kind="stable")

    def direction(self, *_: object) -> None:
        """Features have no direction."""

    def _batch(self, ball: FeatureBall, point: np.ndarray) -> tuple[Floats, Floats]:
        """Return which features copies kept, and the scores (or the class) of each copy."""
        sampler, size = self.sampler, self.sampler.settings.batch_size
        (laid_out,) = sampler.evaluation.lay_out(point[None])
        rows = np.empty((size, *laid_out.shape), np.float32)
        write = NOISES["ablation"].write
        assert write is not None
        write(rows, laid_out, self.random, slice(0, size), sampler.batch.writer.context)
        outputs = retry_calls(sampler.batch.outputs_for)(rows)
        self.draws += size
        read = sampler.evaluation.read(outputs)
        present = rows != np.float32(ball.absent)
        if sampler.evaluation.channels_last:
            present = np.moveaxis(present, -1, 1)
        if present.ndim == IMAGE + 1:
            present = present.any(axis=1)
        one_hot = np.eye(sampler.classes + 1)[read.hard][:, :-1]
        return present.reshape(size, -1) * 1.0, one_hot if read.soft is None else read.soft


def data_range(inputs: Sequence[np.ndarray] | np.ndarray) -> tuple[float, float]:
    """Return the least and the largest value of some inputs."""
    return float(np.min(inputs)), float(np.max(inputs))
