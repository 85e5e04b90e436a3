"""One sentence for every column, table and figure: what `simplicert explain` and the pages say.

COLUMNS has the columns of certificates.csv, TABLES every table by its name, FIGURES every figure
by its name and PAGE_FIGURES those of the report. `explain` finds a sentence by the name, whichever
of them has it, and `list_explanations` returns all of them.
"""

from simplicert.errors import InvalidInput
from simplicert.glossary.columns import COLUMNS
from simplicert.glossary.figures import FIGURES, PAGE_FIGURES
from simplicert.glossary.tables import TABLES

__all__ = ["COLUMNS", "FIGURES", "PAGE_FIGURES", "TABLES", "explain", "list_explanations"]

KINDS = {
    "column": COLUMNS,
    "table": TABLES,
    "figure": FIGURES,
    "figure of the report": PAGE_FIGURES,
}


def list_explanations() -> list[tuple[str, str, str]]:
    """Return what each name is, the name and its sentence: columns first, then tables, figures.

    >>> list_explanations()[0]
    ('column', 'index', 'The number of the input in its data set.')
    """
    return [(kind, name, text) for kind, held in KINDS.items() for name, text in held.items()]


def explain(name: str) -> list[tuple[str, str, str]]:
    """Return the explanations of a name: a table and a figure may share it, as attack does.

    >>> [kind for kind, _, _ in explain("attack")]
    ['table', 'figure']
    """
    wanted = name.strip().lower().replace(" ", "_")
    found = [row for row in list_explanations() if wanted in (row[1], row[1].replace("-", "_"))]
    if not found:
        from difflib import get_close_matches

        near = get_close_matches(wanted, sorted({row[1] for row in list_explanations()}), 3)
        offer = f"; did you mean {' or '.join(near)}?" if near else ""
        raise InvalidInput(
            f"name must be that of a column, a table or a figure, got {name!r}{offer} "
            "`simplicert explain` alone lists all of them"
        )
    return found
