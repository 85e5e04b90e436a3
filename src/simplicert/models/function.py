"""`module:function`: a function without arguments that returns the classifier."""

import inspect
from collections.abc import Callable
from typing import Any, cast

from simplicert.errors import InvalidInput, require
from simplicert.importing import imported, said
from simplicert.models.fingerprints import of_classifier
from simplicert.models.model import Model, is_module, uncallable
from simplicert.trust import USER, Trust


def load(spec: str, trust: Trust = USER) -> Model:
    """The classifier that the function returns; a torch module is put in eval mode."""
    function = maker(spec, trust)
    try:
        classifier = function()
    except Exception as error:  # the user's own code may raise anything
        raise InvalidInput(f"model {spec} failed when it was called: {said(error)}") from error
    wrong = uncallable(classifier)
    require(not wrong, f"model {spec} must return a classifier, which {wrong}")
    if is_module(classifier):
        classifier.eval()
    return Model(classifier, spec, of_classifier(classifier))


def maker(spec: str, trust: Trust) -> Callable[[], Any]:
    """The function by its module and name, checked to need no arguments."""
    module, _, name = spec.partition(":")
    function = imported("model", spec, trust)
    require(callable(function), f"model {spec} must name a function of {module}, got {name!r}")
    require(
        needs_nothing(function),
        f"model {spec} must name a function without arguments that returns the classifier",
    )
    return cast(Callable[[], Any], function)


def needs_nothing(function: Any) -> bool:
    """Whether it can be called without arguments; a classifier itself cannot."""
    if is_module(function):
        return False
    try:
        inspect.signature(function).bind()
    except (TypeError, ValueError):  # ValueError: Python does not know its arguments
        return False
    return True
