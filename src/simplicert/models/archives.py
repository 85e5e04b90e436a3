"""What a `.pt2` archive may hold: checked before torch opens it.

torch.export.load warns that it unpickles: example inputs, tensor subclasses, opaque constants; and
it evaluates texts (the sizes of tensors) and looks up functions by name. So each of these is
looked at first, through torch's own archive reader, and what is not plainly harmless is refused.
"""

import io
import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from simplicert.errors import InvalidInput
from simplicert.files import MOST_TEXT, parse_json
from simplicert.models.files import open_archive
from simplicert.models.pickles import INSTEAD
from simplicert.models.sizes import is_size

# An operation of a graph: an operator of torch's own, or arithmetic on sizes.
OPERATION = re.compile(
    r"torch\.ops\.(aten|prims?|higher_order|quantized\w*|torchvision)\.\w+(\.\w+)?"
    r"|_operator\.(getitem|add|sub|mul|floordiv|truediv|mod|pow|neg|eq|ne|lt|le|gt|ge|and_|or_)"
    r"|math\.\w+|torch\.sym_\w+"
)
PICKLED = ("custom_obj_", "opaque_obj_")  # constants that are objects, not tensors


def check_archive(path: Path) -> None:
    """Refuse an archive that needs unpickling or evaluation of anything but sizes."""
    try:
        reader = open_archive(path.name, path.stat().st_size, str(path))
        names = reader.get_all_records()
    except RuntimeError:
        refuse(path, "it is not an archive written by torch.export.save of torch 2.8 or later")
    if "archive_format" not in names or reader.get_record("archive_format") != b"pt2":
        refuse(path, "it is a pickle or another archive, and pickles are never opened")
    for name in names:
        if name.startswith("data/aotinductor/"):
            refuse(path, f"it holds compiled code ({name})")
        elif name.lower().endswith(".pt"):  # torch finds members in either case
            check_tensors(path, name, reader.get_record(name))
        elif name.startswith("data/") and name.endswith("_config.json"):
            check_payloads(path, parsed(path, name, reader.get_record(name)))
        elif name.startswith("models/"):
            check_graph(path, parsed(path, name, reader.get_record(name)))


def parsed(path: Path, name: str, content: bytes) -> dict[str, Any]:
    """A member that must be a JSON object."""
    if len(content) > MOST_TEXT:
        refuse(path, f"its member {name} has {len(content):,} bytes, more than {MOST_TEXT:,}")
    try:
        value = parse_json(name, content)
    except InvalidInput as error:
        refuse(path, f"its member {error}")
    return value if isinstance(value, dict) else refuse(path, f"its member {name} is no JSON")


def check_tensors(path: Path, name: str, content: bytes) -> None:
    """Refuse a member that torch cannot read as tensors alone."""
    import torch

    if content:
        try:
            inner = open_archive(f"{path.name}, {name},", len(content), io.BytesIO(content))
            if b"bytearray" in inner.get_record("data.pkl"):  # of any length, in a few bytes
                refuse(path, f"its member {name} holds more than tensors")
            torch.load(io.BytesIO(content), weights_only=True)
        except (pickle.UnpicklingError, RuntimeError, EOFError):
            refuse(path, f"its member {name} is a pickle of more than tensors")


def check_payloads(path: Path, config: dict[str, Any]) -> None:
    """Refuse weights and constants that are stored as pickles."""
    for name, payload in config.get("config", {}).items():
        if payload.get("use_pickle") or str(payload.get("path_name")).startswith(PICKLED):
            refuse(path, f"its tensor or constant {name} is pickled")


def check_graph(path: Path, program: dict[str, Any]) -> None:
    """Refuse sizes that are not sizes, and operations that are not operators."""
    for node in dictionaries(program):
        size, target = node.get("expr_str", ""), node.get("target", "")
        if not is_size(size):
            refuse(path, f"one of its sizes is {str(size)[:60]!r}")
        if "inputs" in node and target and not OPERATION.fullmatch(str(target)):
            refuse(path, f"one of its operations is {str(target)[:60]!r}")


def dictionaries(value: Any) -> Iterator[dict[str, Any]]:
    """Every dictionary inside, at any depth."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            yield item
        if isinstance(item, (dict, list)):
            waiting.extend(item.values() if isinstance(item, dict) else item)


def refuse(path: Path, reason: str) -> NoReturn:
    """One sentence: which file, why, and what to do instead."""
    raise InvalidInput(f"model {path.name} is refused: {reason}; save it with {INSTEAD}")
