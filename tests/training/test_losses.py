"""Both losses against NumPy versions written from the papers, and their gradients."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri

from simplicert.training import macer, methods

PARAMETERS = {"sigma": 0.5, "lam": 3.0, "gamma": 8.0, "beta": 2.0}


def softmax(values):
    shifted = np.exp(values - values.max(-1, keepdims=True))
    return shifted / shifted.sum(-1, keepdims=True)


def gaussian_by_hand(logits, labels):
    chosen = [
        softmax(row)[label] for rows, label in zip(logits, labels, strict=True) for row in rows
    ]
    return -np.log(chosen).mean()


def macer_by_hand(logits, labels, sigma, lam, gamma, beta):
    """Input by input, as Zhai et al. (2020) write it."""
    total = 0.0
    for copies, label in zip(logits, labels, strict=True):
        total -= np.log(softmax(copies).mean(0)[label])
        sharp = softmax(beta * copies).mean(0)
        if sharp.argmax() == label:
            margin = ndtri(sharp[label]) - ndtri(np.delete(sharp, label).max())
            total += lam * sigma / 2 * max(gamma - margin, 0)
    return total / len(labels)


def batch(seed, inputs=7, copies=4, classes=5, spread=1.5):
    random = np.random.default_rng(seed)
    logits = spread * random.standard_normal((inputs, copies, classes))
    labels = random.integers(0, classes, inputs)
    logits[np.arange(0, inputs, 2), :, labels[::2]] += 2  # some right, some wrong
    return logits, labels


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_gaussian_is_the_cross_entropy(seed):
    logits, labels = batch(seed)
    ours = methods.gaussian_loss(torch.from_numpy(logits), torch.from_numpy(labels))
    np.testing.assert_allclose(float(ours), gaussian_by_hand(logits, labels), rtol=1e-12)


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 10**6), gamma=st.floats(0.1, 8), beta=st.floats(0.5, 4))
def test_macer_is_the_papers(seed, gamma, beta):
    parameters = PARAMETERS | {"gamma": gamma, "beta": beta}
    logits, labels = batch(seed)
    ours = macer.mean_macer_loss(torch.from_numpy(logits), torch.from_numpy(labels), **parameters)
    wanted = macer_by_hand(logits, labels, **parameters)
    np.testing.assert_allclose(float(ours), wanted, rtol=1e-7)  # SMALLEST is in ours only


def test_the_radius_term_is_there():
    """With nothing classified right only the cross-entropy is left; else lambda counts."""
    logits, labels = batch(0)
    x, y = torch.from_numpy(logits), torch.from_numpy(labels)
    without = macer.mean_macer_loss(x, y, **(PARAMETERS | {"lam": 0.0}))
    assert float(macer.mean_macer_loss(x, y, **PARAMETERS)) > float(without) + 0.1


@pytest.mark.parametrize("name", ["gaussian", "macer"])
def test_gradients_by_finite_differences(name):
    losses = {
        "gaussian": methods.gaussian_loss,
        "macer": lambda x, y: macer.mean_macer_loss(x, y, **PARAMETERS),
    }
    logits, labels = batch(3)
    x = torch.from_numpy(logits).requires_grad_()
    y = torch.from_numpy(labels)
    losses[name](x, y).backward()
    step = 1e-6
    for place in np.ndindex(logits.shape):
        moved = [logits.copy() for _ in range(2)]
        moved[0][place] += step
        moved[1][place] -= step
        above, below = (float(losses[name](torch.from_numpy(m), y)) for m in moved)
        np.testing.assert_allclose(
            float(x.grad[place]), (above - below) / (2 * step), rtol=1e-4, atol=1e-7
        )


def test_scores_of_exactly_one_leave_a_finite_gradient():
    """In float32 a sure network's scores round to 0 and 1, where Phi^-1 is infinite."""
    x = torch.tensor([[[90.0, -90.0, 0.0]] * 2, [[0.3, 0.1, 0.0]] * 2], requires_grad=True)
    loss = macer.mean_macer_loss(x, torch.tensor([0, 0]), sigma=1.0, lam=12.0, gamma=8.0, beta=16.0)
    loss.backward()
    assert bool(torch.isfinite(loss)) and bool(torch.isfinite(x.grad).all())
    assert float(x.grad[1].abs().sum()) > 0


def test_more_margin_never_costs_more():
    """Down the margin's slope: pushing the right class up lowers the shortfall."""
    logits, labels = batch(5, spread=0.3)
    x, y = torch.from_numpy(logits), torch.from_numpy(labels)
    right = torch.arange(0, len(y), 2)
    less = macer.margin_shortfall(x, y, 8.0)[right]
    x[right, :, y[right]] += 0.5
    assert bool((macer.margin_shortfall(x, y, 8.0)[right] < less).all())
