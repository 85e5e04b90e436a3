"""The explorer in a browser: pointer, touch, keys, fields, counts, address, dark, narrow."""

import os
import re
from pathlib import Path

import pytest

import simplicert as sc
from simplicert.report.explorer import explorer_page

pytestmark = pytest.mark.slow

FOUND = Path("node_modules/axe-core/axe.min.js")


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("explorer") / "explorer.html"
    path.write_text(explorer_page(), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def open_view(page, address):
    """A function that opens an address's view; nothing may be complained of or fetched."""

    def opened(view=""):
        page.driver.get("about:blank")
        page.driver.get(f"{address}{view}")
        page.until("return document.documentElement.dataset.ready === 'yes'")
        return page

    page.logs()
    yield opened
    assert page.logs() == ([], [])


def point(page):
    return page.run("return [view.e0, view.e1]")


def place_of(page, e0, e1):
    """Where a point of the simplex is in the window."""
    script = """
        byId("stage").scrollIntoView({ block: "center" });
        const area = byId("overlay").getBoundingClientRect();
        const [x, y] = toScreen([arguments[0], arguments[1]]);
        return [area.left + x, area.top + y];
    """
    return page.run(script, e0, e1)


def touch(page, kind, *places):
    points = [{"x": x, "y": y} for x, y in places]
    page.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def mouse(page, kind, place, buttons=1):
    event = {"type": kind, "x": place[0], "y": place[1], "button": "left", "buttons": buttons}
    page.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {**event, "clickCount": 1})


def sentence(page):
    return page.element("#sentence").text


def bars(page):
    """Label -> (radius as shown, share of the limit)."""
    script = """
        const width = (row) => row.querySelector(".fill").style.width;
        const read = ({ cells }) => [cells[0], cells[2]].map((cell) => cell.textContent);
        return [...document.querySelectorAll("#bars tbody tr")].map((row) => {
            const [label, value] = read(row);
            return [label, [value, width(row)]];
        });
    """
    return dict(page.run(script))


def test_it_opens_on_a_map_a_sentence_and_bars(open_view):
    page = open_view()
    page.until("return document.documentElement.dataset.map === 'yes'")
    assert set(page.texts("#regions text")) == {"improved DP", "Li", "Cohen"}
    known = sc.bound(sc.Tally([[750, 120, 120, 10]], sigma=0.5), alpha=0.001)
    radii = sc.certify(known).radii
    shown = bars(page)
    assert list(shown) == ["Cohen", "Li", "Lecuyer", "improved DP", "two-sided"]
    for (value, width), radius in zip(shown.values(), radii.values(), strict=True):
        assert 0 <= radius[0] - float(value) < 1.01e-4
        share = float(width.removesuffix("%")) / 100
        assert share == pytest.approx(radius[0] / radii["two_sided"][0], abs=1e-5)
    assert sentence(page).startswith("Improved DP certifies 0.35")
    assert "% more than Li (0.33" in sentence(page) and "the limit of every radius" in sentence(
        page
    )


def test_click_and_drag(open_view):
    page = open_view("#n=exact")
    mouse(page, "mousePressed", place_of(page, 0.9, 0.05))
    mouse(page, "mouseReleased", place_of(page, 0.9, 0.05), 0)
    assert point(page) == pytest.approx([0.9, 0.05], abs=0.003)
    mouse(page, "mousePressed", place_of(page, 0.9, 0.05))
    mouse(page, "mouseMoved", place_of(page, 0.6, 0.3))
    assert "dragging" in page.run("return document.body.className")
    assert sentence(page).startswith("Improved DP")
    mouse(page, "mouseMoved", place_of(page, 1.3, 0.4))  # beyond the triangle
    mouse(page, "mouseReleased", place_of(page, 1.3, 0.4), 0)
    e0, e1 = point(page)
    assert e0 + e1 == pytest.approx(1, abs=2e-4) and e0 > 0.9
    mouse(page, "mouseMoved", place_of(page, 0.5, 0.2), 0)  # released: it stays
    assert point(page) == [e0, e1] and "dragging" not in page.run("return document.body.className")


def test_a_finger_drags_the_ring_and_taps_elsewhere(open_view):
    page = open_view("#e0=0.7&e1=0.2&n=exact")
    touch(page, "touchStart", place_of(page, 0.7, 0.2))
    touch(page, "touchMove", place_of(page, 0.8, 0.1))
    touch(page, "touchEnd")
    assert point(page) == pytest.approx([0.8, 0.1], abs=0.01)
    touch(page, "touchStart", place_of(page, 0.4, 0.1))
    touch(page, "touchEnd")
    page.until("return view.e0 < 0.5")
    assert point(page) == pytest.approx([0.4, 0.1], abs=0.01)


