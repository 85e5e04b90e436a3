"""Three values that flow one way: Tally (seen), Expectations (known), Certificates (promised)."""

from simplicert.types.arrays import Bools, Floats, Ints
from simplicert.types.bands import ScoreBands
from simplicert.types.certificates import Certificates
from simplicert.types.expectations import KINDS, Expectations, Kind
from simplicert.types.plan import Plan
from simplicert.types.scores import FIXED_POINT
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
