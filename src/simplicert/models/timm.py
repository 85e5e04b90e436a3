"""`timm:NAME`: a pretrained model of timm, behind the normalisation it was trained with."""

from simplicert.data.libraries import library, said
from simplicert.errors import InvalidInput, require
from simplicert.models.fingerprints import of_module
from simplicert.models.model import Model
from simplicert.models.normalisation import normalised
from simplicert.models.pickles import weights_only
from simplicert.trust import USER, Trust, require_local


def load(name: str, trust: Trust = USER) -> Model:
    """The model by that name; timm looks for its weights, which are read as tensors only."""
    require(bool(name), "timm: must be followed by the name of a model, got nothing")
    require_local(trust, "model", f"timm:{name}")
    timm = library("timm", "timm", f"model timm:{name}")
    try:
        with weights_only():
            module = timm.create_model(name, pretrained=True)
    except (RuntimeError, OSError, ValueError) as error:
        raise InvalidInput(f"model timm:{name} cannot be loaded: {said(error)}") from None
    config = module.pretrained_cfg
    return normalised(
        Model(module, f"timm:{name}", of_module(module)), config["mean"], config["std"]
    )
