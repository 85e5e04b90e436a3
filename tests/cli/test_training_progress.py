"""Progress is shown while a network is trained."""

import io

from rich.console import Console

from simplicert.cli import progress
from simplicert.cli.progress import format_clock, show_training_progress, training_callbacks
from simplicert.training.epoch import EpochMeans


def sums(epoch, batch, loss=1.25, accuracy=0.5):
    return EpochMeans(epoch, 4, batch, 10, loss, accuracy, 3.0)


def test_the_bar_says_loss_accuracy_and_time_left(monkeypatch):
    """Ten of forty steps in a minute: three minutes are left."""
    times = iter([100.0, 100.0, 160.0, 160.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(times))
    screen = progress.training_bar()
    screen.live.console = Console(file=io.StringIO(), width=80)
    told = training_callbacks(screen)
    told["report"](sums(0, 0))
    told["report"](sums(1, 0))
    told["watch"]({"epoch": 1, "loss": 1.25, "noisy_accuracy": 0.375, "seconds": 3.0})
    console = Console(file=io.StringIO(), width=80)
    console.print(screen.get_renderable())
    text = console.file.getvalue()
    assert "epoch 2/4" in text and "loss 1.250" in text
    assert "right 50.0 %, in test 37.5 %" in text and "0:03:00 left" in text


def test_a_line_an_epoch_where_there_is_no_terminal(capsys):
    with show_training_progress(quiet=False) as told:
        told["watch"]({"epoch": 2, "loss": 0.5, "noisy_accuracy": 0.75, "seconds": 9.6})
    assert capsys.readouterr().err == "epoch 2: loss 0.500, noisy accuracy 75.0 %, 10 s\n"


def test_only_the_first_process_speaks(monkeypatch):
    monkeypatch.setenv("RANK", "1")
    with show_training_progress(quiet=False) as told:
        assert told == {}


def test_clock():
    assert [format_clock(s) for s in (0, 61, 3725.4)] == ["0:00:00", "0:01:01", "1:02:05"]
