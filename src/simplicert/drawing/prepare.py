"""Turn the settings of a drawing into a run that can be drawn.

The run is created or resumed, or refused before anything is written.
"""

from dataclasses import dataclass, replace

import numpy as np

from simplicert.drawing.driver import Backoff, Say, say_nothing
from simplicert.drawing.preparation import Preparation
from simplicert.drawing.resume import (
    RunShare,
    extend_run,
    parse_shard,
    refuse_differences,
    resume_or_begin,
    take_share,
)
from simplicert.drawing.settings import DrawingSettings, write_noise_scale
from simplicert.drawing.workers import Workers
from simplicert.errors import require
from simplicert.sampling.forward import ClassifierFailed
from simplicert.store.manifest import NAME, Manifest, read_manifest
from simplicert.types import Ints


@dataclass(frozen=True, eq=False)
class PreparedRun:
    """A share of a run, its inputs in their order, and what may not have been meant."""

    run: RunShare
    index: Ints
    warnings: tuple[str, ...]


def prepare_run(request: DrawingSettings, crew: Workers, say: Say = say_nothing) -> PreparedRun:
    """One of the crew loads and probes; then the run is created or resumed, and all may join."""
    number, shares = parse_shard(request.shard)
    whole = isinstance(request.draws, int) and request.draws > 0
    require(whole, f"draws must be a positive whole number, got {request.draws}")
    before = read_manifest(request.out) if (request.out / NAME).exists() else None
    if request.extend:
        require(before is not None, f"out must be a run to extend, and {request.out} is none")
    found = _prepare_with_retries(crew, before, Backoff(request.patience, say))
    manifest = found.manifest
    if request.extend and before is not None:
        refuse_differences(request.out, before, replace(manifest, plan=before.plan))
        manifest = replace(manifest, plan=extend_run(request.out, request.draws).manifest.plan)
    run = resume_or_begin(request.out, manifest)
    if found.scale is not None:
        write_noise_scale(run.folder, found.scale)
    crew.join(run.manifest)
    mine = found.index[np.arange(len(found.index)) % shares == number - 1]
    return PreparedRun(take_share(run, found.index, mine), mine, found.warnings)


def _prepare_with_retries(crew: Workers, before: Manifest | None, patience: Backoff) -> Preparation:
    """The survey; a model that fails while it is probed is asked again after a while."""
    while True:
        try:
            return crew.preparation(before)
        except ClassifierFailed as error:
            if not patience.fail(error.words):
                raise
            patience.wait()
