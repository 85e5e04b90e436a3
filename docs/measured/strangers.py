"""What is done to files from strangers (docs/security.md): the lists that the tests go through."""

import sys
from importlib import import_module
from typing import Any

from measured import ROOT, format_table


def _open_list(name: str) -> Any:
    """A module of tests/support."""
    place = str(ROOT / "tests" / "support")
    if place not in sys.path:
        sys.path.append(place)
    return import_module(name)


def list_attacks() -> str:
    """What is put in a file's place, and how many files there are."""
    held = _open_list("strangers")
    pairs = sum(len(held.attacks_on(reader)) for reader in held.ALL_READERS)
    count = f"{len(held.ALL_READERS)} files, {len(held.ATTACKS)} attacks, {pairs} pairs"
    return f"{'; '.join(held.ATTACKS)} ({count})."


def tabulate_readers() -> str:
    """Every file with the command that reads it, and the attacks that are left out."""
    held = _open_list("strangers")
    rows = []
    for reader in held.ALL_READERS:
        left = [attack for attack in held.ATTACKS if attack not in held.attacks_on(reader)]
        rows.append([reader.file, len(held.ATTACKS) - len(left), "; ".join(left) or "-"])
    return format_table(["file", "attacks", "not done to it"], rows)


def tabulate_cases() -> str:
    """Files made against one reader each, by what they are."""
    groups: dict[str, list[str]] = {}
    for name in _open_list("hostile").ALL_CASES:
        file, _, what = name.partition(": ")
        groups.setdefault(file, []).append(what)
    rows = [[file, "; ".join(held)] for file, held in groups.items()]
    return format_table(["file", "made against it"], rows)


def tabulate_names() -> str:
    """Names that are written into files, and where."""
    held = _open_list("named")
    rows = []
    for kind, names in held.NAMES.items():
        shown = ["" if len(name) > 99 else repr(name).strip("'") for name in names]
        rows.append([kind, ", ".join(f"`{name}`" for name in shown if name.strip())])
    places = ", ".join(place.file for place in held.ALL_PLACES)
    return format_table(["names", ""], [*rows, ["written into", places]])
