"""Inputs drawn again, and compared with what the parts hold of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from simplicert.data import Dataset
from simplicert.data.class_map import in_model_numbers
from simplicert.importing import said
from simplicert.models import Model
from simplicert.runs.folder import Run
from simplicert.runs.known import KnownRun
from simplicert.runs.machine import other_kind
from simplicert.runs.manifest import same_answers, version
from simplicert.runs.origin import origin_of, settings_of
from simplicert.runs.survey import EXAMPLES
from simplicert.runs.verification.check import Check
from simplicert.runs.verification.coverage import planned
from simplicert.runs.verification.files import Part
from simplicert.sampling import Sampler
from simplicert.sampling.compilation import decide
from simplicert.types import Ints, Tally
from simplicert.types.merging import COMMON, SHARED, SUMMED
from simplicert.types.selection import some

MOVED = 1e-3  # share of the draws that the rounding of another kind of machine may move
ABOUT = "replay"


@dataclass(frozen=True)
class Replay:
    """How many inputs to draw again, chosen by which seed; where model and data are now."""

    count: int
    seed: int = 0
    model: str | None = None
    data: str | None = None
    mean: str | None = None
    std: str | None = None


def cannot(run: Run | KnownRun) -> str | None:
    """Why a run can never be drawn again; None where it can."""
    source = run.manifest.source
    if isinstance(run, KnownRun) or source.get("format") != "sample":
        return "it was imported, and nothing says by which model and data it was drawn"
    if source.get("random"):
        return "its model is random by itself: drawn again, its tallies would differ"
    return None


def replay_checks(run: Run, parts: Sequence[Part], asked: Replay) -> Iterator[Check]:
    """Model and data first, then input after input."""
    origin = origin_of(run, ABOUT, asked.model, asked.data, asked.mean, asked.std)
    model, data = origin
    strange = origin.strangers(run.manifest)
    for what, found, wanted in strange:
        yield Check(
            ABOUT, False, f"the {what} is not the run's: fingerprint {found}, and not {wanted}"
        )
    index = planned(run.manifest)
    held = np.unique(np.concatenate([part.tally.inputs for part in parts]))
    if strange or index is None:
        return
    if max(index.max(), held.max()) >= len(data):
        yield Check(ABOUT, False, f"the run names inputs that are not among the data's {len(data)}")
        return
    data = in_model_numbers(data, run.manifest.source.get("class_map"))
    sampler = made_again(run, model, data.inputs[index[:EXAMPLES]])
    ordered = run.manifest.index is not None and run.manifest.index[0] >= 0
    answers = [float(value) for value in sampler.answers.ravel()]
    if ordered and not same_answers(run.manifest.answers, answers):
        yield Check(ABOUT, False, "the model does not give the outputs that run.toml keeps of it")
    other = other_kind(run.manifest.made)
    if run.manifest.package != version():
        other.append(f"simplicert {run.manifest.package} there, {version()} here")
    if other:
        yield Check(
            ABOUT,
            None,
            f"drawn on another kind of machine ({'; '.join(other)}): outputs may differ in their "
            f"last bits, and at most {MOVED:g} of the draws may fall on other classes",
        )
    random = np.random.default_rng(asked.seed)
    for item in np.sort(random.choice(held, min(asked.count, len(held)), replace=False)):
        yield input_check(sampler, data, parts, int(item), exact=not other)


def made_again(run: Run, model: Model, example: np.ndarray) -> Sampler:
    """The sampler that the run was drawn by."""
    settings, compiled = settings_of(run), bool(run.manifest.source["compiled"])
    return Sampler(
        model.classifier, example, decide(model.classifier, example, settings, 0, compiled)
    )


def input_check(
    sampler: Sampler, data: Dataset, parts: Sequence[Part], item: int, *, exact: bool
) -> Check:
    """Every part's draws of one input made again, by the same spans."""
    at = np.array([item])
    total, moved, other = 0, 0, set[str]()
    for part in parts:
        if item not in part.tally.inputs:
            continue
        held = some(part.tally, part.tally.inputs == item)
        try:
            drawn = drawn_again(sampler, data, held, at)
        except Exception as error:  # the classifier is foreign code and may raise anything
            return Check(ABOUT, False, f"input {item}: the model failed ({said(error)})")
        total += int(held.draws[0])
        moved += fell_elsewhere(held, drawn)
        other |= differing(held, drawn)
    if not other:
        return Check(ABOUT, True, f"input {item}: its {total} draws come again bit for bit")
    says = f"input {item}: {moved} of its {total} draws fall on other classes when drawn again"
    if exact:
        return Check(ABOUT, False, f"{says}, and these differ: {', '.join(sorted(other))}")
    close = moved <= MOVED * total and "labels" not in other
    return Check(ABOUT, close, says)


def drawn_again(sampler: Sampler, data: Dataset, held: Tally, at: Ints) -> Tally:
    """The same draws of the same input."""
    assert held.segments is not None
    labels = None if data.labels is None else data.labels[at]
    out: Tally | None = None
    for _, _, first, stop in held.segments.tolist():
        more = sampler.tally(data.inputs[at], at, (first, stop), labels=labels, plan=held.plan)
        assert more is not None
        out = more if out is None else out + more
    assert out is not None
    return out


def fell_elsewhere(held: Tally, drawn: Tally) -> int:
    """Draws that must have another class at least, for these two counts."""
    assert held.invalid is not None and drawn.invalid is not None
    change = np.abs(held.counts - drawn.counts).sum() + np.abs(held.invalid - drawn.invalid).sum()
    return -(-int(change) // 2)


def differing(held: Tally, drawn: Tally) -> set[str]:
    """Names of what is not the same in both."""
    return {
        name
        for name in (*SUMMED, *SHARED, *COMMON)
        if not np.array_equal(none_as_empty(held, name), none_as_empty(drawn, name))
    }


def none_as_empty(tally: Tally, name: str) -> np.ndarray:
    """A field of a tally, empty where it holds none."""
    values = getattr(tally, name)
    return np.zeros(0) if values is None else np.asarray(values)
