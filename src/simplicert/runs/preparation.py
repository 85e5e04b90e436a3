"""From a request to a run that can be drawn: created, resumed, or refused before any writing."""

from dataclasses import dataclass, replace

import numpy as np

from simplicert.errors import require
from simplicert.runs.crew import Crew
from simplicert.runs.job import extend, parse_shard, refuse_differences, resume_or_begin
from simplicert.runs.manifest import NAME, Manifest, read_manifest
from simplicert.runs.options import keep_scale
from simplicert.runs.patience import Patience, Say, say_nothing
from simplicert.runs.request import Request
from simplicert.runs.share import Share, share_of
from simplicert.runs.survey import Survey
from simplicert.sampling.asking import ClassifierFailed
from simplicert.types import Ints


@dataclass(frozen=True, eq=False)
class Prepared:
    """A share of a run, its inputs in their order, and what may not have been meant."""

    run: Share
    index: Ints
    doubts: tuple[str, ...]


def prepare(request: Request, crew: Crew, say: Say = say_nothing) -> Prepared:
    """One of the crew loads and probes; then the run is created or resumed, and all may join."""
    number, shares = parse_shard(request.shard)
    whole = isinstance(request.draws, int) and request.draws > 0
    require(whole, f"draws must be a positive whole number, got {request.draws}")
    before = read_manifest(request.out) if (request.out / NAME).exists() else None
    if request.extend:
        require(before is not None, f"out must be a run to extend, and {request.out} is none")
    found = survey_patiently(crew, before, Patience(request.patience, say))
    manifest = found.manifest
    if request.extend and before is not None:
        refuse_differences(request.out, before, replace(manifest, plan=before.plan))
        manifest = replace(manifest, plan=extend(request.out, request.draws).manifest.plan)
    run = resume_or_begin(request.out, manifest)
    if found.scale is not None:
        keep_scale(run.folder, found.scale)
    crew.join(run.manifest)
    mine = found.index[np.arange(len(found.index)) % shares == number - 1]
    return Prepared(share_of(run, found.index, mine), mine, found.doubts)


def survey_patiently(crew: Crew, before: Manifest | None, patience: Patience) -> Survey:
    """The survey; a model that fails while it is probed is asked again after a while."""
    while True:
        try:
            return crew.survey(before)
        except ClassifierFailed as error:
            if not patience.fail(error.words):
                raise
            patience.wait()
