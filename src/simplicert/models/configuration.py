"""Check a transformers folder before it is opened: plain files, and sizes that fit the weights.

A configuration of a few bytes may ask for a billion layers, and transformers builds them before it
looks at the weights. So the network is first built without memory while its parts are counted, and
building stops as soon as it becomes larger than the weights beside it.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from math import prod
from pathlib import Path
from typing import Any

from simplicert.data.folder import hub_caches
from simplicert.errors import InvalidInput, require
from simplicert.files import open_file, read_json
from simplicert.importing import import_library, require_inside
from simplicert.machine import require_memory

CONFIGURATION, WEIGHTS = "config.json", ".safetensors"
MOST_NUMBER = 2**20  # in a configuration: layers, widths, classes; also the sum of a list of them

# A network may have more tensors than its file, where one is stored for several, and more modules:
# at most this many times the number in the file, plus this many.
TENSORS, VALUES, MODULES = (4, 10**3), (2, 10**7), (20, 10**4)


def check_configuration(transformers: Any, where: str) -> None:
    """Refuse a folder (or a cached name) that would block, or that is built larger than it is."""
    folder = _find_model_folder(transformers, where)
    if folder is None:
        return  # transformers will say that there is none
    for path in sorted(folder.iterdir()):
        if path.suffix in (".json", WEIGHTS):
            require_inside(path, folder, *hub_caches())
        if path.suffix == ".json":
            _check_numbers(path.name, read_json(path))
        elif path.suffix == WEIGHTS:
            open_file(path).close()
            require_memory(f"model hf:{folder.name}", path.stat().st_size)
    tensors, values = _count_weights(folder)
    if tensors:
        _build_without_memory(transformers, where, tensors, values)


def _find_model_folder(transformers: Any, where: str) -> Path | None:
    """Return the folder with the configuration; None if there is none."""
    if Path(where).is_dir():
        return Path(where)
    path = transformers.utils.cached_file(
        where,
        CONFIGURATION,
        local_files_only=True,
        _raise_exceptions_for_missing_entries=False,
        _raise_exceptions_for_connection_errors=False,
    )
    return Path(path).parent if path else None


def _check_numbers(name: str, content: Any) -> None:
    """Check every number of a configuration, at any depth."""
    waiting = [content]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
            waiting.append(sum(n for n in value if isinstance(n, int)))
        elif isinstance(value, int):
            require(
                abs(value) <= MOST_NUMBER,
                f"{name} must hold numbers, and lists that sum to numbers, up to {MOST_NUMBER:,}, "
                f"got {value}",
            )


def _count_weights(folder: Path) -> tuple[int, int]:
    """Count the tensors and the values in the weights."""
    safetensors = import_library("safetensors", "torch", f"model hf:{folder.name}")
    tensors, values = 0, 0
    for path in sorted(folder.glob(f"*{WEIGHTS}")):
        try:
            with safetensors.safe_open(path, framework="pt") as file:
                shapes = [file.get_slice(name).get_shape() for name in file.keys()]  # noqa: SIM118
        except Exception as error:  # the library's own errors, and those of the system
            raise InvalidInput(f"{path.name} must be a safetensors file: {error}") from None
        tensors, values = tensors + len(shapes), values + sum(map(prod, shapes))
    return tensors, values


def _build_without_memory(transformers: Any, where: str, tensors: int, values: int) -> None:
    """Build the network on torch's device without memory; refuse one that is too large."""
    import torch

    settings = {"local_files_only": True, "trust_remote_code": False}
    with _ignore_build_errors(), _limit_network_size(where, tensors, values), torch.device("meta"):
        config = transformers.AutoConfig.from_pretrained(where, **settings)
        transformers.AutoModelForImageClassification.from_config(config, trust_remote_code=False)


@contextmanager
def _ignore_build_errors() -> Iterator[None]:
    """Inside this context, ignore what transformers cannot build: opening it says why."""
    try:
        yield
    except InvalidInput:
        raise
    except Exception:
        pass


@contextmanager
def _limit_network_size(where: str, tensors: int, values: int) -> Iterator[None]:
    """Inside this context, compare all tensors and modules that are registered with the file's."""
    from torch.nn.modules import module as torch_module

    most = {
        "tensors": TENSORS[0] * tensors + TENSORS[1],
        "values": VALUES[0] * values + VALUES[1],
        "modules": MODULES[0] * tensors + MODULES[1],
    }
    seen = dict.fromkeys(most, 0)

    def count(**more: int) -> None:
        for what, number in more.items():
            seen[what] += number
            require(
                seen[what] <= most[what],
                f"model hf:{where} is refused: its {CONFIGURATION} asks for more than "
                f"{most[what]:,} {what}, and its weights hold {tensors} tensors, {values:,} values",
            )

    def count_tensor(_: Any, name: str, tensor: Any) -> None:
        if tensor is not None:
            count(tensors=1, values=tensor.numel())

    def count_module(_: Any, name: str, module: Any) -> None:
        count(modules=1)

    with ExitStack() as stack:
        for register, hook in (
            (torch_module.register_module_parameter_registration_hook, count_tensor),
            (torch_module.register_module_buffer_registration_hook, count_tensor),
            (torch_module.register_module_module_registration_hook, count_module),
        ):
            stack.callback(register(hook).remove)
        yield
