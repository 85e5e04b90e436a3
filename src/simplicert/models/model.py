"""Model: a classifier, its name, and a fingerprint of what it computes."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, eq=False)
class Model:
    """What is smoothed. The fingerprint is of the function, not of the file's name or place."""

    classifier: Callable[[Any], Any]  # an nn.Module in eval mode, or a NumPy function
    name: str  # as it was asked for, without the path
    fingerprint: str  # 32 hexadecimal digits
    classes: tuple[str, ...] | None = None  # their names, where the model's maker wrote them down
    sigma: float | None = None  # the noise it was trained under, likewise

    def __repr__(self) -> str:
        """The name and the start of the fingerprint."""
        return f"Model({self.name}, {self.fingerprint[:8]})"


def uncallable(classifier: object) -> str:
    """Why something cannot be asked, and what to give instead; "" where it can be."""
    if callable(classifier):
        return ""
    instead = ""
    if hasattr(classifier, "predict_proba"):
        instead = ": give its predict_proba, whose outputs are probabilities"
    elif isinstance(classifier, Mapping):
        instead = ": weights alone are no network, load them into one"
    elif isinstance(classifier, (str, Path)):
        instead = ": a file is opened by sc.models.load_model(...).classifier"
    return f"must be a torch module or a function of a batch, got {shown(classifier)}{instead}"


def shown(classifier: object) -> str:
    """A thing by its type, or a text as it is."""
    plain = isinstance(classifier, (str, int, float))
    return f"{classifier!r:.60}" if plain else type(classifier).__name__


def is_module(classifier: object) -> bool:
    """Whether it is a torch module; without torch nothing is."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(classifier, torch.nn.Module)
