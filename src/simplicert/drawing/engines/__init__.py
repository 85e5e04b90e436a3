"""Engines start workers. To add one, write its file and add its row.

An engine is a function from the settings of a drawing to a context that yields workers and, when
it ends, has stopped everything it started.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager

from simplicert.drawing.engines import local, ray
from simplicert.drawing.workers import Workers
from simplicert.store.settings import DrawingSettings

Engine = Callable[[DrawingSettings], AbstractContextManager[Workers]]

ENGINES: dict[str, Engine] = {"local": local.local_workers, "ray": ray.ray_workers}
