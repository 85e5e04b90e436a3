"""Refuse to compare runs that have no common ground: other inputs, labels, norms or stages."""

from collections.abc import Sequence

import numpy as np

from simplicert.errors import InvalidInput, require
from simplicert.metrics.shared import list_first_inputs, relate_inputs
from simplicert.metrics.study import Study
from simplicert.noises import NOISES


def require_same_inputs(studies: Sequence[Study]) -> None:
    """Refuse to compare runs that do not cover the same inputs, naming what is missing."""
    everything = np.unique(np.concatenate([study.index for study in studies]))
    for study in studies:
        lost = np.setdiff1d(everything, study.index)
        if lost.size:
            raise InvalidInput(
                f"runs must cover the same inputs to be compared, and {study.name} lacks "
                f"{lost.size} of {everything.size}: {list_first_inputs(lost)}"
            )
    apart = relate_inputs(studies).apart
    require(not apart, f"runs must cover the same inputs to be compared, and {apart}")


def require_one_norm(studies: Sequence[Study]) -> None:
    """Refuse radii in different norms in one table or figure."""
    norms = {study.measured_in.removeprefix("scaled "): study for study in studies}
    require(
        len(norms) <= 1,
        "runs must have radii in one norm to be compared, and these have "
        + ", ".join(
            f"{norm} ({study.name}, {study.noise.name} noise)" for norm, study in norms.items()
        )
        + ": norm names one that all of them certify, if there is any",
    )


def require_one_reach(studies: Sequence[Study]) -> None:
    """Refuse radii that cover changes of exactly their size beside radii that do not."""
    kinds = {NOISES[study.noise.name].closed: study for study in studies}
    require(
        len(kinds) <= 1,
        "runs must have radii of one kind to be compared: those of "
        + " and ".join(
            f"{study.name} ({study.noise.name} noise) "
            f"{'cover changes of exactly their size' if closed else 'do not'}"
            for closed, study in sorted(kinds.items(), reverse=True)
        ),
    )


def require_same_norm(studies: Sequence[Study]) -> None:
    """Refuse to compare radii as numbers unless they promise the same in the same units."""
    require_same_units(studies)
    require_one_reach(studies)


def require_same_units(studies: Sequence[Study]) -> None:
    """Refuse radii in different norms, or at different places in the network.

    Enough for certified accuracy at a radius: each run counts what its own radii promise there,
    whether they cover changes of exactly their size or not.
    """
    require_one_norm(studies)
    stages = {study.name: study.stage for study in studies}
    require(
        len(set(stages.values())) <= 1,
        "runs must have radii of one sensitivity to be compared, and these declare "
        + ", ".join(f"{value:g} ({name})" for name, value in stages.items())
        + ": give sensitivity to certify all of them by one",
    )
    scales = {study.run.manifest.source.get("noise_scale") for study in studies}
    require(
        len(scales) == 1,
        "runs must have radii in one norm to be compared, and the noise of these was scaled "
        "differently: "
        + ", ".join(
            f"{study.name} "
            f"{'by feature' if study.run.manifest.source.get('noise_scale') else 'not at all'}"
            for study in studies
        ),
    )
