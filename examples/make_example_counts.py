"""Make the bundled table of counts: python examples/make_example_counts.py > FILE.

Two hundred inputs, ten classes, 10,000 draws each, from class probabilities like those of a small
image classifier under noise: most inputs are clear, many lean to one of two classes, some are lost.
Simulated, so that the table is ours to ship; the label is the true top class in nine of ten inputs.
"""

import sys

import numpy as np

INPUTS, CLASSES, DRAWS, SEED = 200, 10, 10_000, 2024


def main() -> None:
    """Write K counts and the label, one row per input."""
    random = np.random.default_rng(SEED)
    sharpness = 10 ** random.uniform(-2.0, 0.3, INPUTS)  # Dirichlet concentration: small is clear
    rows = []
    for concentration in sharpness:
        truth = random.dirichlet(np.full(CLASSES, concentration))
        counts = random.multinomial(DRAWS, truth)
        wrong = random.random() < 0.1
        label = random.integers(CLASSES) if wrong else truth.argmax()
        rows.append([*counts, label])
    np.savetxt(sys.stdout, rows, fmt="%d", header="simulated counts: 10 classes, then the label")


if __name__ == "__main__":
    main()
