"""The workers of a drawing: what an engine must provide, and what one worker does.

`Workers` is the protocol of a group of workers, wherever they are; an engine is a way to get one.
`Worker` loads model and data once, then turns units into parts. It is the same wherever it runs.
"""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from simplicert.data import Dataset
from simplicert.drawing.preparation import (
    DrawingContext,
    Preparation,
    load_model_and_data,
    prepare_context,
)
from simplicert.drawing.queue import Unit, UnitResult
from simplicert.drawing.resume import refuse_differences
from simplicert.errors import SimplicertError
from simplicert.files import write_atomically
from simplicert.models import Model
from simplicert.sampling.forward import ClassifierFailed, first_line
from simplicert.store.manifest import NAME, Manifest, read_manifest
from simplicert.store.parts import encode_part
from simplicert.store.run import PARTS
from simplicert.store.settings import DrawingSettings
from simplicert.types import Tally
from simplicert.types.merging import find_rows

if TYPE_CHECKING:
    from simplicert.drawing.preparation import Preparation


DrawsCallback = Callable[[int], bool]  # told of draws as they are made; True asks to stop


class Workers(Protocol):
    """Workers by number. Each has at most one unit, so nothing piles up behind a slow one."""

    def preparation(self, before: Manifest | None) -> "Preparation":
        """Let one worker load and probe model and data."""

    def join(self, manifest: Manifest) -> None:
        """From now on everybody works for this run."""

    def size(self) -> int:
        """Workers at hand, ready or on their way."""

    def idle(self) -> list[int]:
        """Those who can take a unit now. Lost ones are replaced here, and new ones join."""

    def assign(self, worker: int, unit: Unit) -> None:
        """A unit for an idle worker."""

    def wait(self, heard: DrawsCallback) -> list[tuple[int, Unit, UnitResult]]:
        """Units that came back, after a second at most, if none did; a lost worker's too."""

    def stop(self) -> None:
        """Everybody ends after the batch at hand; may be said more than once."""


AfterBatch = Callable[[int, int], bool]


class Worker:
    """One model on one device."""

    def __init__(self, settings: DrawingSettings) -> None:
        """Nothing is loaded yet."""
        self.settings = settings
        self.context: DrawingContext | None = None
        self.manifest: Manifest | None = None
        self.loaded: tuple[Model, Dataset] | None = None
        self.shared = False

    def preparation(self, before: Manifest | None) -> Preparation:
        """Load and probe; what a run decided before is obeyed."""
        if self.loaded is None:  # kept, should the model fail while it is probed
            self.loaded = load_model_and_data(self.settings, before)
        self.context = prepare_context(self.settings, before, *self.loaded)
        return self.context.preparation

    def join(self, manifest: Manifest) -> None:
        """Work for this run; refused with another model, other data or another device."""
        found = self.preparation(manifest) if self.context is None else self.context.preparation
        refuse_differences(self.settings.out, manifest, replace(found.manifest, plan=manifest.plan))
        self.manifest = manifest
        self.shared = _sees_run_folder(self.settings.out, manifest)

    def do(self, word: str, value: Any, after_batch: AfterBatch) -> tuple[str, Any]:
        """Run one command from a leader in another process, and return its reply."""
        if word == "work":
            return "answer", replace(self.work(value, after_batch), tally=None)
        try:
            if word == "survey":
                return "surveyed", self.preparation(value)
            self.join(value)
        except ClassifierFailed as error:
            return "stumbled", error.words
        except (SimplicertError, OSError) as error:
            return "refused", error
        return "ready", None

    def work(self, unit: Unit, after_batch: AfterBatch) -> UnitResult:
        """Draw; never raises, as nobody may be there to hear it."""
        began = time.perf_counter()
        try:
            tally = self._tally(unit, after_batch)
        except ClassifierFailed as error:
            return self._failed(error.words)
        except (SimplicertError, OSError) as error:  # not the classifier's doing
            return UnitResult(fatal=error)
        except Exception as error:  # outputs that nobody can read are the classifier's, too
            return self._failed(first_line(error))
        if tally is None:
            return UnitResult()
        assert self.manifest is not None
        seconds = time.perf_counter() - began
        name, content = encode_part(tally, self.manifest, seconds)
        if self.shared:
            self._write(name, content)
        return UnitResult(name, content, seconds, tally=tally)

    def _failed(self, words: str) -> UnitResult:
        """What the classifier failed on is forgotten: it must not pad the next batch."""
        assert self.context is not None
        self.context.sampler.batch.clear()
        return UnitResult(error=words)

    def _tally(self, unit: Unit, after_batch: AfterBatch) -> Tally | None:
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

    def _write(self, name: str, content: bytes) -> None:
        """Into the run's folder; where that fails, the leading process tries, and says why."""
        try:
            write_atomically(self.settings.out / PARTS / name, content)
        except OSError:
            self.shared = False


def _sees_run_folder(folder: Path, manifest: Manifest) -> bool:
    """Whether the run's folder is here too, by its path and its id."""
    try:
        return (folder / NAME).exists() and read_manifest(folder).id == manifest.id
    except (SimplicertError, OSError):
        return False


def set_up_process(folder: str, threads: int | None) -> None:
    """In a process of its own: the leader's folder, where it is here too, and a share of threads.

    Before torch is imported: it reads the number of threads once.
    """
    if threads is not None:
        os.environ["OMP_NUM_THREADS"] = str(threads)
        if "torch" in sys.modules:
            sys.modules["torch"].set_num_threads(threads)
    if Path(folder).is_dir():
        os.chdir(folder)
