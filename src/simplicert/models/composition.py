"""Load `denoised:FOLDER@MODEL`: a denoiser that train wrote, in front of any classifier.

load_denoised        the model of such a name
compose_denoised     the model of a denoiser and a classifier that are at hand
read_denoiser        the denoiser of a folder, or one that ships with the package
require_module       a model's classifier, which must be a torch module
"""

from pathlib import Path
from typing import TYPE_CHECKING

from simplicert.errors import InvalidInput, require
from simplicert.importing import USER, Trust, import_library
from simplicert.models.model import Model, digest_parts, is_module
from simplicert.models.trained import TrainedNetwork, find_zoo_folder, read_trained_folder

if TYPE_CHECKING:
    from torch import nn

ZOO = "zoo:"


def load_denoised(spec: str, trust: Trust = USER) -> Model:
    """Load the denoiser before the first @ and the classifier after it, as one model."""
    from simplicert.models import load_raw_model

    where, at, model = spec.partition("@")
    require(
        bool(where and at and model),
        f"model denoised: must be followed by FOLDER@MODEL, got {spec!r}",
    )
    import_library("torch", "torch", f"model denoised:{spec}")
    denoiser = read_denoiser(where)
    return compose_denoised(Path(where).name, denoiser, load_raw_model(model, trust))


def compose_denoised(name: str, denoiser: TrainedNetwork, classifier: Model) -> Model:
    """Return classifier(denoiser(x)) as a model; its noise is what the denoiser was trained for."""
    from simplicert.models.denoising import Denoised

    facts = denoiser.facts
    return Model(
        Denoised(denoiser.module, require_module(classifier)),
        f"denoised:{name.removeprefix(ZOO)}@{classifier.name}",
        digest_parts("denoised", facts.fingerprint, classifier.fingerprint),
        classifier.classes,
        facts.sigma,
        facts.noise,
        facts.pictures,
    )


def read_denoiser(where: str, arch: str | None = None) -> TrainedNetwork:
    """Read the denoiser of a folder, or of zoo:NAME; refuse the folder of a classifier."""
    folder = find_zoo_folder(where.removeprefix(ZOO)) if where.startswith(ZOO) else Path(where)
    trained = read_trained_folder(folder, arch)
    require(
        trained.facts.denoiser,
        f"denoiser {where} must be a folder written by train --method denoiser, got a "
        f"{trained.facts.arch} that classifies",
    )
    return trained


def require_module(model: Model) -> "nn.Module":
    """Return the classifier of a model where it is a torch module, which can stand behind one."""
    if not is_module(model.classifier):
        raise InvalidInput(
            f"the classifier behind a denoiser must be a torch module, got {model.name}, which is "
            "called with NumPy arrays"
        )
    return model.classifier  # type: ignore[return-value]
