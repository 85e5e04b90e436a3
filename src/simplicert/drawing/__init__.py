"""Draw noisy classifications into a run folder that can be resumed.

`draw` is the whole job: it prepares the run, hands units of draws to workers, and keeps what they
return. Read in this order: `store.settings`, then here `preparation`, `resume`, `queue`, `driver`,
`workers` and `engines`.
"""

from __future__ import annotations  # help() shows types as they are written here

import inspect
import warnings
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from simplicert.data import DataOptions, build_dataset
from simplicert.data.dataset import Source, number_texts
from simplicert.drawing.driver import (
    Backoff,
    DrawingProgress,
    ProgressCounter,
    Say,
    drain_queue,
    say_nothing,
)
from simplicert.drawing.engines import ENGINES
from simplicert.drawing.queue import UnitQueue
from simplicert.drawing.resume import PreparedRun, prepare_run
from simplicert.drawing.workers import Workers
from simplicert.errors import SimplicertError, SimplicertWarning, choose, require
from simplicert.models import wrap_classifier
from simplicert.noises import NoiseModel
from simplicert.sampling.sampler import can_compile
from simplicert.sampling.sequences import convert_batch
from simplicert.store.compaction import compact_if_complete
from simplicert.store.manifest import Manifest, read_manifest
from simplicert.store.parsing import parse_numbers
from simplicert.store.run import DAMAGED_FOLDER, Run, forget_failures
from simplicert.store.settings import DrawingSettings, parse_settings
from simplicert.types import Ints, Tally
from simplicert.types.arrays import has_first_draws
from simplicert.types.tally import select_inputs

__all__ = [
    "DrawingOutcome",
    "DrawingProgress",
    "DrawingWatcher",
    "draw",
    "draw_by_settings",
]

Stop = Callable[[], bool]
Report = Callable[[DrawingProgress], None]


def _never_stop() -> bool:
    """Draw until everything is drawn."""
    return False


def _report_nothing(progress: DrawingProgress) -> None:
    """Ignore the progress."""


@dataclass(frozen=True)
class DrawingOutcome:
    """How a drawing ended.

    >>> DrawingOutcome(complete=True, failed={}, folder=Path("runs/mine")).complete
    True
    """

    complete: bool  # False when it was stopped
    failed: dict[int, str]  # inputs given up, and the classifier's error
    folder: Path
    calls: int = 0  # rows that the classifier was asked about, this time, probe and all
    spent: str = ""  # a sentence, where a budget ended it

    @property
    def run(self) -> Run:
        """The run as it is on disk now."""
        return Run(self.folder, read_manifest(self.folder))


class DrawingWatcher:
    """Receives the warnings and the progress of a drawing, and may stop it."""

    def __init__(
        self, stop: Stop = _never_stop, report: Report = _report_nothing, warn: Say = say_nothing
    ) -> None:
        """`stop` and `report` are called after every batch; `warn` gets whole sentences."""
        self.stop, self.report, self.warn = stop, report, warn

    def preparing(self) -> AbstractContextManager[None]:
        """Return the context in which model and data are loaded and probed."""
        return nullcontext()

    def drawing(self, manifest: Manifest) -> AbstractContextManager[tuple[Stop, Report]]:
        """Return the context of the draws, with the functions to call after every batch."""
        return nullcontext((self.stop, self.report))

    def merging(self, done: int, count: int) -> None:
        """Hear how far the last reading of the parts is, before they are merged."""