def test_keys(open_view):
    from selenium.webdriver.common.keys import Keys

    page = open_view("#e0=0.7&e1=0.2&n=exact")
    handle = page.element("#handle")
    page.run("byId('handle').focus()")
    handle.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
    assert point(page) == [0.71, 0.19]
    handle.send_keys(Keys.SHIFT, Keys.ARROW_LEFT, Keys.ARROW_UP)
    assert point(page) == [0.709, 0.191]
    assert handle.get_attribute("aria-valuetext") == "first class 0.7090, second class 0.1910"
    halo = "return getComputedStyle(document.querySelector('#handle .halo')).strokeWidth"
    assert page.run(halo) == "11px"  # the focus is seen


def test_the_box_shrinks_as_n_grows(open_view):
    page = open_view("#e0=0.7&e1=0.2&n=100&alpha=0.001")
    areas, radii = [], []
    for position in (2, 3, 4, 5, 6):
        page.run(
            "byId('n-slider').value = arguments[0];"
            "byId('n-slider').dispatchEvent(new Event('input'))",
            position,
        )
        areas.append(page.run("return byId('box').width.baseVal.value"))
        radii.append(float(bars(page)["two-sided"][0]))
    assert areas == sorted(areas, reverse=True) and areas[0] > 20 * areas[-1] > 0
    assert radii == sorted(radii) and 0 < radii[0] < 0.5 * radii[1]
    assert page.run("return byId('n').value") == "1000000"
    page.type("alpha", "0.1")
    assert page.run("return byId('box').width.baseVal.value") < areas[-1]
    page.element("#exact").click()
    assert page.run("return byId('box').hasAttribute('hidden')")
    assert float(bars(page)["two-sided"][0]) > radii[-1]


def test_sigma_scales_every_radius(open_view):
    page = open_view("#e0=0.7&e1=0.2&n=exact&scale=0.5")
    one = {name: float(value) for name, (value, _) in bars(page).items()}
    page.type("scale", "1")
    for name, (value, _) in bars(page).items():
        assert float(value) == pytest.approx(2 * one[name], abs=2e-4)
    page.run(
        "byId('scale-slider').value = 1; byId('scale-slider').dispatchEvent(new Event('input'))"
    )
    assert page.run("return byId('scale').value") == "1"  # being typed in, it keeps its text
    assert page.run("return view.scale") == 2


def test_own_counts(open_view):
    page = open_view()
    for typed, counts in [("990 8 2", [990, 8, 2]), ("[12, 985]", [12, 985])]:
        give(page, "counts", typed)
        page.element("#counts-form button").click()
        known = sc.bound(sc.Tally([counts], sigma=0.5), alpha=0.001)
        said = re.search(r"E0 ≥ ([\d.]+) and E1 ≤ ([\d.]+)\.$", page.element("#bounds").text)
        e0, e1 = map(float, said.groups())
        assert 0 <= known.e0[0] - e0 < 2e-5 and 0 <= e1 - known.e1[0] < 2e-5
        best = float(bars(page)["two-sided"][0])
        assert 0 <= sc.certify(known).radii["two_sided"][0] - best < 1.01e-4
    give(page, "counts", "5,5")
    page.element("#counts-form button").click()
    assert sentence(page) == "Abstained: both classes were given 5 times, so nothing is certified."
    assert "prove no bounds" in page.element("#bounds").text
    assert bars(page)["two-sided"] == ["0.0000", "0px"]


def give(page, field, text):
    """Put a text into a field at once: typed key by key, its beginning may be a valid number."""
    page.run(
        "byId(arguments[0]).value = arguments[1];"
        "byId(arguments[0]).dispatchEvent(new Event('input'))",
        field,
        text,
    )


def test_bad_counts_get_one_sentence(open_view):
    page = open_view()
    before = sentence(page)
    for typed, said in [
        ("", "Counts must be two or more whole numbers, such as 990 8 2, got nothing."),
        ("17", "Counts must be of two classes or more, got 17 alone."),
        ("9 -1", "Counts must be whole numbers that are not negative, got -1."),
        ("9 1.5", "Counts must be whole numbers that are not negative, got 1.5."),
        ("0 0", "Counts must hold at least one draw, got zeros alone."),
        ("1000000000 1", "Counts must add up to at most 1,000,000,000, got 1,000,000,001."),
    ]:
        give(page, "counts", typed)
        page.element("#counts-form button").click()
        assert page.element("#counts-message").text == said
        assert sentence(page) == before


