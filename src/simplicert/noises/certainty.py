"""What may be asked of a noise without chance: all of its draws are made, and alpha is 0.

Settings about chance are refused, each in a sentence, because they would promise something that
they do not do. The usual values of alpha and scheme, which everything has if nothing is asked for,
are left out instead.
"""

from collections.abc import Mapping
from typing import Any

from simplicert.errors import require
from simplicert.noises import NOISES, NoiseModel
from simplicert.noises.splitting import count_offsets

CERTAINTY = "holds with certainty, up to floating point"

SCHEME = "exact"

# Settings that must be left out, and the values that they have where they are.
LEFT_OUT: dict[str, tuple[Any, ...]] = {
    "alpha": (0, 0.001),
    "scheme": (None, SCHEME, "gated"),
    "method": (None, SCHEME),
    "until": (None, "fixed"),
    "reserve": (None, 0),
    "extend": (False,),
    "pilot": (0,),
    "sensitivity": (1,),
}


def is_certain(noise: NoiseModel) -> bool:
    """Whether every draw of this noise is made, so that nothing is left to chance.

    >>> is_certain(NoiseModel("splitting")), is_certain(NoiseModel("uniform"))
    (True, False)
    """
    return NOISES[noise.name].deterministic


def settle_declaration(noise: NoiseModel, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return alpha 0 and scheme exact; refuse settings that have no meaning without chance.

    `given` holds any of the settings of LEFT_OUT, and the kind.
    """
    for name, values in LEFT_OUT.items():
        require(
            name not in given or given[name] in values,
            f"{name} must be left out with {noise.name} noise: all of its draws are made, and "
            f"nothing is left to chance, got {given.get(name)!r}",
        )
    require(
        given.get("kind", "multinomial") in ("multinomial", "hard"),
        f"kind must be multinomial with {noise.name} noise, which counts classes, "
        f"got {given.get('kind')!r}",
    )
    return {"alpha": 0.0, "scheme": SCHEME}


def settle_draws(noise: NoiseModel, scale: float, draws: int | None) -> int:
    """Return the number of draws there are; refuse another one.

    >>> settle_draws(NoiseModel("splitting"), 0.5, None)
    255
    """
    every = count_offsets(scale)
    require(
        draws is None or draws == every,
        f"draws must be left out with {noise.name} noise: at scale {scale:g} there are {every}, "
        f"and all are made, got {draws!r}",
    )
    return every
