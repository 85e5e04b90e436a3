"""Further sections of the page: each has its link in the header, its markup, script and content.

`extra_sections` returns those that suit the runs on the page; a new one is one file that makes a
`PageSection`, and one line there. Its script runs after the page's own, reads `page.extras[NAME]`,
and calls `onRedraw(draw)`: `draw` is called when the page is ready and whenever the run, the kind
or the width changes. It draws by `openPlot` of 2_plot.js (SVG: there is no plotting library in the
page), in the colours of report.css, which know light, dark and print.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from simplicert.report.views import View


@dataclass(frozen=True)
class PageSection:
    """A section that some pages have.

    `markup` is our own HTML: every text of strangers in it is escaped, as the templates do.
    """

    name: str  # the id of the section: small letters and hyphens
    title: str  # its heading
    link: str  # its name in the header: a word or two
    markup: str
    script: str = ""
    content: Mapping[str, Any] = field(default_factory=dict)  # what its script reads
    style: str = ""  # comes after report.css
    first: bool = False  # whether the page opens on it


def extra_sections(
    views: Sequence[View], radii: Sequence[float] = (), *, compare: bool = False
) -> list[PageSection]:
    """Return the further sections for these runs, in their order on the page.

    With `compare` the page must have two runs to compare, and opens on them. `radii` are those
    asked about; without any they are chosen.
    """
    from simplicert.report.compare import compare_sections  # which needs what is defined here

    return compare_sections(views, radii, required=compare)
