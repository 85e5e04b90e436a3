"""The state of a training after an epoch: one file, replaced whole, read without running code."""

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from simplicert.errors import InvalidInput, require
from simplicert.files import open_file
from simplicert.models.files import open_archive
from simplicert.runs.atomic import write_whole
from simplicert.training.bench import Bench
from simplicert.training.log import Row

NAME = "checkpoint.pt"
FORMAT = 1

Identity = dict[str, Any]  # what a training is: settings, data, start


@dataclass(frozen=True)
class State:
    """Where a training stands."""

    epoch: int  # epochs done
    log: list[Row]


def write_checkpoint(folder: Path, identity: Identity, bench: Bench, log: list[Row]) -> None:
    """After an epoch. Random numbers are functions of the place, so none need to be kept."""
    content = {
        "format": FORMAT,
        "identity": identity,
        "epoch": len(log),
        "log": log,
        "model": bench.module.state_dict(),
        "optimiser": bench.optimiser.state_dict(),
        "scaler": bench.scaler.state_dict(),
    }
    memory = io.BytesIO()
    torch.save(content, memory)
    write_whole(folder / NAME, memory.getvalue())


def sweep(folder: Path) -> None:
    """Remove what a killed process left half written; one training at a time has the folder."""
    for path in folder.glob(".*.tmp"):
        path.unlink()


def read_checkpoint(folder: Path, identity: Identity, bench: Bench) -> State:
    """Put a training where it stood; a fresh one where there is no checkpoint."""
    path = folder / NAME
    if not path.exists():
        return State(0, [])
    held = opened(path, bench.team.device)
    refuse_other(path, held["identity"], identity)
    bench.module.load_state_dict(held["model"])
    bench.optimiser.load_state_dict(held["optimiser"])
    bench.scaler.load_state_dict(held["scaler"])
    return State(held["epoch"], held["log"])


def opened(path: Path, device: torch.device) -> dict[str, Any]:
    """The file's content; tensors and plain values only."""
    try:
        open_file(path).close()
        open_archive(path.name, path.stat().st_size, str(path))
        held: dict[str, Any] = torch.load(path, map_location=device, weights_only=True)
        require(held["format"] == FORMAT, f"format {held['format']!r}, not {FORMAT}")
    except Exception as error:  # torch raises many kinds for a file that is not its own
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise InvalidInput(f"{path} is no checkpoint of a training here: {lines[0]}") from None
    return held


def refuse_other(path: Path, held: Identity, wanted: Identity) -> None:
    """The same training is continued; for another one the first difference is named."""
    for name in held | wanted:
        before, now = held.get(name), wanted.get(name)
        require(
            before == now,
            f"{path} is of a training with {name} {before}, not {now}: it is left as it is; "
            "take its settings or another folder",
        )
