"""The learning rate: the paper's steps, and one-cycle's shape."""

import pytest

from simplicert.training.settings import TrainingSettings, resolve_settings
from simplicert.training.trainer import END, START, learning_rate


def by_epoch(settings, steps=7):
    return [learning_rate(settings, epoch * steps, steps) for epoch in range(settings.epochs)]


def test_the_papers_rate_on_cifar():
    """0.1 * 0.1^floor(epoch / 30)."""
    rates = by_epoch(resolve_settings("cifar10-paper", {"sigma": 0.25}))
    assert rates == pytest.approx([0.1 * 0.1 ** (epoch // 30) for epoch in range(90)])


def test_the_papers_rate_on_imagenet():
    rates = by_epoch(resolve_settings("imagenet-paper", {"sigma": 0.5}))
    wanted = [0.01563] * 3 + [0.1563] * 27 + [0.01563] * 30 + [0.001563] * 20 + [0.0001563] * 10
    assert rates == pytest.approx(wanted)


def test_one_cycle_rises_and_falls():
    settings = TrainingSettings(sigma=1.0, epochs=8, rate=0.2, rising=0.25)
    rates = [learning_rate(settings, step, 10) for step in range(80)]
    peak = rates.index(max(rates))
    assert 19 <= peak <= 21 and max(rates) == pytest.approx(0.2, rel=1e-2)
    assert rates[0] == pytest.approx(0.2 * START) and rates[-1] == pytest.approx(0.2 * END)
    assert rates[: peak + 1] == sorted(rates[: peak + 1])
    assert rates[peak:] == sorted(rates[peak:], reverse=True)


@pytest.mark.parametrize("rising", [0.0, 1.0])
def test_one_cycle_at_its_edges(rising):
    settings = TrainingSettings(sigma=1.0, epochs=1, rate=1.0, rising=rising)
    assert all(0 < learning_rate(settings, step, 3) <= 1 for step in range(3))
    assert 0 < learning_rate(settings, 0, 1) <= 1
