"""Attack a run's certificates input by input, and write each result as soon as it is done.

`attack_run` is the whole job and `attack_input` one input of it; `choose_inputs` picks the inputs.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from simplicert.attack.attacked_input import (
    AttackedInput,
    SmoothedParameter,
    SmoothedPoint,
    SmoothedSequence,
)
from simplicert.attack.ball import Ball
from simplicert.attack.confirmer import ConfirmedPoint, Confirmer
from simplicert.attack.edits import EditBall, TokenImportance, find_smallest_edit
from simplicert.attack.features import FeatureBall, FeatureImportance
from simplicert.attack.gradients import GradientEstimator, NoGradient, choose_gradient
from simplicert.attack.losses import Effort, best_other_class
from simplicert.attack.norms import NORMS
from simplicert.attack.parameters import ParameterBall, parameter_ball
from simplicert.attack.paths import find_smallest_change
from simplicert.attack.search import find_smallest_perturbation
from simplicert.attack.target import Target
from simplicert.certification import certify
from simplicert.errors import require
from simplicert.files import write_atomically
from simplicert.mechanisms.threats import threat_of
from simplicert.noises import GAUSSIAN, NOISES
from simplicert.store.attacks import AttackRow, read_attack, write_attack
from simplicert.temporary import remove_stale_files
from simplicert.types import Certificates, Ints

# The fields of `Effort` that every row repeats; a row's level is that of one test.
EFFORT_FIELDS = ("steps", "restarts", "samples", "explore", "confirm", "seed")

MOST_OTHERS = 256  # inputs whose tokens an attack on a sequence may use

HALF_SIGMA = 0.6914624612740131  # Phi(1/2)

# Called with the number done, the number in all and the rows so far.
Report = Callable[[int, int, Sequence[AttackRow]], None]


def attack_run(
    target: Target,
    certificates: Certificates,
    inputs: Ints,
    effort: Effort,
    out: Path,
    *,
    stop: Callable[[], bool] = lambda: False,
    report: Report = lambda done, total, rows: None,
) -> list[AttackRow]:
    """Attack what `out` does not hold yet; return the rows of all that is done, fewer when stopped.

    The result for an input depends on the run, the effort and that input, not on the others or on
    an interruption. A perturbation that breaks a certificate is kept beside the table.
    """
    require(
        certificates.sensitivity == 1,
        f"certificates must be for sensitivity 1 to be attacked, got {certificates.sensitivity:g}: "
        "what is moved is what the noise is added to, behind the first stage",
    )
    rows = _read_done_rows(out, target, certificates, inputs, effort)
    done = {row.index for row in rows}
    report(len(rows), len(inputs), rows)
    for item in inputs.tolist():
        if item in done:
            continue
        if stop():
            break
        row, hit = attack_input(target, certificates, item, len(inputs), effort)
        if row.broken and hit is not None:
            _write_perturbation(perturbation_path(out, item), hit)
        rows = sorted([*rows, row], key=lambda one: one.index)
        write_attack(out, rows)
        report(len(rows), len(inputs), rows)
    return rows


def attack_input(
    target: Target, certificates: Certificates, item: int, inputs: int, effort: Effort
) -> tuple[AttackRow, ConfirmedPoint | None]:
    """Attack one input: go from its certificate to a row of the table."""
    attacked = prepare_input(target, certificates, item, effort)
    confirmer = Confirmer(attacked, effort, effort.test_level(inputs))
    search = {Ball: find_smallest_perturbation, EditBall: find_smallest_edit}
    hit = search.get(type(attacked.ball), find_smallest_change)(confirmer)
    row = AttackRow(
        index=item,
        certified=attacked.certified,
        radius=attacked.radius,
        rival=None if hit is None else hit.rival,
        found=None if hit is None else hit.distance,
        draws=attacked.draws,
        tests=confirmer.tests,
        gradients=attacked.slope.name,
        **_shared_settings(target, certificates, inputs, effort),
    )
    return row, hit


def prepare_input(
    target: Target, certificates: Certificates, item: int, effort: Effort
) -> AttackedInput:
    """Prepare one certified input, with its own streams of random numbers."""
    known, tally = certificates.known, target.run.tally()
    row = int(np.flatnonzero(known.index == item)[0])
    seed = target.seed("search", item)
    certified = int(known.top[row])
    (seen,) = tally.counts[tally.inputs == item]
    ball, smoothed, slope = _surroundings(target, certificates, item, effort.samples, seed)
    return AttackedInput(
        ball,
        smoothed,
        slope,
        certified,
        best_other_class(seen, certified),
        float(certificates.radius[row]),
        np.random.default_rng(seed),
        _distance_unit(target, certificates),
        certificates.closed,
    )


def _surroundings(
    target: Target, certificates: Certificates, item: int, copies: int, seed: int
) -> tuple[Ball | ParameterBall | FeatureBall | EditBall, SmoothedPoint, GradientEstimator]:
    """Return the points around an input, how they are drawn, and what steers among them."""
    if NOISES[certificates.known.noise.name].drop is not None:
        return _edit_surroundings(target, certificates, item, copies, seed)
    known, centre, sampler = certificates.known, target.input(item), target.sampler
    noise, smoothing = NOISES[known.noise.name], sampler.settings.smoothing
    if noise.fill is not None:
        scale = smoothing.noise_scale
        full = None if scale is None else np.asarray(np.broadcast_to(scale, centre.shape), float)
        measure = NORMS[known.norm.removeprefix("scaled ")]
        ball = Ball(centre, full, smoothing.grid, measure)
        point = SmoothedPoint(sampler, item, known.kind)
        return ball, point, choose_gradient(ball, sampler, copies, seed)
    if known.noise.name == "ablation":
        assert known.noise.absent is not None
        features = FeatureBall(centre, *target.data_range, known.noise.absent)
        slope = FeatureImportance(sampler, copies, seed)
        return features, SmoothedPoint(sampler, item, known.kind), slope
    moved = SmoothedParameter(sampler, item, known.kind, centre=centre)
    return parameter_ball(known.noise.name), moved, NoGradient()


def _edit_surroundings(
    target: Target, certificates: Certificates, item: int, copies: int, seed: int
) -> tuple[EditBall, SmoothedPoint, GradientEstimator]:
    """Return the edited sequences around one; new tokens are those of inputs of other classes."""
    known = certificates.known
    assert known.index is not None
    (centre,) = target.data.inputs[np.array([item])]
    (top,) = known.top[known.index == item]
    rivals = known.index[known.top != top]
    others = rivals if rivals.size else np.arange(len(target.data))
    tokens = [token for one in target.data.inputs[others[:MOST_OTHERS]] for token in one]
    smoothed = SmoothedSequence(target.sampler, item, known.kind)
    slope = TokenImportance(target.sampler, copies, seed)
    return EditBall(tuple(centre), known.norm, tokens), smoothed, slope


def _distance_unit(target: Target, certificates: Certificates) -> float:
    """Return a distance on which probabilities change: sigma for Gaussian noise and l2.

    Elsewhere it is twice the radius of a pair that has half a sigma there.
    """
    known = certificates.known
    sigma = target.sampler.settings.smoothing.sigma
    if known.noise == GAUSSIAN and known.norm.removeprefix("scaled ") in ("l2", "l1"):
        return sigma
    size = target.input(int(known.index[0])).size if known.noise == GAUSSIAN else None
    threat = threat_of(known.noise, known.norm, size)
    if threat.whole:
        return 1.0
    high = np.array([HALF_SIGMA])
    return sigma * 2 * float(threat.mechanisms["two_sided"].radius(high, 1 - high)[0])


def choose_inputs(
    certificates: Certificates, count: int | None, index: Sequence[int], seed: int
) -> Ints:
    """Choose the certified inputs to attack, by number: all, `count` at random, or those named."""
    numbers = certificates.known.index
    assert numbers is not None
    certified = np.sort(numbers[certificates.radius > 0])
    require(certified.size > 0, "run must have a certified input to attack, and it has none")
    return select_inputs(certified, "certified inputs", count, index, seed)


def select_inputs(
    held: Ints, words: str, count: int | None, index: Sequence[int], seed: int
) -> Ints:
    """Return all of these numbers, `count` of them at random, or those named; `words` says what."""
    if index:
        require(count is None, f"inputs ({count}) and index cannot be given together")
        lost = sorted(set(index) - set(held.tolist()))
        require(not lost, f"index must name {words} of the run, got {lost}")
        return np.unique(np.array(index, dtype=np.int64))
    if count is None:
        return held
    require(
        1 <= count <= held.size,
        f"inputs must lie in 1..{held.size}, the {words} of the run, got {count}",
    )
    return np.sort(np.random.default_rng(seed).choice(held, count, replace=False))


def perturbation_path(out: Path, item: int) -> Path:
    """Return where the perturbation that breaks an input's certificate is kept."""
    return out.with_name(f"{out.stem}-{item}.npy")


