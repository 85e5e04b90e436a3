"""What a certificate costs: drawing from the run's record, the rest measured here and now."""

from collections.abc import Callable, Sequence
from time import perf_counter

import numpy as np

from simplicert.certification import radius
from simplicert.errors import MissingEvidence
from simplicert.runs import KnownRun, Run
from simplicert.types import Expectations

LEAST, FEWEST = 0.05, 5  # seconds and times that a measurement lasts, so that a hiccup is outvoted


def drawing_seconds(run: Run | KnownRun) -> float:
    """Seconds of one process for one draw, over everything the run has drawn."""
    draws = int(run.tally().draws.sum())  # an imported log says here that it has none
    seconds = run.seconds if isinstance(run, Run) else 0.0
    if not seconds > 0:
        raise MissingEvidence(
            f"{run.folder} does not say how long drawing took: its tallies were not drawn here"
        )
    return seconds / draws


def mechanism_seconds(
    known: Expectations, names: Sequence[str], clock: Callable[[], float] = perf_counter
) -> dict[str, float]:
    """Seconds for one input's radius by each mechanism, the average over N inputs in one array.

    Refused inputs cost nothing: the others stand in for them, or the average would be over fewer
    where fewer are certified. Where none is, it is NaN.
    """
    live = ~np.isnan(known.e0)
    if not live.any():
        return dict.fromkeys(names, np.nan)
    e0, e1 = (np.resize(values[live], len(known)) for values in (known.e0, known.e1))

    def each(name: str) -> float:
        return seconds_of(lambda: radius(name, e0, e1, known.sigma), clock) / len(known)

    return {name: each(name) for name in names}


def seconds_of(job: Callable[[], object], clock: Callable[[], float] = perf_counter) -> float:
    """Seconds a job takes: the median of as many times as fill a moment, after a first one."""
    job()
    times: list[float] = []
    while sum(times) < LEAST or len(times) < FEWEST:
        start = clock()
        job()
        times.append(clock() - start)
    return float(np.median(times))
