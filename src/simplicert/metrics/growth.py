"""How the certificates of a run, and their cost, grow with the number of draws.

`certify_shorter_runs` and `measure_cost` do this for a run at rising numbers of draws.
`subsample_tally` takes some of a run's recorded draws at random, which is exactly a shorter run.
`seconds_per_draw` reads the cost of drawing from the run's record; `mechanism_seconds` and
`measure_seconds` time the rest on this machine. All of this is for multinomial counts only: of
softmax scores a run keeps the sums, from which no shorter run can be taken.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from time import perf_counter

import numpy as np

from simplicert.bounds import bound
from simplicert.bounds.box import alpha_at_look
from simplicert.certification import certify
from simplicert.errors import MissingEvidence, require
from simplicert.mechanisms.evaluation import unit_radius
from simplicert.mechanisms.threats import Threat, find_threat, threat_of
from simplicert.metrics.study import Study
from simplicert.store import ImportedRun, Run
from simplicert.store.features import find_size
from simplicert.types import Certificates, Expectations, Floats, Ints, Plan, Tally

KIND = "multinomial"  # the only kind of which a shorter run can be taken
MOST_DRAWS = 10**9  # numpy does not draw without replacement from more
LEAST, FEWEST = 0.05, 5  # seconds and repeats of a measurement, so that a hiccup is outvoted


@dataclass(frozen=True, eq=False)
class CostByDraws:
    """Seconds per input, averaged over the `inputs`, at each of R numbers of draws.

    >>> import numpy as np
    >>> import simplicert as sc
    >>> seconds = np.array([0.1, 1.0])
    >>> cost = sc.metrics.CostByDraws(
    ...     np.array([100, 1000]), seconds, seconds / 1000, {"cohen": seconds / 1e6}, inputs=50
    ... )
    >>> cost.drawing / cost.draws
    array([0.001, 0.001])
    """

    draws: Ints  # (R,)
    drawing: Floats  # (R,)
    bounds: Floats  # (R,)
    mechanisms: dict[str, Floats]  # name -> (R,)
    inputs: int


def certify_shorter_runs(study: Study, seed: int = 0) -> dict[int, Certificates]:
    """Certify shorter runs taken from this one; number of draws -> certificates, rising.

    >>> import tempfile
    >>> import simplicert as sc
    >>> tally = sc.Tally([[990, 8, 2], [400, 350, 250]], sigma=0.5, labels=[0, 0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     settings = sc.Manifest(sigma=0.5, inputs=2, classes=3)
    ...     study = sc.metrics.Study("mine", sc.create_run(f"{folder}/run", settings, tally))
    ...     shorter = sc.metrics.certify_shorter_runs(study)
    >>> {draws: float(each.radius.max().round(3)) for draws, each in shorter.items()}
    {10: 0.0, 20: 0.234, 50: 0.534, 100: 0.65, 200: 0.825, 500: 0.944, 1000: 0.992}
    """
    exploratory = study.run.manifest.kind != KIND
    return {
        draws: replace(
            certify(
                _bound_tally(study, tally),
                sensitivity=study.stage,
                norm=study.norm,
                size=find_size(study.run.manifest, study.norm, study.size),
            ),
            exploratory=exploratory,
        )
        for draws, tally in nested_subsamples(study.tally, seed).items()
    }


def measure_cost(
    study: Study, seed: int = 0, clock: Callable[[], float] = perf_counter
) -> CostByDraws:
    """Return the drawing time that the run recorded, and time bounds and mechanisms now.

    >>> import tempfile
    >>> from itertools import count
    >>> import numpy as np
    >>> import simplicert as sc
    >>> inputs = np.eye(3, dtype=np.float32)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     outcome = sc.draw(lambda batch: batch, inputs, 0.25, 100, f"{folder}/run",
    ...                       labels=[0, 1, 2], device="cpu")
    ...     study = sc.metrics.Study("mine", outcome.run)
    ...     cost = sc.metrics.measure_cost(study, clock=count().__next__)  # every job takes 1 s
    >>> cost.draws
    array([ 10,  20,  50, 100])
    >>> cost.bounds.round(3)
    array([0.333, 0.333, 0.333, 0.333])
    """
    per_draw = seconds_per_draw(study.run)
    tallies = nested_subsamples(study.tally, seed)
    names = [name for name, row in study_threat(study).mechanisms.items() if KIND in row.kinds]
    inputs = len(study.tally)
    threat = study_threat(study)
    seconds = [
        mechanism_seconds(_bound_tally(study, tally), names, clock, threat)
        for tally in tallies.values()
    ]
    bounds = [
        measure_seconds(lambda tally=tally: _bound_tally(study, tally), clock) / inputs  # type: ignore[misc]
        for tally in tallies.values()
    ]
    draws = np.array(list(tallies))
    return CostByDraws(
        draws,
        drawing=per_draw * draws,
        bounds=np.array(bounds),
        mechanisms={name: np.array([each[name] for each in seconds]) for name in names},
        inputs=inputs,
    )


def nested_subsamples(tally: Tally, seed: int) -> dict[int, Tally]:
    """Take runs of fewer and fewer draws, each from the next longer one, as a run grows."""
    random = np.random.default_rng(seed)
    tallies: dict[int, Tally] = {}
    for draws in reversed(list_draw_counts(int(tally.draws.min()))):
        tally = tallies[draws] = subsample_tally(tally, draws, random)
    return dict(reversed(tallies.items()))


def list_draw_counts(most: int, first: int = 10) -> tuple[int, ...]:
    """List numbers of draws from `first` up to `most`, three per decade, and `most` itself."""
    decades = range(len(str(most)))
    steps = [digit * 10**decade for decade in decades for digit in (1, 2, 5)]
    return (*(step for step in steps if first <= step < most), most)


def subsample_tally(tally: Tally, draws: int, random: np.random.Generator | int = 0) -> Tally:
    """Take `draws` of each input's recorded draws without replacement: a run of that length.

    An input's draws are independent and alike, so any that are chosen without looking at them are
    what a shorter run would have seen. That holds for class counts, with invalid draws as a cell of
    their own. Of softmax scores only the sum is kept, which does not say what a part of them adds
    up to, so scores, their histograms and their votes are left out. A pilot is separate and stays.
    The shorter run looks once, at its end, with the share of alpha that the plan's only look has:
    what a run keeps in reserve stays in reserve. A run of several looks holds no shorter run.

    >>> import simplicert as sc
    >>> tally = sc.Tally([[900, 80, 20]], sigma=0.5)
    >>> shorter = sc.metrics.subsample_tally(tally, 100)
    >>> shorter
    Tally(1 inputs, 3 classes, sigma 0.5, 100 draws each)
    >>> shorter.counts
    array([[92,  7,  1]])
    """
    held = tally.draws
    fewest, most = int(held.min()), int(held.max())
    whole = isinstance(draws, Integral) and not isinstance(draws, bool)
    require(
        whole and 1 <= draws <= fewest,
        f"draws must be a whole number in 1..{fewest}, which every input has, got {draws!r}",
    )
    require(most < MOST_DRAWS, f"draws must be fewer than 10^9 an input to choose from, got {most}")
    plan = _shorten_plan(tally, int(draws))
    kept = _draw_without_replacement(
        np.column_stack([tally.counts, tally.invalid]), int(draws), np.random.default_rng(random)
    )
    return Tally(
        kept[:, :-1],
        sigma=tally.sigma,
        labels=tally.labels,
        index=tally.index,
        invalid=kept[:, -1],
        pilot=tally.pilot,
        plan=plan,
        norm=tally.norm,
        grid=tally.grid,
        reading=tally.reading,
        noise=tally.noise,
        lipschitz=tally.lipschitz,
    )


def _shorten_plan(tally: Tally, draws: int) -> Plan | None:
    """Return a plan of one look at the end, with the share of alpha of the tally's only look."""
    plan = tally.plan
    if plan is None:
        return None
    if plan.rule != "fixed" or len(plan.looks) > 1:
        how = "was extended" if plan.rule == "fixed" else f"stopped by {plan.rule!r}"
        raise MissingEvidence(
            f"a run that {how} holds no shorter run: how many draws an input has may depend on "
            "what they were, so its looks have only their shares of alpha"
        )
    alpha_at_look(tally, 1.0)  # raises an error if drawing was broken off between looks
    return Plan((draws,), plan.weights)


def _draw_without_replacement(cells: Ints, draws: int, random: np.random.Generator) -> Ints:
    """Draw (N, cells) multivariate hypergeometric counts: `draws` from each row."""
    out = np.zeros_like(cells)
    for row, count in enumerate(cells):
        seen = np.flatnonzero(count)  # most of a thousand classes were never drawn
        out[row, seen] = random.multivariate_hypergeometric(count[seen], draws)
    return out


def _bound_tally(study: Study, tally: Tally) -> Expectations:
    """Bound by the settings that the run declares, as if it had been this short all along."""
    declared = study.run.manifest
    method = declared.method if declared.kind == KIND else None
    return bound(tally, declared.alpha, KIND, declared.scheme, method)


def seconds_per_draw(run: Run | ImportedRun) -> float:
    """Seconds that one process takes for one draw, over everything the run has drawn."""
    draws = int(run.tally().draws.sum())  # an imported log without draws raises its error here
    seconds = run.seconds if isinstance(run, Run) else 0.0
    if not seconds > 0:
        raise MissingEvidence(
            f"{run.folder} does not say how long drawing took: its tallies were not drawn here"
        )
    return seconds / draws


def study_threat(study: Study) -> Threat:
    """Return the mechanisms for the noise of a run and the norm of its radii."""
    size = find_size(study.run.manifest, study.norm, study.size)
    return threat_of(study.noise, study.measured_in, size)


def mechanism_seconds(
    known: Expectations,
    names: Sequence[str],
    clock: Callable[[], float] = perf_counter,
    threat: Threat | None = None,
) -> dict[str, float]:
    """Seconds for one input's radius by each mechanism, the average over N inputs in one array.

    Abstained inputs cost nothing, so the others stand in for them; otherwise the average would be
    over fewer inputs where fewer are certified. It is NaN where no input is certified.
    """
    live = ~np.isnan(known.e0)
    if not live.any():
        return dict.fromkeys(names, np.nan)
    e0, e1 = (np.resize(values[live], len(known)) for values in (known.e0, known.e1))
    table = (find_threat() if threat is None else threat).mechanisms

    def each(name: str) -> float:
        return measure_seconds(lambda: unit_radius(name, table[name], e0, e1), clock) / len(known)

    return {name: each(name) for name in names}


def measure_seconds(job: Callable[[], object], clock: Callable[[], float] = perf_counter) -> float:
    """Seconds a job takes: run it once to warm up, then return the median of several runs.

    >>> import simplicert as sc
    >>> ticks = iter(range(0, 100, 2))
    >>> sc.metrics.measure_seconds(lambda: sum(range(10)), clock=ticks.__next__)
    2.0
    """
    job()
    times: list[float] = []
    while sum(times) < LEAST or len(times) < FEWEST:
        start = clock()
        job()
        times.append(clock() - start)
    return float(np.median(times))