def _shared_settings(
    target: Target, certificates: Certificates, inputs: int, effort: Effort
) -> dict[str, Any]:
    """Return the settings that every row of a table repeats."""
    known = certificates.known
    return {
        "level": effort.test_level(inputs),
        "inputs": inputs,
        **{name: getattr(effort, name) for name in EFFORT_FIELDS},
        "kind": known.kind,
        "alpha": known.alpha,
        "scheme": known.scheme,
        "sigma": known.sigma,
        "norm": known.norm,
        "noise": known.noise.name,
        "run": target.run.manifest.id,
    }


def _read_done_rows(
    out: Path, target: Target, certificates: Certificates, inputs: Ints, effort: Effort
) -> list[AttackRow]:
    """Return the rows that `out` holds of this very attack; refuse those of another one."""
    require(out.suffix == ".csv", f"out must end in .csv, got {str(out)!r}")
    require(out.parent.is_dir(), f"out must lie in a folder that exists, got {str(out)!r}")
    remove_stale_files(out.parent, out.name)  # of an attack that was killed
    if not os.path.lexists(out):
        return []
    rows, wanted = read_attack(out), _shared_settings(target, certificates, len(inputs), effort)
    known = certificates.known
    radii = dict(zip(known.index.tolist(), certificates.radius.tolist(), strict=True))
    for row in rows:
        wanted |= {"radius": radii.get(row.index), "gradients": row.gradients}
        for name, value in wanted.items():
            held = getattr(row, name)
            require(
                held == value,
                f"{out} holds an attack with {name} = {held}, and {name} = {value} was asked for: "
                "use the same settings to go on, or another --out",
            )
        require(
            row.index in inputs,
            f"{out} holds an attack on input {row.index}, which was not asked for: "
            "use the same settings to go on, or another --out",
        )
    return rows


def _write_perturbation(path: Path, hit: ConfirmedPoint) -> None:
    """Write what is added to the input, in doubles, or the parameter of its transformation."""
    sink = BytesIO()
    np.save(sink, hit.perturbation)
    write_atomically(path, sink.getvalue())


def certify_in_norm(target: Target, certificates: Certificates, norm: str | None) -> Certificates:
    """Return the same certificates in another norm that the noise certifies, to be attacked."""
    known = certificates.known
    if norm is None or norm == known.norm.removeprefix("scaled "):
        return certificates
    size = target.input(int(known.index[0])).size
    needs = norm == "linf" and known.noise == GAUSSIAN
    made = certify(
        known, sensitivity=certificates.sensitivity, norm=norm, size=size if needs else None
    )
    return replace(made, exploratory=certificates.exploratory)
