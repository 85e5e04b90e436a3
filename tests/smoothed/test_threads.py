"""Thirty-two threads at once: the answers of one after another, and noise of their own."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import simplicert as sc

THREADS = 32
INPUTS = np.random.default_rng(0).random((3, 4), dtype=np.float32)
WEIGHTS = np.random.default_rng(1).normal(size=(4, 3)).astype(np.float32)


class Seen:
    """A linear classifier that remembers every row that it is asked about."""

    def __init__(self):
        """See nothing yet."""
        self.rows, self.lock = [], threading.Lock()

    def __call__(self, batch):
        """Classify; slowly at first, so that threads that begin at once meet there."""
        with self.lock:
            first = not self.rows
            self.rows += [row.tobytes() for row in batch]
        time.sleep(0.05 if first else 0.0005)
        return batch @ WEIGHTS


def everybody(work):
    """Let all threads begin at the same moment."""
    gate = threading.Barrier(THREADS)

    def begin(number):
        gate.wait()
        return work(number)

    with ThreadPoolExecutor(THREADS) as threads:
        return list(threads.map(begin, range(THREADS)))


@pytest.mark.parametrize("kind", ["multinomial", "softmax"])
def test_predictions_and_calls_are_those_of_one_after_another(kind):
    def work(smooth, seed):
        answer = smooth.predict(INPUTS, draws=100, seed=seed)
        return answer.votes.tolist(), answer.draws.tolist(), answer.p_value.tolist()

    alone, together = (sc.Smoothed(Seen(), 0.5, kind=kind) for _ in range(2))
    expected = [work(alone, seed) for seed in range(THREADS)]
    assert everybody(lambda seed: work(together, seed)) == expected
    assert together.calls == alone.calls == len(together.classifier.rows)


@pytest.mark.slow
def test_certificates_and_calls_are_those_of_one_after_another():
    def work(smooth, seed):
        return smooth.certify(INPUTS, draws=60, alpha=0.05, scheme="gated", seed=seed).to_frame()

    alone, together = (sc.Smoothed(Seen(), 0.5) for _ in range(2))
    expected = [work(alone, seed) for seed in range(THREADS)]
    for one, other in zip(everybody(lambda seed: work(together, seed)), expected, strict=True):
        assert one.equals(other)
    assert together.calls == alone.calls == len(together.classifier.rows)
    assert sorted(together.classifier.rows) == sorted(alone.classifier.rows)


@pytest.mark.parametrize("seeded", [True, False])
def test_no_thread_has_the_noise_of_another(seeded):
    """Every noisy row of every thread is another, though all ask about the same input."""
    smooth = sc.Smoothed(Seen(), 0.5, num_classes=3)
    smooth.predict(INPUTS[:1], draws=100, seed=10**6)  # the number of classes is known now
    smooth.classifier.rows.clear()
    votes = everybody(
        lambda seed: smooth.predict(
            INPUTS[:1], draws=128, alpha=1e-9, seed=seed if seeded else None
        )
    )
    used = [int(answer.draws.sum()) for answer in votes]
    rows = smooth.classifier.rows
    padding = len(rows) - sum(used)  # rows of a pass that were drawn for the pass before
    assert len(set(rows)) >= sum(used) and padding >= 0
    assert len({tuple(answer.votes[0]) for answer in votes}) > 1


def test_each_budget_is_its_own_and_exact():
    """A budget that is enough by one call is not spent by the calls of other threads."""
    probe = sc.Smoothed(Seen(), 0.5)
    probe.certify(INPUTS, draws=50, alpha=0.05, scheme="gated", seed=0, budget=10**6)
    smooth = sc.Smoothed(Seen(), 0.5)

    def work(seed):
        budget = probe.calls - (seed % 2)  # every second one lacks a call
        try:
            smooth.certify(INPUTS, draws=50, alpha=0.05, scheme="gated", seed=seed, budget=budget)
        except sc.SimplicertError as error:
            return str(error)
        return ""

    said = everybody(work)
    assert [bool(sentence) for sentence in said] == [bool(seed % 2) for seed in range(THREADS)]
    assert all("budget" in sentence for sentence in said if sentence)
    assert smooth.calls == len(smooth.classifier.rows)
