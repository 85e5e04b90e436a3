"""Worker: loads model and data once, then turns units into parts. The same wherever it runs."""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from simplicert.data import Dataset
from simplicert.errors import SimplicertError
from simplicert.models import Model
from simplicert.runs.atomic import write_whole
from simplicert.runs.folder import PARTS
from simplicert.runs.job import refuse_differences
from simplicert.runs.manifest import NAME, Manifest, read_manifest
from simplicert.runs.parts import encoded
from simplicert.runs.request import Request
from simplicert.runs.survey import Ground, Survey, explore, load
from simplicert.runs.units import Answer, Unit
from simplicert.sampling.asking import ClassifierFailed, first_line
from simplicert.types import Tally
from simplicert.types.merging import rows_of

AfterBatch = Callable[[int, int], bool]


class Worker:
    """One model on one device."""

    def __init__(self, request: Request) -> None:
        """Nothing is loaded yet."""
        self.request = request
        self.ground: Ground | None = None
        self.manifest: Manifest | None = None
        self.loaded: tuple[Model, Dataset] | None = None
        self.shared = False

    def survey(self, before: Manifest | None) -> Survey:
        """Load and probe; what a run decided before is obeyed."""
        if self.loaded is None:  # kept, should the model fail while it is probed
            self.loaded = load(self.request, before)
        self.ground = explore(self.request, before, *self.loaded)
        return self.ground.survey

    def join(self, manifest: Manifest) -> None:
        """Work for this run; refused with another model, other data or another device."""
        found = self.survey(manifest) if self.ground is None else self.ground.survey
        refuse_differences(self.request.out, manifest, replace(found.manifest, plan=manifest.plan))
        self.manifest = manifest
        self.shared = sees(self.request.out, manifest)

    def do(self, word: str, value: Any, after_batch: AfterBatch) -> tuple[str, Any]:
        """One of the above, or a unit, by name and with an answer, for a leader who is far away."""
        if word == "work":
            return "answer", self.work(value, after_batch)
        try:
            if word == "survey":
                return "surveyed", self.survey(value)
            self.join(value)
        except ClassifierFailed as error:
            return "stumbled", error.words
        except (SimplicertError, OSError) as error:
            return "refused", error
        return "ready", None

    def work(self, unit: Unit, after_batch: AfterBatch) -> Answer:
        """Draw; never raises, as nobody may be there to hear it."""
        began = time.perf_counter()
        try:
            tally = self._tally(unit, after_batch)
        except ClassifierFailed as error:
            return self._failed(error.words)
        except (SimplicertError, OSError) as error:  # not the classifier's doing
            return Answer(fatal=error)
        except Exception as error:  # outputs that nobody can read are the classifier's, too
            return self._failed(first_line(error))
        if tally is None:
            return Answer()
        assert self.manifest is not None
        seconds = time.perf_counter() - began
        name, content = encoded(tally, self.manifest, seconds)
        if self.shared:
            self._write(name, content)
        return Answer(name, content, seconds)

    def _failed(self, words: str) -> Answer:
        """What the classifier failed on is forgotten: it must not pad the next batch."""
        assert self.ground is not None
        self.ground.sampler.batch.clear()
        return Answer(error=words)

    def _tally(self, unit: Unit, after_batch: AfterBatch) -> Tally | None:
        assert self.ground is not None and self.manifest is not None
        data = self.ground.data
        rows = rows_of(unit.items, data.index)
        return self.ground.sampler.tally(
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
            write_whole(self.request.out / PARTS / name, content)
        except OSError:
            self.shared = False


def sees(folder: Path, manifest: Manifest) -> bool:
    """Whether the run's folder is here too, by its path and its id."""
    try:
        return (folder / NAME).exists() and read_manifest(folder).id == manifest.id
    except (SimplicertError, OSError):
        return False


def at_home(folder: str, threads: int | None) -> None:
    """In a process of its own: the leader's folder, where it is here too, and a share of threads.

    Before torch is imported: it reads the number of threads once.
    """
    if threads is not None:
        os.environ["OMP_NUM_THREADS"] = str(threads)
        if "torch" in sys.modules:
            sys.modules["torch"].set_num_threads(threads)
    if Path(folder).is_dir():
        os.chdir(folder)