def draw(  # noqa: PLR0913
    model: Any,
    data: Any,
    sigma: float | None = None,
    draws: int | None = None,
    out: Path | str | None = None,
    *,
    labels: ArrayLike | None = None,
    select: slice = slice(None),
    index_file: Path | str | None = None,
    seed: int = 0,
    alpha: float = 0.001,
    kind: str = "multinomial",
    scheme: str | None = None,
    until: str | None = None,
    reserve: float | str | None = None,
    extend: bool = False,
    shard: str = "1/1",
    pilot: int = 0,
    outputs: str = "logits",
    num_classes: int | None = None,
    score_limit: float | None = None,
    histograms: bool = True,
    grid: float | str | None = None,
    noise_scale: ArrayLike | Path | None = None,
    sensitivity: float = 1.0,
    lipschitz: bool = False,
    batch_size: int | None = None,
    device: str | None = None,
    compile: bool | None = None,
    autocast: bool = False,
    mean: Sequence[float] | None = None,
    std: Sequence[float] | None = None,
    class_map: str | None = None,
    resize: int | None = None,
    crop: int | None = None,
    label_column: str | None = None,
    columns: Sequence[str] | None = None,
    trust: bool = False,
    engine: str = "local",
    workers: int | None = None,
    address: str | None = None,
    cpus_per_worker: int | None = None,
    gpus_per_worker: float | None = None,
    patience: float = 600.0,
    noise: str | NoiseModel = "gaussian",
    scale: float | None = None,
    keep: int | None = None,
    absent: float | None = None,
    rate: float | None = None,
    offsets: int | None = None,
    budget: int | None = None,
    stop: Stop | None = None,
    report: Report | None = None,
    warn: Say | None = None,
) -> DrawingOutcome:
    """Draw into the run folder `out`: the function behind `simplicert sample`.

    Call it again with the same arguments to continue where it stopped: what is drawn is kept, part
    by part, and nothing is drawn twice; many parts of a complete run are merged into few. `model`
    and `data` are names as on the command line, or the classifier itself and an array of inputs,
    with `labels` if there are any (numbers, or texts, which are numbered in their sorted order);
    other processes can only be given names. A run knows a classifier by its code and the numbers it
    uses (models/live.py), and refuses another. `select` chooses inputs by their position. `stop` is
    called after every batch and ends the drawing when it returns True; `report` gets the progress
    after every batch; `warn` gets sentences about what may not have been meant, which otherwise
    become a `SimplicertWarning`. Noise is Gaussian of deviation `sigma`, or another of the table
    `NOISES`: `noise="laplace"` with its `scale`, `noise="ablation"` with `keep` and `absent`,
    `noise="deletion"` with `rate`, for lists of tokens, `noise="splitting"` with its `scale` and no
    `draws`, because it makes all of its own. `budget` is the most rows that the classifier may be
    asked about in this call, the probe and failed attempts included; the outcome counts them. The
    other arguments are the options of the command.

    >>> import tempfile
    >>> import numpy as np
    >>> weights = np.eye(3, dtype=np.float32)
    >>> inputs = np.eye(3, dtype=np.float32)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     outcome = draw(lambda batch: batch @ weights, inputs, 0.25, 100, f"{folder}/run",
    ...                    labels=[0, 1, 2], device="cpu")
    ...     outcome.run.tally().counts.sum(axis=1).tolist()
    [100, 100, 100]
    """
    options = dict(locals())
    for name in ("stop", "report", "warn", "labels", "select"):
        del options[name]
    options["compiled"] = options.pop("compile")
    require(out is not None, "out must be given, got None")
    require(isinstance(select, slice), f"select must be a slice, got {select!r:.60}")
    step = 1 if select.step is None else select.step
    require(step >= 1, f"select must have a positive step, got {select}")
    options |= {"start": select.start or 0, "stop": select.stop, "step": step}
    if not isinstance(model, str):
        given = (("mean", mean), ("std", std))
        numbers = [None if value is None else parse_numbers(name, value) for name, value in given]
        options["model"] = wrap_classifier(model, *numbers)
    if not isinstance(data, str):
        DataOptions(resize, crop, label_column).require_only("an array")
        require(columns is None, f"columns must not be given for an array, got {columns!r:.60}")
        options["data"] = build_dataset(
            Source(convert_batch(data, noise), *_number_labels(labels)),
            "an array",
            select.start or 0,
            select.stop,
            step,
            None if index_file is None else Path(index_file),
        )
    else:
        require(labels is None, f"labels must not be given for {data}, which has its own")
    say = _warn_user if warn is None else warn
    watcher = DrawingWatcher(stop or _never_stop, report or _report_nothing, say)
    return draw_by_settings(parse_settings(options), watcher)


def _number_labels(labels: ArrayLike | None) -> tuple[ArrayLike | None, tuple[str, ...] | None]:
    """Return labels that are texts as numbers and class names; others as they are."""
    given = np.asarray(labels)
    texts = given.dtype.kind in "UO" and given.ndim == 1 and given.size > 0
    if not texts or not all(isinstance(label, str) for label in given):
        return labels, None
    return number_texts([str(label) for label in given])


