"""Load `timm:NAME`: a pretrained timm model, with the normalisation it was trained with."""

from simplicert.errors import InvalidInput, require
from simplicert.importing import USER, Trust, first_error_line, import_library, require_local
from simplicert.models.archives import weights_only
from simplicert.models.model import Model, module_fingerprint
from simplicert.models.normalisation import normalise_model


def load_timm(name: str, trust: Trust = USER) -> Model:
    """Load the model of that name; timm finds its weights, which are read as tensors only."""
    require(bool(name), "timm: must be followed by the name of a model, got nothing")
    require_local(trust, "model", f"timm:{name}")
    timm = import_library("timm", "timm", f"model timm:{name}")
    try:
        with weights_only():
            module = timm.create_model(name, pretrained=True)
    except (RuntimeError, OSError, ValueError) as error:
        raise InvalidInput(
            f"model timm:{name} cannot be loaded: {first_error_line(error)}"
        ) from None
    config = module.pretrained_cfg
    return normalise_model(
        Model(module, f"timm:{name}", module_fingerprint(module)), config["mean"], config["std"]
    )
