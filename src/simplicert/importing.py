"""`module:name`: the user's own code, for a classifier, a network or a mechanism.

Nothing else in this package imports what a text names. This runs it, as `python -m module` would:
the current folder comes first on the import path and stays there, so that the code can import its
neighbours later.
"""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from simplicert.errors import InvalidInput, require
from simplicert.trust import Trust, require_user


def imported(what: str, spec: str, trust: Trust, instead: str = "") -> Any:
    """What `module:name` stands for, None if the module has no such name; `what` it is for.

    `trust` says whose word it is: a file's is refused, with `instead` as what to pass.
    """
    require_user(trust, what, spec, instead or f"--{what} {spec}")
    module, _, name = spec.partition(":")
    require(
        not module.endswith(".py") and not module.startswith(".") and not set(module) & set("/\\"),
        f"{what} must be written module:function, without .py or a path, got {spec!r}",
    )
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        holder = import_module(module)
    except ModuleNotFoundError as error:
        missing = "it" if error.name == module else f"{error.name}, which it imports,"
        raise InvalidInput(
            f"{what} {spec} must name a module that can be imported from here, and {missing} "
            "cannot be found"
        ) from None
    except Exception as error:  # the user's own code may raise anything
        raise InvalidInput(f"{what} {spec} failed when it was imported: {said(error)}") from error
    return getattr(holder, name, None)


def said(error: BaseException) -> str:
    """An error in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())
