"""A folder written by `simplicert train`: weights, and model.toml, which explains them."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simplicert.data.libraries import library
from simplicert.errors import InvalidInput, require
from simplicert.files import read_toml
from simplicert.models.fingerprints import digest, of_module
from simplicert.models.model import Model
from simplicert.models.weights import build_for, fill, numbers, read_weights, whole
from simplicert.trust import USER, Trust

if TYPE_CHECKING:
    from torch import nn

TEXT, WEIGHTS = "model.toml", "weights.safetensors"
FORMAT = 1


@dataclass(frozen=True)
class Facts:
    """What model.toml says: the network, and everything else for the record."""

    arch: str
    num_classes: int
    input_shape: tuple[int, ...]
    fingerprint: str
    classes: tuple[str, ...] | None  # in the order of the labels, where the data named them
    sigma: float | None
    content: dict[str, Any]


@dataclass(frozen=True, eq=False)
class Trained:
    """A network in eval mode, normalisation in front, and what is known about it."""

    module: "nn.Module"
    facts: Facts


def load(spec: str, trust: Trust = USER) -> Model:
    """The classifier of a folder, by the folder's name.

    model.toml is a file: the network of a user's own that it may name is not built on its word.
    """
    return load_folder(Path(spec))


def load_folder(folder: Path, arch: str | None = None) -> Model:
    """The classifier of a folder; `arch` is the user's word for what network it is."""
    trained = read_folder(folder, arch)
    facts = trained.facts
    return Model(
        trained.module, folder.resolve().name, facts.fingerprint, facts.classes, facts.sigma
    )


def read_folder(folder: Path, arch: str | None = None) -> Trained:
    """The network and its facts; refuses weights other than those that model.toml speaks of.

    A network of the user's own is built only where the user names it as `arch`.
    """
    library("torch", "torch", f"model {folder.name}")
    from simplicert.models.architectures import build
    from simplicert.models.normalised import Normalised

    facts = read_facts(folder)
    require(
        arch in (None, facts.arch), f"model {folder} must hold a {arch}, got the arch {facts.arch}"
    )
    path = folder / WEIGHTS
    require(path.is_file(), f"model {folder} must hold {WEIGHTS} beside {TEXT}, and it does not")
    state, metadata = read_weights(path)
    whose = Trust(str(folder / TEXT)) if arch is None else USER
    ours = partial(build, facts.arch, trust=whose, instead=f"--model {facts.arch}@{path}")
    if ":" in facts.arch:  # a function of the user's own may not know memory that is none
        inner = ours(facts.num_classes, facts.input_shape)
    else:
        inner = build_for(path, facts.arch, ours, facts.num_classes, facts.input_shape, state)
    fill(path, facts.arch, inner, state)
    module = Normalised(inner, *(numbers(path, metadata, key) for key in ("mean", "std"))).eval()
    require(
        trained_fingerprint(module) == facts.fingerprint,
        f"model {folder}: {WEIGHTS} holds other weights than {TEXT} speaks of",
    )
    return Trained(module, facts)


def trained_fingerprint(module: "nn.Module") -> str:
    """Of structure, weights and normalisation."""
    return digest("trained", of_module(module))


def read_facts(folder: Path) -> Facts:
    """model.toml, checked as far as a loader needs it."""
    path = folder / TEXT
    require(path.is_file(), f"model {folder} must be a folder written by train, with {TEXT}")
    try:
        content = read_toml(path)
        require(content["format"] == FORMAT, f"format must be {FORMAT}, got {content['format']!r}")
        model = content["model"]
        return Facts(
            str(model["arch"]),
            whole(path, "num_classes", model["num_classes"]),
            tuple(whole(path, "input_shape", n) for n in model["input_shape"]),
            str(model["fingerprint"]),
            tuple(map(str, model["classes"])) if "classes" in model else None,
            float(content["training"]["sigma"]) if "training" in content else None,
            content,
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(f"{path} is no {TEXT} that train wrote: {error!r}") from None
