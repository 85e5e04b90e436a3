"""A smoothed classifier on disk: the network as an exported program, and its settings as text."""

from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

from simplicert.errors import InvalidInput, require
from simplicert.files import read_toml
from simplicert.models import Model, load_model
from simplicert.models.model import is_module
from simplicert.sampling.settings import as_array

TEXT, PROGRAM = "smoothed.toml", "model.pt2"
FORMAT = 1


def write(folder: Path, classifier: Any, example: Any, settings: dict[str, Any]) -> None:
    """`example`: a few inputs, which fix the shape; any number of rows will do afterwards."""
    require(
        is_module(classifier),
        f"classifier must be a torch module to be saved, got {type(classifier).__name__}: keep a "
        "function in a file of your own and load it as module:function",
    )
    import torch

    rows = torch.from_numpy(as_array(example))
    if len(rows) == 1:  # a single row would be taken for the only number of rows
        rows = rows.repeat(2, *[1] * (rows.ndim - 1))
    was = classifier.training
    try:
        program = torch.export.export(
            classifier.eval().cpu(), (rows,), dynamic_shapes=({0: torch.export.Dim("rows")},)
        )
    except Exception as error:  # torch raises many kinds for what it cannot trace
        words = str(error).strip().splitlines() or [type(error).__name__]
        raise InvalidInput(f"classifier cannot be exported by torch: {words[0]}") from error
    finally:
        classifier.train(was)
    folder.mkdir(parents=True, exist_ok=True)
    torch.export.save(program, folder / PROGRAM)
    fingerprint = load_model(str(folder / PROGRAM)).fingerprint
    kept = {"format": FORMAT, "fingerprint": fingerprint, **settings}
    (folder / TEXT).write_text(tomli_w.dumps(kept), encoding="utf-8")


def read(folder: Path) -> tuple[Model, dict[str, Any]]:
    """The network and the settings; refused where they do not belong together."""
    path = folder / TEXT
    require(path.is_file(), f"{folder} must be a folder that Smoothed.save wrote, with {TEXT}")
    kept = read_toml(path)
    known = {"format", "fingerprint", "sigma", "num_classes", "kind", "outputs", "noise_scale"}
    known |= {"sensitivity"}
    require(
        kept.get("format") == FORMAT and set(kept) <= known,
        f"{path} must be of format {FORMAT}, got {kept.get('format')!r}",
    )
    model = load_model(str(folder / PROGRAM))
    require(
        model.fingerprint == kept["fingerprint"],
        f"{folder}: {PROGRAM} is another network than {TEXT} speaks of",
    )
    settings = {key: value for key, value in kept.items() if key not in ("format", "fingerprint")}
    if "noise_scale" in settings:
        settings["noise_scale"] = np.array(settings["noise_scale"], dtype=float)
    return model, settings
