"""Load a folder written by `simplicert train`, or a network that ships with the package.

read_facts             model.toml, which describes the weights beside it
read_trained_folder    the network and those facts, refused if the weights are others
load_trained           the classifier of a folder; that of a denoiser is refused
load_zoo               `zoo:NAME`: one of the small networks in the package, each a folder that
                       train wrote
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simplicert.errors import InvalidInput, choose, require
from simplicert.files import read_toml
from simplicert.importing import USER, Trust, import_library, require_inside
from simplicert.models.model import Model, digest_parts, find_model_file, module_fingerprint
from simplicert.models.weights import (
    build_fitting_network,
    fill_network,
    metadata_numbers,
    read_weights,
    require_positive_whole,
)

if TYPE_CHECKING:
    from torch import nn

TEXT, WEIGHTS = "model.toml", "weights.safetensors"
FORMAT = 1  # of model.toml
FOLDER = Path(__file__).parent / "zoo"  # one folder per network that ships with the package


@dataclass(frozen=True)
class ModelFacts:
    """What model.toml says: the network, and everything else for the record."""

    arch: str
    num_classes: int
    input_shape: tuple[int, ...]
    fingerprint: str
    classes: tuple[str, ...] | None  # in the order of the labels, where the data named them
    sigma: float | None
    noise: str
    pictures: dict[str, int] | None  # the size that pictures were brought to, if they were
    denoiser: bool  # whether it makes images of images, and classifies nothing by itself
    content: dict[str, Any]


@dataclass(frozen=True, eq=False)
class TrainedNetwork:
    """A network in eval mode behind its normalisation, and what is known about it."""

    module: "nn.Module"
    facts: ModelFacts


def load_trained(spec: str, trust: Trust = USER) -> Model:
    """Load the classifier of a folder.

    If model.toml names a network of the user's own, it is not built on the word of that file.
    """
    return load_trained_folder(Path(spec))


def load_zoo(name: str, trust: Trust = USER) -> Model:
    """Load the network of that name from the package."""
    return load_trained(str(find_zoo_folder(name)))


def find_zoo_folder(name: str) -> Path:
    """Return the folder of the network of that name in the package."""
    return choose("model zoo:NAME", name, {known: FOLDER / known for known in list_zoo_names()})


def list_zoo_names() -> list[str]:
    """List the networks that ship with the package."""
    return sorted(path.parent.name for path in FOLDER.glob(f"*/{TEXT}"))


def load_trained_folder(folder: Path, arch: str | None = None) -> Model:
    """Load the classifier of a folder; `arch` is the network that the user says it is."""
    trained = read_trained_folder(folder, arch)
    facts = trained.facts
    require(
        not facts.denoiser,
        f"model {folder} must be a classifier, got a denoiser: denoised:{folder}@MODEL puts it in "
        "front of one",
    )
    return Model(
        trained.module,
        folder.resolve().name,
        facts.fingerprint,
        facts.classes,
        facts.sigma,
        facts.noise,
        facts.pictures,
    )


def read_trained_folder(folder: Path, arch: str | None = None) -> TrainedNetwork:
    """Read the network and its facts; refuse weights other than those that model.toml describes.

    A network of the user's own is built only where the user names it as `arch`.
    """
    import_library("torch", "torch", f"model {folder.name}")
    from simplicert.models.architectures import build_network
    from simplicert.models.modules import Normalised

    facts = read_facts(folder)
    require(
        arch in (None, facts.arch), f"model {folder} must hold a {arch}, got the arch {facts.arch}"
    )
    path = folder / WEIGHTS
    require(path.is_file(), f"model {folder} must hold {WEIGHTS} beside {TEXT}, and it does not")
    state, metadata = read_weights(find_model_file(str(require_inside(path, folder))))
    trust = Trust(str(folder / TEXT)) if arch is None else USER
    build = partial(
        build_network,
        facts.arch,
        trust=trust,
        instead=f"--model {facts.arch}@{path}",
        denoiser=facts.denoiser,
    )
    if ":" in facts.arch:  # the user's own function may not work on the meta device
        inner = build(facts.num_classes, facts.input_shape)
    else:
        inner = build_fitting_network(
            path, facts.arch, build, facts.num_classes, facts.input_shape, state
        )
    fill_network(path, facts.arch, inner, state)
    module = Normalised(
        inner, *(metadata_numbers(path, metadata, key) for key in ("mean", "std"))
    ).eval()
    require(
        trained_fingerprint(module) == facts.fingerprint,
        f"model {folder}: {WEIGHTS} holds other weights than {TEXT} speaks of",
    )
    return TrainedNetwork(module, facts)


def trained_fingerprint(module: "nn.Module") -> str:
    """Return the fingerprint of structure, weights and normalisation."""
    return digest_parts("trained", module_fingerprint(module))


def read_facts(folder: Path) -> ModelFacts:
    """Read model.toml, checked as far as a loader needs it."""
    path = folder / TEXT
    require(path.is_file(), f"model {folder} must be a folder written by train, with {TEXT}")
    try:
        content = read_toml(require_inside(path, folder))
        require(content["format"] == FORMAT, f"format must be {FORMAT}, got {content['format']!r}")
        model = content["model"]
        return ModelFacts(
            str(model["arch"]),
            require_positive_whole(path, "num_classes", model["num_classes"]),
            tuple(require_positive_whole(path, "input_shape", n) for n in model["input_shape"]),
            str(model["fingerprint"]),
            tuple(map(str, model["classes"])) if "classes" in model else None,
            float(content["training"]["sigma"]) if "training" in content else None,
            str(content.get("training", {}).get("noise", "gaussian")),
            _read_picture_size(path, content.get("data", {})),
            content.get("training", {}).get("method") == "denoiser",
            content,
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(f"{path} is no {TEXT} that train wrote: {error!r}") from None


def _read_picture_size(path: Path, data: dict[str, Any]) -> dict[str, int] | None:
    """Return the resize and crop of the training's pictures, where model.toml has them."""
    return {
        name: require_positive_whole(path, name, data[name])
        for name in ("resize", "crop")
        if name in data
    } or None
