"""Which radii the sensitivity of a first stage may divide.

The sensitivity is a constant from l2 to l2: behind the stage an input moves at most so many times
as far, both distances in l2. It says nothing about distances in l1 or linf, which may grow by as
much as the root of the number of features, nor about scaled ones, and a change of brightness before
the stage is none behind it.
"""

from simplicert.errors import require
from simplicert.noises import NOISES, say_units

# The radii of Gaussian noise in l1 are those in l2, before the stage as well as behind it.
DIVISIBLE = (("gaussian", "l2"), ("gaussian", "l1"))


def may_divide(noise: str, norm: str) -> bool:
    """Tell whether radii of this noise and norm may be divided by a sensitivity.

    >>> may_divide("gaussian", "l2"), may_divide("gaussian", "linf")
    (True, False)
    """
    return (noise, norm) in DIVISIBLE


def check_stage(noise: str, norm: str, sensitivity: float) -> None:
    """Refuse a sensitivity for radii that it says nothing about; 1 stands for no first stage.

    >>> check_stage("gaussian", "l2", 0.5)
    >>> check_stage("laplace", "l1", 1.0)
    """
    row = NOISES[noise]
    units = f"radii are {say_units(noise)}" if row.whole or row.steps else f"radii are in {norm}"
    require(
        sensitivity == 1 or may_divide(noise, norm),
        f"sensitivity must be 1 for {noise} noise and norm {norm}, whose {units}: it is a constant "
        f"of distances in l2, got {sensitivity!r}",
    )
