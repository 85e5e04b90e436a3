"""What a finished training leaves: weights, model.toml, and a picture of its course."""

import platform
from pathlib import Path
from typing import Any

import tomli_w
import torch

from simplicert.analysis.figures.style import save
from simplicert.analysis.figures.training import training_curve
from simplicert.data import Dataset
from simplicert.models.trained import FORMAT, TEXT, WEIGHTS, trained_fingerprint
from simplicert.models.weights import save_weights
from simplicert.runs.atomic import write_whole
from simplicert.training.bench import Bench
from simplicert.training.log import Row
from simplicert.training.network import classes_of

CURVE = "curve.png"


def write_outcome(
    folder: Path,
    bench: Bench,
    sets: dict[str, Dataset],
    log: list[Row],
    clean: float,
    began: str | None,
) -> None:
    """Everything but the checkpoint; model.toml comes last, so a folder that has it is whole.

    `began`: the fingerprint of the network that this one began from, where it did.
    """
    from simplicert import __version__

    settings, data = bench.settings, sets["data"]
    network = {
        "arch": settings.arch,
        "num_classes": classes_of(data),
        "input_shape": [int(n) for n in data.inputs.shape[1:]],
    }
    module = bench.module.cpu().to(memory_format=torch.contiguous_format).eval()  # type: ignore[call-overload]
    save_weights(module, folder / WEIGHTS, network | {"sigma": settings.sigma})
    save(lambda axes: training_curve(log, axes), folder / CURVE)
    content: dict[str, Any] = {
        "format": FORMAT,
        "model": network
        | {"fingerprint": trained_fingerprint(module)}
        | ({} if data.classes is None else {"classes": list(data.classes)})
        | ({} if began is None else {"began_from": began}),
        "result": {
            "noisy_accuracy": log[-1]["noisy_accuracy"],
            "clean_accuracy": clean,
            "draws": 1,
            "seconds": round(sum(row["seconds"] for row in log), 1),
            "processes": bench.team.size,
        },
        "training": settings.table(),
        **{name: described(held) for name, held in sets.items()},
        "made": {
            "simplicert": __version__,
            "torch": torch.__version__,
            "device": bench.team.device.type,
            "threads": torch.get_num_threads(),
            "machine": platform.machine(),
        },
    }
    write_whole(folder / TEXT, tomli_w.dumps(content).encode())


def described(data: Dataset) -> dict[str, Any]:
    """A data set as model.toml records it: the fingerprint is of the whole, whatever was chosen."""
    first, last = int(data.index[0]), int(data.index[-1])
    return {
        "name": data.name,
        "fingerprint": data.fingerprint,
        "inputs": len(data),
        "first": first,
        "last": last,
        **({} if data.class_map is None else {"class_map": list(data.class_map)}),
    }
