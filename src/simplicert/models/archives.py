"""Refuse pickles, and check a `.pt2` archive before torch opens it.

A pickle is a program that runs while it is read. Files that are pickles by nature are refused by
their suffix; files that should be something else are inspected first.

torch.export.load warns that it unpickles example inputs, tensor subclasses and opaque constants,
and it turns the program into code (see programs.py). So check_archive looks at each of these
first, through torch's own archive reader, and refuses what is not plainly harmless.
"""

import io
import os
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from simplicert.errors import InvalidInput
from simplicert.files import MOST_TEXT, parse_json
from simplicert.importing import USER, Trust, require_vouched
from simplicert.models.model import INSTEAD, open_archive
from simplicert.models.programs import UnlistedOperator, find_faults

FORCE, FORBID = "TORCH_FORCE_WEIGHTS_ONLY_LOAD", "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"  # of torch
PICKLED_PREFIXES = ("custom_obj_", "opaque_obj_")  # constants that are objects, not tensors


def check_archive(path: Path, trust: Trust = USER) -> None:
    """Refuse an archive that needs unpickling or evaluation of anything but sizes."""
    try:
        reader = open_archive(path.name, path.stat().st_size, str(path))
        names = reader.get_all_records()
    except RuntimeError:
        _refuse_archive(
            path, "it is not an archive written by torch.export.save of torch 2.8 or later"
        )
    if "archive_format" not in names or reader.get_record("archive_format") != b"pt2":
        _refuse_archive(path, "it is a pickle or another archive, and pickles are never opened")
    for name in names:
        if name.startswith("data/aotinductor/"):
            _refuse_archive(path, f"it holds compiled code ({name})")
        elif name.lower().endswith(".pt"):  # torch finds members in either case
            _check_tensors(path, name, reader.get_record(name))
        elif name.startswith("data/") and name.endswith("_config.json"):
            _check_payloads(path, _parse_member(path, name, reader.get_record(name)))
        elif name.startswith("models/"):
            _check_program(path, _parse_member(path, name, reader.get_record(name)), trust)


@contextmanager
def weights_only() -> Iterator[None]:
    """Inside this context, torch.load reads nothing but tensors, also in libraries we call."""
    before = {name: os.environ.get(name) for name in (FORCE, FORBID)}
    os.environ[FORCE] = "1"
    os.environ.pop(FORBID, None)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def _parse_member(path: Path, name: str, content: bytes) -> dict[str, Any]:
    """Parse a member that must be a JSON object."""
    if len(content) > MOST_TEXT:
        _refuse_archive(
            path, f"its member {name} has {len(content):,} bytes, more than {MOST_TEXT:,}"
        )
    try:
        value = parse_json(name, content)
    except InvalidInput as error:
        _refuse_archive(path, f"its member {error}")
    if not isinstance(value, dict):
        _refuse_archive(path, f"its member {name} is no JSON")
    return value


def _check_tensors(path: Path, name: str, content: bytes) -> None:
    """Refuse a member that torch cannot read as tensors alone."""
    import torch

    if content:
        try:
            inner = open_archive(f"{path.name}, {name},", len(content), io.BytesIO(content))
            if b"bytearray" in inner.get_record("data.pkl"):  # a few bytes may ask for any length
                _refuse_archive(path, f"its member {name} holds more than tensors")
            torch.load(io.BytesIO(content), weights_only=True)
        except (pickle.UnpicklingError, RuntimeError, EOFError):
            _refuse_archive(path, f"its member {name} is a pickle of more than tensors")


def _check_payloads(path: Path, config: dict[str, Any]) -> None:
    """Refuse weights and constants that are stored as pickles."""
    payloads = config.get("config", {})
    if not isinstance(payloads, dict) or not all(isinstance(p, dict) for p in payloads.values()):
        _refuse_archive(path, "its list of tensors is none that torch wrote")
    for name, payload in payloads.items():
        if payload.get("use_pickle") or str(payload.get("path_name")).startswith(PICKLED_PREFIXES):
            _refuse_archive(path, f"its tensor or constant {name} is pickled")


def _check_program(path: Path, program: dict[str, Any], trust: Trust) -> None:
    """Refuse what torch should not turn into code; a user may vouch for an unlisted operation."""
    for fault in find_faults(program):
        if not isinstance(fault, UnlistedOperator):
            _refuse_archive(path, fault)
        reason = (
            f"its operation {fault} is not on the list of those known to do nothing but compute"
        )
        require_vouched(trust, path.name, reason)


def _refuse_archive(path: Path, reason: str) -> NoReturn:
    """Raise an error that says which file, why, and what to do instead."""
    raise InvalidInput(f"model {path.name} is refused: {reason}; save it with {INSTEAD}")
