"""Import code by name: the user's own `module:name`, or an optional library.

Trust: who gave a name decides what it may open, and every such decision is made here. A user who
types a name on the command line, or passes it in Python, means it. A name in a file (a run's
run.toml, a model's model.toml, a recipe) comes from the file's author: it never runs code and never
reaches the network.

`require_inside` refuses a link that leads out of a folder which somebody else may have filled.

`import_object` resolves `module:name` for a classifier, a network or a mechanism. Nothing else in
this package imports what a text names. It runs the code as `python -m module` would: the current
folder comes first on the import path and stays there, so that the code can import its neighbours
later.

`import_library` imports an optional library when it is needed, or says which extra installs it.
"""

import os
import sys
from importlib import import_module
from pathlib import Path
from traceback import extract_tb
from typing import Any, NamedTuple

from simplicert.errors import InvalidInput, require

# What an installed but broken library raises on import: a missing part, a missing operator
# (torchvision built for another torch), a missing shared object.
IMPORT_FAILURES = (ImportError, RuntimeError, OSError)


class Trust(NamedTuple):
    """Who gave a name, and whether the user vouches for the code in the file behind it."""

    named_by: str = ""  # the file that gives the name; "" where the user gives it
    vouched: bool = False  # --trust


USER = Trust()  # of a name that the user gave


def require_user(trust: Trust, what: str, spec: str, instead: str) -> None:
    """Refuse to run the code that `spec` names where a file names it; `instead` is what to pass."""
    require(
        not trust.named_by,
        f"{trust.named_by} names the {what} {spec}, and a file's word never runs code: "
        f"if you trust it, pass {instead}",
    )


def require_local(trust: Trust, what: str, spec: str) -> None:
    """Refuse a name that may be looked up over the network where a file gives it."""
    require(
        not trust.named_by,
        f"{trust.named_by} names the {what} {spec}, which may be downloaded, and a file's word "
        f"never reaches the network: if you want it, pass --{what} {spec}",
    )


def require_vouched(trust: Trust, name: str, reason: str) -> None:
    """Refuse a model file that can run code, unless the user names it and vouches for it."""
    instead = (
        f"pass --model {name} --trust (in Python trust=True)"
        if trust.named_by
        else "pass --trust (in Python trust=True)"
    )
    require(
        trust.vouched and not trust.named_by,
        f"model {name} is refused: {reason}; if you trust whoever made it, {instead}",
    )


def require_inside(path: Path, *folders: Path) -> Path:
    """Return a file of a folder that was named; refuse a link that leads out of it."""
    whole = Path(os.path.realpath(path))  # a link to itself stays where it is
    if not any(whole.is_relative_to(os.path.realpath(folder)) for folder in folders):
        raise InvalidInput(
            f"{path} must lie in {folders[0]}, and is a link that leads elsewhere: copy the file"
        )
    return path


def import_object(what: str, spec: str, trust: Trust, instead: str = "") -> Any:
    """Import what `module:name` stands for; None if the module has no such name.

    `what` says what it is for, such as "model". A name that a file gave (`trust`) is refused, and
    the message says to pass `instead`.
    """
    require_user(trust, what, spec, instead or f"--{what} {spec}")
    module, _, name = spec.partition(":")
    require(
        not module.endswith(".py") and not module.startswith(".") and not set(module) & set("/\\"),
        f"{what} must be written module:function, without .py or a path, got {spec!r}",
    )
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        holder = import_module(module)
    except ModuleNotFoundError as error:
        missing = "it" if error.name == module else f"{error.name}, which it imports,"
        raise InvalidInput(
            f"{what} {spec} must name a module that can be imported from here, and {missing} "
            "cannot be found"
        ) from None
    except Exception as error:  # the user's own code may raise anything
        raise InvalidInput(
            f"{what} {spec} failed when it was imported: {describe_error(error)}"
        ) from error
    return getattr(holder, name, None)


def describe_error(error: BaseException) -> str:
    """Return an error's type and message in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def locate_error(error: BaseException, function: Any) -> str:
    """Return the last line of a function's own file that an error came from; "" if there is none.

    >>> def divide():
    ...     return 1 / 0
    >>> try:
    ...     divide()
    ... except ZeroDivisionError as error:
    ...     locate_error(error, locate_error)
    ''
    """
    file = getattr(getattr(function, "__code__", None), "co_filename", None)
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == file]
    return f" ({Path(str(file)).name}, line {lines[-1]})" if lines else ""


def import_library(name: str, extra: str, purpose: str) -> Any:
    """Import an optional library; where that fails, one sentence says why and what helps."""
    top = name.partition(".")[0]
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        missing = (error.name or name).partition(".")[0]
        if missing != top:
            raise InvalidInput(f"{purpose} needs {top}, which needs {missing}") from None
        raise InvalidInput(
            f"{purpose} needs {top}, which is not installed: pip install 'simplicert[{extra}]'"
        ) from None
    except IMPORT_FAILURES as error:
        raise InvalidInput(
            f"{purpose} needs {top}, which does not import: {first_error_line(error)}"
        ) from None


def first_error_line(error: BaseException) -> str:
    """Return the first line of an error's message, or its type where the message is empty."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
