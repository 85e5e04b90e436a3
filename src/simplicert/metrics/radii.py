"""Choose the radii at which accuracies are shown, and the sign that stands before them.

In l2 and l1 they are those that papers print. Whole numbers of features or edits are shown at whole
numbers, and what is measured in other units at round numbers up to the largest radius that is held.
"""

import math
from collections.abc import Sequence

from simplicert.noises import NOISES
from simplicert.types import Certificates

PAPERS = ("l2", "l1", "scaled l2", "scaled l1")  # norms that are shown at the radii of papers

STEPS = (1.0, 2.0, 2.5, 5.0)  # round numbers, times a power of ten

WHOLE = (1, 2, 5)  # whole ones, likewise

PAPER_ABOVE = 0.05  # the paper's "additional measure of significance", in units of the input


def choose_radii(several: Sequence[Certificates], usual: Sequence[float]) -> tuple[float, ...]:
    """Return the usual radii, or as many that suit the norm of these certificates.

    >>> from simplicert.certification import certify
    >>> from simplicert.noises import NoiseModel
    >>> from simplicert.types import Expectations
    >>> noise = NoiseModel("ablation", size=784, keep=45)
    >>> known = Expectations([0, 1], [0.9, 0.8], [0.05, 0.1], noise=noise)
    >>> choose_radii([certify(known)], (0.0, 0.25, 0.5, 0.75, 1.0))
    (0.0, 1.0, 2.0, 5.0)
    """
    first = several[0].known
    if first.norm in PAPERS:
        return tuple(usual)
    largest = max((float(item.radius.max()) for item in several if len(item)), default=0.0)
    if NOISES[first.noise.name].whole:
        return whole_radii(largest, len(usual))
    return tuple(round_radii(largest, len(usual) - 1))


def round_radii(largest: float, marks: int) -> list[float]:
    """Return 0 and up to `marks` round radii below the largest; 0 alone if there is none.

    >>> round_radii(1.3, 4)
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    if largest <= 0:
        return [0.0]
    power = 10.0 ** math.floor(math.log10(largest / marks))
    step = max(s * power for s in STEPS if s * power <= largest / marks)
    return [round(i * step, 12) for i in range(marks + 1) if i * step < largest]


def whole_radii(largest: float, most: int) -> tuple[float, ...]:
    """Return 0, 1, 2, 5, 10, ... up to the largest, at most so many; always 0 and 1."""
    rising = [digit * 10**decade for decade in range(8) for digit in WHOLE]
    return (0.0, *[float(n) for n in rising if n <= max(largest, 1)][: most - 1])


def radius_sign(certificates: Certificates, *, inclusive: bool = False) -> str:
    """Return the sign between a certified radius and the r that it reaches: > or >=."""
    return ">=" if inclusive or certificates.closed else ">"


def common_sign(several: Sequence[Certificates], *, inclusive: bool = False) -> str:
    """Return the sign that all of these have, or none where only some radii cover a change of r.

    Each run then counts what its own radii promise about changes of size r.
    """
    signs = {radius_sign(certificates, inclusive=inclusive) for certificates in several}
    return signs.pop() if len(signs) == 1 else ""


def say_reach(several: Sequence[Certificates], *, inclusive: bool = False) -> str:
    """Say which radii count at r, as "radius > r", naming the noises whose radii cover r itself."""
    sign = common_sign(several, inclusive=inclusive)
    if sign:
        return f"radius {sign} r"
    closed = dict.fromkeys(c.known.noise.name for c in several if c.closed)
    return f"radius > r, and under {' or '.join(closed)} noise >= r, as those cover a change of r"


def least_worthwhile(certificates: Certificates) -> float:
    """Return the radius from which the paper's tables count one; of whole numbers, 1."""
    return 1.0 if NOISES[certificates.known.noise.name].whole else PAPER_ABOVE
