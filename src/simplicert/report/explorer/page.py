"""Join template, style and scripts of the explorer into one HTML file that works from disk."""

import base64
import hashlib
import json
import re
from importlib.resources import files
from pathlib import Path

from simplicert.errors import require
from simplicert.files import write_atomically
from simplicert.report.explorer.catalogue import list_catalogue

SUFFIX = ".html"

# One script in the page: each file uses what those before it define.
SCRIPTS = (
    "1_normal.js",
    "2_binomial.js",
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


def write_explorer(out: Path | str) -> Path:
    """Write the page, whole or not at all."""
    out = Path(out)
    require(out.suffix.lower() == SUFFIX, f"out must end in {SUFFIX}, got {str(out)!r}")
    require(out.parent.is_dir(), f"out must lie in a folder that exists, got {str(out)!r}")
    write_atomically(out, explorer_page().encode())
    return out


def explorer_page() -> str:
    """Return the HTML text of the explorer.

    >>> page = explorer_page()
    >>> "<script" in page, "https://" in page
    (True, False)
    """
    script = "\n".join(_read_asset(name) for name in SCRIPTS)
    parts = {
        "policy": _content_security_policy(script),
        "style": _read_asset("explorer.css"),
        "catalogue": _embed_json(list_catalogue()),
        "script": script,
    }
    # Split, so that nothing that was put in is read as a place for the next part.
    pieces = re.split(r"\{\{ (\w+) \}\}", _read_asset("explorer.html"))
    return "".join(parts[piece] if at % 2 else piece for at, piece in enumerate(pieces))


def _embed_json(content: object) -> str:
    """Write JSON in ASCII without the signs that mean something to HTML."""
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return re.sub("[<>&]", lambda match: f"\\u{ord(match[0]):04x}", text)


def _content_security_policy(script: str) -> str:
    """Return a policy by which this very script may run, and nothing may call out."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _read_asset(name: str) -> str:
    """Return a file of the page unchanged."""
    return (files("simplicert.report.explorer") / "assets" / name).read_text(encoding="utf-8")
