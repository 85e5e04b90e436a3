"""Attacks of the Adversarial Robustness Toolbox and of Foolbox against the smoothed classifier.

    python examples/toolbox_attacks.py

Both get the differentiable soft classifier, `Smoothed.module`. What they find counts only if the
smoothed classifier itself, asked with fresh noise, gives another class. Inside a certified radius
nothing of the kind should be found.
"""

import warnings

import torch
from sklearn.datasets import load_digits

import simplicert as sc

warnings.filterwarnings("ignore")  # of the toolboxes, about what else could be installed
import foolbox  # noqa: E402
from art.attacks.evasion import ProjectedGradientDescent  # noqa: E402
from art.estimators.classification import PyTorchClassifier  # noqa: E402

SIGMA, STEPS = 0.25, 5

digits = load_digits()
inputs = torch.tensor(digits.data / 16, dtype=torch.float32)
labels = torch.tensor(digits.target)
torch.manual_seed(0)
network = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))
optimiser = torch.optim.Adam(network.parameters(), 1e-2)
for _ in range(100):
    rows = torch.randint(0, 1500, (128,))
    noisy = inputs[rows] + SIGMA * torch.randn_like(inputs[rows])
    loss = torch.nn.functional.cross_entropy(network(noisy), labels[rows])
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()

smooth = sc.Smoothed(network, SIGMA, 10)
test, truth = inputs[1500:1508], labels[1500:1508]
certificates = smooth.certify(test, draws=5000, labels=truth, seed=0)
module = smooth.module(draws=32, seed=0).eval()


def report(name: str, found: torch.Tensor) -> None:
    """How far the attack went, and what the smoothed classifier says there."""
    distance = (found - test).flatten(1).norm(dim=1)
    there = smooth.predict(found, seed=1)
    moved = (there.classes != truth.numpy()) & ~there.abstained
    inside = moved & (distance.numpy() < certificates.radius)
    print(f"{name}: {moved.sum()} of {len(test)} inputs got another class,", end=" ")
    print(f"{inside.sum()} of them inside the certified radius")
    assert not inside.any(), "a certificate was broken"


wrapped = PyTorchClassifier(module, torch.nn.NLLLoss(), (64,), 10, clip_values=(0, 1))
attack = ProjectedGradientDescent(
    wrapped, norm=2, eps=1.5, eps_step=0.5, max_iter=STEPS, verbose=False
)
report("ART, PGD", torch.tensor(attack.generate(test.numpy(), truth.numpy())))

bounded = foolbox.PyTorchModel(module, bounds=(0, 1), device="cpu")
steps = foolbox.attacks.L2ProjectedGradientDescentAttack(steps=STEPS, rel_stepsize=0.4)
_, clipped, _ = steps(bounded, test, truth, epsilons=1.5)
report("Foolbox, PGD", clipped)
