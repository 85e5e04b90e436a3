"""Add noise inside a network: everything after a layer, as a classifier of that layer's output.

This is useful for text: words have no l2 distance, but embeddings do. The certificate is then about
perturbations of the embedding, in its own units, and says nothing about words: two words are as
far apart as their embeddings are, which is far.
"""

import copy
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from simplicert.errors import InvalidInput, require

# A hook belongs to the network, and every thread that runs the network would call it.
HOOK_LOCK = threading.RLock()


class AtLayer(nn.Module):
    """The rest of a network behind a layer; `features` returns the layer's output.

    The network is run as a whole on a stand-in for its inputs, and the layer's output is replaced.
    Anything else that the network reads (an attention mask, positions) is the stand-in's: it must
    be the same for all inputs, so certify texts of one length, or of one mask, at a time.
    """

    def __init__(self, network: nn.Module, layer: str, example: Any) -> None:
        """`layer` is its name in the network; `example` is one raw input, as a batch of one row."""
        super().__init__()
        layers = dict(network.named_modules())
        require(
            layer in layers and layer != "",
            f"layer must be one of the network's, such as {', '.join(list(layers)[1:6])}, "
            f"got {layer!r}",
        )
        self.network = copy.deepcopy(network).eval()  # the caller's network stays as it is
        self.layer = layer
        self.example = example

    def features(self, inputs: Any) -> Tensor:
        """Return the layer's output for these raw inputs: the data to certify."""
        kept: list[Tensor] = []

        def keep(module: nn.Module, arguments: Any, output: Any) -> None:
            # A copy: what comes next may change it in place.
            kept.append(output.clone() if isinstance(output, Tensor) else output)

        self._run_with_hook(inputs, keep)
        if len(kept) != 1 or not isinstance(kept[0], Tensor):
            raise InvalidInput(
                f"layer {self.layer} must put out one tensor once a pass, got {len(kept)} outputs"
            )
        return kept[0].detach()

    def sensitivity(self, input_shape: Sequence[int] | None = None) -> float:
        """Bound from above how far the layer's output moves when the network's input moves by 1.

        Radii at the layer divided by it are radii at the input. It is known if the layers up to
        this one run in a row and are in the table of `sensitivity_of`; any other is refused.
        `input_shape` is the example's without its batch.
        """
        from simplicert.models.sensitivity import sensitivity_of

        return sensitivity_of(self, input_shape)

    def forward(self, features: Tensor) -> Tensor:
        """Return the logits as if the layer had put out these features."""
        count = len(features)
        passes: list[None] = []

        def replace(module: nn.Module, arguments: Any, output: Any) -> Tensor:
            passes.append(None)
            require(
                len(passes) == 1,
                f"layer {self.layer} must run once a pass, and it runs again: give the two uses "
                "layers of their own",
            )
            require(
                output.shape[1:] == features.shape[1:],
                f"features must have the shape {tuple(output.shape[1:])} that layer {self.layer} "
                f"puts out, got {tuple(features.shape[1:])}",
            )
            return features.clone()  # what comes next may work in place

        return self._run_with_hook(_repeat_example(self.example, count), replace)

    def _run_with_hook(self, inputs: Any, hook: Any) -> Tensor:
        """Run the network with a hook on the layer, one run at a time; mappings become keywords."""
        with HOOK_LOCK:
            handle = self.network.get_submodule(self.layer).register_forward_hook(hook)
            try:
                outputs = (
                    self.network(**inputs) if isinstance(inputs, Mapping) else self.network(inputs)
                )
            finally:
                handle.remove()
        logits: Tensor = getattr(outputs, "logits", outputs)
        return logits


def _repeat_example(example: Any, count: int) -> Any:
    """Repeat the stand-in as a batch of `count` equal rows."""
    if isinstance(example, Mapping):
        return {name: _repeat_example(value, count) for name, value in example.items()}
    require(
        isinstance(example, torch.Tensor) and len(example) == 1,
        f"example must be tensors of one row, got {type(example).__name__}",
    )
    rows: Tensor = example.expand(count, *example.shape[1:])
    return rows
