"""SmoothAdv: its attack against finite differences and closed forms, and whole trainings."""

import numpy as np
import pytest
import torch
from torch import nn

from simplicert.models.trained import read_facts
from simplicert.training.smoothadv import (
    attack_copies,
    frozen_network,
    project_shifts,
    soft_losses,
    unit_directions,
    warmed_epsilon,
)
from simplicert.training.trainer import Trainer

COPIES = 4


def made(module, seed=0):
    """The module with random weights of its own, in double precision."""
    random = torch.Generator().manual_seed(seed)
    for weight in module.parameters():
        weight.data = torch.randn(weight.shape, generator=random)
    return module.double()


def noisy_batch(inputs, *shape, seed=1, spread=0.5):
    random = torch.Generator().manual_seed(seed)
    clean = torch.rand(inputs, *shape, generator=random).double()
    repeated = clean.repeat_interleave(COPIES, 0)
    noise = torch.randn(repeated.shape, generator=random).double()
    return repeated + spread * noise


def objective_by_hand(module, noisy, shift, label):
    """-log of the mean softmax of one input's copies, by NumPy."""
    with torch.no_grad():
        logits = module(noisy + shift).numpy()
    scores = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    return -np.log(scores[:, label].mean())


def test_the_gradient_is_that_of_finite_differences():
    """Central differences of an objective in NumPy, at d != 0; h = 1e-5 leaves 1e-9 or so."""
    module = made(nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 4)))
    noisy, labels = noisy_batch(2, 3), torch.tensor([1, 3])
    shift = 0.1 * torch.ones(2, 3, dtype=torch.double)
    shift.requires_grad_()
    logits = module(noisy + shift.repeat_interleave(COPIES, 0)).unflatten(0, (-1, COPIES))
    losses = soft_losses(logits, labels)
    (slope,) = torch.autograd.grad(losses.sum(), shift)
    for row in range(2):
        own = noisy[row * COPIES : (row + 1) * COPIES]
        at = [objective_by_hand(module, own, shift[row].detach(), int(labels[row]))]
        assert float(losses[row].detach()) == pytest.approx(at[0], rel=1e-12)
        for axis in range(3):
            step = torch.zeros(3, dtype=torch.double)
            step[axis] = 1e-5
            ends = [
                objective_by_hand(module, own, shift[row].detach() + way * step, int(labels[row]))
                for way in (1, -1)
            ]
            assert float(slope[row, axis]) == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-6)


def test_the_objective_stays_finite_where_scores_underflow():
    """A score of e^-300 is no zero here: 200 and 400 are the answers to single precision."""
    logits = torch.zeros(1, 2, 3)
    logits[0, :, 0] = torch.tensor([200.0, 400.0])
    losses = soft_losses(logits, torch.tensor([1]))
    assert float(losses[0]) == pytest.approx(200 + np.log(2))


