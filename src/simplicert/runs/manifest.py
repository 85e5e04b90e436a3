"""run.toml: what a run is, in words that are still readable in five years."""

import tomllib
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import tomli_w

from simplicert.errors import DamagedRun, SimplicertError
from simplicert.runs.atomic import write_whole
from simplicert.types import Plan

FORMAT = 1
NAME = "run.toml"


@dataclass(frozen=True)
class Manifest:
    """The settings of a run. Alpha, kind and scheme are declared before the counts are seen."""

    sigma: float
    inputs: int
    classes: int
    alpha: float = 0.001
    kind: str = "multinomial"
    scheme: str = "gated"
    method: str | None = None
    plan: Plan | None = None
    source: dict[str, Any] = field(default_factory=dict)  # where the tallies come from
    package: str = ""  # version that wrote the run


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write run.toml; TOML has no null, so what is not set is left out."""
    content = {name: value for name, value in asdict(manifest).items() if value is not None}
    text = tomli_w.dumps({"format": FORMAT, **content})
    write_whole(folder / NAME, text.encode())


def read_manifest(folder: Path) -> Manifest:
    """The manifest, or a sentence that says why this is not a run this package can read."""
    path = folder / NAME
    if not path.is_file():
        raise DamagedRun(f"{folder} is not a run folder: it holds no {NAME}")
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DamagedRun(f"{path} cannot be read as TOML: {error}") from None
    version = content.pop("format", None)
    if version != FORMAT:
        raise DamagedRun(f"{path} has run format {version}; this simplicert reads format {FORMAT}")
    known = {f.name for f in fields(Manifest)}
    if unknown := set(content) - known:
        raise DamagedRun(f"{path} holds settings this simplicert does not know: {sorted(unknown)}")
    try:
        if "plan" in content:
            content["plan"] = Plan(**content["plan"])
        return Manifest(**content)
    except (TypeError, SimplicertError) as error:
        raise DamagedRun(f"{path} is incomplete or altered: {error}") from None
