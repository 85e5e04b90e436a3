"""Inputs drawn again, and compared with what the parts hold of them."""

import secrets
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
from simplicert.runs.manifest import NAME, same_answers, version
from simplicert.runs.origin import Place, origin_of, settings_of
from simplicert.runs.survey import EXAMPLES
from simplicert.runs.verification.check import Check
from simplicert.runs.verification.coverage import planned
from simplicert.runs.verification.files import Part
from simplicert.runs.verification.tolerance import MOVED, moved
from simplicert.sampling import Sampler
from simplicert.sampling.compilation import decide
from simplicert.types import Ints, Tally
from simplicert.types.merging import COMMON, SHARED, SUMMED
from simplicert.types.selection import some

ABOUT = "replay"


@dataclass(frozen=True)
class Replay:
    """How many inputs to draw again; where model and data are now.

    A seed that chooses them may be known to whoever made the run: without one it is fresh.
    """

    count: int
    seed: int | None = None
    model: str | None = None
    data: str | None = None
    mean: str | None = None
    std: str | None = None
    trust: bool = False


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
    place = Place(asked.model, asked.data, asked.mean, asked.std, asked.trust)
    origin = origin_of(run, ABOUT, place)
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
            f"{NAME} says that it was drawn on another kind of machine ({'; '.join(other)}), which "
            f"rounds otherwise: up to {MOVED:g} of an input's draws may fall on other classes, and "
            f"its mean scores may move by {MOVED:g}; a forgery of that size is not noticed",
        )
    seed = secrets.randbits(32) if asked.seed is None else asked.seed
    known = "" if asked.seed is None else ", a seed that whoever made the run may have known"
    yield Check(ABOUT, None, f"--seed {seed} chooses the inputs to draw again{known}")
    random = np.random.default_rng(seed)
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
    total, draws, votes = 0, 0, 0
    other, beyond = set[str](), set[str]()
    for part in parts:
        if item not in part.tally.inputs:
            continue
        held = some(part.tally, part.tally.inputs == item)
        try:
            drawn = drawn_again(sampler, data, held, at)
        except Exception as error:  # the classifier is foreign code and may raise anything
            return Check(ABOUT, False, f"input {item}: the model failed ({said(error)})")
        total += int(held.draws[0])
        other |= differing(held, drawn)
        change = moved(held, drawn)
        draws, votes, beyond = draws + change.draws, votes + change.votes, beyond | change.beyond
    if not other:
        return Check(ABOUT, True, f"input {item}: its {total} draws come again bit for bit")
    says = f"input {item}: {draws} of its {total} draws fall on other classes when drawn again"
    if exact:
        return Check(ABOUT, False, f"{says}, and these differ: {', '.join(sorted(other))}")
    beyond |= {"counts"} if draws > MOVED * total else set()
    beyond |= {"votes"} if votes > MOVED * total else set()
    if beyond:
        names = ", ".join(sorted(beyond))
        return Check(ABOUT, False, f"{says}; more than another kind of machine explains: {names}")
    says += "; not bit for bit, but within the tolerance for another kind of machine"
    return Check(ABOUT, True, says, tolerant=True)


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
