"""Write a card and a run's entry for a board; nothing but an earlier one is replaced."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import tomli_w

from simplicert.cards.facts import hide_folders
from simplicert.cards.forms import MARK
from simplicert.cards.making import Card
from simplicert.errors import choose, require
from simplicert.files import read_text, write_atomically
from simplicert.noises import default_norm
from simplicert.store import open_run

FORMS: dict[str, Callable[[Card], str]] = {
    "markdown": Card.to_markdown,
    "html": Card.to_html,
    "model-card": Card.to_model_card,
    "badge": Card.to_badge,
}

SUFFIXES = {".md": "markdown", ".html": "html", ".svg": "badge"}

ENDINGS = {"html": ".html", "badge": ".svg"}  # of the forms that are not Markdown


def choose_form(name: str | None, out: Path | None) -> Callable[[Card], str]:
    """Return the form by its name, or by the suffix of the file; without both, Markdown."""
    if name is not None:
        chosen = choose("format", name, {each: each for each in FORMS})
        suffix = ENDINGS.get(chosen, ".md")
        require(
            out is None or out.suffix.lower() == suffix,
            f"out must end in {suffix} for format {chosen}, got {str(out)!r}",
        )
        return FORMS[chosen]
    if out is None:
        return Card.to_markdown
    require(
        out.suffix.lower() in SUFFIXES, f"out must end in {', '.join(SUFFIXES)}, got {str(out)!r}"
    )
    return FORMS[SUFFIXES[out.suffix.lower()]]


def write_card(text: str, out: Path, run: Path) -> None:
    """Write a card, never into the run and never over a file that is no card."""
    require(out.parent.is_dir(), f"out must lie in a folder that exists, got {str(out)!r}")
    inside = run.resolve() in out.resolve().parents
    require(not inside, f"out must not lie inside the run it is made from, got {str(out)!r}")
    if out.exists():
        require(
            MARK in read_text(out),
            f"out must be a new file or an earlier card, and {out} is something else",
        )
    write_atomically(out, text.encode("utf-8", "replace"))


def write_claims(run: Path, out: Path, method: str) -> None:
    """Write the entry by which a board takes a run: what it is, from its own run.toml.

    `simplicert verify RUN --claims FILE` holds the entry to the run.
    """
    require(out.suffix == ".toml", f"claims must end in .toml, got {str(out)!r}")
    folder = out.resolve().parent
    require(folder.is_dir(), f"claims must lie in a folder that exists, got {str(out)!r}")
    require(not out.exists(), f"claims must be a new file, and {out} is already there")
    require(
        folder in run.resolve().parents,
        f"claims must lie in a folder above the run, got {str(out)!r}",
    )
    manifest = open_run(run).manifest
    noise = manifest.noise_model
    told: dict[str, Any] = {
        "match": run.resolve().relative_to(folder).as_posix(),
        "method": method,
        "data": _name_data(hide_folders(str(manifest.made.get("data", "")))),
        "noise": noise.name,
        "norm": default_norm(noise, "noise_scale" in manifest.source),
        "sigma": manifest.sigma,
        "alpha": manifest.alpha,
    }
    if manifest.plan is not None:
        told["draws"] = manifest.plan.looks[-1]
    if not manifest.alpha > 0:
        del told["alpha"]  # a noise without chance has none
    kept = {name: value for name, value in told.items() if value != ""}
    write_atomically(out, tomli_w.dumps({"claim": [kept]}).encode())


def _name_data(data: str) -> str:
    """Return the name of a data set without the folder that it was read from."""
    name, _, rest = data.partition(":")
    return rest if name in ("hf", "folder") and rest else name
