"""What every page of ours needs that opens from disk and calls nothing over the network.

`template_environment` fills templates and escapes what comes from strangers, `embed_json` puts data
into a page, and `content_security_policy` lets the page's own script run and nothing call out.
"""

import base64
import hashlib
import json
import re
from typing import Any

from simplicert.glossary import PAGE_FIGURES
from simplicert.tables.html import table_markup, tip_attributes


def template_environment(room: str = "simplicert.report") -> Any:
    """Load the templates of a room; every text in them is escaped unless marked as our own.

    `grid_table(grid, look)` writes a table in them, as every page has it, and `figure_tip(name)`
    the attributes that show what a figure says.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader(room, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["grid_table"] = lambda grid, look="grid": Markup(table_markup(grid, look))
    environment.globals["figure_tip"] = lambda name: Markup(tip_attributes(PAGE_FIGURES[name]))
    return environment


def read_template(templates: Any, name: str) -> str:
    """Return a file of the templates unchanged."""
    return str(templates.loader.get_source(templates, name)[0])


def embed_json(content: object) -> str:
    """Write JSON in ASCII without the signs that mean something to HTML."""
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return re.sub("[<>&]", lambda match: f"\\u{ord(match[0]):04x}", text)


def content_security_policy(script: str, images: str = "data: blob:") -> str:
    """Return a Content-Security-Policy: this very script may run, and nothing may call out.

    So a name that the page failed to escape still could not run, and a fault still could not send.
    """
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        f"img-src {images}; base-uri 'none'; form-action 'none'"
    )
