"""Load `digits`: the 1797 handwritten digits of scikit-learn, grey images of 8 x 8 pixels."""

import numpy as np

from simplicert.data.dataset import Source
from simplicert.importing import import_library

DARKEST = 16  # pixels are whole numbers from 0 to 16


def load_digits(_: str) -> Source:
    """Return images (1797, 1, 8, 8) in [0, 1], labels, and the classes "0" to "9"."""
    bunch = import_library("sklearn.datasets", "demo", "data 'digits'").load_digits()
    images = (bunch.images[:, None] / DARKEST).astype(np.float32)
    images.setflags(write=False)
    return Source(images, bunch.target, tuple(str(name) for name in bunch.target_names))
