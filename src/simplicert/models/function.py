"""`module:function`: a function without arguments that returns the classifier.

This runs the user's own code, as `python -m module` would: the current folder comes first on the
import path and stays there, so that the classifier can import its neighbours later.
"""

import inspect
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from simplicert.errors import InvalidInput, require
from simplicert.models.fingerprints import of_classifier
from simplicert.models.model import Model, is_module


def load(spec: str) -> Model:
    """The classifier that the function returns; a torch module is put in eval mode."""
    function = maker(spec)
    try:
        classifier = function()
    except Exception as error:  # the user's own code may raise anything
        raise InvalidInput(f"model {spec} failed when it was called: {said(error)}") from error
    require(
        callable(classifier),
        f"model {spec} must return a classifier, a function of a batch, got {classifier!r:.60}",
    )
    if is_module(classifier):
        classifier.eval()
    return Model(classifier, spec, of_classifier(classifier))


def maker(spec: str) -> Callable[[], Any]:
    """The function by its module and name, checked to need no arguments."""
    module, _, name = spec.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        holder = import_module(module)
    except ModuleNotFoundError as error:
        missing = "it" if error.name == module else f"{error.name}, which it imports,"
        raise InvalidInput(
            f"model {spec} must name a module that can be imported from here, and {missing} "
            "cannot be found"
        ) from None
    except Exception as error:  # the user's own code may raise anything
        raise InvalidInput(f"model {spec} failed when it was imported: {said(error)}") from error
    function = getattr(holder, name, None)
    require(callable(function), f"model {spec} must name a function of {module}, got {name!r}")
    require(
        needs_nothing(function),
        f"model {spec} must name a function without arguments that returns the classifier",
    )
    return cast(Callable[[], Any], function)


def said(error: Exception) -> str:
    """An error in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def needs_nothing(function: Any) -> bool:
    """Whether it can be called without arguments; a classifier itself cannot."""
    if is_module(function):
        return False
    try:
        inspect.signature(function).bind()
    except (TypeError, ValueError):  # ValueError: Python does not know its arguments
        return False
    return True
