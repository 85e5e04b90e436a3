"""Engines: the ways to get workers, on this machine or on a Ray cluster.

An engine is a function from the settings of a drawing to a context manager that yields workers and,
when it ends, has stopped everything it started. To add one, write its file and add its row.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace

from simplicert.drawing.engines import local, ray
from simplicert.drawing.settings import DrawingSettings
from simplicert.drawing.workers import Workers
from simplicert.errors import choose, require

Engine = Callable[[DrawingSettings], AbstractContextManager[Workers]]

ENGINES: dict[str, Engine] = {"local": local.local_workers, "ray": ray.ray_workers}


def open_workers(request: DrawingSettings) -> AbstractContextManager[Workers]:
    """The crew that a request asks for."""
    engine = choose("engine", request.engine, ENGINES)
    for name in ("workers", "cpus_per_worker"):
        value = getattr(request, name)
        require(value is None or value >= 1, f"{name} must be at least 1, got {value}")
    gpus = request.gpus_per_worker
    require(gpus is None or gpus >= 0, f"gpus_per_worker must not be negative, got {gpus}")
    patience = request.patience
    require(patience >= 0, f"patience must be a number of seconds, 0 or more, got {patience:g}")
    # Workers may have another current folder.
    return engine(replace(request, out=request.out.absolute()))
