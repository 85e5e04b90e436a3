"""The kind of machine that draws: on another kind the last bits of a model's outputs may differ."""

import platform
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np


def this_machine() -> dict[str, str]:
    """Processor and libraries, for run.toml."""
    kind = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": platform.machine(),
        "processor": processor(),
    }
    with suppress(PackageNotFoundError):  # asked of its record: a run without it does not load it
        kind["torch"] = version("torch")
    return kind


def processor() -> str:
    """The processor's own name where the system tells it; kernels are chosen by it."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


def other_kind(made: dict[str, object]) -> list[str]:
    """What this machine has otherwise than the one that a run was drawn on, in words."""
    here = this_machine()
    return [
        f"{name} {made[name]} there, {here.get(name, 'none')} here"
        for name in ("machine", "processor", "numpy", "torch")
        if name in made and made[name] != here.get(name)
    ]
