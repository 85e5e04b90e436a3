"""`zoo:NAME`: the small networks that ship with the package, each a folder written by train."""

from pathlib import Path

from simplicert.errors import choose
from simplicert.models import trained
from simplicert.models.model import Model
from simplicert.trust import USER, Trust

FOLDER = Path(__file__).parent / "zoo"


def zoo_names() -> list[str]:
    """The networks that are there."""
    return sorted(path.parent.name for path in FOLDER.glob(f"*/{trained.TEXT}"))


def load(name: str, trust: Trust = USER) -> Model:
    """The network of that name."""
    folder = choose("model zoo:NAME", name, {known: FOLDER / known for known in zoo_names()})
    return trained.load(str(folder))
