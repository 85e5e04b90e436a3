"""Run a whole training: from data to a folder that is a model.

`run_training` trains or continues until the last epoch. `_write_model_folder` then writes the
weights, model.toml and a picture of the training curve.
"""

import platform
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w
import torch

from simplicert.data import Dataset
from simplicert.errors import require
from simplicert.figures.saving import save_figure
from simplicert.figures.trends import training_curve
from simplicert.files import write_atomically
from simplicert.models.composition import compose_denoised, read_denoiser
from simplicert.models.model import Model
from simplicert.models.trained import (
    FORMAT,
    TEXT,
    WEIGHTS,
    load_trained_folder,
    read_trained_folder,
    trained_fingerprint,
)
from simplicert.models.weights import save_weights
from simplicert.sampling.noise import refuse_unfit_inputs
from simplicert.training.batches import batch_shape, training_labels
from simplicert.training.checkpoint import (
    CHECKPOINT_NAME,
    EpochRow,
    Identity,
    read_checkpoint,
    remove_temporary_files,
    write_checkpoint,
    write_log,
)
from simplicert.training.distribution import join_processes
from simplicert.training.epoch import Report, single_draw_accuracy, train_epoch
from simplicert.training.network import (
    class_count,
    freeze_classifier,
    initialise_network,
    read_initial_network,
)
from simplicert.training.settings import TrainingSettings, process_count
from simplicert.training.trainer import Trainer, learning_rate

CURVE = "curve.png"  # the picture of the training curve

LOOK = 64  # test inputs that are held against the noise before training begins

Watch = Callable[[EpochRow], None]  # called after every epoch


def run_training(  # noqa: PLR0913
    settings: TrainingSettings,
    data: Dataset,
    test: Dataset,
    out: Path,
    *,
    init: Path | None = None,
    classifier: Model | None = None,
    device: str | None = None,
    report: Report,
    watch: Watch,
) -> Model:
    """Train or continue until the last epoch, and return the folder's model.

    The checkpoint is replaced after every epoch, so an interruption loses at most one. The rest is
    written at the end.
    """
    training_labels(test)
    if settings.shards == 1:
        settings = replace(settings, shards=process_count())
    require(
        settings.shards % process_count() == 0,
        f"shards must be a multiple of the {process_count()} processes, got {settings.shards}",
    )
    batch_shape(settings, len(data))
    some = slice(0, LOOK)  # what `sample` would refuse of the same data
    refuse_unfit_inputs(np.asarray(test.inputs[some]), test.index[some], settings.noise_model, None)
    require(
        (out / CHECKPOINT_NAME).exists() or not (out / TEXT).exists(),
        f"out must be a new folder, or one to continue: {out} already holds a model",
    )
    require(
        (settings.method == "denoiser") == (classifier is not None),
        f"classifier must be given for method denoiser and for no other, got "
        f"{None if classifier is None else classifier.name} and method {settings.method}",
    )
    frozen = None if classifier is None else freeze_classifier(classifier, data)
    with join_processes(device) as group:
        module = (
            initialise_network(settings, data)
            if init is None
            else read_initial_network(init, settings, data)
        )
        trainer = Trainer(settings, group, module, frozen)
        identity = settings.table() | {"data": describe_data(data), "test": describe_data(test)}
        if init is not None:
            identity["init"] = read_trained_folder(init, settings.arch).facts.fingerprint
        if classifier is not None:
            identity["classifier"] = classifier.fingerprint
        _train_epochs(trainer, {"data": data, "test": test}, out, identity, report, watch)
        group.wait()
    if classifier is not None:
        denoiser = read_denoiser(str(out), settings.arch)
        return compose_denoised(out.resolve().name, denoiser, classifier)
    return load_trained_folder(out, settings.arch)