def test_bad_numbers_get_one_sentence(open_view):
    page = open_view("#noise=ablation")
    before = sentence(page)
    for field, typed, message, said in [
        ("n", "2.5", "settings", "N must be a whole number from 1 to 1,000,000,000, got 2.5."),
        ("alpha", "2", "settings", "Alpha must lie between 1e-12 and 0.5, got 2."),
        ("keep", "785", "threat", "Keep must be a whole number from 1 to size = 784, got 785."),
        ("e1", "0.4999", "point", "The two shares must add up to at most 1, got 0.75 and 0.4999."),
        ("e0", "", "point", "The first class's share must lie between 0 and 1, got nothing."),
    ]:
        give(page, field, typed)
        assert page.element(f"#{message}-message").text == said
        assert sentence(page) == before


def test_every_threat_can_be_chosen(open_view):
    page = open_view("#n=exact&e0=0.9&e1=0.05")
    script = """
        const seen = [];
        for (const { noise, norm, kind } of threats) {
            byId("kind").value = kind;
            byId("kind").dispatchEvent(new Event("change"));
            byId("noise").value = noise;
            byId("noise").dispatchEvent(new Event("change"));
            byId("norm").value = norm;
            byId("norm").dispatchEvent(new Event("change"));
            if (byId("kind").value !== kind) throw Error(`${noise} ${norm} ${kind}`);
            seen.push([noise, norm, byId("sentence").textContent, byId("scale-row").hidden]);
        }
        return seen;
    """
    seen = page.run(script)
    assert len(seen) == 15 + 14  # splitting noise has no mechanism for scores
    for noise, _norm, said, hidden in seen:
        assert re.match(r"[A-Z].* certif(y|ies) ", said), (noise, said)
        assert hidden == (noise in ("ablation", "deletion"))
    page.until("return document.documentElement.dataset.map === 'yes'")


def test_the_address_holds_the_view(open_view):
    page = open_view()
    page.choose("noise", "deletion")
    page.choose("norm", "insertions")
    give(page, "rate", "0.8")
    give(page, "counts", "9000 900 100")
    page.element("#counts-form button").click()
    page.until("return location.hash.includes('wins=9000')")
    said, hash_ = sentence(page), page.run("return location.hash")
    assert sentence(open_view(hash_)) == said and "tokens inserted" in said
    assert page.run("return writeAddress()") == hash_
    page.run("location.hash = '#noise=laplace&e0=0.6&e1=0.25&n=exact'")
    page.until("return view.noise === 'laplace'")
    assert sentence(page).startswith("Li certifies 0.22")


def test_a_broken_address_is_named_and_shows_the_start(open_view):
    page = open_view("#noise=thunder&n=-4&e0=7")
    assert page.element("#threat-message").text == (
        "The address holds no valid noise and norm, e0 and n: the usual values are shown."
    )
    assert point(page) == [0.75, 0.12]


def test_dark_and_narrow(open_view):
    page = open_view()
    metrics = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": False}
    dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    try:
        page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
        open_view()
        page.until("return document.documentElement.dataset.map === 'yes'")
        wide, inner = page.run("return [document.documentElement.scrollWidth, innerWidth]")
        assert wide <= inner == 390
        paper, ink = page.run(
            "const s = getComputedStyle(document.body); return [s.backgroundColor, s.color]"
        )
        assert paper == "rgb(22, 24, 28)" and ink == "rgb(236, 236, 236)"
        pixel = """
            const [x, y] = toScreen([0.3, 0.1]);
            return [...byId("map").getContext("2d").getImageData(x, y, 1, 1).data];
        """
        red, green, blue, solid = page.run(pixel)
        assert green > red and green > blue and green < 120 and solid == 255  # a dark green
        overlaps = """
            const texts = [...document.querySelectorAll("#axes text, #regions text")];
            const boxes = texts.map((text) => text.getBoundingClientRect());
            const beside = (a, b) => a.right <= b.left || a.bottom <= b.top;
            const meet = (a, b) => !beside(a, b) && !beside(b, a);
            return boxes.filter((a, i) => boxes.some((b, j) => i < j && meet(a, b))).length;
        """
        assert page.run(overlaps) == 0
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_scores_have_their_own_bounds_and_mechanisms(open_view):
    page = open_view("#e0=0.75&e1=0.12&n=1000&alpha=0.001")
    page.choose("kind", "softmax")
    assert list(bars(page)) == ["Lecuyer", "improved DP", "two-sided"]
    assert not page.element("#counts-form").is_displayed()
    radii = []
    for spread in ("1", "0.3", "0"):
        give(page, "spread", spread)
        radii.append(float(bars(page)["two-sided"][0]))
    assert radii == sorted(radii) and 0.3 < radii[0] < 0.95 * radii[1]
    page.until("return location.hash.includes('kind=softmax&spread=0&')")
    said, hash_ = sentence(page), page.run("return location.hash")
    assert sentence(open_view(hash_)) == said
    assert "mean score 0.75 of the first class" in page.element("#bounds").text
    give(page, "n", "100000000")
    assert page.element("#settings-message").text == (
        "N must be a whole number from 1 to 10,000,000, got 100000000."
    )
    page.choose("noise", "splitting")
    assert page.run("return byId('kind').value") == "multinomial"
    assert page.element("#kind option:disabled").text == "mean scores (softmax)"


