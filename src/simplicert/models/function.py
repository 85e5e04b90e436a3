"""Load `module:function`: call a function without arguments that returns the classifier."""

import inspect
from collections.abc import Callable
from typing import Any, cast

from simplicert.errors import InvalidInput, require
from simplicert.importing import USER, Trust, describe_error, import_object
from simplicert.models.model import Model, classifier_fingerprint, explain_uncallable, is_module


def load_function(spec: str, trust: Trust = USER) -> Model:
    """Load the classifier that the function returns; a torch module is put in eval mode."""
    function = _import_model_function(spec, trust)
    try:
        classifier = function()
    except Exception as error:  # the user's own code may raise anything
        raise InvalidInput(
            f"model {spec} failed when it was called: {describe_error(error)}"
        ) from error
    wrong = explain_uncallable(classifier)
    require(not wrong, f"model {spec} must return a classifier, which {wrong}")
    if is_module(classifier):
        classifier.eval()
    return Model(classifier, spec, classifier_fingerprint(classifier))


def _import_model_function(spec: str, trust: Trust) -> Callable[[], Any]:
    """Import the function by its module and name, and check that it needs no arguments."""
    module, _, name = spec.partition(":")
    function = import_object("model", spec, trust)
    require(callable(function), f"model {spec} must name a function of {module}, got {name!r}")
    require(
        _takes_no_arguments(function),
        f"model {spec} must name a function without arguments that returns the classifier",
    )
    return cast(Callable[[], Any], function)


def _takes_no_arguments(function: Any) -> bool:
    """Return whether it can be called without arguments; a classifier itself cannot."""
    if is_module(function):
        return False
    try:
        inspect.signature(function).bind()
    except (TypeError, ValueError):  # ValueError: Python does not know its arguments
        return False
    return True
