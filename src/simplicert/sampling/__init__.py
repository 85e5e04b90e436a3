"""Drawing noisy classifications: the room with the random numbers, and without statistics."""

from simplicert.sampling.local import sample
from simplicert.sampling.sampler import Sampler
from simplicert.sampling.settings import Settings

__all__ = ["Sampler", "Settings", "sample"]
