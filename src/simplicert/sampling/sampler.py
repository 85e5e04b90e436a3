"""Turn inputs into tallies with one classifier on one device.

Sampler               prepares the classifier, probes it once, and draws tallies
PilotResult           what earlier draws of the same inputs decided for later ones
decide_compilation    whether torch.compile pays off, decided once from the planned work of the
                      whole run
"""

import time
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from simplicert.data.sequences import are_sequences, hold_sequences
from simplicert.errors import require
from simplicert.models.model import is_module
from simplicert.noises.certainty import is_certain
from simplicert.sampling import loop
from simplicert.sampling.forward import call_with_retries, first_outputs, retry_calls
from simplicert.sampling.loop import AfterBatch, DrawingLoop, go_on
from simplicert.sampling.noise import PILOT, chunk_rows
from simplicert.sampling.noisy import NoisyClassifier, NoisyCopies
from simplicert.sampling.outputs import RunningSums, keep_leading_sums
from simplicert.sampling.probe import ProbeResult, probe_classifier
from simplicert.sampling.settings import LEADERS, PILOT_FOR_LEADERS, SamplingSettings
from simplicert.types import Ints, Plan, Tally

ROWS, COLUMNS = 4, 8  # of the probe's outputs that a run keeps, to recognise its model
WORTH = 600.0  # seconds of eager work from which compiling (about a minute) pays off


class PilotResult(NamedTuple):
    """What earlier draws of the same inputs decided for all later ones."""

    pilot: Ints | None
    leaders: Ints | None


