"""Which draws a run holds: those that its plan allows, each once, of every input it was to have."""

from collections.abc import Iterator, Sequence

import numpy as np

from simplicert.errors import DamagedRun, SimplicertError
from simplicert.runs.collect import join
from simplicert.runs.folder import Run
from simplicert.runs.manifest import Manifest
from simplicert.runs.verification.check import Check, listed
from simplicert.runs.verification.files import Part
from simplicert.types import Ints, Tally

MOST_INPUTS = 10**8  # listed one by one


def planned(manifest: Manifest) -> Ints | None:
    """The inputs that the run was to hold; None where run.toml only counts them."""
    index = manifest.index
    if not index:
        return None
    if not all(isinstance(number, int) for number in index):
        raise DamagedRun(f"index must hold whole numbers in run.toml, got {listed(index)}")
    if index[0] < 0:
        return np.array(index[1:], dtype=np.int64)
    if len(index) != 3 or index[2] != manifest.inputs or manifest.inputs > MOST_INPUTS:  # noqa: PLR2004
        raise DamagedRun(
            f"index must be the first input, a step and how many in run.toml, got {listed(index)} "
            f"for {manifest.inputs} inputs"
        )
    first, step, count = index
    return first + step * np.arange(count)


def joined(manifest: Manifest, parts: Sequence[Part]) -> Tally | Check:
    """All parts as one tally, or why they cannot be."""
    try:
        random = bool(manifest.source.get("random", False))
        return join([part.tally for part in parts], random=random)
    except SimplicertError as error:
        return Check("draws", False, f"the parts contradict each other: {error}")


def draw_checks(run: Run, parts: Sequence[Part], tally: Tally) -> Iterator[Check]:
    """Inputs, then each input's draws, then whether the plan is done with it."""
    yield from input_checks(run.manifest, tally)
    if tally.segments is None or run.manifest.plan is None:
        if run.manifest.source.get("format") == "sample":
            yield Check(
                "draws", False, "nothing says which draws they are, as every run drawn does"
            )
            return
        says = (
            f"{len(tally)} inputs with {span(tally.draws)} draws each, at the word of the imported "
            "counts: nothing says which draws they are"
        )
        yield Check("draws", None, says)
        return
    yield segment_check(run.manifest, tally, tally.segments)
    yield look_check(run, tally)
    made = sum(int(part.tally.draws.sum()) for part in parts)
    if made > tally.draws.sum():
        more = made - int(tally.draws.sum())
        yield Check("draws", True, f"{more} draws are held by two parts; they count once")


def input_checks(manifest: Manifest, tally: Tally) -> Iterator[Check]:
    """No input lost, none that the run was not to have."""
    wanted = planned(manifest)
    if wanted is None:
        same = len(tally) == manifest.inputs
        yield Check("draws", same, f"{len(tally)} of {manifest.inputs} inputs are there")
        return
    missing, strange = np.setdiff1d(wanted, tally.inputs), np.setdiff1d(tally.inputs, wanted)
    if missing.size:
        says = f"{missing.size} of {wanted.size} inputs are missing: {listed(missing.tolist())}"
        yield Check("draws", False, says)
    if strange.size:
        says = f"inputs that the run was not to hold: {listed(strange.tolist())}"
        yield Check("draws", False, says)
    if wanted.size != manifest.inputs:  # of a list; a range says how many it has
        says = f"run.toml counts {manifest.inputs} inputs and lists {wanted.size}"
        yield Check("draws", False, says)
    if not missing.size and not strange.size:
        yield Check("draws", True, f"all {wanted.size} inputs are there, and no others")


def segment_check(manifest: Manifest, tally: Tally, segments: Ints) -> Check:
    """Each input holds the draws 0..n-1 of the run's seed, all of them counted."""
    ends = dict(zip(tally.inputs.tolist(), tally.draws.tolist(), strict=True))
    seed = manifest.source.get("seed")
    held: dict[int, list[tuple[int, int, int]]] = {item: [] for item in ends}
    for item, *span_of in segments.tolist():
        held[item].append(tuple(span_of))
    wrong = [item for item, spans in held.items() if spans != [(seed, 0, ends[item])]]
    if wrong:
        says = f"not the draws 0, 1, 2, ... of seed {seed}, without gap: input {listed(wrong)}"
        return Check("draws", False, says)
    says = f"each input holds its draws of seed {seed} from 0 on, without gap and none twice"
    return Check("draws", True, says)


def look_check(run: Run, tally: Tally) -> Check:
    """Every input stands at a look of the plan, and its rule has let it go there."""
    plan = run.manifest.plan
    assert plan is not None and tally.looks is not None
    between = tally.inputs[tally.looks == 0]
    where = f"look{'s' * (len(plan.looks) > 1)} at {listed(plan.looks, 12)} draws, {plan.rule}"
    if between.size:
        says = f"between the plan's {where}: input {listed(between.tolist())}"
        return Check("draws", False, says)
    unfinished = tally.inputs[run.until(tally) == ""]
    if unfinished.size:
        says = (
            f"not yet drawn to where the plan ends ({where}): input {listed(unfinished.tolist())}"
        )
        return Check("draws", False, says)
    return Check("draws", True, f"each input stands where the plan lets it stop ({where})")


def span(draws: Ints) -> str:
    """The least and the most, or the one number there is."""
    low, high = int(draws.min()), int(draws.max())
    return str(low) if low == high else f"{low} to {high}"
