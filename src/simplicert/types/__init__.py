"""The three value types: Tally (counts seen), Expectations (bounds), Certificates (radii).

They flow one way: `sample` makes a Tally, `bound` turns it into Expectations, and `certify` turns
those into Certificates. Each checks its fields once, when it is made.
"""

from simplicert.types.arrays import Bools, Floats, Ints
from simplicert.types.certificates import Certificates
from simplicert.types.expectations import KINDS, Expectations, Kind
from simplicert.types.plan import Plan
from simplicert.types.scores import FIXED_POINT, ScoreBands
from simplicert.types.tally import Tally

__all__ = [
    "FIXED_POINT",
    "KINDS",
    "Bools",
    "Certificates",
    "Expectations",
    "Floats",
    "Ints",
    "Kind",
    "Plan",
    "ScoreBands",
    "Tally",
]
