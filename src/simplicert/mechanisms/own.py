"""Find mechanisms by name for the command line: built in, or the user's `module:function`."""

import re

import numpy as np

from simplicert.errors import InvalidInput, require
from simplicert.importing import USER, describe_error, import_object
from simplicert.mechanisms import MECHANISMS, Mechanism
from simplicert.types import Floats, Kind

ITEM = rf"(?:(?:{'|'.join(MECHANISMS)})(?![^:,])|[^:,]+:[^:,]+)"

LIST = f"{ITEM}(?:,{ITEM})*"

PAIR_MECHANISMS = [name for name, row in MECHANISMS.items() if row.needs == "pair"]

FORMS = f"{', '.join(PAIR_MECHANISMS)}, or module:function"

KINDS = frozenset[Kind]({"multinomial", "softmax"})  # the user's word that it has both proofs


def load_mechanism(spec: str) -> Mechanism:
    """The row of a name, or one made of the user's function (e0, e1) -> radius at sigma 1.

    `module:name` may also be a Mechanism, which says itself what it is proved for.
    """
    if spec in MECHANISMS:
        needs = MECHANISMS[spec].needs
        require(
            spec in PAIR_MECHANISMS,
            f"mechanism must be one that reads (e0, e1), got {spec!r}, which needs {needs}",
        )
        return MECHANISMS[spec]
    module, colon, name = spec.partition(":")
    require(bool(module and colon and name), f"mechanism must be one of {FORMS}, got {spec!r}")
    found = import_object("mechanism", spec, USER)
    if isinstance(found, Mechanism):
        return found
    require(callable(found), f"mechanism {spec} must name a function of {module}, got {name!r}")
    return Mechanism(found, KINDS, "the user's own")


def load_guarded_mechanism(spec: str) -> Mechanism:
    """The same, with whatever the user's code raises turned into one sentence."""
    found = load_mechanism(spec)
    if spec in MECHANISMS:
        return found

    def radius(e0: Floats, e1: Floats) -> Floats:
        try:
            with np.errstate(all="ignore"):  # what it returns is checked, not how
                return found.radius(e0, e1)
        except Exception as error:  # the user's own code may raise anything
            raise InvalidInput(
                f"mechanism {spec} failed when it was called: {describe_error(error)}"
            ) from error

    return Mechanism(radius, found.kinds, found.source, found.needs, found.noise, found.norm)


def parse_mechanisms(text: str) -> dict[str, Mechanism]:
    """`A,B,module:function` as mechanisms by name, in their order."""
    return {name: load_guarded_mechanism(name) for name in text.replace(" ", "").split(",")}


def parse_comparison(text: str) -> tuple[dict[str, Mechanism], dict[str, Mechanism]]:
    """Both sides of `A:B`, each a list; a name is ours if it can be, else a module's."""
    found = re.fullmatch(f"({LIST}):({LIST})", text.replace(" ", ""))
    if found is None:
        raise InvalidInput(f"a comparison must be A:B or A:B,C, each of {FORMS}, got {text!r}")
    return parse_mechanisms(found[1]), parse_mechanisms(found[2])
