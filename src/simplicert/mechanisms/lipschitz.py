"""The radius of a smoothed classifier whose scores have a proved Lipschitz constant."""

import numpy as np

from simplicert.types import Floats


def radius(e0: Floats, e1: Floats, constant: float) -> Floats:
    """L / sigma = (E_0 - E_1) / (2 c), where every score is c-Lipschitz in units of sigma.

    A mean over noise that does not depend on the input keeps the constant: at distance d the top
    class has a mean score of at least E_0 - c d, any other at most E_1 + c d. It knows more than
    the pair, so it may exceed `two_sided`. Three roundings, and one more for 1 - E_0.
    """
    rest = np.minimum(e1, np.nextafter(1 - e0, 1.0))
    return np.asarray(np.maximum((e0 - rest) / (2 * constant) * (1 - 4 * np.finfo(float).eps), 0.0))
