"""Reopen the model and the data that a run was drawn from.

Names that the user gives are trusted. Names in run.toml are not: they run no code, they download
nothing, and a model or data set is used only if it has the fingerprint that the run was drawn with.
"""

from typing import NamedTuple

from simplicert.data import Dataset, load_data
from simplicert.data.options import restore_options
from simplicert.errors import InvalidInput, SimplicertError, require
from simplicert.models import Model, load_model, load_named_model
from simplicert.store.imported import ImportedRun
from simplicert.store.manifest import NAME, Manifest
from simplicert.store.parsing import parse_numbers
from simplicert.store.run import Run
from simplicert.store.settings import reconcile_numbers


class OriginOverrides(NamedTuple):
    """The user's names of model and data; None stands for the name in run.toml."""

    model: str | None = None
    data: str | None = None
    mean: str | None = None
    std: str | None = None
    trust: bool = False  # the user vouches for the code in the model's file


class Origin(NamedTuple):
    """The model and the data of a run."""

    model: Model
    data: Dataset

    def mismatches(self, manifest: Manifest) -> list[tuple[str, str, str]]:
        """Return what differs from the run: model or data, its fingerprint, and the run's."""
        both = (("model", self.model.fingerprint), ("data", self.data.fingerprint))
        wanted = {
            "model": str(manifest.model_fingerprint),
            "data": str(manifest.data_fingerprint),
        }
        return [(name, own, wanted[name]) for name, own in both if own != wanted[name]]


def open_origin(run: Run, purpose: str, overrides: OriginOverrides) -> Origin:
    """Open model and data by the user's names or else the run's; the error says which to give."""
    try:
        data = open_named_data(run) if overrides.data is None else reopen_data(run, overrides.data)
        return Origin(_open_model(run, overrides), data)
    except (SimplicertError, OSError) as error:
        raise InvalidInput(
            f"{purpose} needs the run's model and data; "
            f"--model and --data say where they are: {error}"
        ) from None


def _open_model(run: Run, overrides: OriginOverrides) -> Model:
    """Open the run's model, behind the normalisation that the run was drawn with."""
    mean, std = (
        reconcile_numbers(name, run.manifest, None if given is None else parse_numbers(name, given))
        for name, given in (("mean", overrides.mean), ("std", overrides.std))
    )
    if overrides.model is not None:
        return load_model(overrides.model, mean=mean, std=std, trust=overrides.trust)
    name, file = run.manifest.made.get("model"), str(run.folder / NAME)
    require(bool(name), f"{file} does not name the model")
    wanted = str(run.manifest.model_fingerprint)
    return load_named_model(str(name), file, wanted, mean=mean, std=std)


def reopen_data(run: Run | ImportedRun, spec: str) -> Dataset:
    """Load data by name and read them as the run did: resized, by the same columns."""
    return load_data(spec, options=restore_options(run.manifest.source))


def open_named_data(run: Run | ImportedRun) -> Dataset:
    """Open the data that a run names, if they have the fingerprint that it was drawn with.

    If run.toml has no fingerprint, nothing is opened: else a run.toml from a stranger could open
    any private file.
    """
    name, file = run.manifest.made.get("data"), run.folder / NAME
    wanted = run.manifest.data_fingerprint
    require(bool(name), f"{file} does not name its data")
    require(
        wanted is not None,
        f"{file} names the data {name} without their fingerprint, so they are not opened",
    )
    data = reopen_data(run, str(name))
    require(
        data.fingerprint == wanted,
        f"{name} has another fingerprint than the data that the run was drawn from",
    )
    return data
