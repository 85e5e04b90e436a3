"""A table as a page: escaped, whole, and without anything that runs."""

from html.parser import HTMLParser

from simplicert.glossary import COLUMNS, TABLES
from simplicert.tables import FORMATS, Grid

HOSTILE = ["<script>alert(1)</script>", '" onmouseover="x', "a & b", "</table>", "\x1b[2J\u2028x"]


class Reader(HTMLParser):
    """Collects tags with their attributes, and the text of cells."""

    def __init__(self, page):
        """Read a whole page."""
        super().__init__()
        self.tags, self.cells, self.open = [], [], None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        """Note a tag."""
        self.tags.append((tag, dict(attrs)))
        self.open = tag
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_data(self, data):
        """Note the text of a cell."""
        if self.open in ("td", "th", "b"):
            self.cells[-1] += data

    def handle_endtag(self, tag):
        """Forget the tag."""
        self.open = None


def grid(names, **more):
    rows = [(name, "0.5", "yes") for name in names]
    return Grid(names[0], ("run", "radius", ""), rows, (names[0],), **more)


def test_text_from_outside_is_text():
    page = FORMATS["html"](grid(HOSTILE))
    seen = Reader(page)
    assert not [tag for tag, _ in seen.tags if tag == "script"] and "</table>x" not in page
    assert all(name not in attrs for _, attrs in seen.tags for name in ("onmouseover", "onclick"))
    assert [cell for cell in seen.cells if "alert" in cell] == [HOSTILE[0]]
    assert "\x1b" not in page and page.count("<table") == page.count("</table>") == 1


def test_it_calls_nothing_and_says_what_it_shows():
    page = FORMATS["html"](grid(["a"], name="field"))
    seen = dict(Reader(page).tags)
    assert "default-src 'none'" in page and "http://" not in page and "https://" not in page
    assert seen["caption"]["title"] == TABLES["field"]
    titles = [attrs.get("title") for tag, attrs in Reader(page).tags if tag == "th"]
    assert COLUMNS["radius"] in titles


def test_spans_bold_faint_and_rules_are_kept():
    page = FORMATS["html"](
        grid(
            ["a", "b"],
            spans=(("", 1), ("both", 2)),
            bold=frozenset({(0, 1)}),
            faint=frozenset({1}),
            rules=frozenset({1}),
        )
    )
    assert '<th scope="colgroup" colspan="2">both</th>' in page and "<b>0.5</b>" in page
    assert page.count('<tr class="ruled faint">') == 1