def _train_epochs(
    trainer: Trainer,
    sets: dict[str, Dataset],
    out: Path,
    identity: Identity,
    report: Report,
    watch: Watch,
) -> None:
    """Train the epochs that are left, and write the model folder after the last one."""
    first = trainer.process_group.first
    if first:
        out.mkdir(parents=True, exist_ok=True)
        remove_temporary_files(out)
    trainer.process_group.wait()
    state = read_checkpoint(out, identity, trainer)
    log = list(state.log)
    for epoch in range(state.epoch, trainer.settings.epochs):
        log.append(train_and_test_epoch(trainer, sets, epoch, report))
        if first:
            write_checkpoint(out, identity, trainer, log)
            write_log(out, log)
        watch(log[-1])
    if not (out / TEXT).exists():
        clean = single_draw_accuracy(trainer, sets["test"], noisy=False)
        if first:
            write_log(out, log)
            began = {"began_from": identity.get("init"), "classifier": identity.get("classifier")}
            _write_model_folder(out, trainer, sets, log, clean, began)


def train_and_test_epoch(
    trainer: Trainer, sets: dict[str, Dataset], epoch: int, report: Report
) -> EpochRow:
    """Train for an epoch, test once under noise, and return the row of the log."""
    settings = trainer.settings
    means = train_epoch(trainer, sets["data"], epoch, report)
    trainer.process_group.broadcast_statistics(trainer.module)
    noisy = single_draw_accuracy(trainer, sets["test"], noisy=True)
    return {
        "epoch": epoch + 1,
        "rate": learning_rate(settings, (epoch + 1) * means.batches - 1, means.batches),
        "loss": means.loss,
        "train_accuracy": means.accuracy,
        "noisy_accuracy": noisy,
        "seconds": means.seconds,
    }


def _write_model_folder(
    folder: Path,
    trainer: Trainer,
    sets: dict[str, Dataset],
    log: list[EpochRow],
    clean: float,
    others: dict[str, str | None],
) -> None:
    """Write everything but the checkpoint; model.toml last, so a folder that has it is whole.

    `others`: fingerprints of the network that this one began from, where it did, and of the
    classifier behind a denoiser.
    """
    from simplicert import __version__

    settings, data = trainer.settings, sets["data"]
    network = {
        "arch": settings.arch,
        "num_classes": class_count(data),
        "input_shape": [int(n) for n in data.inputs.shape[1:]],
    }
    module = trainer.module.cpu().to(memory_format=torch.contiguous_format).eval()  # type: ignore[call-overload]
    save_weights(module, folder / WEIGHTS, network | {"sigma": settings.sigma})
    save_figure(lambda axes: training_curve(log, axes), folder / CURVE)
    content: dict[str, Any] = {
        "format": FORMAT,
        "model": network
        | {"fingerprint": trained_fingerprint(module)}
        | ({} if data.classes is None else {"classes": list(data.classes)})
        | {name: held for name, held in others.items() if held is not None},
        "result": {
            "noisy_accuracy": log[-1]["noisy_accuracy"],
            "clean_accuracy": clean,
            "draws": 1,
            "seconds": round(sum(row["seconds"] for row in log), 1),
            "processes": trainer.process_group.size,
        },
        "training": settings.table(),
        **{name: describe_data(held) for name, held in sets.items()},
        "made": {
            "simplicert": __version__,
            "torch": torch.__version__,
            "device": trainer.process_group.device.type,
            "threads": torch.get_num_threads(),
            "machine": platform.machine(),
        },
    }
    write_atomically(folder / TEXT, tomli_w.dumps(content).encode())


def describe_data(data: Dataset) -> dict[str, Any]:
    """Describe a data set for model.toml; the fingerprint is of the whole, whatever was chosen."""
    first, last = int(data.index[0]), int(data.index[-1])
    return {
        "name": data.name,
        "fingerprint": data.fingerprint,
        "inputs": len(data),
        "first": first,
        "last": last,
        **data.options.picture_record(),
        **({} if data.class_map is None else {"class_map": list(data.class_map)}),
    }
