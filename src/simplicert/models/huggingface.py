"""Load `hf:NAME_OR_DIR`: a transformers image classifier, from a folder or the local cache.

Nothing is downloaded, no code from the folder is run, and weights are read from safetensors only.
The normalisation in the folder's preprocessor_config.json belongs to the model and comes with it. A
transformers model returns a record, so `Logits` in modules.py takes the logits out of it.
"""

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from simplicert.data.huggingface import offline_mode
from simplicert.errors import InvalidInput, require
from simplicert.files import read_json
from simplicert.importing import USER, Trust, first_error_line, import_library
from simplicert.models.archives import weights_only
from simplicert.models.configuration import check_configuration
from simplicert.models.model import Model, digest_parts, module_fingerprint
from simplicert.models.normalisation import normalise_model

PREPROCESSOR = "preprocessor_config.json"


def load_hf_model(where: str, trust: Trust = USER) -> Model:
    """Load the model's logits, behind its own normalisation if it has one."""
    require(bool(where), "hf: must be followed by a name or a folder, got nothing")
    import_library("torch", "hf", f"model hf:{where}")
    transformers = import_library("transformers", "hf", f"model hf:{where}")
    from simplicert.models.modules import Logits

    with offline_mode():
        network = _open_network(transformers, where)
        mean, std = _read_normalisation(transformers, where)
    module = Logits(network).eval()
    name = f"hf:{Path(where).resolve().name if Path(where).is_dir() else where}"
    fingerprint = digest_parts(
        "hf", type(network).__name__, _config_text(network), module_fingerprint(module)
    )
    model = Model(module, name, fingerprint)
    return model if mean is None else normalise_model(model, mean, std)


def _open_network(transformers: Any, where: str) -> Any:
    """Open the network, in float32."""
    try:
        with (
            warnings.catch_warnings(),
            weights_only(),
            _hide_progress_bars(transformers.utils.logging),
        ):
            warnings.simplefilter("ignore")  # transformers' own advice on its own defaults
            check_configuration(transformers, where)
            network, info = transformers.AutoModelForImageClassification.from_pretrained(
                where,
                local_files_only=True,
                use_safetensors=True,
                trust_remote_code=False,
                dtype="float32",
                output_loading_info=True,
            )
    except InvalidInput:
        raise
    except Exception as error:  # transformers may raise anything for a bad configuration
        raise InvalidInput(
            f"model hf:{where} must be a folder or a cached name of an image classifier with "
            f"safetensors weights (pickles are never opened): {first_error_line(error)}"
        ) from None
    absent = sorted(info["missing_keys"])  # transformers fills these with random numbers
    require(not absent, f"model hf:{where} must hold all its weights, it lacks {absent[:1]}")
    return network


@contextmanager
def _hide_progress_bars(logging: Any) -> Iterator[None]:
    """Inside this context, hide progress bars of transformers: the caller decides what is shown."""
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def _config_text(network: Any) -> str:
    """Return the configuration without the keys that say where and by what it was saved."""
    config = network.config.to_dict()
    for key in ("_name_or_path", "transformers_version", "dtype", "torch_dtype"):
        config.pop(key, None)
    return json.dumps(config, sort_keys=True, default=str)


def _read_normalisation(
    transformers: Any, where: str
) -> tuple[list[float] | None, list[float] | None]:
    """Read mean and std of the preprocessor; (None, None) if it has none."""
    path = transformers.utils.cached_file(
        where,
        PREPROCESSOR,
        local_files_only=True,
        _raise_exceptions_for_missing_entries=False,
        _raise_exceptions_for_connection_errors=False,
    )
    settings = read_json(Path(path)) if path else {}
    require(isinstance(settings, dict), f"{PREPROCESSOR} of hf:{where} must hold settings by name")
    if not settings.get("do_normalize", False) or "image_mean" not in settings:
        return None, None
    mean, std = (
        [value] if isinstance(value, int | float) else value
        for value in (settings["image_mean"], settings.get("image_std"))
    )
    for values in (mean, std):
        require(
            isinstance(values, list) and all(isinstance(n, int | float) for n in values),
            f"image_mean and image_std of hf:{where} must be numbers, got {values!r:.60}",
        )
    return mean, std
