"""The progress of a training: a bar on a terminal, a line an epoch elsewhere, else nothing."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from simplicert.cli.saying import note
from simplicert.training.places import is_first

if TYPE_CHECKING:
    from rich.progress import Progress

    from simplicert.training.epoch import Sums
    from simplicert.training.log import Row

WIDTH = 8  # columns of the bar: the rest of a narrow terminal is for the numbers

Told = dict[str, Callable[..., None]]  # `report` after some batches, `watch` after every epoch


@contextmanager
def shown(quiet: bool) -> Iterator[Told]:
    """What the training loop reports to; of several processes only the first one speaks."""
    if quiet or not is_first():
        yield {}
    elif sys.stderr.isatty():
        with bar() as screen:
            yield on_screen(screen)
    else:
        yield {"watch": line}


def line(row: "Row") -> None:
    """One epoch in one line."""
    note(
        f"epoch {row['epoch']:.0f}: loss {row['loss']:.3f}, noisy accuracy "
        f"{100 * row['noisy_accuracy']:.1f} %, {row['seconds']:.0f} s"
    )


def bar() -> "Progress":
    """Epoch, loss, noisy accuracy in training and in the last test, time left; in 80 columns."""
    from rich import progress
    from rich.console import Console

    return progress.Progress(
        progress.BarColumn(WIDTH),
        progress.TextColumn(
            "epoch {task.fields[epoch]}  loss {task.fields[loss]}  "
            "right {task.fields[training]}, in test {task.fields[test]}"
        ),
        progress.TextColumn("{task.fields[left]} left"),
        console=Console(stderr=True),
    )


def on_screen(screen: "Progress") -> Told:
    """Functions that move the bar; the time left is by the steps done since the start here."""
    task = screen.add_task("", total=None, epoch="-", loss="-", training="-", test="-", left="-")
    begun: list[tuple[float, float]] = []  # clock and steps at the first report

    def report(sums: "Sums") -> None:
        steps = sums.epoch * sums.batches + sums.batch
        total = sums.epochs * sums.batches
        if not begun:
            begun.append((time.monotonic(), steps))
        spent, done = time.monotonic() - begun[0][0], steps - begun[0][1]
        screen.update(
            task,
            total=total,
            completed=steps,
            epoch=f"{sums.epoch + 1}/{sums.epochs}",
            loss=f"{sums.loss:.3f}",
            training=f"{100 * sums.accuracy:.1f} %",
            left=clock(spent / done * (total - steps)) if done else "-",
        )

    def watch(row: "Row") -> None:
        screen.update(task, test=f"{100 * row['noisy_accuracy']:.1f} %")

    return {"report": report, "watch": watch}


def clock(seconds: float) -> str:
    """Hours, minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