class Sampler:
    """One classifier, one device, one shape of batch."""

    def __init__(
        self,
        classifier: Any,
        example: np.ndarray,
        settings: SamplingSettings,
        tensors: bool = False,
    ) -> None:
        """`example`: (M, ...) a few inputs for the probe; `tensors`: a function of tensors."""
        smoothing = settings.smoothing
        self.settings = settings
        self.noisy = NoisyClassifier(classifier, smoothing, settings.device, settings.compiled)
        self.evaluation = self.noisy.on(example.shape[1:], tensors)
        self.chunk = chunk_rows(settings.batch_size)
        self.batch = self.evaluation.batch(settings.batch_size, self.chunk)
        self.probe_result, self.classes, self.probe_outputs = self._probe(example)
        self.exact = is_certain(smoothing.noise)  # then nothing may be random
        require(
            not (self.exact and self.probe_result.random),
            f"classifier must not be random by itself with {smoothing.noise.name} noise, whose "
            "certificates hold with certainty",
        )
        self.loop = DrawingLoop(
            self.batch,
            settings.batch_size,
            self.chunk,
            self.evaluation.read,
            self.probe_result.packable,
            settings.seed,
        )

    def _probe(self, example: np.ndarray) -> tuple[ProbeResult, int, np.ndarray]:
        """Classify two noisy batches of the example inputs, and check shape and independence.

        The outputs of a few rows are returned too: what the model does, whatever it is made of.
        """
        smoothing, laid_out = self.settings.smoothing, self.evaluation.lay_out(example)
        one, other = (self._example_batch(laid_out, turn) for turn in range(2))
        outputs = first_outputs(lambda: self.batch.outputs_for(one), (len(one), *example.shape[1:]))
        classes = self.evaluation.count_classes(outputs, len(one))
        if are_sequences(one):  # a copy may lose all of its tokens
            other = hold_sequences([()] * len(one))
            first_outputs(lambda: self.batch.outputs_for(other), one.shape)
            # Short ones beside long ones and beside none: a model may pad to the longest.
            one = hold_sequences(sorted(one, key=len))
        self.normalised = smoothing.outputs != "labels" and sums_to_one(outputs)
        result = probe_classifier(
            retry_calls(self.batch.outputs_for), one, other, smoothing.autocast
        )
        return result, classes, outputs.reshape(len(outputs), -1)[:: self.chunk][:ROWS, :COLUMNS]

    def _example_batch(self, inputs: np.ndarray, turn: int) -> np.ndarray:
        """Return noisy copies of the example inputs, in another order each turn."""
        rows = slice(0, self.chunk)
        self.batch.fill(
            [
                NoisyCopies(
                    number * self.chunk,
                    inputs[(number + turn) % len(inputs)],
                    (self.settings.seed, number, turn, PILOT),
                    rows,
                )
                for number in range(self.settings.batch_size // self.chunk)
            ]
        )
        return self.batch.rows()

    def tally(
        self,
        inputs: np.ndarray,
        index: Ints,
        span: tuple[int, int],
        *,
        labels: Ints | None = None,
        plan: Plan | None = None,
        before: Tally | PilotResult | None = None,
        after_batch: AfterBatch = go_on,
        keep_finished: bool = False,
    ) -> Tally | None:
        """Draw span[0]..span[1]-1 of each input into a tally that knows which draws it holds.

        `before` holds earlier draws of the same inputs in the same order: their pilot is not drawn
        again. If `after_batch` stops it, the tally holds the completed inputs; None if none are.
        With `keep_finished` a classifier that fails stops it too, once an input is complete.
        """
        settings = self.settings
        smoothing = settings.smoothing
        self.evaluation.refuse_off_grid(inputs, index)
        rows = self.evaluation.lay_out(inputs)
        soft = smoothing.outputs != "labels" and not self.exact
        pilot, leaders = (
            self._pilot(rows, index, soft) if before is None else (before.pilot, before.leaders)
        )
        totals = RunningSums(len(rows), self.classes, soft, leaders, settings.bins)
        done = loop.draw_inputs(
            self.loop,
            rows,
            index,
            span,
            totals,
            after_batch=after_batch,
            keep_finished=keep_finished,
        )
        if done == 0:
            return None
        seeds = np.full(len(index), settings.seed)
        ends = np.tile(span, (len(index), 1))
        votes = totals.votes
        fields = {
            "counts": totals.counts[:, :-1],
            "invalid": totals.counts[:, -1],
            "labels": labels,
            "index": index,
            "votes": None if votes is None else votes[:, :-1],
            "votes_invalid": None if votes is None else votes[:, -1],
            "leaders": leaders,
            "histograms": totals.histograms,
            "pilot": pilot if settings.pilot else None,
            "segments": np.column_stack([index, seeds, ends]),
        }
        if totals.sums is not None and totals.squares is not None:
            fields |= keep_leading_sums(totals.sums, totals.squares)._asdict()
        complete: dict[str, Any] = {
            name: None if values is None else values[:done] for name, values in fields.items()
        }
        return Tally(
            **complete,
            sigma=smoothing.sigma,
            plan=plan,
            norm=smoothing.norm,
            grid=smoothing.grid,
            reading=smoothing.reading,
            noise=self.evaluation.smoothing.noise,
            lipschitz=settings.lipschitz,
        )

    def _pilot(self, rows: np.ndarray, index: Ints, soft: bool) -> tuple[Ints | None, Ints | None]:
        """Return the counts of separate draws, and the leading classes by mean score in them."""
        settings = self.settings
        wanted = settings.histograms and soft
        draws = settings.pilot or (PILOT_FOR_LEADERS if wanted else 0)
        totals = RunningSums(len(rows), self.classes, soft, None)
        if draws:
            loop.draw_inputs(self.loop, rows, index, (0, draws), totals, pilot=True)
        if not wanted or totals.sums is None:
            return totals.counts[:, :-1], None
        most = min(LEADERS, self.classes - 1)
        leaders = np.argsort(-totals.sums, axis=1, kind="stable")[:, :most]
        return totals.counts[:, :-1], leaders


def sums_to_one(outputs: np.ndarray) -> bool:
    """Return whether rows are not negative and sum to 1: probabilities rather than logits."""
    return bool((outputs >= 0).all() and np.allclose(outputs.sum(axis=1), 1, rtol=0, atol=1e-4))


def decide_compilation(
    classifier: Any,
    example: np.ndarray,
    settings: SamplingSettings,
    draws: int,
    requested: bool | None,
    tensors: bool = False,
) -> SamplingSettings:
    """Return the settings with `compiled` set: as requested, or where the draws are worth it."""
    if are_sequences(example):
        require(not requested, "compile must not be asked for a classifier of sequences of tokens")
        return settings
    if not is_module(classifier):
        require(not requested, "compile must not be asked for a classifier that is no torch module")
        return settings
    if _contains_torchscript(classifier):
        require(
            not requested, "compile must not be asked for TorchScript: torch.compile refuses it"
        )
        return settings
    if requested is not None:
        require(not requested or can_compile(), "compile needs a C++ compiler, and none was found")
        return replace(settings, compiled=requested)
    if draws < settings.batch_size or not can_compile():
        return settings
    sampler = Sampler(classifier, example, settings, tensors)
    start = time.perf_counter()
    call_with_retries(sampler.batch.outputs, sampler.batch.clear)
    planned = (time.perf_counter() - start) * draws / settings.batch_size
    return replace(settings, compiled=planned > WORTH)


def can_compile() -> bool:
    """Return whether there is a C++ compiler, which torch.compile needs on the CPU."""
    import shutil

    return any(shutil.which(name) for name in ("g++", "c++", "clang++", "cl"))


def _contains_torchscript(module: Any) -> bool:
    """Return whether it is TorchScript, or TorchScript behind a normalisation."""
    import torch

    return any(isinstance(part, torch.jit.ScriptModule) for part in module.modules())
