"""Write a card as Markdown or as one HTML page; all text from outside is escaped."""

from collections.abc import Sequence

from simplicert.cards.facts import CardSection
from simplicert.report.offline import read_template, template_environment
from simplicert.store.manifest import package_version
from simplicert.tables import FORMATS
from simplicert.tables.formats import escape_markdown

MARK = "<!-- a card by simplicert -->"  # an earlier card, and nothing else, may be replaced

ABOUT = (
    "Cullen et al. 2025 (arXiv 2506.13024) name three gaps between what certificates are and what "
    "people expect of them: detection without distinction, no clear criteria by which "
    "practitioners judge a scheme, and what users expect of a guarantee. This card is written for "
    "these gaps; the criteria on it are simplicert's own."
)


def render_markdown(name: str, cautions: Sequence[str], sections: Sequence[CardSection]) -> str:
    """Write title, warnings, sections and their tables."""
    lines = [f"# Certification card: {escape_markdown(name)}", "", MARK, ""]
    if cautions:
        lines += ["**Warnings**", "", *(f"- {escape_markdown(text)}" for text in cautions), ""]
    for section in sections:
        lines += [f"## {section.title}", ""]
        lines += [f"- {escape_markdown(text)}" for text in section.sentences]
        lines += [""] * bool(section.sentences)
        if section.table is not None:
            lines += [_drop_title(FORMATS["markdown"](section.table)), ""]
    lines += [f"{escape_markdown(ABOUT)} Made by simplicert {package_version()}.", ""]
    return "\n".join(lines)


def _drop_title(table: str) -> str:
    """Leave the title of a table out: the heading above it says the same."""
    return table.split("\n\n", 1)[1].rstrip()


def render_html(name: str, cautions: Sequence[str], sections: Sequence[CardSection]) -> str:
    """Fill the template; every text in it is escaped."""
    templates = template_environment("simplicert.cards")
    return str(
        templates.get_template("card.html").render(
            name=name,
            cautions=cautions,
            sections=sections,
            about=ABOUT,
            style=read_template(templates, "card.css"),
            version=package_version(),
            mark=MARK,
        )
    )
