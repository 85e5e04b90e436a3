"""Load `ARCH@weights.safetensors`: one of our networks, or your own, with weights from a file."""

import json
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simplicert.errors import InvalidInput, choose, require
from simplicert.files import parse_json, write_atomically
from simplicert.importing import USER, Trust, import_library, require_user
from simplicert.models.model import Model, find_model_file, module_fingerprint
from simplicert.models.normalisation import normalise_model

if TYPE_CHECKING:
    from torch import Tensor, nn

    from simplicert.models.architectures import Builder

MOST = 2**31  # no number of classes, length of an input, mean or deviation is as large
MOST_NUMBERS = 10**5  # of one mean, deviation or shape
FIRST, LAST = ("conv1.weight", "fc1.weight"), "fc.weight"  # the architectures' convention
COUNTER = "num_batches_tracked"  # of batch norms: unused in eval mode, missing in old files
START, NOTES = 8, "__metadata__"  # of a safetensors file: bytes of its length, then its header
CONVOLUTION = 4  # axes of a convolution's weight: out, in, height, width
ANY_SIZE = (32, 32)  # height and width do not change the weights of a convolutional network


def load_weights(spec: str, trust: Trust = USER) -> Model:
    """Load the network in eval mode, behind the normalisation its metadata names, if any."""
    name, at, where = spec.partition("@")
    require(
        bool(at), f"weights need the name of their network: ARCH@{Path(spec).name}, got {spec!r}"
    )
    import_library("torch", "torch", f"model {name}@{Path(where).name}")
    from simplicert.models.architectures import ARCHITECTURES, build_network

    own = ":" in name
    if not own:
        choose("the network before @", name, ARCHITECTURES)
    path = find_model_file(where)
    if own and _is_trained(path):  # model.toml beside it knows more
        from simplicert.models.trained import load_trained_folder

        require_user(trust, "model", spec, f"--model {spec}")
        return load_trained_folder(path.parent, name)
    state, metadata = read_weights(path)
    count, shape = _count_classes(path, state, metadata), _find_input_shape(path, state, metadata)
    if own:  # the user's own function may not work on the meta device
        module = build_network(name, count, shape, trust, f"--model {spec}")
    else:
        module = build_fitting_network(path, name, ARCHITECTURES[name], count, shape, state)
    fill_network(path, name, module, state)
    model = Model(module.eval(), f"{name}@{path.name}", module_fingerprint(module))
    if "mean" not in metadata and "std" not in metadata:
        return model
    return normalise_model(
        model, *(metadata_numbers(path, metadata, key) for key in ("mean", "std"))
    )


def save_weights(module: "nn.Module", path: Path, metadata: Mapping[str, object]) -> None:
    """Write a network's weights for `ARCH@path`; metadata: num_classes, input_shape, mean, std, ...

    A normalisation in front goes into the metadata. The file appears whole or not at all.

    >>> import tempfile
    >>> from simplicert.models import load_model
    >>> model = load_model("zoo:cifar10-small-0.25")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_weights(model.classifier, Path(folder, "w.safetensors"), {"num_classes": 10})
    ...     Path(folder, "w.safetensors").exists()
    True
    """
    from safetensors.torch import save

    from simplicert.models.modules import Normalised

    notes = dict(metadata)
    if isinstance(module, Normalised):
        notes |= {"mean": module.mean.tolist(), "std": module.std.tolist()}
        module = module.classifier
    texts = {
        key: value if isinstance(value, str) else json.dumps(value) for key, value in notes.items()
    }
    state = {
        key: value.detach().cpu().contiguous().clone() for key, value in module.state_dict().items()
    }
    write_atomically(path, _sort_metadata(save(state, metadata=texts)))


def _sort_metadata(content: bytes) -> bytes:
    """Sort the metadata in a file's header, which safetensors writes in another order each time.

    The same training gives the same bytes. A header is padded with spaces to a multiple of eight.
    """
    length = int.from_bytes(content[:START], "little")
    header = json.loads(content[START : START + length])
    if NOTES in header:
        header[NOTES] = dict(sorted(header[NOTES].items()))
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % START)
    return len(text).to_bytes(START, "little") + text + content[START + length :]


def read_weights(path: Path) -> tuple[dict[str, "Tensor"], dict[str, str]]:
    """Read tensors by name, and the file's metadata."""
    safetensors = import_library("safetensors", "torch", f"model {path.name}")
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            names = file.keys()
            return {name: file.get_tensor(name) for name in names}, file.metadata() or {}
    except Exception as error:  # also from torch, for types and shapes that it does not know
        raise InvalidInput(
            f"model {path.name} must be a safetensors file (pickles are never opened): {error}"
        ) from None