@pytest.mark.parametrize("steps", [1, 2, 7])
def test_a_linear_network_is_attacked_optimally(steps):
    """With two classes the best shift is epsilon along w_other - w_own, whatever the noise."""
    module = made(nn.Linear(6, 2))
    noisy, labels = noisy_batch(5, 6), torch.tensor([0, 1, 1, 0, 1])
    moved = attack_copies(module, noisy, labels, copies=COPIES, steps=steps, radius=0.3)
    weight = module.weight.detach()
    away = weight[1] - weight[0]
    best = 0.3 * away / away.norm()
    signs = 1 - 2.0 * labels  # towards class 1 where the label is 0
    wanted = (signs[:, None] * best).repeat_interleave(COPIES, 0)
    torch.testing.assert_close(moved - noisy, wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("radius", [1e-3, 0.5, 20.0])
def test_the_shift_stays_in_the_ball_and_copies_together(radius):
    module = made(nn.Sequential(nn.Flatten(), nn.Linear(12, 8), nn.ReLU(), nn.Linear(8, 3)))
    noisy, labels = noisy_batch(6, 3, 2, 2), torch.arange(6) % 3
    before = -1.0
    for steps in (1, 3, 10):
        moved = attack_copies(module, noisy, labels, copies=COPIES, steps=steps, radius=radius)
        shift = (moved - noisy).flatten(1)
        assert float(shift.norm(dim=1).max()) <= radius * (1 + 1e-9)
        together = shift.unflatten(0, (-1, COPIES))
        torch.testing.assert_close(together, together[:, :1].expand_as(together), atol=1e-9, rtol=0)
        with torch.no_grad():
            losses = [
                soft_losses(module(x).unflatten(0, (-1, COPIES)), labels) for x in (noisy, moved)
            ]
        before = max(before, float((losses[1] - losses[0]).mean()))
    assert before > 0  # it does attack


def test_directions_and_projections_at_their_edges():
    slopes = torch.tensor([[3e-30, 4e-30], [0.0, 0.0], [torch.nan, 1.0], [torch.inf, 1.0]])
    wanted = torch.tensor([[0.6, 0.8], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    torch.testing.assert_close(unit_directions(slopes), wanted)
    shifts = torch.tensor([[3.0, 4.0], [0.3, 0.4], [0.0, 0.0]])
    projected = project_shifts(shifts, 1.0)
    torch.testing.assert_close(projected, torch.tensor([[0.6, 0.8], [0.3, 0.4], [0.0, 0.0]]))


def test_epsilon_grows_evenly_and_stays():
    assert [warmed_epsilon(0.5, 4, epoch) for epoch in range(6)] == pytest.approx(
        [0.125, 0.25, 0.375, 0.5, 0.5, 0.5]
    )
    assert [warmed_epsilon(0.5, warmup, 0) for warmup in (0, 1)] == [0.5, 0.5]


def test_the_attack_leaves_the_network_as_it_was():
    module = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Dropout(), nn.Linear(4, 2))
    module[0].bias.requires_grad_(False)
    state = {name: value.clone() for name, value in module.state_dict().items()}
    noisy, labels = noisy_batch(3, 3).float(), torch.tensor([0, 1, 0])
    with frozen_network(module):
        assert not module.training
        attack_copies(module, noisy, labels, copies=COPIES, steps=2, radius=0.1)
    assert module.training and all(layer.training for layer in module)
    assert [weight.requires_grad for weight in module.parameters()] == [True, False] + 4 * [True]
    assert all(torch.equal(state[name], value) for name, value in module.state_dict().items())
    assert all(weight.grad is None for weight in module.parameters())


def test_the_step_keeps_the_noise_of_its_attack(tmp_path, trained, monkeypatch):
    """What the step trains on is what was attacked first, moved by at most epsilon."""
    seen = {"attack": [], "step": []}
    attacked, outputs = Trainer.attacked_logits, Trainer.outputs

    def spy_attack(self, inputs):
        seen["attack"].append(inputs.detach().clone())
        return attacked(self, inputs)

    def spy_step(self, inputs, *, trained):
        if trained:
            seen["step"].append(inputs.clone())
        return outputs(self, inputs, trained=trained)

    monkeypatch.setattr(Trainer, "attacked_logits", spy_attack)
    monkeypatch.setattr(Trainer, "outputs", spy_step)
    options = {"method": "smoothadv", "copies": 3, "steps": 2, "epsilon": 0.4, "epochs": 2}
    trained(tmp_path / "net", **options, epsilon_warmup=2, batch_size=100)
    assert len(seen["step"]) == 6 and len(seen["attack"]) == 12
    for number, moved in enumerate(seen["step"]):
        first = seen["attack"][2 * number]  # d = 0: the noisy copies themselves
        shift = (moved - first).flatten(1)
        radius = 0.2 if number < 3 else 0.4
        assert len(moved) == 300
        torch.testing.assert_close(
            shift.norm(dim=1), torch.full((300,), radius), rtol=1e-3, atol=1e-4
        )
    held = read_facts(tmp_path / "net").content["training"]
    assert [held[name] for name in ("method", "copies", "steps", "epsilon", "epsilon_warmup")] == [
        "smoothadv",
        3,
        2,
        0.4,
        2,
    ]
