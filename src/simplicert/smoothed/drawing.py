"""Noisy copies through a classifier, now: for a deployed classifier, not for a run.

Unlike a run's, these draws depend on what is asked together; a seed makes one call repeatable.
"""

import contextlib
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from simplicert.errors import SimplicertError, require
from simplicert.models.model import is_module
from simplicert.sampling.forward import failed
from simplicert.sampling.score import Scores, reader
from simplicert.types import Floats, Ints


@dataclass(frozen=True)
class Source:
    """A classifier under noise: what it is, how it is read, and how much noise it gets."""

    classifier: Any
    sigma: float
    outputs: str
    num_classes: int | None
    scale: np.ndarray | None
    batch_size: int
    device: str | None

    def votes(self, inputs: Any, draws: int, soft: bool, random: np.random.Generator) -> Ints:
        """(N, K) one vote a draw: the class itself, or one drawn by the softmax scores.

        A vote by scores has the scores' mean as its expectation, so that the same test decides
        which mean is the largest (STATISTICS.md B2). A draw without an answer votes for nobody.
        """
        found: Ints | None = None
        for rows, scores in self.batches(inputs, draws, random):
            classes = int(scores.classes)
            if found is None:
                found = np.zeros((len(inputs), classes + 1), np.int64)
            chosen = drawn(scores.soft, random) if soft else scores.hard
            np.add.at(found, (rows, chosen), 1)
        assert found is not None
        return found[:, :-1]

    def batches(
        self, inputs: Any, draws: int, random: np.random.Generator
    ) -> Iterator[tuple[Ints, "Read"]]:
        """Each batch: which input each row is of, and what the classifier said."""
        read = reader(self.outputs, self.num_classes)
        rows = np.repeat(np.arange(len(inputs)), draws)
        run = self.torch_rows if is_torch(self.classifier, inputs) else self.array_rows
        with evaluated(self.classifier):
            for start in range(0, len(rows), self.batch_size):
                block = rows[start : start + self.batch_size]
                try:
                    outputs = run(inputs, block, random)
                except Exception as error:  # foreign code may raise anything
                    if start or isinstance(error, SimplicertError):
                        raise
                    raise failed((len(block), *inputs.shape[1:]), error) from error
                yield block, checked(read(outputs), outputs, self)

    def array_rows(self, inputs: Any, block: Ints, random: np.random.Generator) -> np.ndarray:
        """Through a function of NumPy arrays."""
        clean = np.asarray(inputs, dtype=np.float32)[block]
        noise = random.standard_normal(clean.shape, dtype=np.float32)
        return np.asarray(self.classifier(clean + self.spread(clean.shape[1:]) * noise))

    def torch_rows(self, inputs: Any, block: Ints, random: np.random.Generator) -> np.ndarray:
        """Through a torch module or function, noise made on its device."""
        import torch

        device = self.device or device_of(self.classifier, inputs)
        generator = torch.Generator(device).manual_seed(int(random.integers(2**62)))
        with torch.inference_mode():
            clean = torch.as_tensor(inputs).to(device, torch.float32)
            clean = clean[torch.from_numpy(block).to(device)]
            spread = torch.as_tensor(self.spread(tuple(clean.shape[1:])), device=device)
            noise = torch.randn(clean.shape, generator=generator, device=device)
            outputs = self.classifier(clean + spread * noise)
        whole = outputs.dtype in (torch.int32, torch.int64)
        return np.asarray((outputs if whole else outputs.float()).cpu().numpy())

    def spread(self, shape: tuple[int, ...]) -> np.ndarray:
        """Standard deviation of the noise, of all features or of each."""
        if self.scale is None:
            return np.asarray(self.sigma, np.float32)
        return np.asarray(self.sigma * np.broadcast_to(self.scale, shape), np.float32)


@dataclass(frozen=True)
class Read:
    """Scores with the number of classes, which labels alone do not tell."""

    hard: Ints
    soft: Floats | None
    classes: int


def checked(scores: Scores, outputs: np.ndarray, source: Source) -> Read:
    """Refuse outputs of another number of classes than was said."""
    classes = source.num_classes
    if scores.soft is not None:
        require(
            classes in (None, scores.soft.shape[1]),
            f"classifier must have num_classes = {classes} outputs, got {outputs.shape}",
        )
        classes = scores.soft.shape[1]
    assert classes is not None  # the reader of labels has asked for it
    return Read(scores.hard, scores.soft, classes)


def drawn(soft: Floats | None, random: np.random.Generator) -> Ints:
    """(B,) a class for each row by its scores; K, nobody, by the mass that is missing."""
    require(soft is not None, 'kind must be multinomial with outputs="labels": there are no scores')
    assert soft is not None
    lots = random.random((len(soft), 1))
    return np.asarray((soft.cumsum(axis=1) <= lots).sum(axis=1))


def is_torch(classifier: Any, inputs: Any) -> bool:
    """A module always gets tensors; a function gets what the inputs are."""
    return is_module(classifier) or hasattr(inputs, "detach")


def device_of(classifier: Any, inputs: Any) -> str:
    """Where a module's weights are; else where the inputs are."""
    parameters = getattr(classifier, "parameters", None)
    first = next(iter(parameters()), None) if callable(parameters) else None
    found = first if first is not None else inputs
    return str(found.device) if hasattr(found, "detach") else "cpu"


@contextlib.contextmanager
def evaluated(classifier: Any) -> Iterator[None]:
    """A module in eval mode, and afterwards as it was: training goes on where it was."""
    training = getattr(classifier, "training", False)
    if training and is_module(classifier):
        classifier.eval()
    try:
        yield
    finally:
        if training and is_module(classifier):
            classifier.train()


def generator_of(seed: int | None) -> np.random.Generator:
    """By a seed, or by the machine's entropy."""
    return np.random.default_rng(secrets.randbits(128) if seed is None else seed)
