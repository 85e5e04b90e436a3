"""Networks that a weights file can be loaded into. To add one: write its file, add its row.

A builder takes the number of classes and the shape of one input. By convention the first layer is
called `conv1` or `fc1` and the last `fc`: a weights file then says by itself what it is for.
"""

from collections.abc import Callable

from torch import nn

from simplicert.errors import InvalidInput, SimplicertError, choose, require
from simplicert.importing import imported, said
from simplicert.models.architectures.mlp import mlp
from simplicert.models.architectures.resnet import resnet20, resnet56, resnet110
from simplicert.models.architectures.resnet50 import resnet50
from simplicert.models.architectures.small_cnn import small_cnn
from simplicert.trust import USER, Trust

__all__ = ["ARCHITECTURES", "Builder", "build"]

Builder = Callable[[int, tuple[int, ...]], nn.Module]

ARCHITECTURES: dict[str, Builder] = {
    "resnet20": resnet20,
    "resnet56": resnet56,
    "resnet110": resnet110,
    "resnet50": resnet50,
    "small_cnn": small_cnn,
    "mlp": mlp,
}


def build(
    arch: str,
    num_classes: int,
    input_shape: tuple[int, ...],
    trust: Trust = USER,
    instead: str = "",
) -> nn.Module:
    """One of ours by name, or what the user's own `module:function` returns for these two.

    A `module:function` that a file names is refused, with `instead` as what to pass.
    """
    if ":" not in arch:
        return choose("arch", arch, ARCHITECTURES)(num_classes, input_shape)
    function = imported("arch", arch, trust, instead)
    require(callable(function), f"arch {arch} must name a function of its module, got {function!r}")
    try:
        module = function(num_classes, input_shape)
    except SimplicertError:
        raise
    except Exception as error:  # the user's own code may raise anything
        raise InvalidInput(
            f"arch {arch} failed when it was called with {num_classes} classes and inputs of "
            f"{input_shape}: {said(error)}"
        ) from error
    require(
        isinstance(module, nn.Module),
        f"arch {arch} must return a torch module, got {module!r:.60}",
    )
    built: nn.Module = module
    return built
