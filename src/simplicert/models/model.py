"""Model: a classifier, its name, and a fingerprint of what it computes."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class Model:
    """What is smoothed. The fingerprint is of the function, not of the file's name or place."""

    classifier: Callable[[Any], Any]  # an nn.Module in eval mode, or a NumPy function
    name: str  # as it was asked for, without the path
    fingerprint: str  # 32 hexadecimal digits

    def __repr__(self) -> str:
        """The name and the start of the fingerprint."""
        return f"Model({self.name}, {self.fingerprint[:8]})"


def is_module(classifier: object) -> bool:
    """Whether it is a torch module; without torch nothing is."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(classifier, torch.nn.Module)
