"""An exported program as an ordinary module: it has no training mode, and says what it takes."""

import copy
import warnings
from typing import Any

from torch import Tensor, nn

from simplicert.models.shapes import Declared, check_batch


class Program(nn.Module):
    """Calls the program; its modes were fixed when it was exported."""

    def __init__(self, name: str, program: nn.Module, declared: Declared) -> None:
        """`declared` is the shape of a batch, None where any length will do."""
        super().__init__()
        self.name = name
        self.program = program
        self.declared = declared
        self.training = False

    def train(self, mode: bool = True) -> "Program":
        """Nothing to change: an exported program refuses to be asked."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "Program":
        """A copy that keeps quiet about a change inside torch."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*LeafSpec", category=FutureWarning)
            return Program(self.name, copy.deepcopy(self.program, memo), self.declared)

    def forward(self, x: Tensor) -> Tensor:
        """Logits of a batch."""
        check_batch(self.name, self.declared, x.shape)
        logits: Tensor = self.program(x)
        return logits
