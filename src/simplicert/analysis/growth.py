"""How a run's certificates, and what they cost, grow with the number of draws.

Multinomial only: of softmax scores a run keeps the sums, which hold no shorter run.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from simplicert.analysis.study import Study
from simplicert.analysis.subsample import ladder, subsample
from simplicert.analysis.timing import drawing_seconds, mechanism_seconds, seconds_of
from simplicert.bounds import bound
from simplicert.certification import certify
from simplicert.mechanisms import MECHANISMS
from simplicert.types import Certificates, Expectations, Floats, Ints, Tally

KIND = "multinomial"


@dataclass(frozen=True, eq=False)
class Cost:
    """Seconds for one input, averaged over the `inputs`, at each of R numbers of draws."""

    draws: Ints  # (R,)
    drawing: Floats  # (R,)
    bounds: Floats  # (R,)
    mechanisms: dict[str, Floats]  # name -> (R,)
    inputs: int


def growth(study: Study, seed: int = 0) -> dict[int, Certificates]:
    """Certificates of shorter and shorter runs out of this one, by number of draws, rising."""
    exploratory = study.run.manifest.kind != KIND
    return {
        draws: replace(
            certify(bounded(study, tally), sensitivity=study.stage), exploratory=exploratory
        )
        for draws, tally in shortened(study.tally, seed).items()
    }


def cost(study: Study, seed: int = 0, clock: Callable[[], float] = perf_counter) -> Cost:
    """Drawing as the run recorded it; bounds and mechanisms timed now, on this machine."""
    a_draw = drawing_seconds(study.run)
    tallies = shortened(study.tally, seed)
    names = [name for name, row in MECHANISMS.items() if KIND in row.kinds]
    inputs = len(study.tally)
    own = [mechanism_seconds(bounded(study, tally), names, clock) for tally in tallies.values()]
    bounds = [
        seconds_of(lambda tally=tally: bounded(study, tally), clock) / inputs  # type: ignore[misc]
        for tally in tallies.values()
    ]
    draws = np.array(list(tallies))
    return Cost(
        draws,
        drawing=a_draw * draws,
        bounds=np.array(bounds),
        mechanisms={name: np.array([found[name] for found in own]) for name in names},
        inputs=inputs,
    )


def shortened(tally: Tally, seed: int) -> dict[int, Tally]:
    """Runs of fewer and fewer draws, each chosen from the next longer one, as a run grows."""
    random = np.random.default_rng(seed)
    found: dict[int, Tally] = {}
    for draws in reversed(ladder(int(tally.draws.min()))):
        tally = found[draws] = subsample(tally, draws, random)
    return dict(reversed(found.items()))


def bounded(study: Study, tally: Tally) -> Expectations:
    """Bounds by the settings that the run declares, as if it had been this short from the start."""
    declared = study.run.manifest
    method = declared.method if declared.kind == KIND else None
    return bound(tally, declared.alpha, KIND, declared.scheme, method)
