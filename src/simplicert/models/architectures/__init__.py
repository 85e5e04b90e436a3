"""Build the networks that a weights file can be loaded into, by name.

To add one, write its file and add its row. A builder takes the number of classes and the shape of
one input. By convention the first layer is called `conv1` or `fc1` and the last `fc`, so a weights
file says by itself how many classes and input channels it is for.
"""

from collections.abc import Callable

from torch import nn

from simplicert.errors import InvalidInput, SimplicertError, choose, require
from simplicert.importing import USER, Trust, describe_error, import_object
from simplicert.models.architectures.lipschitz_mlp import build_lipschitz_mlp
from simplicert.models.architectures.mlp import build_mlp
from simplicert.models.architectures.resnet import build_resnet20, build_resnet56, build_resnet110
from simplicert.models.architectures.resnet50 import build_resnet50
from simplicert.models.architectures.small_cnn import build_small_cnn
from simplicert.models.architectures.small_dncnn import build_small_dncnn

__all__ = ["ARCHITECTURES", "DENOISERS", "Builder", "build_network"]

Builder = Callable[[int, tuple[int, ...]], nn.Module]

ARCHITECTURES: dict[str, Builder] = {
    "resnet20": build_resnet20,
    "resnet56": build_resnet56,
    "resnet110": build_resnet110,
    "resnet50": build_resnet50,
    "small_cnn": build_small_cnn,
    "mlp": build_mlp,
    "lipschitz_mlp": build_lipschitz_mlp,
}

# Networks whose output has the shape of their input; the number of classes means nothing to them.
DENOISERS: dict[str, Builder] = {"small_dncnn": build_small_dncnn}


def build_network(
    arch: str,
    num_classes: int,
    input_shape: tuple[int, ...],
    trust: Trust = USER,
    instead: str = "",
    denoiser: bool = False,
) -> nn.Module:
    """Build one of our networks by name, or call the user's own `module:function`.

    A `module:function` that a file names is refused; `instead` is what the user may pass.
    """
    if ":" not in arch:
        table = DENOISERS if denoiser else ARCHITECTURES
        return choose("arch", arch, table)(num_classes, input_shape)
    function = import_object("arch", arch, trust, instead)
    require(callable(function), f"arch {arch} must name a function of its module, got {function!r}")
    try:
        module = function(num_classes, input_shape)
    except SimplicertError:
        raise
    except Exception as error:  # the user's own code may raise anything
        raise InvalidInput(
            f"arch {arch} failed when it was called with {num_classes} classes and inputs of "
            f"{input_shape}: {describe_error(error)}"
        ) from error
    require(
        isinstance(module, nn.Module),
        f"arch {arch} must return a torch module, got {module!r:.60}",
    )
    built: nn.Module = module
    return built
