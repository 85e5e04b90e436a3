"""Join template, style and scripts into one HTML file that works offline."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from simplicert.errors import require
from simplicert.files import write_atomically
from simplicert.mechanisms.threats import threat_of
from simplicert.metrics.comparable import require_same_inputs, require_same_norm
from simplicert.metrics.study import Study
from simplicert.report.blocks import attack_block, attack_cautions, class_table, comparison_tables
from simplicert.report.cautions import view_cautions
from simplicert.report.headline import headline_radii, headline_sentences, headline_tiles
from simplicert.report.payload import build_payload, embed_json
from simplicert.report.pictures import Pictures, find_pictures
from simplicert.report.provenance import norm_table, settings_table
from simplicert.report.views import View, describe_risk_order, make_views
from simplicert.store.manifest import package_version

SUFFIX = ".html"

# One script in the page: each file uses what those before it define.
SCRIPTS = ("1_base.js", "2_curves.js", "3_maps.js", "4_simplex.js", "5_inputs.js", "6_main.js")


def write_report(
    studies: Sequence[Study],
    out: Path | str,
    *,
    data: str | None = None,
    images: bool = True,
    numbers: Mapping[str, float] | None = None,
) -> Path:
    """Write the page, whole or not at all; never into a run that it is made from."""
    out = Path(out)
    require(out.suffix.lower() == SUFFIX, f"out must end in {SUFFIX}, got {str(out)!r}")
    require(out.parent.is_dir(), f"out must lie in a folder that exists, got {str(out)!r}")
    for study in studies:
        inside = study.run.folder.resolve() in out.resolve().parents
        require(not inside, f"out must not lie inside the run it is made from, got {str(out)!r}")
    page = report_page(studies, data=data, images=images, numbers=numbers)
    # A file name need not be valid text; nothing else on the page can fail to encode.
    write_atomically(out, page.encode("utf-8", "replace"))
    return out


def report_page(
    studies: Sequence[Study] = (),
    *,
    data: str | None = None,
    images: bool = True,
    numbers: Mapping[str, float] | None = None,
) -> str:
    """Return the HTML text for runs over the same inputs, or the explorer where there are none.

    `numbers` are the explorer's: size and keep of ablation, rate of deletion.
    """
    from plotly.offline import get_plotlyjs

    if len(studies) > 1:
        require_same_inputs(studies)
        require_same_norm(studies)
    views = make_views(studies)
    pictures = find_pictures(views, data) if images and views else Pictures(None)
    names = next((study.class_names for study in studies if study.class_names), None)
    templates = template_environment()
    plotly = get_plotlyjs()
    script = "\n".join(read_template(templates, name) for name in SCRIPTS)
    content = build_payload(views, names, pictures.sheet, numbers)
    threats = content["simplex"]["threats"]
    return str(
        templates.get_template("report.html").render(
            policy=_content_security_policy(plotly, script),
            style=read_template(templates, "report.css"),
            plotly=plotly,
            script=script,
            payload=embed_json(content),
            blocks=_view_blocks(views, names),
            comparisons=comparison_tables(views, headline_radii(views)) if views else [],
            runs=content["runs"],
            kinds=list(dict.fromkeys(view.kind for view in views)) or list(threats[0]["kinds"]),
            ensembles=threats[0]["ensembles"],
            threats=[threat["title"] for threat in threats],
            paper=not threats[0]["unit"],
            scale=threats[0]["scale"],
            closed=any(view.closed for view in views),
            tight=all(_has_limit(view) for view in views),
            steps=content["simplex"]["steps"],
            note=pictures.note,
            version=package_version(),
        )
    )


def _has_limit(view: View) -> bool:
    """Say whether no radius from E0 and E1 alone can exceed the two-sided one of its noise."""
    if view.certificates is None:
        return True
    known = view.certificates.known
    return threat_of(known.noise, known.norm).limit is not None


def _view_blocks(views: Sequence[View], names: Sequence[str] | None) -> list[dict[str, Any]]:
    """Return what the template writes for each view; the script shows one at a time."""
    radii = headline_radii(views) if views else []
    return [
        {
            "run": view.run,
            "kind": view.kind,
            "tiles": headline_tiles(view),
            "sentences": headline_sentences(view, radii),
            "cautions": [*attack_cautions(view), *view_cautions(view)],
            "attack": attack_block(view),
            "risk": describe_risk_order(view),
            "classes": class_table(view, names),
            "norm": norm_table(view),
            "settings": settings_table(view),
        }
        for view in views
    ]


def _content_security_policy(*scripts: str) -> str:
    """Return a Content-Security-Policy: these very scripts may run, and nothing may call out.

    So a name that the page failed to escape still could not run, and a fault still could not send.
    """
    digests = (hashlib.sha256(script.encode()).digest() for script in scripts)
    allowed = " ".join(f"'sha256-{base64.b64encode(d).decode()}'" for d in digests)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def template_environment(room: str = "simplicert.report") -> Any:
    """Load the templates of a room; every text in them is escaped unless marked as our own."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(room, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def read_template(templates: Any, name: str) -> str:
    """Return a file of the templates unchanged."""
    return str(templates.loader.get_source(templates, name)[0])
