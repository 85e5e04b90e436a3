"""Whether torch.compile pays: decided once, from the whole run's planned work, then obeyed."""

import time
from dataclasses import replace
from typing import Any

import numpy as np

from simplicert.errors import require
from simplicert.models.model import is_module
from simplicert.sampling.asking import ask
from simplicert.sampling.sampler import Sampler
from simplicert.sampling.settings import Settings

WORTH = 600.0  # seconds of eager work from which compiling (about a minute) is worth its price


def decide(
    classifier: Any,
    example: np.ndarray,
    settings: Settings,
    draws: int,
    asked: bool | None,
    tensors: bool = False,
) -> Settings:
    """The settings with `compiled` set: as asked, or where the planned draws are worth it."""
    if not is_module(classifier):
        require(not asked, "compile must not be asked for a classifier that is no torch module")
        return settings
    if _holds_script(classifier):
        require(not asked, "compile must not be asked for TorchScript: torch.compile refuses it")
        return settings
    if asked is not None:
        require(not asked or can_compile(), "compile needs a C++ compiler, and none was found")
        return replace(settings, compiled=asked)
    if draws < settings.batch_size or not can_compile():
        return settings
    sampler = Sampler(classifier, example, settings, tensors)
    start = time.perf_counter()
    ask(sampler.batch.outputs, sampler.batch.clear)
    planned = (time.perf_counter() - start) * draws / settings.batch_size
    return replace(settings, compiled=planned > WORTH)


def _holds_script(module: Any) -> bool:
    """Whether it is TorchScript, or TorchScript behind a normalisation."""
    import torch

    return any(isinstance(part, torch.jit.ScriptModule) for part in module.modules())


def can_compile() -> bool:
    """Whether there is a C++ compiler, which torch.compile needs on the CPU."""
    import shutil

    return any(shutil.which(name) for name in ("g++", "c++", "clang++", "cl"))
