"""Reopen what a run was drawn from: its model, its data and its settings.

Names that the user gives are trusted. Names that run.toml keeps are not: no code runs because of
them, nothing is downloaded, and what they lead to is used only if it has the fingerprint that the
run was drawn with.
"""

from collections.abc import Sequence
from typing import NamedTuple

from simplicert.data import Dataset, load_data
from simplicert.drawing.settings import parse_numbers
from simplicert.errors import InvalidInput, SimplicertError, require
from simplicert.models import Model, load_model, load_named_model
from simplicert.sampling import SamplingSettings
from simplicert.store.imported import ImportedRun
from simplicert.store.manifest import NAME, Manifest
from simplicert.store.run import Run
from simplicert.types.smoothing import Smoothing


class OriginOverrides(NamedTuple):
    """Where the user says that model and data are; None: where the run's own names lead."""

    model: str | None = None
    data: str | None = None
    mean: str | None = None
    std: str | None = None
    trust: bool = False  # vouches for the code in the model's file


class Origin(NamedTuple):
    """A model and data."""

    model: Model
    data: Dataset

    def mismatches(self, manifest: Manifest) -> list[tuple[str, str, str]]:
        """Which of the two is not the run's: its name, its fingerprint, the run's."""
        both = (("model", self.model.fingerprint), ("data", self.data.fingerprint))
        wanted = {name: str(manifest.source.get(f"{name}_fingerprint")) for name, _ in both}
        return [(name, its, wanted[name]) for name, its in both if its != wanted[name]]


def open_origin(run: Run, purpose: str, place: OriginOverrides) -> Origin:
    """By the names that the run keeps, or where they are now, or a sentence that says how."""
    try:
        data = open_named_data(run) if place.data is None else load_data(place.data)
        return Origin(_open_model(run, place), data)
    except (SimplicertError, OSError) as error:
        raise InvalidInput(
            f"{purpose} needs the run's model and data; "
            f"--model and --data say where they are: {error}"
        ) from None


def _open_model(run: Run, place: OriginOverrides) -> Model:
    """The run's model, behind the normalisation that the run was drawn with."""
    mean, std = (
        reconcile_with_run(name, run.manifest, parse_numbers(name, given))
        for name, given in (("mean", place.mean), ("std", place.std))
    )
    if place.model is not None:
        return load_model(place.model, mean=mean, std=std, trust=place.trust)
    name, file = run.manifest.made.get("model"), str(run.folder / NAME)
    require(bool(name) and isinstance(name, str), f"{file} does not name the model")
    wanted = str(run.manifest.source.get("model_fingerprint"))
    return load_named_model(str(name), file, wanted, mean=mean, std=std)


def reconcile_with_run(
    name: str, before: Manifest | None, given: list[float] | None
) -> list[float] | None:
    """A list of numbers of the model by the user or by the run, which must not contradict it.

    Runs of earlier versions keep none: there the user's word is all there is.
    """
    kept = None if before is None else before.source.get(name)
    if kept is None:
        return given
    plain = isinstance(kept, Sequence) and all(isinstance(n, int | float) for n in kept)
    require(plain and not isinstance(kept, str), f"{name} of {NAME} must be numbers, got {kept!r}")
    held = [float(number) for number in kept]
    require(
        given in (None, held),
        f"{name} must be the run's {held}, got {given}: leave it out, the run knows it",
    )
    return held


def open_named_data(run: Run | ImportedRun) -> Dataset:
    """The data that a run names, if they have the fingerprint that it was drawn with.

    Without one nothing is opened: a file's word alone would open anybody's private files.
    """
    name, file = run.manifest.made.get("data"), run.folder / NAME
    wanted = run.manifest.source.get("data_fingerprint")
    require(bool(name) and isinstance(name, str), f"{file} does not name its data")
    require(
        isinstance(wanted, str),
        f"{file} names the data {name} without their fingerprint, so they are not opened",
    )
    data = load_data(str(name))
    require(
        data.fingerprint == wanted,
        f"{name} has another fingerprint than the data that the run was drawn from",
    )
    return data


def restore_settings(run: Run) -> SamplingSettings:
    """As the run was drawn, but eagerly."""
    source = run.manifest.source
    return SamplingSettings(
        _restore_smoothing(run),
        seed=source["seed"],
        batch_size=source["batch_size"],
        pilot=source["pilot"],
        histograms=source["histograms"],
        device=source["device"],
    )


def _restore_smoothing(run: Run) -> Smoothing:
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
