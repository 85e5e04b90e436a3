"""Drawing noisy classifications: the room with the random numbers, and without statistics."""

from simplicert.sampling.local import sample
from simplicert.sampling.sampler import Sampler
from simplicert.sampling.settings import Settings
from simplicert.types.smoothing import Smoothing

__all__ = ["Sampler", "Settings", "Smoothing", "sample"]
