"""Show progress: a bar on a terminal, a line now and then elsewhere, nothing when quiet.

`show_drawing_progress` is for draws, `show_reading_progress` for data sets that take long to read
the first time, `checking_lines` for verifications, and `show_training_progress` for training, with
one line per epoch.
"""

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from simplicert.bounds import bound
from simplicert.cli.saying import print_note
from simplicert.data.dataset import Watch, watch_reading
from simplicert.drawing.driver import DrawingProgress
from simplicert.errors import SimplicertError
from simplicert.machine import format_duration
from simplicert.store.manifest import Manifest

if TYPE_CHECKING:
    from rich.progress import Progress

    from simplicert.training.checkpoint import EpochRow
    from simplicert.training.epoch import EpochMeans


DRAWING_SECONDS = 10.0  # seconds between lines where there is no terminal
FIRST_READING_SECONDS, READING_SECONDS = 5.0, 60.0  # to the first line, and between lines
FIRST_PARTS_SECONDS = 1.0  # to the first line about parts that are read
BAR_WIDTH = 8  # columns of the bar: the rest of a narrow terminal is for the numbers

ProgressCallback = Callable[[DrawingProgress], None]
# `report` is called after some batches, `watch` after every epoch.
TrainingCallbacks = dict[str, Callable[..., None]]


@contextmanager
def show_drawing_progress(manifest: Manifest, quiet: bool) -> Iterator[ProgressCallback]:
    """Show the progress of draws; yield the function that the drawing loop calls."""
    certified = CertifiedShare(manifest)
    if quiet:
        yield lambda progress: None
    elif sys.stderr.isatty():
        with _drawing_bar(certified) as report:
            yield report
    else:
        yield _drawing_lines(certified)


class CertifiedShare:
    """The share of inputs certified so far, by the declared settings."""

    def __init__(self, manifest: Manifest) -> None:
        """Start without inputs."""
        self.manifest, self.inputs, self.issued = manifest, 0, 0

    def share(self, progress: DrawingProgress) -> str:
        """Count the inputs that were finished, if any, and return the share."""
        declared = self.manifest
        if progress.tally is not None:
            try:
                method = declared.find_method(declared.kind, declared.scheme)
                known = bound(
                    progress.tally, declared.alpha, declared.kind, declared.scheme, method
                )
            except SimplicertError:  # the scheme lacks its evidence: certify will say so
                return "-"
            self.inputs += len(known)
            self.issued += int((~known.abstained).sum())
        return f"{100 * self.issued / self.inputs:.0f} %" if self.inputs else "-"


def _describe_failed(progress: DrawingProgress) -> str:
    """Say how many inputs were given up, if any."""
    return f", {progress.failed} failed" if progress.failed else ""


def _describe_left(progress: DrawingProgress, manifest: Manifest) -> str:
    """Say how long the draws that are left will take; "" if there are none or nothing is known."""
    seconds = progress.seconds_left
    if not seconds or progress.done == progress.inputs:
        return ""
    fixed = manifest.plan is None or manifest.plan.rule == "fixed"
    return f"{'about' if fixed else 'at most'} {format_duration(seconds)} left"


@contextmanager
def _drawing_bar(certified: CertifiedShare) -> Iterator[ProgressCallback]:
    """Show a rich bar: inputs done, draws per second, time left, share certified so far."""
    from rich import progress as rich_progress
    from rich.console import Console

    columns = (
        rich_progress.BarColumn(),
        rich_progress.MofNCompleteColumn(),
        rich_progress.TextColumn(
            "inputs  {task.fields[rate]} draws/s  certified {task.fields[share]}{task.fields[left]}"
        ),
    )
    with rich_progress.Progress(*columns, console=Console(stderr=True)) as screen:
        task = screen.add_task("", total=None, rate="-", share="-", left="")

        def report(progress: DrawingProgress) -> None:
            rate = f"{progress.draws / max(progress.seconds, 1e-9):,.0f}"
            share = certified.share(progress) + _describe_failed(progress)
            left = _describe_left(progress, certified.manifest)
            screen.update(
                task,
                total=progress.inputs,
                completed=progress.done,
                rate=rate,
                share=share,
                left=f"  {left}" if left else "",
            )

        yield report


def _drawing_lines(certified: CertifiedShare) -> ProgressCallback:
    """Print a line every ten seconds, and one at the end."""
    last = time.monotonic()

    def report(progress: DrawingProgress) -> None:
        nonlocal last
        share = certified.share(progress) + _describe_failed(progress)
        ended = progress.done == progress.inputs and progress.tally is not None
        if not ended and time.monotonic() - last < DRAWING_SECONDS:
            return
        last = time.monotonic()
        rate = progress.draws / max(progress.seconds, 1e-9)
        left = _describe_left(progress, certified.manifest)
        print_note(
            f"{progress.done} of {progress.inputs} inputs, {rate:,.0f} draws/s, certified {share}"
            + (f", {left}" if left else "")
        )

    return report


