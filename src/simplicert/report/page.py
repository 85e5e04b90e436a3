"""Join template, style and scripts into one HTML file that works offline."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from simplicert.errors import require
from simplicert.figures.crowd import choose_bold
from simplicert.files import write_atomically
from simplicert.metrics.comparable import require_same_norm
from simplicert.metrics.shared import describe_inputs, relate_inputs
from simplicert.metrics.study import Study
from simplicert.report.blocks import attack_block, attack_cautions, class_table, comparison_tables
from simplicert.report.cautions import view_cautions
from simplicert.report.headline import headline_radii, headline_sentences, headline_tiles
from simplicert.report.offline import (
    content_security_policy,
    embed_json,
    read_template,
    template_environment,
)
from simplicert.report.opening import Opening, choose_opening
from simplicert.report.payload import build_payload, has_limit
from simplicert.report.pictures import Pictures, find_pictures
from simplicert.report.provenance import norm_table, settings_table
from simplicert.report.sections import PageSection, extra_sections
from simplicert.report.views import View, describe_risk_order, make_views
from simplicert.store.manifest import package_version
from simplicert.tables.doubts import uneven_notes
from simplicert.tables.html import read_table_style

SUFFIX = ".html"

# One script in the page: each file uses what those before it define.
SCRIPTS = (
    "1_base.js",
    "2_plot.js",
    "3_curves.js",
    "3_labels.js",
    "4_maps.js",
    "5_winners.js",
    "6_simplex.js",
    "7_inputs.js",
    "8_detail.js",
    "9_terms.js",
    "9_main.js",
)

# The last line of the script, after those of further sections.
START = "start().catch((error) => { byId('failed').hidden = false; throw error; });"

# The page's own sections and their links in the header; further ones come after the curves.
SECTIONS = (
    ("headline", "In short"),
    ("curves", "How far"),
    ("simplex", "Simplex"),
    ("inputs", "Inputs"),
    ("classes", "Classes"),
    ("attack", "Attack"),
    ("settings", "Settings"),
    ("reading", "How to read"),
)

AFTER = 2  # sections before the further ones

ALWAYS = ("simplex", "reading")  # in the explorer too


def write_report(
    studies: Sequence[Study],
    out: Path | str,
    *,
    data: str | None = None,
    images: bool = True,
    numbers: Mapping[str, float] | None = None,
    radii: Sequence[float] = (),
    compare: bool = False,
    highlight: Sequence[str] = (),
) -> Path:
    """Write the page, whole or not at all; never into a run that it is made from."""
    out = Path(out)
    require(out.suffix.lower() == SUFFIX, f"out must end in {SUFFIX}, got {str(out)!r}")
    require(out.parent.is_dir(), f"out must lie in a folder that exists, got {str(out)!r}")
    for study in studies:
        inside = study.run.folder.resolve() in out.resolve().parents
        require(not inside, f"out must not lie inside the run it is made from, got {str(out)!r}")
    page = report_page(
        studies,
        data=data,
        images=images,
        numbers=numbers,
        radii=radii,
        compare=compare,
        highlight=highlight,
    )
    # A file name need not be valid text; nothing else on the page can fail to encode.
    write_atomically(out, page.encode("utf-8", "replace"))
    return out


def report_page(
    studies: Sequence[Study] = (),
    *,
    data: str | None = None,
    images: bool = True,
    numbers: Mapping[str, float] | None = None,
    radii: Sequence[float] = (),
    compare: bool = False,
    highlight: Sequence[str] = (),
) -> str:
    """Return the HTML text for runs, or the explorer where there are none.

    Runs over different inputs stand beside each other unpaired, and the page says so. Of many runs
    those that `highlight` names, else the one it opens on, stand out of a faint crowd.

    `numbers` are the explorer's: size and keep of ablation, rate of deletion. `radii` are those
    asked about: the page opens on the best run for them. Without any they are chosen. With
    `compare` it opens on the comparison of its two runs; any that cannot be compared are refused.
    """
    wrong = [radius for radius in radii if not 0 <= radius < math.inf]
    require(not wrong, f"radii must not be negative, and finite, got {wrong[:1]}")
    if len(studies) > 1:
        relate_inputs(studies)  # which refuses a run that holds an input twice
        require_same_norm(studies)
    bold = choose_bold({study.name: study for study in studies}, highlight)
    views = make_views(studies)
    pictures = find_pictures(views, data) if images and views else Pictures(None)
    names = next((study.class_names for study in studies if study.class_names), None)
    templates = template_environment()
    extras = extra_sections(views, radii, compare=compare)
    own = (read_template(templates, name) for name in SCRIPTS)
    script = "\n".join([*own, *(section.script for section in extras), START])
    content = build_payload(views, names, pictures.sheet, numbers)
    asked = (list(radii) or headline_radii(views)) if views else []
    opening = choose_opening(views, asked) if views else Opening(0)
    content["opening"] = opening.place
    content["bold"] = [place for place, study in enumerate(studies) if study.name in (bold or ())]
    content["extras"] = {section.name: dict(section.content) for section in extras}
    threats = content["simplex"]["threats"]
    return str(
        templates.get_template("report.html").render(
            policy=content_security_policy(script),
            style="\n".join(
                [
                    read_table_style(),
                    read_template(templates, "report.css"),
                    *(e.style for e in extras),
                ]
            ),
            script=script,
            payload=embed_json(content),
            blocks=_view_blocks(views, names, radii),
            comparisons=comparison_tables(views, asked) if views else [],
            opening=opening,
            inputs=[*describe_inputs(studies), *uneven_notes(studies)],
            exact=all(view["table"]["exact"] for view in content["views"]),
            runs=content["runs"],
            kinds=list(dict.fromkeys(view.kind for view in views)) or list(threats[0]["kinds"]),
            ensembles=threats[0]["ensembles"],
            threats=[threat["title"] for threat in threats],
            paper=not threats[0]["unit"],
            scale=threats[0]["scale"],
            closed=any(view.closed for view in views),
            tight=all(has_limit(view) for view in views),
            steps=content["simplex"]["steps"],
            note=pictures.note,
            extras=extras,
            contents=_contents(views, extras),
            version=package_version(),
        )
    )


def _contents(views: Sequence[View], extras: Sequence[PageSection]) -> list[tuple[str, str]]:
    """Return the ids of the sections on this page and their links, in order; the explorer's two."""
    own = list(SECTIONS) if views else [pair for pair in SECTIONS if pair[0] in ALWAYS]
    if not any(view.study.attack(view.kind) for view in views):
        own = [pair for pair in own if pair[0] != "attack"]
    first, later = ([(e.name, e.link) for e in extras if e.first is side] for side in (True, False))
    links = [*first, *own[:AFTER], *later, *own[AFTER:]]
    return [(f"{name}-section", link) for name, link in links]


def _view_blocks(
    views: Sequence[View], names: Sequence[str] | None, radii: Sequence[float]
) -> list[dict[str, Any]]:
    """Return what the template writes for each view; the script shows one at a time.

    A run's sentences are about the radii asked for, or about radii that suit the run itself.
    """
    return [
        {
            "run": view.run,
            "kind": view.kind,
            "tiles": headline_tiles(view),
            "sentences": headline_sentences(view, list(radii) or headline_radii([view])),
            "cautions": [*attack_cautions(view), *view_cautions(view)],
            "attack": attack_block(view, names),
            "risk": describe_risk_order(view),
            "classes": class_table(view, names),
            "norm": norm_table(view),
            "settings": settings_table(view),
        }
        for view in views
    ]