def test_on_paper_it_is_light_whole_and_without_controls(open_view):
    """As the browser prints it, also where the screen is dark: the map is painted anew."""
    page = open_view("#e0=0.75&e1=0.12&n=1000")
    page.until("return document.documentElement.dataset.map === 'yes'")
    page.keep_width(1400, dark=True)
    page.run("dispatchEvent(new Event('beforeprint'))")
    page.keep_width(720, dark=True, media="print")
    assert page.run("return getComputedStyle(document.body).backgroundColor") == (
        "rgb(255, 255, 255)"
    )
    wide, inner = page.run("return [document.documentElement.scrollWidth, innerWidth]")
    assert wide <= inner
    places = page.run("""
        const [map, ring] = ["map", "handle"].map((id) => byId(id).getBoundingClientRect());
        const frame = byId("overlay").getBoundingClientRect();
        const scale = map.width / shown.width;
        const [x, y] = toScreen([0.75, 0.12]);
        const pixel = byId("map").getContext("2d").getImageData(x, y + 30, 1, 1).data;
        return [map.left - frame.left, map.width / map.height - shown.width / (unit() / 2 + 56),
          (ring.left + ring.right) / 2 - frame.left - x * scale, Math.min(...pixel.slice(0, 3))];
    """)
    assert places[:3] == pytest.approx([0, 0, 0], abs=0.6) and places[3] > 120  # light colours
    for hidden in ("#copy", "#counts-form", "#n-slider"):
        assert not page.element(hidden).is_displayed()
    for shown in ("#sentence", "#bars", "#bounds", "#n", "#reading"):
        assert page.element(shown).is_displayed()
    printed = page.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    assert len(printed["data"]) > 20_000
    page.run("dispatchEvent(new Event('afterprint'))")
    assert page.run("return document.documentElement.dataset.theme ?? ''") == ""


def test_every_field_has_a_name(open_view):
    """By the browser's own accessibility tree: axe-core is not on every machine."""
    page = open_view("#noise=ablation")
    page.driver.execute_cdp_cmd("Accessibility.enable", {})
    nodes = page.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    page.driver.execute_cdp_cmd("Accessibility.disable", {})
    roles = ("slider", "spinbutton", "textbox", "button", "checkbox", "combobox")
    found = [node for node in nodes if node.get("role", {}).get("value") in roles]
    assert len(found) > 12
    assert [node["role"]["value"] for node in found if not node["name"]["value"].strip()] == []


def test_axe_finds_nothing(open_view):
    axe = Path(os.environ.get("AXE", FOUND))
    if not axe.is_file():
        pytest.skip("axe-core is not here: npm install --no-save axe-core")
    page = open_view("#noise=ablation")
    page.run(axe.read_text(encoding="utf-8") + "; window.axe = axe;")
    found = page.driver.execute_async_script("""
        const done = arguments[0];
        const say = ({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`);
        axe.run(document).then(({ violations }) => done(violations.flatMap(say)));
    """)
    assert found == []


def test_embedded_it_leaves_out_the_words(open_view):
    page = open_view("#embed=yes")
    assert not page.element("header").is_displayed() and not page.element("#reading").is_displayed()
    assert page.element("#overlay").is_displayed()
    paper = "return getComputedStyle(document.body).backgroundColor"
    for theme, colour in [("dark", "rgb(22, 24, 28)"), ("light", "rgb(255, 255, 255)")]:
        page.run("postMessage({ theme: arguments[0] }, '*')", theme)  # the page around it
        page.until(f"{paper} === '{colour}'")
