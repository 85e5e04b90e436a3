"""Reopen what a run was drawn from: its model and its data.

Names that the user gives are trusted. Names that run.toml keeps are not: no code runs because of
them, nothing is downloaded, and what they lead to is used only if it has the fingerprint that the
run was drawn with.
"""

from typing import NamedTuple

from simplicert.data import Dataset, load_data
from simplicert.errors import InvalidInput, SimplicertError, require
from simplicert.models import Model, load_model, load_named_model
from simplicert.store.imported import ImportedRun
from simplicert.store.manifest import NAME, Manifest
from simplicert.store.run import Run
from simplicert.store.settings import parse_numbers, reconcile_numbers


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
        wanted = {
            "model": str(manifest.model_fingerprint),
            "data": str(manifest.data_fingerprint),
        }
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
        reconcile_numbers(name, run.manifest, None if given is None else parse_numbers(name, given))
        for name, given in (("mean", place.mean), ("std", place.std))
    )
    if place.model is not None:
        return load_model(place.model, mean=mean, std=std, trust=place.trust)
    name, file = run.manifest.made.get("model"), str(run.folder / NAME)
    require(bool(name) and isinstance(name, str), f"{file} does not name the model")
    wanted = str(run.manifest.model_fingerprint)
    return load_named_model(str(name), file, wanted, mean=mean, std=std)


def open_named_data(run: Run | ImportedRun) -> Dataset:
    """The data that a run names, if they have the fingerprint that it was drawn with.

    Without one nothing is opened: a file's word alone would open anybody's private files.
    """
    name, file = run.manifest.made.get("data"), run.folder / NAME
    wanted = run.manifest.data_fingerprint
    require(bool(name) and isinstance(name, str), f"{file} does not name its data")
    require(
        wanted is not None,
        f"{file} names the data {name} without their fingerprint, so they are not opened",
    )
    data = load_data(str(name))
    require(
        data.fingerprint == wanted,
        f"{name} has another fingerprint than the data that the run was drawn from",
    )
    return data
