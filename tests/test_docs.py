"""The site builds without a warning, leads nowhere dead, and fetches nothing from elsewhere."""

import contextlib
import pkgutil
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import simplicert as sc
from simplicert import adapters, figures, metrics, models, tables, training

ROOT = Path(__file__).parents[1]
FETCHED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src")}
BOARD = "board"  # a folder of pages that `experiments/board/ledger.py` writes
API = [
    *(f"simplicert.{name}" for name in sc.__all__),
    *(f"simplicert.models.{name}" for name in models.__all__),
    *(f"simplicert.training.{name}" for name in training.__all__),
    *(f"simplicert.metrics.{name}" for name in metrics.__all__),
    *(f"simplicert.tables.{name}" for name in tables.__all__),
    *(f"simplicert.figures.{name}" for name in figures.__all__),
    *(f"simplicert.adapters.{name}" for name in adapters.__all__),
]


class Page(HTMLParser):
    """What a page points to, what it fetches, and the places on it."""

    def __init__(self, path):
        """Read it."""
        super().__init__()
        self.links, self.fetched, self.places = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        """The parser calls this."""
        found = dict(attrs)
        if "id" in found:
            self.places.add(found["id"])
        for name in ("href", "src"):
            if found.get(name) is not None:
                self.links.append(found[name])
                if (tag, name) in FETCHED:
                    self.fetched.append(found[name])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The pages by their file, built as `make docs` does."""
    folder = tmp_path_factory.mktemp("site")
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {path: Page(path) for path in folder.rglob("*.html")}


@pytest.mark.slow
def test_every_page_is_built(site):
    sources = {path.stem for path in (ROOT / "docs").glob("*.md")}
    sources |= {path.stem for path in (ROOT / "docs" / "tutorials").glob("*.ipynb")}
    built = {path.stem for path in site if path.parent.name != BOARD}
    assert built == sources | {"404", "explorer"}
    assert {path.stem for path in site if path.parent.name == BOARD} == {
        "index",
        "claimed",
        "compare",
        "log",
        "refused",
    }


@pytest.mark.slow
def test_no_internal_link_or_picture_is_dead(site):
    # 404.html is shown at any address, so that its links are from the root
    pages = {path: page for path, page in site.items() if path.stem != "404"}
    links = [(path, link) for path, page in pages.items() for link in page.links]
    assert len(links) > 1000
    assert [(path.name, link) for path, link in links if not leads(site, path, link)] == []


def leads(site, path, link):
    """Whether a link of a page leads to a file, and to a place on it; others' sites are theirs."""
    to = urlsplit(link)
    if to.scheme or to.netloc:
        return True
    target = (path.parent / unquote(to.path)).resolve() if to.path else path
    view = target.name == "explorer.html"  # whose fragment is what it shows
    known = site[target].places | {"", "__top"} if target in site and not view else {to.fragment}
    return target.is_file() and unquote(to.fragment) in known


@pytest.mark.slow
def test_nothing_is_fetched_from_elsewhere(site):
    foreign = [url for page in site.values() for url in page.fetched if urlsplit(url).netloc]
    assert foreign == []


@pytest.mark.slow
def test_search_works_in_pages_opened_as_files(site, tmp_path):
    """Chromium opens the front page from disk with a question; nothing is asked of a server."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        pytest.skip("no chromium on this machine: .ci/run installs it")
    (front,) = (path for path in site if path.stem == "index" and path.parent.name != BOARD)
    flags = ("--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}")
    wait = "--virtual-time-budget=20000"
    words = [browser, *flags, wait, "--dump-dom", f"{front.as_uri()}?q=operational_radius"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=200)
    found = re.findall(
        r'<a href="[^"]*?(\w+)\.html[^"]*" class="md-search-result__link"', done.stdout
    )
    assert {"api", "meaning"} <= {*found}


@pytest.mark.slow
def test_every_public_name_is_on_the_page(site):
    (api,) = (page for path, page in site.items() if path.stem == "api")
    assert set(API) - api.places == set()


@pytest.mark.slow
def test_examples_of_docstrings_are_shown_as_code(site):
    """Markdown would read `>>>` as a quotation."""
    (path,) = (path for path in site if path.stem == "api")
    text = path.read_text(encoding="utf-8")
    assert "<blockquote>" not in text
    assert text.count('<span class="gp">&gt;&gt;&gt; </span>') > len(API)


ROOMS = {module.name for module in pkgutil.iter_modules(sc.__path__)}


def is_there(name):
    """Whether a dotted name inside the package leads to a module, a function or a field."""
    place = sc
    for part in name.split("."):
        with contextlib.suppress(ImportError, AttributeError):
            import_module(f"{place.__name__}.{part}")
        fields = getattr(place, "__dataclass_fields__", ())
        if not hasattr(place, part):
            return part in fields
        place = getattr(place, part)
    return True


@pytest.mark.parametrize("page", sorted(ROOT.glob("docs/*.md")), ids=lambda page: page.stem)
def test_functions_are_called_by_the_names_they_have(page):
    words = re.findall(r"`([a-z_]+(?:\.[A-Za-z_0-9]+)+)", page.read_text())
    inside = {word for word in words if word.split(".")[0] in ROOMS}
    files = {word for word in inside if word.endswith((".py", ".toml", ".csv", ".html"))}
    assert sorted(word for word in inside - files if not is_there(word)) == []


def test_no_text_holds_the_marks_of_a_merge():
    """Python would not run with them; Markdown shows them."""
    texts = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("experiments/*/*.md")]
    assert len(texts) > 20
    marked = [path for path in texts for line in path.read_text().splitlines() if marks(line)]
    assert not marked


def marks(line):
    return line.startswith(("<<<<<<< ", ">>>>>>> ")) or line == "======="
