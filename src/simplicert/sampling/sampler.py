"""Turn inputs into tallies with one classifier on one device.

Sampler               prepares the classifier, probes it once, and draws tallies
PilotResult           what earlier draws of the same inputs decided for later ones
prepare_sampler       the sampler, compiled where torch.compile pays off, which is decided once from
                      the planned work of the whole run
choose_probe          how many rows the probe's passes have where few draws are planned
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from simplicert.data.sequences import are_sequences, hold_sequences
from simplicert.errors import require
from simplicert.models.model import is_module
from simplicert.noises.certainty import is_certain
from simplicert.sampling import loop
from simplicert.sampling.calls import CallMeter
from simplicert.sampling.forward import first_outputs, retry_calls
from simplicert.sampling.loop import AfterBatch, DrawingLoop, go_on, pass_filled, pass_whole
from simplicert.sampling.noise import PILOT, chunk_rows
from simplicert.sampling.noisy import NoisyClassifier, NoisyCopies
from simplicert.sampling.outputs import RunningSums, keep_leading_sums
from simplicert.sampling.probe import ProbeResult, probe_classifier
from simplicert.sampling.settings import LEADERS, PILOT_FOR_LEADERS, SamplingSettings
from simplicert.types import Ints, Plan, Tally

ROWS, COLUMNS = 4, 8  # of the probe's outputs that a run keeps, to recognise its model
PROBE_SHARE = 32  # of the draws, a pass of the probe has one in so many
FEWEST_ROWS = 3  # of such a pass: a row must have others that it may depend on
FEW_INPUTS, FEW_ROWS = 16, 2048  # up to which every input has passes of its own
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
        meter: CallMeter | None = None,
    ) -> None:
        """`example`: (M, ...) a few inputs for the probe; `tensors`: a function of tensors."""
        smoothing = settings.smoothing
        self.settings = settings
        self.noisy = NoisyClassifier(
            classifier, smoothing, settings.device, settings.compiled, meter
        )
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
        whole = settings.probe_rows is None
        self.loop = DrawingLoop(
            self.batch,
            settings.batch_size,
            self.chunk,
            self.evaluation.read,
            self.probe_result.packable and whole,  # it was not looked at with fewer rows
            settings.seed,
            pass_whole(settings.batch_size) if whole else pass_filled,
        )

    def _probe(self, example: np.ndarray) -> tuple[ProbeResult, int, np.ndarray]:
        """Classify two noisy batches of the example inputs, and check shape and independence.

        The outputs of a few rows are returned too: what the model does, whatever it is made of.
        """
        smoothing, laid_out = self.settings.smoothing, self.evaluation.lay_out(example)
        few = self.settings.probe_rows
        piece = self.chunk if few is None else max(few // ROWS, 1)  # rows of one input
        one, other = (self._example_batch(laid_out, turn, piece) for turn in range(2))
        outputs = first_outputs(lambda: self.batch.outputs_for(one), (len(one), *example.shape[1:]))
        classes, first = self.evaluation.count_classes(outputs, len(one)), outputs
        forward = retry_calls(self.batch.outputs_for)
        if are_sequences(one):  # a copy may lose all of its tokens
            other = hold_sequences([()] * len(one))
            first_outputs(lambda: self.batch.outputs_for(other), one.shape)
            # Short ones beside long ones and beside none: a model may pad to the longest.
            one = hold_sequences(sorted(one, key=len))
            first = forward(one)
        self.normalised = smoothing.outputs != "labels" and sums_to_one(outputs)
        result = probe_classifier(forward, one, first, other, smoothing.autocast)
        return result, classes, outputs.reshape(len(outputs), -1)[::piece][:ROWS, :COLUMNS]

    def _example_batch(self, inputs: np.ndarray, turn: int, piece: int) -> np.ndarray:
        """Return noisy copies of the example inputs, `piece` of each, in another order each turn.

        Rows that are not filled are those of an empty batch.
        """
        rows = self.settings.probe_rows or self.settings.batch_size
        self.batch.fill(
            [
                NoisyCopies(
                    number * piece,
                    inputs[(number + turn) % len(inputs)],
                    (self.settings.seed, number, turn, PILOT),
                    slice(0, piece),
                )
                for number in range(rows // piece)
            ]
        )
        return self.batch.rows()[:rows]

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
        With `keep_finished` a classifier that fails stops it too, once an input is complete, and so
        does a budget, which is spent on whole inputs.
        """
        settings = self.settings
        smoothing = settings.smoothing
        if keep_finished:
            inputs, index = self._afford(inputs, index, span, pilot=before is None)
            labels = None if labels is None else labels[: len(index)]
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

    def _afford(
        self, inputs: np.ndarray, index: Ints, span: tuple[int, int], pilot: bool
    ) -> tuple[np.ndarray, Ints]:
        """Return the first inputs, as many as the budget has calls for."""
        each = span[1] - span[0] + (self.pilot_draws if pilot else 0)
        most = self.noisy.meter.afford(len(index), each)
        return inputs[:most], index[:most]

    @property
    def pilot_draws(self) -> int:
        """Separate draws of each input that choose the leading classes, or that were asked for."""
        settings = self.settings
        soft = settings.smoothing.outputs != "labels" and not self.exact
        return settings.pilot or (PILOT_FOR_LEADERS if settings.histograms and soft else 0)

    def _pilot(self, rows: np.ndarray, index: Ints, soft: bool) -> tuple[Ints | None, Ints | None]:
        """Return the counts of separate draws, and the leading classes by mean score in them."""
        settings = self.settings
        wanted, draws = settings.histograms and soft, self.pilot_draws
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


