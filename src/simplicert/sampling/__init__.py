"""Count how a classifier labels noisy copies of inputs: all randomness, and no statistics."""

from simplicert.sampling.in_memory import sample
from simplicert.sampling.sampler import Sampler
from simplicert.sampling.settings import SamplingSettings
from simplicert.types.smoothing import Smoothing

__all__ = ["Sampler", "SamplingSettings", "Smoothing", "sample"]