def _warn_user(sentence: str) -> None:
    """Warn at the line of the caller, however deep in the package the warning arose."""
    package, frame, level = __name__.partition(".")[0], inspect.currentframe(), 1
    while frame and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, level = frame.f_back, level + 1
    warnings.warn(sentence, SimplicertWarning, stacklevel=level)


def draw_by_settings(
    settings: DrawingSettings, watcher: DrawingWatcher | None = None
) -> DrawingOutcome:
    """Draw what is missing of the run that the settings describe, by the engine they name."""
    watcher = DrawingWatcher() if watcher is None else watcher
    with open_workers(settings) as workers:
        with watcher.preparing():
            prepared = prepare_run(settings, workers, watcher.warn)
            warn_of_run(settings, prepared, watcher.warn)
        with watcher.drawing(prepared.run.manifest) as (stop, report):
            backoff = Backoff(settings.patience, watcher.warn)
            outcome = draw_missing(prepared, workers, stop, report, backoff)
    if outcome.complete and outcome.calls > prepared.calls:
        _merge_parts(outcome.folder, watcher)
    return outcome


def _merge_parts(folder: Path, watcher: DrawingWatcher) -> None:
    """Merge the many parts of a run that is complete; if that fails, they stay as they are."""
    try:
        compact_if_complete(folder, watcher.merging)
    except (SimplicertError, OSError) as error:
        watcher.warn(f"the parts were not merged, and nothing is lost by that: {error}")


def open_workers(settings: DrawingSettings) -> AbstractContextManager[Workers]:
    """Return the workers that the settings ask for."""
    engine = choose("engine", settings.engine, ENGINES)
    here = settings.workers in (None, 1) and settings.cpus_per_worker is None
    alone = settings.engine == "local" and here
    for name in ("model", "data"):
        require(
            alone or isinstance(getattr(settings, name), str),
            f"{name} must be given by its name to be drawn by other processes, got an object",
        )
    # Workers may have another current folder.
    return engine(replace(settings, out=settings.out.absolute()))


def warn_of_run(settings: DrawingSettings, prepared: PreparedRun, warn: Say) -> None:
    """Say what is known before the first draw: damage to the folder, and doubtful settings."""
    for path in prepared.run.set_aside_damage():
        warn(
            f"{path.name} was damaged: it is set aside in {DAMAGED_FOLDER}/, and its inputs drawn "
            "again"
        )
    if settings.compiled is None and not can_compile():
        warn("there is no C++ compiler here, so the model is not compiled")
    for sentence in prepared.warnings:
        warn(sentence)
    if prepared.run.manifest.random:
        warn("the model is random by itself: drawn again, its tallies would differ")


def draw_missing(
    prepared: PreparedRun,
    workers: Workers,
    stop: Stop = _never_stop,
    report: Report = _report_nothing,
    backoff: Backoff | None = None,
) -> DrawingOutcome:
    """Draw what is missing of this share of the inputs, by workers that have joined the run."""
    run, index = prepared.run, prepared.index
    assert run.manifest.plan is not None
    held = run.tally() if run.paths() else None
    left = index[~np.isin(index, run.done())]
    forget_failures(run.folder, left)
    begun = _select_begun_inputs(held, left)
    fresh = left if begun is None else left[~np.isin(left, begun.inputs)]
    size = run.settings.batch_size
    assert size is not None
    queue = UnitQueue(run.manifest.plan, run.until, size, fresh, begun)
    each = run.manifest.plan.looks[-1]
    planned = each * len(left) - (0 if begun is None else int(begun.draws.sum()))
    counter = ProgressCounter(len(left), stop, report, planned, each)
    complete = drain_queue(run, queue, workers, counter, backoff or Backoff(0.0))
    calls = prepared.calls + counter.calls
    return DrawingOutcome(complete, queue.failed, run.folder, calls, counter.spent)


def _select_begun_inputs(held: Tally | None, block: Ints) -> Tally | None:
    """Return what is held of these inputs from their first draw on; the rest is drawn again."""
    if held is None:
        return None
    rows = np.isin(held.inputs, block)
    if held.segments is not None:
        rows &= has_first_draws(held.segments, held.inputs, one_seed=False)
    return select_inputs(held, rows) if rows.any() else None
