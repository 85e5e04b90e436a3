"""Write values as JSON that every reader takes, and read the cells of our own tables.

`write_json` is what all commands with --json use, `read_cell` what tables of dataclasses use.

JSON has no NaN and no infinity. A number that does not exist is `null`, here and in an empty cell
of a table: an abstained input has no E0, and a log may not say how many draws it had.
"""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

_INTEGER = re.compile(r"-?[0-9]{1,19}")
_DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]{1,3})?|nan|-?inf")


def write_json(content: object, indent: int | None = None) -> str:
    """Write JSON in ASCII at full precision; what is not a finite number is null.

    >>> write_json({"radius": 0.1, "e0": float("nan"), "names": ("a", "b")})
    '{"radius": 0.1, "e0": null, "names": ["a", "b"]}'
    """
    return json.dumps(_to_plain(content), allow_nan=False, indent=indent)


def _to_plain(value: Any) -> Any:
    """Return what JSON can hold: arrays become lists, and missing values None."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if hasattr(value, "tolist"):  # of NumPy, a number or an array
        return _to_plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(name): _to_plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_to_plain(item) for item in value]
    return None if type(value).__name__ == "NAType" else str(value)  # an empty cell of pandas


def read_cell(kind: str, text: str) -> Any:
    """Read a cell by the type of its column; an empty cell is None if the type allows it.

    Numbers are taken as we write them, and not in every form that Python knows.

    >>> read_cell("int | None", ""), read_cell("float", "1e-05"), read_cell("str", "l2")
    (None, 1e-05, 'l2')
    """
    if text == "" and "None" in kind:
        return None
    for name, form, convert in (("float", _DECIMAL, float), ("int", _INTEGER, int)):
        if name in kind:
            if form.fullmatch(text) is None:
                raise ValueError(f"a cell must hold a number of type {name}, got {text!r:.60}")
            return convert(text)
    return text
