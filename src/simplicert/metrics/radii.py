"""Choose the radii at which accuracies are shown, and the sign that stands before them.

`choose_radii` is the rule of every table: 0 and even steps below the largest radius at which any of
the runs certifies an input as its label, so that no column holds zeros alone. Sigma and the draws
decide how far that is. In l2 and l1 the step is that of papers, 0.25, or half of it, wherever this
gives at least three radii and not too many; else it is the smallest round number that gives few
enough. Whole numbers of features or edits are shown at whole numbers. `fixed_radii` do not depend
on the results, for intervals that are read while a run is drawn.
"""

import math
from collections.abc import Sequence

from simplicert.noises import NOISES
from simplicert.types import Certificates

PAPERS = ("l2", "l1", "scaled l2", "scaled l1")  # norms that are shown at the radii of papers

STEPS = (1.0, 2.0, 2.5, 5.0)  # round numbers, times a power of ten

WHOLE = (1, 2, 5)  # whole ones, likewise

PAPER_STEPS, FEWEST = (0.25, 0.125), 2  # what papers print, and the fewest steps above 0

PAPER_ABOVE = 0.05  # the paper's "additional measure of significance", in units of the input


def choose_radii(
    several: Sequence[Certificates], most: int, column: str = "radius"
) -> tuple[float, ...]:
    """Return 0 and up to `most` - 1 round radii that an input of these certificates reaches.

    >>> from simplicert.certification import certify
    >>> from simplicert.noises import NoiseModel
    >>> from simplicert.types import Expectations
    >>> choose_radii([certify(Expectations([0, 1], [0.99, 0.8], [0.01, 0.1], sigma=0.5))], 9)
    (0.0, 0.25, 0.5, 0.75, 1.0)
    >>> noise = NoiseModel("ablation", size=784, keep=45)
    >>> known = Expectations([0, 1], [0.9, 0.8], [0.05, 0.1], noise=noise)
    >>> choose_radii([certify(known)], 5)
    (0.0, 1.0, 2.0, 5.0)
    """
    first = several[0].known
    largest = max((_largest_radius(item, column) for item in several), default=0.0)
    return reached_radii(
        largest, most, whole=NOISES[first.noise.name].whole, usual=first.norm in PAPERS
    )


def _largest_radius(certificates: Certificates, column: str) -> float:
    """Return the largest radius of an input that is certified as its label, where it has one."""
    if column not in ("radius", *certificates.columns):
        return 0.0
    radii = certificates.column(column)
    if certificates.known.labels is not None:
        radii = radii[certificates.correct]
    return float(radii.max(initial=0.0))


def reached_radii(
    largest: float, most: int, *, whole: bool = False, usual: bool = True
) -> tuple[float, ...]:
    """Return 0 and up to `most` - 1 round radii below the largest; `usual`: by papers' steps.

    >>> reached_radii(0.63, 9), reached_radii(3.8, 9)
    ((0.0, 0.25, 0.5), (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5))
    """
    if largest <= 0:
        return (0.0,)
    if whole:
        return tuple(radius for radius in whole_radii(largest, most) if radius <= largest)
    power = 10.0 ** math.floor(math.log10(largest / most))
    rounds = [s * power for s in (*STEPS, 10.0) if s * power >= largest / most]
    papers = [s for s in PAPER_STEPS if usual and FEWEST * s < largest <= most * s]
    step = papers[0] if papers else min(rounds)
    radii = (round(i * step, 12) for i in range(most))
    return tuple(radius for radius in radii if radius < largest)


def fixed_radii(certificates: Certificates, usual: Sequence[float]) -> tuple[float, ...]:
    """Return the usual radii, or as many that suit a norm in which papers print none."""
    known = certificates.known
    if known.norm in PAPERS:
        return tuple(usual)
    largest = float(certificates.radius.max(initial=0.0))
    if NOISES[known.noise.name].whole:
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
