"""Save and load a smoothed classifier: an exported network, and its settings as TOML."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

from simplicert.errors import InvalidInput, require
from simplicert.files import read_toml
from simplicert.importing import require_inside
from simplicert.models import Model, load_model
from simplicert.models.model import is_module
from simplicert.noises import GAUSSIAN, NOISES, NoiseModel, scale_argument
from simplicert.sampling.forward import frozen_copy
from simplicert.sampling.settings import convert_inputs
from simplicert.types.smoothing import Smoothing

TEXT, PROGRAM = "smoothed.toml", "model.pt2"  # the files of a saved classifier

FORMAT = 2  # that is written

NOISE_FORMAT = 3  # that is written for another noise than Gaussian

FORMATS = (1, 2, 3)  # that are read: the first had no grid, no autocast, no limit of scores

SETTINGS = (*(field.name for field in fields(Smoothing)), "kind", "sensitivity")


def write_smoothed(folder: Path, own: Any, example: Any, settings: dict[str, Any]) -> None:
    """Write a frozen module and its settings; `example` is a batch that fixes the inputs' shape."""
    noise = settings["noise"]
    require(
        NOISES[noise.name].drop is None,
        f"noise must be one for arrays of numbers to be saved, got {noise}: an exported network "
        "takes no lists of tokens",
    )
    require(
        is_module(own),
        f"classifier must be a torch module to be saved, got {type(own).__name__}: keep a "
        "function in a file of your own and load it as module:function",
    )
    assert set(settings) == set(SETTINGS)
    import torch

    rows = torch.from_numpy(convert_inputs(example))
    if len(rows) == 1:  # from one row torch would export a network for one row only
        rows = rows.repeat(2, *[1] * (rows.ndim - 1))
    # A copy, as another thread may be predicting with this module, in another memory layout.
    network = frozen_copy(own).cpu().to(memory_format=torch.contiguous_format)
    try:
        program = torch.export.export(
            network, (rows,), dynamic_shapes=({0: torch.export.Dim("rows")},)
        )
    except Exception as error:  # torch raises many kinds for what it cannot trace
        words = str(error).strip().splitlines() or [type(error).__name__]
        raise InvalidInput(f"classifier cannot be exported by torch: {words[0]}") from error
    if settings["autocast"]:
        _drop_precision_checks(program)
    folder.mkdir(parents=True, exist_ok=True)
    torch.export.save(program, folder / PROGRAM)
    fingerprint = load_model(str(folder / PROGRAM), trust=True).fingerprint  # just made here
    form = FORMAT if settings["noise"] == GAUSSIAN else NOISE_FORMAT
    kept = {"format": form, "fingerprint": fingerprint, **_toml_settings(settings)}
    (folder / TEXT).write_text(tomli_w.dumps(kept), encoding="utf-8")


def _drop_precision_checks(program: Any) -> None:
    """Remove the assertions that numbers are in single precision, which autocast makes false."""
    import torch

    for node in list(program.graph.nodes):
        if node.target is torch.ops.aten._assert_tensor_metadata.default:
            program.graph.erase_node(node)
    program.graph_module.recompile()


def _toml_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings as TOML holds them: it has no null, so unset ones are left out."""
    held = {name: value for name, value in settings.items() if value is not None}
    model = held.pop("noise", GAUSSIAN)
    noise = {} if model == GAUSSIAN else {"noise": model.record()}
    return noise | {
        name: value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
        for name, value in held.items()
    }


def read_smoothed(folder: Path, *, trust: bool = False) -> tuple[Model, dict[str, Any]]:
    """Read the network and its settings; refuse them where they do not belong together."""
    path = folder / TEXT
    require(path.is_file(), f"{folder} must be a folder that Smoothed.save wrote, with {TEXT}")
    kept = read_toml(require_inside(path, folder))
    form = kept.pop("format", None)
    fingerprint = kept.pop("fingerprint", None)
    require(
        form in FORMATS and set(kept) <= set(SETTINGS),
        f"{path} must be of format {' or '.join(map(str, FORMATS))}, got {form!r}",
    )
    require("sigma" in kept, f"{path} must name a sigma, and names none")
    model = load_model(str(require_inside(folder / PROGRAM, folder)), trust=trust)
    require(
        model.fingerprint == fingerprint,
        f"{folder}: {PROGRAM} is another network than {TEXT} speaks of",
    )
    noise = NoiseModel.of(kept.pop("noise", None))
    scale = scale_argument(noise, kept.pop("sigma"))
    return model, {**kept, **scale, "noise": noise}
