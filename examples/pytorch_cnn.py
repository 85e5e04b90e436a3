"""A PyTorch network of your own: predictions, certificates, and how far to trust the deployed one.

    python examples/pytorch_cnn.py

The network is trained here for a few seconds on scikit-learn's digits, under the noise that it will
be smoothed with; bring your own instead.
"""

import torch
from sklearn.datasets import load_digits

import simplicert as sc

SIGMA = 0.25

digits = load_digits()
images = torch.tensor(digits.images / 16, dtype=torch.float32).unsqueeze(1)
labels = torch.tensor(digits.target)

torch.manual_seed(0)
network = torch.nn.Sequential(
    torch.nn.Conv2d(1, 16, 3, padding=1),
    torch.nn.ReLU(),
    torch.nn.MaxPool2d(2),
    torch.nn.Flatten(),
    torch.nn.Linear(256, 10),
)
optimiser = torch.optim.Adam(network.parameters(), 1e-2)
for _ in range(60):
    rows = torch.randint(0, 1500, (128,))
    noisy = images[rows] + SIGMA * torch.randn_like(images[rows])
    loss = torch.nn.functional.cross_entropy(network(noisy), labels[rows])
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()

smooth = sc.Smoothed(network, sigma=SIGMA, num_classes=10)
test = images[1500:1510]

prediction = smooth.predict(test, seed=0)
print("class or -1:", prediction.classes.tolist())
print("draws:", prediction.draws.tolist())

certificates = smooth.certify(test, draws=2000, labels=labels[1500:1510], seed=0)
print(certificates.to_frame()[["label", "predicted", "radius", "cohen", "improved_dp"]])
print("kept by predict up to:", smooth.operational_radius(certificates).round(3).tolist())
