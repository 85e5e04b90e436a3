"""`sample`: all draws of all inputs in this process, in memory."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from simplicert.errors import require
from simplicert.sampling.compilation import decide
from simplicert.sampling.draw import AfterBatch, go_on
from simplicert.sampling.sampler import Sampler
from simplicert.sampling.settings import Settings, as_array, default_batch, default_device
from simplicert.types import Plan, Tally
from simplicert.types.arrays import whole_numbers


def sample(  # noqa: PLR0913
    classifier: Any,
    inputs: Any,
    sigma: float,
    draws: int,
    *,
    seed: int = 0,
    labels: ArrayLike | None = None,
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
    autocast: bool = False,
    plan: Plan | None = None,
    after_batch: AfterBatch = go_on,
) -> Tally:
    """Classify `draws` noisy copies of each input and count the answers.

    `classifier` maps a batch to outputs (B, K): a torch module, which gets tensors, or a function,
    which gets what `inputs` are. The tally of an input depends only on (seed, its index, draws,
    batch size, compiled or not) on one kind of device: not on the other inputs or their order.
    `plan` says when the tally may be bounded: at `draws`, unless these draws are part of more
    (tallies of several seeds add up to a look of their common plan).
    """
    whole = isinstance(draws, (int, np.integer)) and not isinstance(draws, bool) and draws > 0
    require(bool(whole), f"draws must be a positive whole number, got {draws!r}")
    array = as_array(inputs)
    rows = len(array)
    numbers = whole_numbers("index", np.arange(rows) if index is None else index, (rows,))
    where = device if device is not None else default_device()
    scale = None if noise_scale is None else np.asarray(noise_scale, dtype=float)
    size = batch_size if batch_size is not None else default_batch(array.shape[1:], where)
    settings = Settings(
        sigma,
        seed,
        size,
        outputs,
        num_classes,
        pilot,
        histograms,
        grid,
        scale,
        False,
        autocast,
        where,
    )
    tensors = hasattr(inputs, "detach")
    settings = decide(classifier, array[:8], settings, rows * (draws + pilot), compile, tensors)
    sampler = Sampler(classifier, array[:8], settings, tensors)
    named = None if labels is None else whole_numbers("labels", labels, (rows,))
    plan = Plan((int(draws),)) if plan is None else plan
    tally = sampler.tally(
        array, numbers, (0, int(draws)), labels=named, plan=plan, after_batch=after_batch
    )
    require(tally is not None, "sampling was stopped before any input was complete")
    assert tally is not None
    return tally
