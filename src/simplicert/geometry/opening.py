"""Open a finished run for a search of neighbours, and refuse what the bound is not about.

`open_search` opens a run with its model and data, `refuse_run` says why not, `choose_inputs` picks
inputs, and `split_alpha` shares alpha between an input and its neighbour.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simplicert.attack.ball import Ball
from simplicert.attack.gradients import GradientEstimator, choose_gradient
from simplicert.attack.job import select_inputs
from simplicert.attack.target import Target, open_target
from simplicert.errors import InvalidInput, require
from simplicert.geometry.search import NeighbourSearch
from simplicert.noises import GAUSSIAN
from simplicert.sampling.noise import hash_seed
from simplicert.store.imported import ImportedRun
from simplicert.store.run import Run
from simplicert.types import Certificates, Ints

SCHEMES = ("gated", "joint")  # whose level is alpha, and whose draws are of one kind

ROUNDING = 1e-12  # taken off each part of alpha, so that their sum is not above it


@dataclass(frozen=True, eq=False)
class OpenedSearch:
    """A run whose inputs may be searched, and what all of them share."""

    target: Target
    search: NeighbourSearch
    plain: Certificates  # all of alpha at the input
    shared: Certificates  # what is left of alpha where a neighbour has its share
    gradients: type[GradientEstimator]

    @property
    def alphas(self) -> tuple[float, float]:
        """The parts of alpha of an input and of its neighbour."""
        return split_alpha(self.plain.known.alpha, self.search.share)


def split_alpha(alpha: float, share: float) -> tuple[float, float]:
    """Return the parts of the input and of the neighbour; they sum to alpha at most."""
    kept = 1 - ROUNDING
    return alpha * (1 - share) * kept, alpha * share * kept


def open_search(
    run: Run | ImportedRun,
    model: str | None = None,
    data: str | None = None,
    search: NeighbourSearch | None = None,
    **origin: Any,
) -> OpenedSearch:
    """Open a finished run with its model and data; refuse what the bound has no proof for."""
    search = NeighbourSearch() if search is None else search
    refuse_run(run)
    assert isinstance(run, Run)
    words = hash_seed("geometry", search.seed)  # never the draws of an attack
    target = open_target(run, model, data, seed=words, purpose="geometry", **origin)
    plain = run.certify()
    own, _ = split_alpha(plain.known.alpha, search.share)
    first = target.input(int(run.tally().inputs[0]))
    found = choose_gradient(Ball(first), target.sampler, search.copies, seed=0)
    return OpenedSearch(target, search, plain, run.certify(alpha=own), type(found))


def refuse_run(run: Run | ImportedRun) -> None:
    """Refuse other noise, a grid, a first stage, other schemes, several looks, missing inputs."""
    if isinstance(run, ImportedRun):
        raise InvalidInput(
            f"run must have been drawn by sample for geometry, and {run.folder} was imported"
        )
    manifest = run.manifest
    noise, norm = manifest.noise_model, manifest.function["norm"]
    require(
        noise == GAUSSIAN and norm == "l2",
        f"run must be of Gaussian noise with radii in l2 for geometry, got {noise.name} noise "
        f"and {norm}",
    )
    grid = manifest.source.get("grid")
    require(
        grid is None,
        f"run must be drawn without a grid for geometry, got one of {grid}: a neighbour need not "
        "lie on it",
    )
    require(
        manifest.sensitivity == 1,
        f"run must have sensitivity 1 for geometry, got {manifest.sensitivity:g}: the box is that "
        "of what the noise is added to",
    )
    require(
        manifest.kind == "multinomial" and manifest.scheme in SCHEMES,
        f"run must declare kind multinomial and scheme {' or '.join(SCHEMES)} for geometry, got "
        f"{manifest.kind} and {manifest.scheme}",
    )
    looks = 1 if manifest.plan is None else len(manifest.plan.looks)
    require(
        looks == 1,
        f"run must have one look for geometry, got a plan of {looks}: where the counts decide how "
        "many draws an input gets, the search would know something of them",
    )
    require(
        run.missing == 0,
        f"run must be finished for geometry, and {run.missing} inputs of {run.folder} are missing",
    )


def choose_inputs(run: Run, count: int | None, index: Sequence[int], seed: int) -> Ints:
    """Choose inputs of the run by number: all, `count` at random, or those named."""
    return select_inputs(np.sort(run.tally().inputs), "inputs", count, index, seed)
