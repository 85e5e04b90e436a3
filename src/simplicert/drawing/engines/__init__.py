"""Engines start workers. To add one, write its file and add its row.

An engine is a function from the settings of a drawing to a context that yields workers and, when
it ends, has stopped everything it started.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace

from simplicert.drawing.engines import local, ray
from simplicert.drawing.workers import Workers
from simplicert.errors import choose, require
from simplicert.store.settings import DrawingSettings

Engine = Callable[[DrawingSettings], AbstractContextManager[Workers]]

ENGINES: dict[str, Engine] = {"local": local.local_workers, "ray": ray.ray_workers}


def open_workers(settings: DrawingSettings) -> AbstractContextManager[Workers]:
    """Return the workers that the settings ask for."""
    engine = choose("engine", settings.engine, ENGINES)
    here = settings.workers in (None, 1) and settings.cpus_per_worker is None
    alone = settings.engine == "local" and here
    for name in ("model", "data"):
        require(
            alone or isinstance(getattr(settings, name), str),
            f"{name} must be given by its name to be drawn by other processes, got an object",
        )
    # Workers may have another current folder.
    return engine(replace(settings, out=settings.out.absolute()))
