"""Draw some inputs again and compare them with what the parts hold.

`replay_checks` opens model and data and redraws inputs chosen at random. On the same kind of
machine they must agree bit for bit; `_measure_difference` measures what another kind may change: it
rounds differently, and that moves the logits. Logits that all move by at most d move a score by at
most d / 2: it is the logistic function, whose slope is at most 1/4, of a number that moves by at
most 2 d; a square moves by at most twice as much. So logits that agree to 2 * MOVED_SHARE have mean
scores that agree to MOVED_SHARE and mean squares that agree to 2 * MOVED_SHARE. How many draws fall
on another class depends on how many lie close to a boundary: at most MOVED_SHARE of them are
excused.
"""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simplicert.bounds.softmax import read_softmax_rest
from simplicert.data import Dataset
from simplicert.data.class_map import renumber_labels
from simplicert.drawing.origin import OriginOverrides, open_origin
from simplicert.drawing.preparation import PROBE_INPUTS, sampling_settings
from simplicert.errors import SimplicertError
from simplicert.importing import describe_error, import_library
from simplicert.machine import machine_differences
from simplicert.models import Model
from simplicert.sampling import Sampler
from simplicert.sampling.sampler import prepare_sampler
from simplicert.store.differences import same_outputs
from simplicert.store.imported import ImportedRun
from simplicert.store.manifest import NAME, package_version
from simplicert.store.run import Run
from simplicert.types import FIXED_POINT, Floats, Ints, Tally
from simplicert.types.merging import COMMON_FIELDS, SHARED_FIELDS, SUMMED_FIELDS
from simplicert.types.tally import select_inputs
from simplicert.verification.checks import VerificationCheck, VerifiedParts, planned_inputs

ABOUT = "replay"  # what these checks are about

# On another kind of machine this share of draws may change class, and a mean score move as much.
MOVED_SHARE = 1e-3

# The share of draws by which a distribution of scores may change at a threshold.
MOVED_BINS_SHARE = 1e-2

SAME = ("labels", "leaders")  # fields that no machine may change

# Fields whose shapes must agree before their values are compared.
FIELDS = (
    *("counts", "labels", "pilot", "leaders", "votes", "histograms"),
    *("softmax_sums", "softmax_squares", "softmax_classes", "softmax_rest"),
)


@dataclass(frozen=True)
class Replay:
    """How many inputs to draw again, and where model and data are now.

    The seed chooses the inputs. The maker of the run may know it; by default it is fresh.
    """

    count: int
    seed: int | None = None
    model: str | None = None
    data: str | None = None
    mean: str | None = None
    std: str | None = None
    trust: bool = False


class ReplayDifference(NamedTuple):
    """Draws and votes of one part that change class, and other fields that differ by too much."""

    draws: int
    votes: int
    beyond: frozenset[str]


def no_replay_reason(run: Run | ImportedRun) -> str | None:
    """Say why a run can never be drawn again; None if it can."""
    if isinstance(run, ImportedRun) or not run.manifest.was_drawn:
        return "it was imported, and nothing says by which model and data it was drawn"
    if run.manifest.random:
        return "its model is random by itself: drawn again, its tallies would differ"
    return None


