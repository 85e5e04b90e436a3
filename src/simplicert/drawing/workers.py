"""The workers of a drawing: what an engine must provide, and what one worker does.

`Workers` is the protocol of a group of workers in this process, in others or on other nodes; an
engine starts such a group. `Worker` loads model and data once, then turns units into parts.
"""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from simplicert.data import Dataset
from simplicert.drawing.preparation import (
    DrawingContext,
    Preparation,
    load_model_and_data,
    prepare_context,
)
from simplicert.drawing.queue import Unit, UnitResult
from simplicert.drawing.resume import refuse_differences
from simplicert.errors import DamagedRun, SimplicertError
from simplicert.models import Model
from simplicert.sampling.calls import BudgetSpent, CallMeter
from simplicert.sampling.forward import ClassifierFailed, first_line
from simplicert.sampling.loop import AfterBatch
from simplicert.store.keeping import keep_part
from simplicert.store.manifest import NAME, Manifest, read_manifest
from simplicert.store.parts import encode_part
from simplicert.store.settings import DrawingSettings
from simplicert.types import Tally
from simplicert.types.arrays import find_rows

DrawsCallback = Callable[[int], bool]  # gets the number of new draws; returns whether to stop


class Workers(Protocol):
    """Workers by number. Each has at most one unit, so nothing piles up behind a slow one."""

    def prepare(self, before: Manifest | None) -> Preparation:
        """Let one worker load and probe model and data."""

    def join(self, manifest: Manifest) -> None:
        """Let all workers work for this run from now on."""

    def size(self) -> int:
        """Return the number of workers, ready or still starting."""

    def idle(self) -> list[int]:
        """Return the workers that can take a unit now. Lost ones may be replaced here."""

    def assign(self, worker: int, unit: Unit) -> None:
        """Give a unit to an idle worker."""

    def wait(self, count_draws: DrawsCallback) -> list[tuple[int, Unit, UnitResult]]:
        """Return results, also of lost workers; if there are none, wait a second at most."""

    def stop(self) -> None:
        """Let all workers stop after their current batch; further calls change nothing."""


class Worker:
    """A worker with one model on one device."""

    def __init__(self, settings: DrawingSettings) -> None:
        """Load nothing yet."""
        self.settings = settings
        self.context: DrawingContext | None = None
        self.manifest: Manifest | None = None
        self.loaded: tuple[Model, Dataset] | None = None
        self.shared = False
        self.meter = CallMeter(settings.budget)

    def prepare(self, before: Manifest | None) -> Preparation:
        """Load and probe model and data; the choices of the run `before` are obeyed."""
        if self.loaded is None:  # loaded once, even if the model fails while it is probed
            self.loaded = load_model_and_data(self.settings, before)
        self.context = prepare_context(self.settings, before, *self.loaded, self.meter)
        return self.context.preparation

    def join(self, manifest: Manifest) -> None:
        """Work for this run; another model, other data or another device are refused."""
        own = self.prepare(manifest) if self.context is None else self.context.preparation
        refuse_differences(self.settings.out, manifest, replace(own.manifest, plan=manifest.plan))
        self.manifest = manifest
        self.shared = _sees_run_folder(self.settings.out, manifest)

    def run_command(self, command: str, value: Any, after_batch: AfterBatch) -> tuple[str, Any]:
        """Run one command from a leader in another process, and return the reply to it."""
        if command == "draw":
            return "result", replace(self.draw(value, after_batch), tally=None)
        try:
            if command == "prepare":
                return "prepared", self.prepare(value)
            self.join(value)
        except ClassifierFailed as error:
            return "failed", error.words
        except (SimplicertError, OSError) as error:
            return "refused", error
        return "ready", None

    def draw(self, unit: Unit, after_batch: AfterBatch) -> UnitResult:
        """Draw a unit; errors are returned, not raised, as the leader may be far away."""
        before = self.meter.count
        result = self._draw_unit(unit, after_batch)
        return replace(result, calls=self.meter.count - before)

    def _draw_unit(self, unit: Unit, after_batch: AfterBatch) -> UnitResult:
        start = time.perf_counter()
        try:
            tally = self._draw_tally(unit, after_batch)
        except BudgetSpent as error:
            return UnitResult(spent=str(error))
        except ClassifierFailed as error:
            return self._fail(error.words)
        except (SimplicertError, OSError) as error:  # not the classifier's fault
            return UnitResult(fatal=error)
        except Exception as error:  # such as outputs of the classifier that cannot be read
            return self._fail(first_line(error))
        if tally is None:
            return UnitResult()
        assert self.manifest is not None
        seconds = time.perf_counter() - start
        name, content = encode_part(tally, self.manifest, seconds)
        written = self.shared and self._write(name, content)
        return UnitResult(name, content, written, seconds, tally=tally)

    def _fail(self, message: str) -> UnitResult:
        """Forget the batch that the classifier failed on: it must not pad the next one."""
        assert self.context is not None
        self.context.sampler.batch.clear()
        return UnitResult(error=message)

    def _draw_tally(self, unit: Unit, after_batch: AfterBatch) -> Tally | None:
        assert self.context is not None and self.manifest is not None
        data = self.context.data
        rows = find_rows(unit.items, data.index)
        return self.context.sampler.tally(
            data.inputs[rows],
            unit.items,
            unit.span,
            labels=None if data.labels is None else data.labels[rows],
            plan=self.manifest.plan,
            before=unit.before,
            after_batch=after_batch,
            keep_finished=True,
        )

    def _write(self, name: str, content: bytes) -> bool:
        """Write a part into the run's folder; if that fails, the leader tries and reports why."""
        assert self.manifest is not None
        try:
            keep_part(self.settings.out, self.manifest, name, content)
        except (OSError, DamagedRun):
            self.shared = False
        return self.shared


def _sees_run_folder(folder: Path, manifest: Manifest) -> bool:
    """Tell whether this process sees the run's folder: same path, same id in run.toml."""
    try:
        return (folder / NAME).exists() and read_manifest(folder).id == manifest.id
    except (SimplicertError, OSError):
        return False


def set_up_process(folder: str, threads: int | None) -> None:
    """Enter the leader's folder, if this machine has it, and limit the threads.

    Call this before torch is imported, which reads the number of threads once.
    """
    if threads is not None:
        os.environ["OMP_NUM_THREADS"] = str(threads)
        if "torch" in sys.modules:
            sys.modules["torch"].set_num_threads(threads)
    if Path(folder).is_dir():
        os.chdir(folder)
