"""Open the model and the data of a run again, and make sure that they are the same ones."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from simplicert.attack.attacked_input import attack_seed
from simplicert.attack.features import data_range
from simplicert.data import Dataset
from simplicert.drawing.origin import OriginOverrides, open_origin
from simplicert.drawing.preparation import PROBE_INPUTS, sampling_settings
from simplicert.errors import DamagedRun, InvalidInput, require
from simplicert.models import Model
from simplicert.noises import NOISES, NoiseModel
from simplicert.sampling import Sampler, SamplingSettings
from simplicert.store.differences import same_outputs
from simplicert.store.imported import ImportedRun
from simplicert.store.run import Run
from simplicert.types import Ints
from simplicert.verification.checks import planned_inputs

RANGE_INPUTS = 64  # inputs that show the range of the data


@dataclass(frozen=True, eq=False)
class Target:
    """A run whose certificates can be attacked, with what it was drawn from."""

    run: Run
    data: Dataset
    sampler: Sampler  # with noise that the run has never seen
    stream: tuple[object, ...]  # names the attack's random numbers

    def seed(self, *words: object) -> int:
        """Return the seed of one more stream that belongs to this attack."""
        return attack_seed(*self.stream, *words)

    @cached_property
    def data_range(self) -> tuple[float, float]:
        """The least and the largest value of some of the data."""
        some = self.data.inputs[np.arange(min(len(self.data), RANGE_INPUTS))]
        return data_range(some)

    def input(self, item: int) -> np.ndarray:
        """Return an input by its number in the data set."""
        return np.asarray(self.data.inputs[np.array([item])][0])


def open_target(  # noqa: PLR0913
    run: Run | ImportedRun,
    model: str | None = None,
    data: str | None = None,
    *,
    mean: str | None = None,
    std: str | None = None,
    trust: bool = False,
    device: str | None = None,
    seed: int = 0,
    purpose: str = "attack",
) -> Target:
    """Open the model and data that a run names, or where they are now; refuse others.

    `purpose` is the job that they are opened for, as its messages say it.
    """
    if isinstance(run, ImportedRun) or not run.manifest.was_drawn:
        wanted = "to be attacked" if purpose == "attack" else f"for {purpose}"
        raise InvalidInput(
            f"run must have been drawn by sample {wanted}, and {run.folder} was imported: "
            "nothing says which model and data its certificates are about"
        )
    _refuse_noise(run.manifest.noise_model)
    origin = open_origin(run, purpose, OriginOverrides(model, data, mean, std, trust))
    opened, inputs = origin
    for what, its, wanted in origin.mismatches(run.manifest):
        raise InvalidInput(
            f"{what} must be what {run.folder} was drawn from, and it has another fingerprint "
            f"({its} for {wanted})"
        )
    index = run.tally().inputs
    require(
        int(index.max()) < len(inputs),
        f"data must hold input {index.max()} of {run.folder}, and holds {len(inputs)}",
    )
    try:
        drawn = sampling_settings(run.settings)
    except (KeyError, TypeError) as error:
        raise DamagedRun(f"{run.folder} does not say how it was drawn: {error!r}") from None
    # Not compiled: that would change last bits only, and take a minute.
    settings = replace(drawn, pilot=0, histograms=False, device=device or drawn.device)
    first = _probed_inputs(run, index)
    require(
        int(first.max()) < len(inputs),
        f"data must hold input {first.max()} of {run.folder}, and holds {len(inputs)}",
    )
    example = inputs.inputs[first]
    _refuse_other_outputs(run, opened, example, settings)
    stream = (opened.fingerprint, inputs.fingerprint, settings.smoothing.sigma, settings.seed, seed)
    sampler = Sampler(
        opened.classifier, example, replace(settings, seed=attack_seed(*stream, "draws"))
    )
    return Target(run, inputs, sampler, stream)


def _refuse_noise(model: NoiseModel) -> None:
    """Refuse noises whose threat is not searched: draws that are all made."""
    require(
        not NOISES[model.name].deterministic,
        f"run must be of random noise to be attacked, got {model.name} noise: its counts are "
        "exact, and no draw is left to confirm anything with",
    )


def _probed_inputs(run: Run, index: Ints) -> Ints:
    """Return the inputs that the run's own probe looked at, where their order is known."""
    known = planned_inputs(run.manifest)
    ordered = known is not None and run.manifest.index is not None and run.manifest.index[0] >= 0
    return known[:PROBE_INPUTS] if known is not None and ordered else index[:PROBE_INPUTS]


def _refuse_other_outputs(
    run: Run, model: Model, example: np.ndarray, settings: SamplingSettings
) -> None:
    """Compare outputs: a function of the same source may still hold other weights."""
    manifest = run.manifest
    ordered = manifest.index is not None and manifest.index[0] >= 0
    if manifest.answers is None or not ordered or settings.device != manifest.source.get("device"):
        return
    answers = Sampler(model.classifier, example, settings).probe_outputs
    require(
        same_outputs(manifest.answers, [float(value) for value in answers.ravel()]),
        f"model must give the outputs that {run.folder} keeps of it, and gives others",
    )
