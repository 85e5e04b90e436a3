"""The page of a run that is watched, in a browser: it loads itself again, and reads everywhere."""

import os
from pathlib import Path

import pytest
from watched import CLEAR, CLOSE, WRONG, begin

from simplicert.files import write_atomically
from simplicert.store import open_run
from simplicert.watch import read_watch_state, render_watch_page

pytestmark = pytest.mark.slow

FOUND = Path("node_modules/axe-core/axe.min.js")
WIDTHS = "return [document.documentElement.scrollWidth, innerWidth]"
PAPER = "return getComputedStyle(document.body).backgroundColor"


@pytest.fixture
def watched(page, tmp_path):
    """A function that opens the page of ten inputs, four of them done, one of them failed."""

    def opened(**look):
        run = begin(tmp_path, [CLEAR, CLOSE, WRONG, CLEAR])
        (run.folder / "failed").mkdir()
        (run.folder / "failed" / "00000007.txt").write_text("<b>out of memory</b>")
        before = read_watch_state(begin(tmp_path / "before", [CLEAR]))
        text = render_watch_page(read_watch_state(open_run(run.folder)), None, before)
        path = tmp_path / "watch.html"
        path.write_text(text, encoding="utf-8")
        page.keep_width(**{"width": 1100, **look})
        page.driver.get(path.as_uri())
        return page

    page.logs()
    yield opened
    assert page.logs() == ([], [])


def test_it_loads_itself_again_without_script_or_network(page, tmp_path):
    first, second = (
        read_watch_state(begin(tmp_path / name, counts))
        for name, counts in {"a": [CLEAR, CLOSE], "b": [CLEAR, CLOSE, WRONG]}.items()
    )
    path = tmp_path / "watch.html"
    path.write_text(render_watch_page(first, 1.0), encoding="utf-8")
    page.logs()
    page.driver.get(path.as_uri())
    assert page.element("#headline").text.startswith("2 of 10 inputs are done")
    write_atomically(path, render_watch_page(second, 1.0, first).encode())
    page.until("return document.title.startsWith('3/10')")
    assert len(page.driver.find_elements("css selector", "circle.new")) == 1
    write_atomically(path, render_watch_page(second, None, first).encode())
    page.until("return document.body.textContent.includes('does not load itself again')")
    assert page.logs() == ([], [])


def test_on_a_phone_and_in_the_dark(watched):
    page = watched(width=390, dark=True)
    wide, inner = page.run(WIDTHS)
    assert wide <= inner == 390
    assert page.run(PAPER) == "rgb(22, 22, 22)"
    cut = "const box = document.querySelector('.scroll'); return box.scrollWidth - box.clientWidth"
    assert page.run(cut) <= 0  # no column is cropped
    sizes = page.run("""
        const high = (text) => text.getBoundingClientRect().height;
        return [...document.querySelectorAll("svg text")].map(high);
    """)
    assert min(sizes) > 11
    assert page.texts("li")[-1] == "input 7: <b>out of memory</b>"  # a text, no markup


def test_on_paper_it_is_light_and_nothing_is_lost(watched):
    page = watched(width=720, dark=True, media="print")
    assert page.run(PAPER) == "rgb(255, 255, 255)"
    wide, inner = page.run(WIDTHS)
    assert wide <= inner
    assert page.element("#looking").is_displayed() and page.element("svg").is_displayed()
    assert len(page.driver.execute_cdp_cmd("Page.printToPDF", {})["data"]) > 10_000


def test_keys_reach_what_scrolls_and_every_part_has_a_name(watched):
    from selenium.webdriver.common.keys import Keys

    page = watched()
    page.element("body").send_keys(Keys.TAB)
    focused = "return document.activeElement.getAttribute('aria-label')"
    assert page.run(focused) == "shares by radius"
    page.driver.execute_cdp_cmd("Accessibility.enable", {})
    nodes = page.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    page.driver.execute_cdp_cmd("Accessibility.disable", {})
    names = {
        node["role"]["value"]: node["name"]["value"]
        for node in nodes
        if node.get("role", {}).get("value") in ("image", "progressbar", "region")
    }
    assert set(names) >= {"progressbar", "region"} and all(names.values())
    axe = Path(os.environ.get("AXE", FOUND))
    if axe.is_file():
        page.run(axe.read_text(encoding="utf-8") + "; window.axe = axe;")
        found = page.driver.execute_async_script(
            "axe.run(document).then(({ violations }) => "
            "arguments[0](violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`)));"
        )
        assert found == []