def choose_probe(size: int, inputs: int, rows: int, budget: int | None = None) -> int | None:
    """Return how many rows the probe's passes have where `rows` draws are planned in all.

    The probe has six passes, so that a share of 1 in 32 costs a fifth of the draws. None stands for
    whole batches of `size` rows, which inputs may share: right for many draws, and for many inputs
    of a few draws each. With a budget no pass is ever filled up, because every row counts.
    """
    rows = rows if budget is None else min(rows, budget)
    few = min(max(rows // PROBE_SHARE, FEWEST_ROWS), size)
    many = few == size or (inputs > FEW_INPUTS and rows >= FEW_ROWS)
    return None if many and budget is None else few


def prepare_sampler(
    classifier: Any,
    example: np.ndarray,
    settings: SamplingSettings,
    draws: int,
    requested: bool | None,
    *,
    tensors: bool = False,
    meter: CallMeter | None = None,
) -> Sampler:
    """Return the sampler, compiled as requested, or where so many draws are worth it.

    The probe of the sampler that is not compiled tells how long a pass takes, so that asking costs
    no call.
    """
    whole = settings.probe_rows is None
    able = _may_compile(classifier, example, requested)
    settings = replace(settings, compiled=bool(requested) and able)
    sampler = Sampler(classifier, example, settings, tensors, meter)
    planned = sampler.probe_result.seconds * draws / settings.batch_size
    if requested is not None or not (able and whole and planned > WORTH):
        return sampler
    return Sampler(classifier, example, replace(settings, compiled=True), tensors, meter)


def _may_compile(classifier: Any, example: np.ndarray, requested: bool | None) -> bool:
    """Tell whether torch.compile can be used here; refuse the request if it cannot."""
    why = ""
    if are_sequences(example):
        why = "compile must not be asked for a classifier of sequences of tokens"
    elif not is_module(classifier):
        why = "compile must not be asked for a classifier that is no torch module"
    elif _contains_torchscript(classifier):
        why = "compile must not be asked for TorchScript: torch.compile refuses it"
    elif not can_compile():
        why = "compile needs a C++ compiler, and none was found"
    require(not (why and requested), why)
    return not why


def can_compile() -> bool:
    """Return whether there is a C++ compiler, which torch.compile needs on the CPU."""
    import shutil

    return any(shutil.which(name) for name in ("g++", "c++", "clang++", "cl"))


def _contains_torchscript(module: Any) -> bool:
    """Return whether it is TorchScript, or TorchScript behind a normalisation."""
    import torch

    return any(isinstance(part, torch.jit.ScriptModule) for part in module.modules())
