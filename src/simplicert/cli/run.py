"""`simplicert run`: sample and certify in one."""

import inspect
from pathlib import Path
from typing import Any

from simplicert.cli.sample import sample


def run(**options: Any) -> None:
    """Sample, then certify by the declared settings into OUT.csv; the options are `sample`'s."""
    from simplicert.cli.certify import certify

    sample(**options)
    out: Path = options["out"]
    certify(out, out=out.with_name(out.name + ".csv"))


# The command has the options of `sample`, written once there.
run.__signature__ = inspect.signature(sample)  # type: ignore[attr-defined]
run.__annotations__ = sample.__annotations__
