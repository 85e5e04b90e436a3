"""A classifier at hand is known by its code and by every number that it uses."""

import functools

import numpy as np
import pytest

import simplicert as sc
from simplicert.models.live import live_fingerprint

GLOBAL = np.ones((3, 2), np.float32)


class Fitted:
    """As scikit-learn's: the numbers hang on the object of a method."""

    def __init__(self, weights):
        """Hold them somewhere inside."""
        self.inner = {"layers": [(weights,)]}

    def predict_proba(self, batch):
        """Scores of each row."""
        return batch @ self.inner["layers"][0][0]


def closing_over(weights):
    return lambda batch: batch @ weights


def through_another(weights):
    inner = closing_over(weights)
    return lambda batch: inner(2 * batch)


def with_default(weights):
    def classify(batch, weights=weights):
        return batch @ weights

    return classify


def partial(weights):
    return functools.partial(lambda weights, batch: batch @ weights, weights)


def tensors(weights):
    torch = pytest.importorskip("torch")
    held = torch.from_numpy(weights)
    return lambda batch: batch @ held.numpy()


def records(weights):
    held = np.zeros(3, [("a", "u1"), ("w", "f4", (2,))])
    held["w"] = weights
    return lambda batch: batch @ held["w"]


WAYS = [
    *(closing_over, through_another, with_default, partial, tensors, records),
    lambda weights: Fitted(weights).predict_proba,
]


@pytest.mark.parametrize("make", WAYS)
def test_other_numbers_are_another_classifier(make):
    weights = np.arange(6, dtype=np.float32).reshape(3, 2)
    other = weights.copy()
    other[2, 1] += 1e-6 * other[2, 1]
    assert live_fingerprint(make(weights)) == live_fingerprint(make(weights.copy()))
    assert live_fingerprint(make(weights)) != live_fingerprint(make(other))


def uses_global(batch):
    return batch @ GLOBAL


def test_a_global_counts(monkeypatch):
    before = live_fingerprint(uses_global)
    monkeypatch.setitem(globals(), "GLOBAL", 2 * GLOBAL)
    assert live_fingerprint(uses_global) != before


def test_a_text_of_its_own_stands_for_all():
    one, other = closing_over(GLOBAL), closing_over(2 * GLOBAL)
    one.fingerprint = other.fingerprint = "version 3"
    assert live_fingerprint(one) == live_fingerprint(other)


def test_double_precision_counts():
    """Two tensors that are the same in single precision are not the same."""
    torch = pytest.importorskip("torch")

    def made(step):
        held = torch.ones(3, dtype=torch.float64) + step
        return lambda batch: batch @ held.numpy()

    assert live_fingerprint(made(0.0)) == live_fingerprint(made(0.0))
    assert live_fingerprint(made(0.0)) != live_fingerprint(made(1e-12))


def test_an_object_that_holds_itself_ends():
    class Knot:
        def __call__(self, batch):
            return batch

    knot = Knot()
    knot.self, knot.weights = [knot], GLOBAL
    first = live_fingerprint(knot)
    knot.weights = 2 * GLOBAL
    assert live_fingerprint(knot) != first


def test_a_run_is_not_resumed_with_a_retrained_classifier(tmp_path):
    """Saturated probabilities look the same to the few outputs that a run keeps."""
    inputs = np.random.default_rng(0).random((6, 3)).astype(np.float32)
    settings = {"outputs": "probabilities", "device": "cpu", "warn": lambda sentence: None}

    def trained(scale):
        return lambda batch: np.tile([1 - scale, scale], (len(batch), 1))

    sc.draw(trained(1e-5), inputs, 0.5, 100, tmp_path / "run", **settings)
    with pytest.raises(sc.InvalidInput, match="model_fingerprint"):
        sc.draw(trained(2e-5), inputs, 0.5, 100, tmp_path / "run", **settings)
