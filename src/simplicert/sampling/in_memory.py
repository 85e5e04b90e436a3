"""Draw all noisy copies of all inputs in this process and in memory: `sample`."""

from __future__ import annotations  # help() shows types as they are written here

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from simplicert.errors import require
from simplicert.models import lipschitz_constant
from simplicert.models.model import is_module
from simplicert.noises import NoiseModel, choose_noise
from simplicert.noises.certainty import is_certain, settle_declaration, settle_draws
from simplicert.sampling.calls import BudgetSpent, CallMeter
from simplicert.sampling.loop import AfterBatch, go_on
from simplicert.sampling.sampler import Sampler, choose_probe, prepare_sampler
from simplicert.sampling.sequences import convert_batch
from simplicert.sampling.settings import (
    SamplingSettings,
    default_batch_size,
    default_device,
)
from simplicert.types import Ints, Plan, Tally
from simplicert.types.arrays import (
    Texts,
    check_class_names,
    find_rows,
    integer_array,
    label_array,
)
from simplicert.types.smoothing import Smoothing
from simplicert.types.tally import select_inputs

EARLY_STOP_SHARE = 0.1  # an input that may stop early takes about this share of its draws


class StoppingRule(Protocol):
    """Decides when to stop; sampling itself knows nothing of bounds and radii."""

    @property
    def rule(self) -> str:
        """The rule in words, for the plan."""

    def plan(self, draws: int) -> Plan:
        """Return the looks, the last at `draws`."""

    def __call__(self, tally: Tally) -> Texts:
        """Return for each input of a tally at a look the reason to stop there, or "" to go on."""


