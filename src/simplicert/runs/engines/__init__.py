"""Engines: ways to have a crew. To add one: write its file, add its row.

An engine is a function from a request to a context that yields a crew and, at its end, has
stopped everything it started.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace

from simplicert.errors import choose, require
from simplicert.runs.crew import Crew
from simplicert.runs.engines import local, ray
from simplicert.runs.request import Request

Engine = Callable[[Request], AbstractContextManager[Crew]]

ENGINES: dict[str, Engine] = {"local": local.crew, "ray": ray.crew}


def crew_for(request: Request) -> AbstractContextManager[Crew]:
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
