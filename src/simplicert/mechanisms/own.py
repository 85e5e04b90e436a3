"""Find mechanisms by name for the command line: built in, or the user's `module:function`."""

import re
from dataclasses import replace

import numpy as np

from simplicert.errors import InvalidInput, require
from simplicert.importing import USER, describe_error, import_object
from simplicert.mechanisms import MECHANISMS, Mechanism
from simplicert.mechanisms.threats import Threat, find_threat
from simplicert.types import Floats, Kind

BOTH_KINDS = frozenset[Kind]({"multinomial", "softmax"})  # we take a user's function to have both


def load_mechanism(spec: str, threat: Threat | None = None) -> Mechanism:
    """Return the row of a name, or a row made of the user's function (e0, e1) -> radius at scale 1.

    `module:name` may also be a Mechanism, which says itself what it is proved for. The threat is
    Gaussian noise and l2 unless another is given.
    """
    threat = find_threat() if threat is None else threat
    if spec in threat.mechanisms:
        needs = threat.mechanisms[spec].needs
        require(
            needs == "pair",
            f"mechanism must be one that reads (e0, e1), got {spec!r}, which needs {needs}",
        )
        return threat.mechanisms[spec]
    require(
        spec not in MECHANISMS,
        f"mechanism {spec!r} has no proof for {threat.noise} noise and norm {threat.norm}, "
        f"which have {', '.join(threat.mechanisms)}",
    )
    module, colon, name = spec.partition(":")
    require(
        bool(module and colon and name),
        f"mechanism must be one of {_list_forms(threat)}, got {spec!r}",
    )
    found = import_object("mechanism", spec, USER)
    if isinstance(found, Mechanism):
        return found
    require(callable(found), f"mechanism {spec} must name a function of {module}, got {name!r}")
    if threat.of_paper:
        return Mechanism(found, BOTH_KINDS, "the user's own")
    about = {"noise": threat.noise, "norm": threat.norm}
    return Mechanism(found, BOTH_KINDS, "the user's own", limit=threat.limit, **about)


def load_guarded_mechanism(spec: str, threat: Threat | None = None) -> Mechanism:
    """Do the same, and turn any error of the user's code into one sentence."""
    found = load_mechanism(spec, threat)
    if ":" not in spec:
        return found

    def radius(e0: Floats, e1: Floats) -> Floats:
        try:
            with np.errstate(all="ignore"):  # what it returns is checked, not how
                return found.radius(e0, e1)
        except Exception as error:  # the user's own code may raise anything
            raise InvalidInput(
                f"mechanism {spec} failed when it was called: {describe_error(error)}"
            ) from error

    return replace(found, radius=radius)


def parse_mechanisms(text: str, threat: Threat | None = None) -> dict[str, Mechanism]:
    """Read `A,B,module:function` as mechanisms by name, in their order."""
    return {name: load_guarded_mechanism(name, threat) for name in text.replace(" ", "").split(",")}


def parse_comparison(
    text: str, threat: Threat | None = None
) -> tuple[dict[str, Mechanism], dict[str, Mechanism]]:
    """Read both sides of `A:B`, each a list; a word is a built-in name if it can be one."""
    threat = find_threat() if threat is None else threat
    # One mechanism is a name, or module:function. Names of the paper's are names everywhere.
    names = "|".join({**MECHANISMS, **threat.mechanisms})
    item = rf"(?:(?:{names})(?![^:,])|[^:,]+:[^:,]+)"
    several = f"{item}(?:,{item})*"
    found = re.fullmatch(f"({several}):({several})", text.replace(" ", ""))
    if found is None:
        raise InvalidInput(
            f"a comparison must be A:B or A:B,C, each of {_list_forms(threat)}, got {text!r}"
        )
    return parse_mechanisms(found[1], threat), parse_mechanisms(found[2], threat)


def _list_forms(threat: Threat) -> str:
    """Say what may be written for a mechanism."""
    names = [name for name, row in threat.mechanisms.items() if row.needs == "pair"]
    return f"{', '.join(names)}, or module:function"
