"""Noise behind a first stage of a network, and radii of the images that go into it.

    python examples/noise_behind_a_layer.py

Averages over 2 x 2 pixels move by at most half as far as the pixels do: noise added to the averages
certifies twice the distance, in pixels. A convolution may stretch distances; how much is bounded.
"""

import numpy as np
import torch
from torch import nn

import simplicert as sc
from simplicert.data import load_data

SIGMA, DRAWS = 0.25, 1000
torch.manual_seed(0)

digits = load_data("digits")
images = torch.from_numpy(digits.inputs[np.arange(len(digits.index))])  # N x 1 x 8 x 8, in [0, 1]
labels = torch.from_numpy(np.asarray(digits.labels))
network = nn.Sequential(
    nn.AvgPool2d(2),
    nn.Conv2d(1, 8, 3, padding=1),
    nn.ReLU(),
    nn.Flatten(),
    nn.Linear(8 * 4 * 4, 10),
)
optimiser = torch.optim.Adam(network.parameters(), 0.01)
for _ in range(300):  # noise where it will be: behind the first layer
    rows = torch.randint(100, len(images), (256,))
    seen = network[0](images[rows])
    logits = network[1:](seen + SIGMA * torch.randn_like(seen))
    loss = nn.functional.cross_entropy(logits, labels[rows])
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()

for layer, what in (("0", "averages"), ("1", "convolution")):
    rest = sc.models.at_layer(network, layer, images[:1])
    bound = rest.sensitivity()
    smooth = sc.Smoothed(rest, SIGMA, 10, sensitivity=bound)
    certificates = smooth.certify(rest.features(images[:100]), DRAWS, labels=labels[:100], seed=0)
    middle = float(np.median(certificates.radius))
    kept = float(np.median(smooth.operational_radius(certificates, draws=DRAWS)))
    print(f"noise behind the {what}: sensitivity at most {bound:.4f}")
    print(f"  median radius at the noise {middle * bound:.4f}, of the images {middle:.4f}")
    print(f"  kept by predict with {DRAWS} draws up to {kept:.4f} (median)")
