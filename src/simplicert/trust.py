"""Who gave a name decides what it may open. Every such decision is made here.

A user who types a name on the command line, or passes it in Python, means it. A name that stands
in a file (a run's run.toml, a model's model.toml, a recipe) is the word of whoever wrote the file:
it never runs code and never reaches the network.
"""

from typing import NamedTuple

from simplicert.errors import require


class Trust(NamedTuple):
    """Whose word a name is, and whether the user vouches for the code in the file behind it."""

    named_by: str = ""  # the file that gives the name; "" where the user gives it
    vouched: bool = False  # --trust


USER = Trust()


def require_user(trust: Trust, what: str, spec: str, instead: str) -> None:
    """Refuse to run the code that `spec` names where a file names it; `instead`: what to pass."""
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