def replay_checks(run: Run, parts: VerifiedParts, replay: Replay) -> Iterator[VerificationCheck]:
    """Check model and data first, then draw input after input again."""
    place = OriginOverrides(replay.model, replay.data, replay.mean, replay.std, replay.trust)
    origin = open_origin(run, ABOUT, place)
    model, data = origin
    strange = origin.mismatches(run.manifest)
    for what, found, wanted in strange:
        yield VerificationCheck(
            ABOUT, False, f"the {what} is not the run's: fingerprint {found}, and not {wanted}"
        )
    index = planned_inputs(run.manifest)
    held = np.unique(np.concatenate([part.inputs for part in parts.tallies]))
    if strange or index is None:
        return
    if max(index.max(), held.max()) >= len(data):
        yield VerificationCheck(
            ABOUT, False, f"the run names inputs that are not among the data's {len(data)}"
        )
        return
    recorded, shape = run.manifest.made.get("shape"), list(data.inputs.shape[1:])
    if recorded is not None and recorded != shape:  # radii in linf are computed from it
        yield VerificationCheck(
            ABOUT,
            False,
            f"{NAME} says that inputs have the shape {recorded}, and they have {shape}",
        )
    data = renumber_labels(data, run.manifest.source.get("class_map"))
    sampler = _rebuild_sampler(run, model, data.inputs[index[:PROBE_INPUTS]])
    ordered = run.manifest.index is not None and run.manifest.index[0] >= 0
    answers = [float(value) for value in sampler.probe_outputs.ravel()]
    if ordered and not same_outputs(run.manifest.answers, answers):
        yield VerificationCheck(
            ABOUT, False, "the model does not give the outputs that run.toml keeps of it"
        )
    if run.manifest.lipschitz is not None:
        yield _lipschitz_check(run.manifest.lipschitz, model, tuple(shape))
    other = machine_differences(run.manifest.made)
    if run.manifest.package != package_version():
        other.append(f"simplicert {run.manifest.package} there, {package_version()} here")
    if other:
        yield VerificationCheck(
            ABOUT,
            None,
            f"{NAME} says that it was drawn on another kind of machine ({'; '.join(other)}), which "
            f"rounds otherwise: up to {MOVED_SHARE:g} of an input's draws may fall on "
            f"other classes, and "
            f"its mean scores may move by {MOVED_SHARE:g}; a forgery of that size is not noticed",
        )
    seed = secrets.randbits(32) if replay.seed is None else replay.seed
    known = "" if replay.seed is None else ", a seed that whoever made the run may have known"
    yield VerificationCheck(ABOUT, None, f"--seed {seed} chooses the inputs to draw again{known}")
    random = np.random.default_rng(seed)
    for item in np.sort(random.choice(held, min(replay.count, len(held)), replace=False)):
        yield _input_check(sampler, data, parts, int(item), exact=not other)


def _lipschitz_check(claimed: float, model: Model, shape: tuple[int, ...]) -> VerificationCheck:
    """Prove the constant of the scores again; the run's must not be smaller."""
    try:
        import_library("torch", "torch", "a Lipschitz constant")
        from simplicert.models.lipschitz import prove_constant

        proved = prove_constant(model, shape)
    except SimplicertError as error:
        says = f"the run says that its scores have the constant {claimed!r}, but {error}"
        return VerificationCheck("lipschitz", False, says)
    says = f"the run's constant of the scores is {claimed!r}, and {proved:.9g} is proved here"
    return VerificationCheck("lipschitz", claimed >= proved, says)


def _rebuild_sampler(run: Run, model: Model, example: np.ndarray) -> Sampler:
    """Rebuild the sampler that drew the run."""
    settings, compiled = sampling_settings(run.settings), bool(run.settings.compiled)
    return prepare_sampler(model.classifier, example, settings, 0, compiled)


def _input_check(
    sampler: Sampler, data: Dataset, parts: VerifiedParts, item: int, *, exact: bool
) -> VerificationCheck:
    """Make every part's draws of one input again, over the same spans, and compare them."""
    at = np.array([item])
    total, draws, votes = 0, 0, 0
    other, beyond = set[str](), set[str]()
    for part in parts.tallies:
        if item not in part.inputs:
            continue
        held = select_inputs(part, part.inputs == item)
        try:
            drawn = _redraw_input(sampler, data, held, at)
        except Exception as error:  # the classifier is foreign code and may raise anything
            return VerificationCheck(
                ABOUT, False, f"input {item}: the model failed ({describe_error(error)})"
            )
        total += int(held.draws[0])
        other |= _differing_fields(held, drawn)
        change = _measure_difference(held, drawn)
        draws, votes, beyond = draws + change.draws, votes + change.votes, beyond | change.beyond
    if not other:
        return VerificationCheck(
            ABOUT, True, f"input {item}: its {total} draws come again bit for bit"
        )
    says = f"input {item}: {draws} of its {total} draws fall on other classes when drawn again"
    if exact:
        return VerificationCheck(
            ABOUT, False, f"{says}, and these differ: {', '.join(sorted(other))}"
        )
    beyond |= {"counts"} if draws > MOVED_SHARE * total else set()
    beyond |= {"votes"} if votes > MOVED_SHARE * total else set()
    if beyond:
        names = ", ".join(sorted(beyond))
        return VerificationCheck(
            ABOUT, False, f"{says}; more than another kind of machine explains: {names}"
        )
    says += "; not bit for bit, but within the tolerance for another kind of machine"
    return VerificationCheck(ABOUT, True, says, tolerant=True)


