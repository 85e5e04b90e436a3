"""Join template, style and scripts of the explorer into one HTML file that works from disk."""

import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from simplicert.errors import require
from simplicert.files import write_atomically
from simplicert.report.explorer.catalogue import list_catalogue
from simplicert.report.offline import content_security_policy, embed_json

SUFFIX = ".html"

# One script in the page: each file uses what those before it define.
SCRIPTS = (
    "1_normal.js",
    "2_binomial.js",
    "2_scores.js",
    "3_gaussian.js",
    "4_laplace.js",
    "5_others.js",
    "6_threats.js",
    "7_map.js",
    "8_view.js",
    "9_picture.js",
    "10_words.js",
    "11_main.js",
)


def write_explorer(out: Path | str, numbers: Mapping[str, float] | None = None) -> Path:
    """Write the page, whole or not at all; it begins with these numbers of its noises."""
    out = Path(out)
    require(out.suffix.lower() == SUFFIX, f"out must end in {SUFFIX}, got {str(out)!r}")
    require(out.parent.is_dir(), f"out must lie in a folder that exists, got {str(out)!r}")
    write_atomically(out, explorer_page(numbers).encode())
    return out


def explorer_page(numbers: Mapping[str, float] | None = None) -> str:
    """Return the HTML text of the explorer.

    `numbers` are those it begins with, where a noise has them: size, keep and rate.

    >>> page = explorer_page()
    >>> "<script" in page, "https://" in page
    (True, False)
    """
    script = "\n".join(_read_asset(name) for name in SCRIPTS)
    parts = {
        "policy": content_security_policy(script, images="data:"),
        "style": _read_asset("explorer.css"),
        "catalogue": embed_json(list_catalogue(numbers)),
        "script": script,
    }
    # Split, so that nothing that was put in is read as a place for the next part.
    pieces = re.split(r"\{\{ (\w+) \}\}", _read_asset("explorer.html"))
    return "".join(parts[piece] if at % 2 else piece for at, piece in enumerate(pieces))


def _read_asset(name: str) -> str:
    """Return a file of the page unchanged."""
    return (files("simplicert.report.explorer") / "assets" / name).read_text(encoding="utf-8")
