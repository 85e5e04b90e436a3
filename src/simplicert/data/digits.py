"""`digits`: scikit-learn's bundled handwritten digits, 1797 grey images of 8 x 8."""

import numpy as np

from simplicert.data.dataset import Source
from simplicert.data.libraries import library

DARKEST = 16  # pixels are whole numbers from 0 to 16


def load(_: str) -> Source:
    """Images (1797, 1, 8, 8) in [0, 1], labels, and the classes "0" to "9"."""
    bunch = library("sklearn.datasets", "demo", "data 'digits'").load_digits()
    images = (bunch.images[:, None] / DARKEST).astype(np.float32)
    images.setflags(write=False)
    return Source(images, bunch.target, tuple(str(name) for name in bunch.target_names))
