"""The learning rate as a function of the step alone: nothing to keep, nothing to restore."""

from collections.abc import Callable
from math import cos, pi

from simplicert.training.settings import Settings

START, END = 1 / 25, 1e-4  # of the peak: where one-cycle begins and ends
DROP = 0.1  # at each milestone, and during the warm-up


def rate_at(settings: Settings, step: int, steps_an_epoch: int) -> float:
    """The rate of a step, counted from the first of the training."""
    return settings.rate * SCHEDULES[settings.schedule](settings, step, steps_an_epoch)


def one_cycle(settings: Settings, step: int, steps_an_epoch: int) -> float:
    """A half cosine up to the peak, then one down (Smith and Topin 2018)."""
    last = max(settings.epochs * steps_an_epoch - 1, 1)
    peak = settings.rising * last
    if step < peak:
        return between(START, 1.0, step / peak)
    return between(1.0, END, (step - peak) / (last - peak)) if last > peak else 1.0


def steps(settings: Settings, step: int, steps_an_epoch: int) -> float:
    """A tenth in the warm-up epochs; then constant, times 0.1 at each milestone passed."""
    epoch = step // steps_an_epoch
    if epoch < settings.warmup:
        return DROP
    return float(DROP ** sum(epoch >= milestone for milestone in settings.milestones))


def between(start: float, end: float, share: float) -> float:
    """From start to end along half a cosine."""
    return end + (start - end) * (1 + cos(pi * share)) / 2


SCHEDULES: dict[str, Callable[[Settings, int, int], float]] = {
    "one-cycle": one_cycle,
    "steps": steps,
}
