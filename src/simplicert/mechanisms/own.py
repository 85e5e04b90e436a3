"""Find mechanisms by name for the command line: built in, or the user's `module:function`."""

import re

import numpy as np

from simplicert.errors import InvalidInput, require
from simplicert.importing import USER, describe_error, import_object
from simplicert.mechanisms import MECHANISMS, Mechanism
from simplicert.types import Floats, Kind

# Patterns of a comparison A:B: one mechanism (a name, or module:function), and a list of them.
ITEM = rf"(?:(?:{'|'.join(MECHANISMS)})(?![^:,])|[^:,]+:[^:,]+)"

LIST = f"{ITEM}(?:,{ITEM})*"

PAIR_MECHANISMS = [name for name, row in MECHANISMS.items() if row.needs == "pair"]

# What an error message says may be written.
FORMS = f"{', '.join(PAIR_MECHANISMS)}, or module:function"

BOTH_KINDS = frozenset[Kind]({"multinomial", "softmax"})  # we take a user's function to have both


def load_mechanism(spec: str) -> Mechanism:
    """Return the row of a name, or a row made of the user's function (e0, e1) -> radius at sigma 1.

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
    return Mechanism(found, BOTH_KINDS, "the user's own")


def load_guarded_mechanism(spec: str) -> Mechanism:
    """Do the same, and turn any error of the user's code into one sentence."""
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
    """Read `A,B,module:function` as mechanisms by name, in their order."""
    return {name: load_guarded_mechanism(name) for name in text.replace(" ", "").split(",")}


def parse_comparison(text: str) -> tuple[dict[str, Mechanism], dict[str, Mechanism]]:
    """Read both sides of `A:B`, each a list; a word is a built-in name if it can be one."""
    found = re.fullmatch(f"({LIST}):({LIST})", text.replace(" ", ""))
    if found is None:
        raise InvalidInput(f"a comparison must be A:B or A:B,C, each of {FORMS}, got {text!r}")
    return parse_mechanisms(found[1]), parse_mechanisms(found[2])
