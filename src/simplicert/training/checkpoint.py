"""Write and read the state of a training after each epoch, and its log.

checkpoint.pt holds the state: one file, replaced whole, read without running code
(`write_checkpoint`, `read_checkpoint`). log.csv has one row per epoch (`write_log`).
"""

import csv
import io
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from simplicert.errors import InvalidInput, require
from simplicert.files import open_file, write_atomically
from simplicert.importing import first_error_line, require_inside
from simplicert.models.model import open_archive
from simplicert.training.trainer import Trainer

CHECKPOINT_NAME = "checkpoint.pt"

LOG_NAME = "log.csv"

FORMAT = 1  # of the checkpoint file

# The columns of log.csv, in this order.
COLUMNS = ("epoch", "rate", "loss", "train_accuracy", "noisy_accuracy", "seconds")

EpochRow = dict[str, float]  # by COLUMNS; accuracies under noise, the second on the test inputs

Identity = dict[str, Any]  # what a training is: settings, data, start


@dataclass(frozen=True)
class TrainingState:
    """Where a training stands."""

    epoch: int  # number of epochs done
    log: list[EpochRow]


def write_checkpoint(
    folder: Path, identity: Identity, trainer: Trainer, log: list[EpochRow]
) -> None:
    """Write the state after an epoch; no random numbers, which are functions of the place."""
    content = {
        "format": FORMAT,
        "identity": identity,
        "epoch": len(log),
        "log": log,
        "model": trainer.module.state_dict(),
        "optimiser": trainer.optimiser.state_dict(),
        "scaler": trainer.scaler.state_dict(),
    }
    memory = io.BytesIO()
    torch.save(content, memory)
    write_atomically(folder / CHECKPOINT_NAME, memory.getvalue())


def read_checkpoint(folder: Path, identity: Identity, trainer: Trainer) -> TrainingState:
    """Put a training where it stood, or at the start where there is no checkpoint."""
    path = folder / CHECKPOINT_NAME
    if not os.path.lexists(path):
        return TrainingState(0, [])
    held = _load_checkpoint_file(require_inside(path, folder), trainer.process_group.device)
    try:
        _refuse_other_training(path, held["identity"], identity)
        trainer.module.load_state_dict(held["model"])
        trainer.optimiser.load_state_dict(held["optimiser"])
        trainer.scaler.load_state_dict(held["scaler"])
        log = [{name: float(row[name]) for name in COLUMNS} for row in held["log"]]
        require(held["epoch"] == len(log), f"{len(log)} epochs, and it says {held['epoch']!r}")
    except InvalidInput:
        raise
    except Exception as error:  # torch raises many kinds for states of another network
        said = first_error_line(error)
        raise InvalidInput(f"{path} is no checkpoint of a training here: {said}") from None
    return TrainingState(len(log), log)


def write_log(folder: Path, log: list[EpochRow]) -> None:
    """Write all rows so far; the file is replaced whole."""
    text = io.StringIO()
    table = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    table.writeheader()
    table.writerows({name: f"{row[name]:.6g}" for name in COLUMNS} for row in log)
    write_atomically(folder / LOG_NAME, text.getvalue().encode())


def remove_temporary_files(folder: Path) -> None:
    """Remove what a killed process left half written; one training at a time has the folder."""
    for path in folder.glob(".*.tmp"):
        path.unlink()


def _load_checkpoint_file(path: Path, device: torch.device) -> dict[str, Any]:
    """Return the file's content, which is tensors and plain values only."""
    try:
        open_file(path).close()
        open_archive(path.name, path.stat().st_size, str(path))
        held: dict[str, Any] = torch.load(path, map_location=device, weights_only=True)
        require(held["format"] == FORMAT, f"format {held['format']!r}, not {FORMAT}")
    except OSError:  # the disk's word, and not that of the file
        raise
    except Exception as error:  # torch raises many kinds for a file that is not its own
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise InvalidInput(f"{path} is no checkpoint of a training here: {lines[0]}") from None
    return held


def _refuse_other_training(path: Path, held: Identity, wanted: Identity) -> None:
    """Refuse to continue another training, and name the first difference."""
    for name in held | wanted:
        before, now = held.get(name), wanted.get(name)
        require(
            before == now,
            f"{path} is of a training with {name} {before}, not {now}: it is left as it is; "
            "take its settings or another folder",
        )
