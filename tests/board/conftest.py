"""Logs for boards."""

import numpy as np
import pytest
from scipy.special import ndtri

HEADER = "idx\tlabel\tpredict\tradius\tcorrect\ttime"


@pytest.fixture
def write_log():
    """Return a function that writes a log of Cohen's format, with rows that may be altered."""

    def made(path, inputs=40, sigma=0.5, seed=0, alter=None, step=20):
        random = np.random.default_rng(seed)
        rows = []
        for row in range(inputs):
            label = (7 * row) % 10
            predict = label if random.random() < 0.8 else (label + 1) % 10
            radius = float(sigma * ndtri(random.uniform(0.55, 0.999)))
            if random.random() < 0.1:
                predict, radius = -1, 0.0
            rows.append([row * step, label, predict, f"{radius:.3}", int(predict == label), "0.1"])
        if alter is not None:
            rows = alter(rows)
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = ["\t".join(map(str, row)) for row in rows]
        path.write_text("\n".join([HEADER, *lines]) + "\n")
        return path

    return made
