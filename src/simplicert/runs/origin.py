"""What a run was drawn from, opened again: its model, its data, its settings."""

from typing import NamedTuple

from simplicert.data import Dataset, load_data
from simplicert.errors import InvalidInput, SimplicertError
from simplicert.models import Model, load_model
from simplicert.runs.folder import Run
from simplicert.runs.manifest import Manifest
from simplicert.runs.options import numbers
from simplicert.sampling import Settings
from simplicert.types.smoothing import Smoothing


class Origin(NamedTuple):
    """A model and data."""

    model: Model
    data: Dataset

    def strangers(self, manifest: Manifest) -> list[tuple[str, str, str]]:
        """Which of the two is not the run's: its name, its fingerprint, the run's."""
        both = (("model", self.model.fingerprint), ("data", self.data.fingerprint))
        wanted = {name: str(manifest.source.get(f"{name}_fingerprint")) for name, _ in both}
        return [(name, its, wanted[name]) for name, its in both if its != wanted[name]]


def origin_of(
    run: Run,
    purpose: str,
    model: str | None,
    data: str | None,
    mean: str | None,
    std: str | None,
) -> Origin:
    """By the names that the run keeps, or where they are now, or a sentence that says how."""
    made = run.manifest.made
    try:
        inputs = load_data(data or str(made.get("data", "")))
        middle, spread = numbers("mean", mean), numbers("std", std)
        found = load_model(model or str(made.get("model", "")), mean=middle, std=spread)
    except (SimplicertError, OSError) as error:
        raise InvalidInput(
            f"{purpose} needs the run's model and data; "
            f"--model and --data say where they are: {error}"
        ) from None
    return Origin(found, inputs)


def settings_of(run: Run) -> Settings:
    """As the run was drawn, but eagerly."""
    source = run.manifest.source
    return Settings(
        smoothing_of(run),
        seed=source["seed"],
        batch_size=source["batch_size"],
        pilot=source["pilot"],
        histograms=source["histograms"],
        device=source["device"],
    )


def smoothing_of(run: Run) -> Smoothing:
    """The function that the run is about."""
    source = run.manifest.source
    return Smoothing(
        run.manifest.sigma,
        outputs=source["outputs"],
        num_classes=run.manifest.classes,
        score_limit=source.get("score_limit"),
        noise_scale=run.noise_scale,
        grid=source.get("grid"),
        autocast=source["autocast"],
    )
