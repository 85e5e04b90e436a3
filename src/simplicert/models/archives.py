"""What a `.pt2` archive may hold: checked before torch opens it.

torch.export.load warns that it unpickles: example inputs, tensor subclasses, opaque constants; and
it makes code of the program (see programs.py). So each of these is looked at first, through torch's
own archive reader, and what is not plainly harmless is refused.
"""

import io
import pickle
from pathlib import Path
from typing import Any, NoReturn

from simplicert.errors import InvalidInput
from simplicert.files import MOST_TEXT, parse_json
from simplicert.models.files import open_archive
from simplicert.models.pickles import INSTEAD
from simplicert.models.programs import Unlisted, faults
from simplicert.trust import USER, Trust, require_vouched

PICKLED = ("custom_obj_", "opaque_obj_")  # constants that are objects, not tensors


def check_archive(path: Path, trust: Trust = USER) -> None:
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
            check_program(path, parsed(path, name, reader.get_record(name)), trust)


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
    payloads = config.get("config", {})
    if not isinstance(payloads, dict) or not all(isinstance(p, dict) for p in payloads.values()):
        refuse(path, "its list of tensors is none that torch wrote")
    for name, payload in payloads.items():
        if payload.get("use_pickle") or str(payload.get("path_name")).startswith(PICKLED):
            refuse(path, f"its tensor or constant {name} is pickled")


def check_program(path: Path, program: dict[str, Any], trust: Trust) -> None:
    """Refuse what torch should not make code of; a user may vouch for an operation off the list."""
    for fault in faults(program):
        if not isinstance(fault, Unlisted):
            refuse(path, fault)
        reason = (
            f"its operation {fault} is not on the list of those known to do nothing but compute"
        )
        require_vouched(trust, path.name, reason)


def refuse(path: Path, reason: str) -> NoReturn:
    """One sentence: which file, why, and what to do instead."""
    raise InvalidInput(f"model {path.name} is refused: {reason}; save it with {INSTEAD}")
