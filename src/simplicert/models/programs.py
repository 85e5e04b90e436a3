"""What the program in a `.pt2` archive may say: checked before torch makes code of it.

torch writes a Python function from the program and runs it, with the program's names in it as they
stand; it evaluates sizes as expressions, runs guards as code, looks up operations by name, and
imports modules that the shape of an argument names. So each of these is held to a narrow grammar.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from simplicert.models.operators import is_listed, is_operator
from simplicert.models.sizes import is_size

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|")  # becomes a name of the written function
TERM = re.compile(r"[A-Za-z0-9_ ()*+/.,-]*")  # of symbols: torch prints those it does not find
PATH = re.compile(r"[A-Za-z0-9_.:/+-]*")  # of a parameter: becomes attributes in it
NAMES = ("name", "as_name", "graph_name")
PATHS = (
    *("parameter_name", "buffer_name", "tensor_constant_name"),
    *("custom_obj_name", "user_input_name"),
)
OBJECTS = ("as_custom_obj", "custom_obj", "custom_obj_values", "as_operator")
TREES = ("in_spec", "out_spec")
HOLDERS = ("builtins.tuple", "builtins.list", "builtins.dict", "collections.OrderedDict", None)


class Unlisted(str):
    """The name of an operation that is torch's, but not on the list."""


def faults(program: dict[str, Any]) -> Iterator[str]:
    """Why torch should not be given this program, in words; an Unlisted for an operation."""
    for held in dictionaries(program):
        size, target = held.get("expr_str", ""), held.get("target", "")
        if not is_size(size):
            yield f"one of its sizes is {short(size)}"
        if "inputs" in held and target and not is_listed(str(target)):
            known = is_operator(str(target))
            yield Unlisted(target) if known else f"one of its operations is {short(target)}"
        for key, grammar in (*((name, NAME) for name in NAMES), *((path, PATH) for path in PATHS)):
            text = held.get(key)
            if text is not None and not (isinstance(text, str) and grammar.fullmatch(text)):
                yield f"one of its names is {short(text)}"
        for key, grammar in (("forward_arg_names", NAME), ("range_constraints", TERM)):
            texts = held.get(key) or ()
            for text in texts if isinstance(texts, list | dict | tuple) else [texts]:
                if not isinstance(text, str) or not grammar.fullmatch(text):
                    yield f"one of its names is {short(text)}"
        if any(held.get(key) for key in OBJECTS):
            yield "it holds objects that are no tensors"
        for key in TREES:
            if held.get(key) is not None and not is_plain(held[key]):
                yield f"the form of its inputs or outputs is {short(held[key])}"


def is_plain(text: object) -> bool:
    """Whether inputs or outputs are tuples, lists and dictionaries: others may import a module."""
    try:
        form = json.loads(str(text))
    except ValueError:
        return False
    for part in dictionaries(form):
        if part.get("type") not in HOLDERS or set(part) != {"type", "context", "children_spec"}:
            return False
        context = part["context"]
        try:
            keys = json.loads(context) if isinstance(context, str) else context
        except ValueError:
            return False
        for key in keys if isinstance(keys, list) else [] if keys is None else [keys]:
            if not isinstance(key, str) or not NAME.fullmatch(key):
                return False
    return True


def dictionaries(value: Any) -> Iterator[dict[str, Any]]:
    """Every dictionary inside, at any depth."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            yield item
        if isinstance(item, (dict, list)):
            waiting.extend(item.values() if isinstance(item, dict) else item)


def short(value: object) -> str:
    """A foreign value, quoted and cut."""
    return repr(str(value)[:60])