def _redraw_input(sampler: Sampler, data: Dataset, held: Tally, at: Ints) -> Tally:
    """Make the same draws of the same input again."""
    assert held.segments is not None
    labels = None if data.labels is None else data.labels[at]
    out: Tally | None = None
    for _, _, first, stop in held.segments.tolist():
        more = sampler.tally(data.inputs[at], at, (first, stop), labels=labels, plan=held.plan)
        assert more is not None
        out = more if out is None else out + more
    assert out is not None
    return out


def _differing_fields(held: Tally, drawn: Tally) -> set[str]:
    """Name the fields that are not equal."""
    return {
        name
        for name in (*SUMMED_FIELDS, *SHARED_FIELDS, *COMMON_FIELDS)
        if not np.array_equal(_field_or_empty(held, name), _field_or_empty(drawn, name))
    }


def _field_or_empty(tally: Tally, name: str) -> np.ndarray:
    """Return a field of a tally, empty if the tally does not hold it."""
    values = getattr(tally, name)
    return np.zeros(0) if values is None else np.asarray(values)


def _measure_difference(held: Tally, drawn: Tally) -> ReplayDifference:
    """Compare one input of one part with the same draws made again."""
    beyond = {name for name in FIELDS if _field_shape(held, name) != _field_shape(drawn, name)}
    if beyond:
        return ReplayDifference(0, 0, frozenset(beyond))
    beyond |= {
        name for name in SAME if not np.array_equal(getattr(held, name), getattr(drawn, name))
    }
    votes = 0
    if held.votes is not None:
        votes = _count_moved_draws(
            _counts_with_invalid(held, "votes"), _counts_with_invalid(drawn, "votes")
        )
    if held.pilot is not None and drawn.pilot is not None:
        allowed = max(MOVED_SHARE * int(held.pilot.sum()), 1)
        beyond |= {"pilot"} if _count_moved_draws(held.pilot, drawn.pilot) > allowed else set()
    if held.softmax_sums is not None:
        beyond |= _scores_out_of_tolerance(held, drawn)
    if held.histograms is not None and drawn.histograms is not None and "leaders" not in beyond:
        change = np.cumsum(held.histograms - drawn.histograms, axis=-1)
        if np.abs(change).max() > MOVED_BINS_SHARE * held.draws[0]:
            beyond.add("histograms")
    draws = _count_moved_draws(
        _counts_with_invalid(held, "counts"), _counts_with_invalid(drawn, "counts")
    )
    return ReplayDifference(draws, votes, frozenset(beyond))


def _field_shape(tally: Tally, name: str) -> tuple[int, ...] | None:
    """Return the shape of a field, None where the tally does not hold it."""
    values = getattr(tally, name)
    return None if values is None else np.shape(values)


def _count_moved_draws(one: Ints, other: Ints) -> int:
    """Return the fewest draws that must have changed class between two rows of counts."""
    return -(-int(np.abs(one - other).sum()) // 2)


def _counts_with_invalid(tally: Tally, name: str) -> Ints:
    """Return counts or votes, with those for no class in the last column."""
    invalid = tally.invalid if name == "counts" else tally.votes_invalid
    assert invalid is not None
    return np.column_stack([getattr(tally, name), invalid])


def _scores_out_of_tolerance(held: Tally, drawn: Tally) -> set[str]:
    """Name the sums, squares and rest (of classes without their own sums) that differ too much.

    Of two classes with nearly equal sums, one machine may keep the first and another the second:
    so a class is compared by the interval in which its sum is known to lie.
    """
    unit = MOVED_SHARE * float(held.draws[0]) * 2.0**FIXED_POINT
    beyond = set()
    for name, place, allowed in (("softmax_sums", 0, unit), ("softmax_squares", 1, 2 * unit)):
        if getattr(held, name) is None:
            continue
        (low, high), (again_low, again_high) = (
            _sum_intervals(side, name, place) for side in (held, drawn)
        )
        apart = np.maximum(again_low - high, low - again_high)
        if apart.max() > allowed:
            beyond.add(name)
    if held.softmax_rest is not None and drawn.softmax_rest is not None:
        apart = np.abs(held.softmax_rest - drawn.softmax_rest).astype(float)
        if apart.max() > 4 * unit:  # a class may have taken the place of another
            beyond.add("softmax_rest")
    return beyond


def _sum_intervals(tally: Tally, name: str, place: int) -> tuple[Floats, Floats]:
    """Return (1, K) the least and the most that the sum of each class can be."""
    least = getattr(tally, name).astype(float)
    return least, least + read_softmax_rest(tally, slice(None))[place]
