"""How many features the inputs of a run have, for radii in a norm that depends on it."""

import math

from simplicert.errors import require
from simplicert.noises import NOISES, default_norm
from simplicert.store.manifest import Manifest


def find_size(manifest: Manifest, norm: str | None, size: int | None = None) -> int | None:
    """Return the number of features that radii in this norm need; None where they need none.

    It is that of the inputs that were drawn, where run.toml records their shape or the noise knows
    it; another one is refused.

    >>> settings = Manifest(sigma=0.5, inputs=2, classes=3, made={"shape": [3, 32, 32]})
    >>> find_size(settings, "linf"), find_size(settings, "l1")
    (3072, None)
    """
    model = manifest.noise_model
    plain = (norm or default_norm(model)).removeprefix("scaled ")
    if model.size is not None or "size" not in NOISES[model.name].parameters.get(plain, ()):
        return size
    shape = manifest.made.get("shape")
    if not (isinstance(shape, list) and all(type(n) is int and n > 0 for n in shape)):
        return size
    features = math.prod(shape)
    require(
        size in (None, features),
        f"size must be {features}, the features of the inputs that were drawn, got {size!r}",
    )
    return features
