"""Optional libraries: imported when a loader needs them, or named with the extra that has them."""

from importlib import import_module
from typing import Any

from simplicert.errors import InvalidInput

# What an installed but broken library raises on import: a missing part, a missing operator
# (torchvision built for another torch), a missing shared object.
BROKEN = (ImportError, RuntimeError, OSError)


def library(name: str, extra: str, purpose: str) -> Any:
    """The module of that name; where it does not import, one sentence says why and what helps."""
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
    except BROKEN as error:
        raise InvalidInput(f"{purpose} needs {top}, which does not import: {said(error)}") from None


def said(error: BaseException) -> str:
    """The first line of what a library had to say; its name where it said nothing."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