@contextmanager
def show_reading_progress(quiet: bool) -> Iterator[None]:
    """Show how far data sets are read that this process loads inside the context."""
    if quiet:
        yield
        return
    with watch_reading(_reading_lines()):
        yield


def _reading_lines() -> Watch:
    """Print lines on stderr, also on a terminal: a bar that is there already stays below them."""
    started = due = 0.0

    def watch(name: str, read: int, count: int) -> None:
        nonlocal started, due
        now = time.monotonic()
        if not started:
            started, due = now, now + FIRST_READING_SECONDS
        if read < count and now >= due:
            due = now + READING_SECONDS
            print_note(f"reading {name}: {read:,} of {count:,} inputs")
        if read == count:
            started = 0.0  # the next data set has its own time

    return watch


def merging_lines() -> Callable[[int, int], None]:
    """Print lines about the last reading of a run's parts, where it takes longer than a second."""
    due = math.inf

    def report(done: int, count: int) -> None:
        nonlocal due
        now = time.monotonic()
        if math.isinf(due):
            due = now + FIRST_PARTS_SECONDS
        if done < count and now >= due:
            due = now + DRAWING_SECONDS
            share = f"{100 * done // count} % of {count // 2:,} parts"
            print_note(f"the last draw is kept; before the parts are merged, {share} are read")

    return report


def checking_lines(verb: str = "checking") -> Callable[[str, int, int], None]:
    """Print lines about what takes long, as a verification does: what it reads, and how far."""
    due = time.monotonic() + FIRST_PARTS_SECONDS

    def report(what: str, done: int, count: int) -> None:
        nonlocal due
        now = time.monotonic()
        if done < count and now >= due:
            due = now + DRAWING_SECONDS
            print_note(f"{verb} {what}: {done:,} of {count:,}")

    return report


@contextmanager
def show_training_progress(quiet: bool) -> Iterator[TrainingCallbacks]:
    """Show the progress of training; of several processes only the first one does."""
    from simplicert.training.settings import is_first_process  # drawing needs nothing of training

    if quiet or not is_first_process():
        yield {}
    elif sys.stderr.isatty():
        with training_bar() as screen:
            yield training_callbacks(screen)
    else:
        yield {"watch": _print_epoch}


def _print_epoch(row: "EpochRow") -> None:
    """Print one line about an epoch."""
    print_note(
        f"epoch {row['epoch']:.0f}: loss {row['loss']:.3f}, noisy accuracy "
        f"{100 * row['noisy_accuracy']:.1f} %, {row['seconds']:.0f} s"
    )


def training_bar() -> "Progress":
    """Make a bar: epoch, loss, noisy accuracy in training and the last test, time left.

    It fits in 80 columns.
    """
    from rich import progress
    from rich.console import Console

    return progress.Progress(
        progress.BarColumn(BAR_WIDTH),
        progress.TextColumn(
            "epoch {task.fields[epoch]}  loss {task.fields[loss]}  "
            "right {task.fields[training]}, in test {task.fields[test]}"
        ),
        progress.TextColumn("{task.fields[left]} left"),
        console=Console(stderr=True),
    )


def training_callbacks(screen: "Progress") -> TrainingCallbacks:
    """Return functions that move the bar; they estimate the time left by the steps done here."""
    task = screen.add_task("", total=None, epoch="-", loss="-", training="-", test="-", left="-")
    start: list[tuple[float, float]] = []  # clock and steps at the first report

    def report(sums: "EpochMeans") -> None:
        steps = sums.epoch * sums.batches + sums.batch
        total = sums.epochs * sums.batches
        if not start:
            start.append((time.monotonic(), steps))
        spent, done = time.monotonic() - start[0][0], steps - start[0][1]
        screen.update(
            task,
            total=total,
            completed=steps,
            epoch=f"{sums.epoch + 1}/{sums.epochs}",
            loss=f"{sums.loss:.3f}",
            training=f"{100 * sums.accuracy:.1f} %",
            left=format_clock(spent / done * (total - steps)) if done else "-",
        )

    def watch(row: "EpochRow") -> None:
        screen.update(task, test=f"{100 * row['noisy_accuracy']:.1f} %")

    return {"report": report, "watch": watch}


def format_clock(seconds: float) -> str:
    """Format seconds as hours, minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
