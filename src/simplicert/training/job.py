"""A whole training: from data to a folder that is a model."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from simplicert.data import Dataset
from simplicert.errors import require
from simplicert.models.model import Model
from simplicert.models.trained import TEXT, load_folder, read_folder
from simplicert.training.batches import batch_shape, labels_of
from simplicert.training.bench import Bench
from simplicert.training.checkpoint import NAME as CHECKPOINT
from simplicert.training.checkpoint import Identity, read_checkpoint, sweep, write_checkpoint
from simplicert.training.distribution import team
from simplicert.training.epoch import Report, train_epoch
from simplicert.training.evaluation import accuracy
from simplicert.training.log import Row, write_log
from simplicert.training.network import fresh, started_from
from simplicert.training.outcome import described, write_outcome
from simplicert.training.places import processes
from simplicert.training.schedules import rate_at
from simplicert.training.settings import Settings

Watch = Callable[[Row], None]  # told after every epoch


def run_training(
    settings: Settings,
    data: Dataset,
    test: Dataset,
    out: Path,
    *,
    init: Path | None = None,
    device: str | None = None,
    report: Report,
    watch: Watch,
) -> Model:
    """Train or go on training until the last epoch; the folder's model.

    The checkpoint is replaced after every epoch, so an interruption loses at most one. The rest is
    written at the end.
    """
    labels_of(test)
    if settings.shards == 1:
        settings = replace(settings, shards=processes())
    require(
        settings.shards % processes() == 0,
        f"shards must be a multiple of the {processes()} processes, got {settings.shards}",
    )
    batch_shape(settings, len(data))
    require(
        (out / CHECKPOINT).exists() or not (out / TEXT).exists(),
        f"out must be a new folder, or one to continue: {out} already holds a model",
    )
    with team(device) as members:
        module = fresh(settings, data) if init is None else started_from(init, settings, data)
        bench = Bench(settings, members, module)
        identity = settings.table() | {"data": described(data), "test": described(test)}
        if init is not None:
            identity["init"] = read_folder(init, settings.arch).facts.fingerprint
        course(bench, {"data": data, "test": test}, out, identity, report, watch)
        members.wait()
    return load_folder(out, settings.arch)


def course(
    bench: Bench,
    sets: dict[str, Dataset],
    out: Path,
    identity: Identity,
    report: Report,
    watch: Watch,
) -> None:
    """The epochs that are left, and what the last one leaves behind."""
    first = bench.team.first
    if first:
        out.mkdir(parents=True, exist_ok=True)
        sweep(out)
    bench.team.wait()
    state = read_checkpoint(out, identity, bench)
    log = list(state.log)
    for epoch in range(state.epoch, bench.settings.epochs):
        log.append(one_epoch(bench, sets, epoch, report))
        if first:
            write_checkpoint(out, identity, bench, log)
            write_log(out, log)
        watch(log[-1])
    if not (out / TEXT).exists():
        clean = accuracy(bench, sets["test"], 0.0)
        if first:
            write_log(out, log)
            write_outcome(out, bench, sets, log, clean, identity.get("init"))


def one_epoch(bench: Bench, sets: dict[str, Dataset], epoch: int, report: Report) -> Row:
    """Train for an epoch, test once under noise."""
    settings = bench.settings
    sums = train_epoch(bench, sets["data"], epoch, report)
    bench.team.agree(bench.module)
    noisy = accuracy(bench, sets["test"], settings.sigma)
    return {
        "epoch": epoch + 1,
        "rate": rate_at(settings, (epoch + 1) * sums.batches - 1, sums.batches),
        "loss": sums.loss,
        "train_accuracy": sums.accuracy,
        "noisy_accuracy": noisy,
        "seconds": sums.seconds,
    }
