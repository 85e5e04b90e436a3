"""Target: the model and the data of a run, opened again and made sure of."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from simplicert.attack.smoothed import own_seed
from simplicert.data import Dataset, load_data
from simplicert.errors import InvalidInput, SimplicertError, require
from simplicert.models import Model, load_model
from simplicert.runs.folder import Run
from simplicert.runs.known import KnownRun
from simplicert.runs.manifest import same_answers
from simplicert.runs.options import numbers
from simplicert.runs.survey import EXAMPLES
from simplicert.sampling import Sampler, Settings
from simplicert.types import Ints


@dataclass(frozen=True, eq=False)
class Target:
    """A run whose certificates can be attacked, with what it was drawn from."""

    run: Run
    classifier: Any
    data: Dataset
    sampler: Sampler  # with noise that the run has never seen
    stream: tuple[object, ...]  # names the attack's random numbers

    def seed(self, *words: object) -> int:
        """Of one more stream of its own."""
        return own_seed(*self.stream, *words)

    def input(self, item: int) -> np.ndarray:
        """By its number in the data set."""
        return np.asarray(self.data.inputs[np.array([item])][0])


def target_of(
    run: Run | KnownRun,
    model: str | None = None,
    data: str | None = None,
    *,
    mean: str | None = None,
    std: str | None = None,
    device: str | None = None,
    seed: int = 0,
) -> Target:
    """Model and data by the names that the run keeps, or where they are now; others are refused."""
    source = run.manifest.source
    if isinstance(run, KnownRun) or source.get("format") != "sample":
        raise InvalidInput(
            f"run must have been drawn by sample to be attacked, and {run.folder} was imported: "
            "nothing says which model and data its certificates are about"
        )
    found, inputs = loaded(run, model, data, mean, std)
    for what, its, wanted in (
        ("model", found.fingerprint, source.get("model_fingerprint")),
        ("data", inputs.fingerprint, source.get("data_fingerprint")),
    ):
        require(
            its == wanted,
            f"{what} must be what {run.folder} was drawn from, and it has another fingerprint "
            f"({its} for {wanted})",
        )
    index = run.tally().inputs
    require(
        int(index.max()) < len(inputs),
        f"data must hold input {index.max()} of {run.folder}, and holds {len(inputs)}",
    )
    settings = settings_of(run, device)
    example = inputs.inputs[first_inputs(run, index)]
    refuse_other_answers(run, found, example, settings)
    stream = (found.fingerprint, inputs.fingerprint, settings.sigma, settings.seed, seed)
    sampler = Sampler(found.classifier, example, replace(settings, seed=own_seed(*stream, "draws")))
    return Target(run, found.classifier, inputs, sampler, stream)


def loaded(
    run: Run, model: str | None, data: str | None, mean: str | None, std: str | None
) -> tuple[Model, Dataset]:
    """Both, or a sentence that says how to name them."""
    made = run.manifest.made
    middle, spread = numbers("mean", mean), numbers("std", std)
    try:
        inputs = load_data(data or str(made.get("data", "")))
        return load_model(model or str(made.get("model", "")), mean=middle, std=spread), inputs
    except (SimplicertError, OSError) as error:
        raise InvalidInput(
            f"attack needs the run's model and data; --model and --data say where they are: {error}"
        ) from None


def settings_of(run: Run, device: str | None) -> Settings:
    """As the run was drawn, eagerly: compiling changes last bits only, and takes a minute."""
    source = run.manifest.source
    return Settings(
        sigma=run.manifest.sigma,
        seed=source["seed"],
        batch_size=source["batch_size"],
        outputs=source["outputs"],
        num_classes=run.manifest.classes,
        histograms=False,
        grid=source.get("grid"),
        noise_scale=run.noise_scale,
        autocast=source["autocast"],
        device=device or source["device"],
    )


def first_inputs(run: Run, index: Ints) -> Ints:
    """Those that the run's own probe looked at, where their order is known."""
    first, step, count = (run.manifest.index or [-1, 0, 0])[:3]
    if first < 0:
        return index[:EXAMPLES]
    return first + step * np.arange(min(EXAMPLES, count))


def refuse_other_answers(run: Run, model: Model, example: np.ndarray, settings: Settings) -> None:
    """A function of the same source may still hold other weights: its outputs tell."""
    manifest = run.manifest
    ordered = manifest.index is not None and manifest.index[0] >= 0
    if manifest.answers is None or not ordered or settings.device != manifest.source["device"]:
        return
    answers = Sampler(model.classifier, example, settings).answers
    require(
        same_answers(manifest.answers, [float(value) for value in answers.ravel()]),
        f"model must give the outputs that {run.folder} keeps of it, and gives others",
    )