def sample(  # noqa: PLR0913
    classifier: Any,
    inputs: Any,
    sigma: float | None = None,
    draws: int | None = None,
    *,
    seed: int = 0,
    labels: ArrayLike | None = None,
    class_names: Sequence[str] | None = None,
    index: ArrayLike | None = None,
    batch_size: int | None = None,
    device: str | None = None,
    compile: bool | None = None,
    pilot: int = 0,
    outputs: str = "logits",
    num_classes: int | None = None,
    histograms: bool = True,
    grid: float | None = None,
    noise_scale: ArrayLike | None = None,
    score_limit: float | None = None,
    autocast: bool = False,
    noise: str | NoiseModel = "gaussian",
    scale: float | None = None,
    keep: int | None = None,
    absent: float | None = None,
    rate: float | None = None,
    offsets: int | None = None,
    lipschitz: bool = False,
    plan: Plan | None = None,
    until: StoppingRule | None = None,
    budget: int | CallMeter | None = None,
    after_batch: AfterBatch | None = None,
) -> Tally:
    """Classify `draws` noisy copies of each input and count the answers.

    `classifier` maps a batch to outputs (B, K): a torch module, which gets tensors, or a function,
    which gets what `inputs` are. The tally of an input depends only on (seed, its index, draws,
    batch size, compiled or not) on one kind of device: not on the other inputs or their order.
    `plan` says when the tally may be bounded: at `draws`, unless these draws are part of more
    (tallies of several seeds add up to a look of their common plan). With `until`, such as
    `sc.Until("atol=0.01")`, an input is drawn look by look until that gives a reason to stop.
    No alpha is kept for looks added later, as a run keeps some: there is no run to extend.
    Noise is Gaussian of deviation `sigma`, or another of the table `NOISES`: `noise="laplace"` with
    its `scale`, `noise="ablation"` with the number of features to `keep` and the mark of an
    `absent` one, `noise="splitting"` with its `scale` and, for other `offsets` of its features, a
    seed: it has a number of draws of its own, and all of them are made. `noise="deletion"` drops
    every token of a sequence with probability `rate`: `inputs` are then lists of tokens, or texts,
    and the classifier gets a list of token lists. `lipschitz=True` proves a Lipschitz constant of
    the scores from the layers of a torch module first, for the mechanism `lipschitz`.
    `labels` are class numbers, or names where `class_names` lists them in the classifier's order.
    `budget` is the most rows that the classifier may be asked about, probe and failed attempts
    included: without calls enough for all inputs nothing is drawn, and with `until` drawing ends at
    the last look that there are calls for.

    >>> inputs = np.array([[0.9, 0.2], [0.1, 0.7]], dtype=np.float32)
    >>> classifier = lambda batch: np.column_stack([batch[:, 0], 1 - batch[:, 0]])
    >>> sample(classifier, inputs, sigma=0.5, draws=1000, labels=[0, 1], histograms=False)
    Tally(2 inputs, 2 classes, sigma 0.5, 1000 draws each, with labels, softmax_sums, votes, plan)
    """
    model, size_of_noise = choose_noise(
        noise, sigma, scale, keep=keep, absent=absent, rate=rate, offsets=offsets
    )
    if is_certain(model):
        settle_declaration(model, {"until": until, "pilot": pilot})
        draws = settle_draws(model, size_of_noise, draws)
    whole = isinstance(draws, (int, np.integer)) and not isinstance(draws, bool) and draws > 0
    require(bool(whole), f"draws must be a positive whole number, got {draws!r}")
    assert draws is not None
    require(
        until is None or callable(until),
        f'until must be a rule such as sc.Until("atol=0.01"), got {until!r}',
    )
    array = convert_batch(inputs, model)
    rows = len(array)
    numbers = integer_array("index", np.arange(rows) if index is None else index, (rows,))
    where = device if device is not None else default_device()
    work = int(rows * (draws + pilot) * (1.0 if until is None else EARLY_STOP_SHARE))
    tensors = hasattr(inputs, "detach")
    size = batch_size
    if size is None:
        torch_kind = tensors or is_module(classifier)
        size = default_batch_size(array.shape[1:], where, work, torch_kind)
    shares: Any = noise_scale  # Smoothing makes it an array
    smoothing = Smoothing(
        size_of_noise, outputs, num_classes, score_limit, shares, grid, autocast, model
    )
    meter = budget if isinstance(budget, CallMeter) else CallMeter(budget)
    few = (
        choose_probe(size, rows, work, meter.limit) if batch_size is None and not compile else None
    )
    settings = SamplingSettings(
        smoothing, seed, size, pilot, histograms, device=where, probe_rows=few
    )
    if lipschitz:
        constant = lipschitz_constant(classifier, array.shape[1:])
        settings = replace(settings, lipschitz=constant)
    sampler = prepare_sampler(
        classifier, array[:8], settings, work, compile, tensors=tensors, meter=meter
    )
    check_class_names(class_names, sampler.classes)
    named = None if labels is None else label_array(labels, rows, class_names)
    if plan is None:
        plan = Plan((int(draws),)) if until is None else until.plan(int(draws))
    if until is not None:
        plan = replace(plan, rule=until.rule)
        require(
            plan.looks[-1] == draws,
            f"draws must be the plan's last look {plan.looks[-1]}, got {draws}",
        )
        require(
            not sampler.probe_result.random or len(plan.looks) == 1,
            "until must not be given for a model that is random by itself: its draws of one look "
            "cannot be told from those of another",
        )
        return _sample_by_looks(sampler, array, numbers, named, plan, until)
    if meter.afford(rows, draws + sampler.pilot_draws) < rows:
        raise BudgetSpent(
            f"budget must have calls for all inputs, got {meter.limit}: {meter.count} were made by "
            f"the probe, and {rows} inputs take {rows * (draws + sampler.pilot_draws):,}"
        )
    tally = sampler.tally(
        array, numbers, (0, int(draws)), labels=named, plan=plan, after_batch=after_batch or go_on
    )
    require(tally is not None, "sampling was stopped before any input was complete")
    assert tally is not None
    return tally


def _sample_by_looks(
    sampler: Sampler,
    inputs: np.ndarray,
    index: Ints,
    labels: Ints | None,
    plan: Plan,
    until: StoppingRule,
) -> Tally:
    """Draw look after look; all inputs that go on are packed together."""
    done: list[Tally] = []
    seen: Tally | None = None
    left = np.arange(len(inputs))
    meter = sampler.noisy.meter
    for first, look in pairwise((0, *plan.looks)):
        each = look - first + (sampler.pilot_draws if seen is None else 0)
        if seen is not None and meter.left is not None and meter.left < each * len(left):
            done.append(seen)  # a look of the plan, at which they may be bounded
            break
        named = None if labels is None else labels[left]
        drawn = sampler.tally(
            inputs[left], index[left], (first, look), labels=named, plan=plan, before=seen
        )
        assert drawn is not None
        seen = drawn if seen is None else seen + drawn
        stopped = until(seen) != ""
        if stopped.any():
            done.append(select_inputs(seen, stopped))
        left = left[~stopped]
        if not left.size:
            break
        seen = select_inputs(seen, ~stopped)
    whole = done[0]
    for part in done[1:]:
        whole = whole + part
    return select_inputs(whole, find_rows(index, whole.inputs))