def build_fitting_network(
    path: Path,
    name: str,
    build: "Builder",
    num_classes: int,
    shape: tuple[int, ...],
    state: Mapping[str, "Tensor"],
) -> "nn.Module":
    """Build the network, first without memory: one that the weights do not fit is never built."""
    import torch

    require(
        prod(shape) < MOST, f"input_shape of {path.name} must be of an input, got {shape!r:.60}"
    )
    with torch.device("meta"):
        _check_fit(path, name, build(num_classes, shape), state)
    return build(num_classes, shape)


def fill_network(path: Path, name: str, module: "nn.Module", state: Mapping[str, "Tensor"]) -> None:
    """Put the tensors in place; refuse the first name or shape that does not fit."""
    module.load_state_dict(_check_fit(path, name, module, state))


def metadata_numbers(path: Path, metadata: Mapping[str, str], key: str) -> list[Any]:
    """Return a number or a list of numbers in the metadata, as a list."""
    try:
        value = parse_json(key, metadata[key])
        numbers = value if isinstance(value, list) else [value]
        plain = all(isinstance(n, int | float) and abs(n) < MOST for n in numbers)  # False for NaN
        require(0 < len(numbers) <= MOST_NUMBERS and plain, "not numbers")
    except (KeyError, ValueError):
        raise InvalidInput(
            f"metadata {key} of {path.name} must be numbers below {MOST:,}, "
            f"got {metadata.get(key)!r:.80}"
        ) from None
    return numbers


def require_positive_whole(path: Path, name: str, value: object) -> int:
    """Return a number of classes or a length of an input that a file gives, once checked."""
    good = isinstance(value, int | float) and not isinstance(value, bool)
    require(
        good and 1 <= value < MOST and value == int(value),  # type: ignore[operator, call-overload]
        f"{name} of {path.name} must be whole numbers in 1..{MOST - 1}, got {value!r:.40}",
    )
    return int(value)  # type: ignore[call-overload, no-any-return]


def _is_trained(path: Path) -> bool:
    """Return whether these are the weights of a folder that train wrote."""
    from simplicert.models.trained import TEXT, WEIGHTS

    return path.name == WEIGHTS and (path.parent / TEXT).is_file()


def _count_classes(path: Path, state: Mapping[str, "Tensor"], metadata: Mapping[str, str]) -> int:
    """Return the number of classes by the metadata, else by the last layer."""
    if "num_classes" in metadata:
        return require_positive_whole(
            path, "num_classes", metadata_numbers(path, metadata, "num_classes")[0]
        )
    require(LAST in state, f"{path.name} must hold {LAST} or say num_classes, got neither")
    return int(state[LAST].shape[0])


def _find_input_shape(
    path: Path, state: Mapping[str, "Tensor"], metadata: Mapping[str, str]
) -> tuple[int, ...]:
    """Return the shape of one input by the metadata, else by the first layer."""
    if "input_shape" in metadata:
        numbers = metadata_numbers(path, metadata, "input_shape")
        return tuple(require_positive_whole(path, "input_shape", n) for n in numbers)
    shapes = [state[name].shape for name in FIRST if name in state]
    require(
        bool(shapes) and len(shapes[0]) > 1,
        f"{path.name} must hold {' or '.join(FIRST)} or say input_shape, got neither",
    )
    incoming = int(shapes[0][1])
    return (incoming, *ANY_SIZE) if len(shapes[0]) == CONVOLUTION else (incoming,)


def _check_fit(
    path: Path, name: str, module: "nn.Module", state: Mapping[str, "Tensor"]
) -> dict[str, "Tensor"]:
    """Return every tensor of the network by name; the file may lack batch counters."""
    wanted = module.state_dict()
    if not any(key.endswith(COUNTER) for key in state):
        state = {key: wanted[key] for key in wanted if key.endswith(COUNTER)} | dict(state)
    for key, tensor in wanted.items():
        require(key in state, f"{path.name} does not fit {name}: it lacks {key}")
        require(
            tensor.shape == state[key].shape,
            f"{path.name} does not fit {name}: {key} must have shape {tuple(tensor.shape)}, got "
            f"{tuple(state[key].shape)}",
        )
    extra = next((key for key in state if key not in wanted), None)
    require(extra is None, f"{path.name} does not fit {name}: it has {extra}, which {name} lacks")
    return dict(state)
