"""Two runs compared as a reader meets them: pointer, keyboard, dark, a phone, paper."""

import numpy as np
import pytest

import simplicert as sc
from simplicert.report import report_page

EVIL = ["<img src=x onerror='window.hacked=1'>", "<script>window.hacked=2</script>", "&amp;", "d"]
NAMES = ("<b onclick='window.hacked=3'>old</b>", "new")
PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pair(make_pair):
    return make_pair(NAMES, made={"class_names": EVIL})


@pytest.fixture(scope="module")
def both(pair):
    return sc.compare(*pair)


@pytest.fixture(scope="module")
def place(pair, tmp_path_factory):
    """The page, made once, with pictures."""
    data = tmp_path_factory.mktemp("data") / "data.npz"
    random, labels = np.random.default_rng(0), np.zeros(1200, int)
    for study in pair:
        labels[study.index] = study.labels
    images = random.random((1200, 1, 4, 4)).astype(np.float32)
    np.savez(data, images=images, labels=labels, classes=EVIL)
    path = data.parent / "page.html"
    path.write_text(report_page(pair, data=str(data), compare=True), encoding="utf-8")
    return path


@pytest.fixture
def compared(page, place):
    """The page as it opens; it stays open from one test to the next."""
    if page.driver.current_url != place.as_uri():
        page.logs()
        page.driver.get(place.as_uri())
        page.until("return document.documentElement.dataset.ready === 'yes'")
    tap(page, "#compare-round button")
    tap(page, "#compare-filter [value=changed]")
    for name, value in (("label", ""), ("order", "change"), ("window", "whole")):
        page.choose(f"compare-{name}", value)
    page.type("compare-find", "")
    press(page, "Escape")
    yield page
    assert page.logs() == ([], [])
    assert page.run("return window.hacked") is None


def tap(page, selector):
    """Click an element away from the heading that sticks."""
    found = page.element(selector)
    page.run("arguments[0].scrollIntoView({ block: 'center' })", found)
    found.click()
    return found


def press(page, key):
    from selenium.webdriver.common.keys import Keys

    named = {"ArrowRight": Keys.ARROW_RIGHT, "ArrowLeft": Keys.ARROW_LEFT, "Escape": Keys.ESCAPE}
    page.element("#compare-scatter").send_keys(named[key])


def chips(page):
    """How many inputs each filter holds."""
    texts = page.texts("#compare-filter button")
    return {text.rsplit(" ", 1)[0]: int(text.rsplit(" ", 1)[1]) for text in texts}


def cards(page):
    """The inputs that the gallery shows, in order."""
    return page.run("""
        const cards = [...document.querySelectorAll("#compare-gallery button")];
        return cards.map((card) => Number(card.dataset.index));
    """)


def test_the_radius_moves_everything_by_keyboard_and_by_click(compared, both):
    from selenium.webdriver.common.keys import Keys

    assert chips(compared)["flipped"] == int(both.flipped.sum()) > 0
    slider = compared.element("#compare-at")
    slider.send_keys(Keys.ARROW_RIGHT * 7)
    at = both.difference.at[7]
    assert float(compared.element("#compare-r").text) == at
    held = chips(compared)
    assert held["gained"] == both.gained(at).sum() and held["lost"] == both.lost(at).sum()
    assert f"{both.gained(at).sum()} gained" in compared.element("#compare-reading").text
    area = "#compare-curves svg .axes .baseline"
    compared.run("document.querySelector('#compare-curves').scrollIntoView({block: 'center'})")
    click_at(compared, area)
    middle = float(compared.element("#compare-r").text)
    assert abs(middle - both.difference.at[-1] / 2) < 0.03 * both.difference.at[-1]
    last = tap(compared, "#compare-round button:last-child")
    assert float(compared.element("#compare-r").text) == both.radii[-1]
    assert last.get_attribute("aria-pressed") == "true"


def click_at(page, selector):
    """Click just above the middle of an element: an axis, say."""
    from selenium.webdriver.common.action_chains import ActionChains

    x, y = page.run(
        "const r = document.querySelector(arguments[0]).getBoundingClientRect();"
        "return [r.left + r.width / 2, r.top - 20]",
        selector,
    )
    actions = ActionChains(page.driver, duration=10)
    actions.w3c_actions.pointer_action.move_to_location(round(x), round(y))
    actions.click().perform()


def test_a_mark_of_the_plot_opens_its_input(compared, both):
    """The input that stands farthest from all others, so that only one can be meant."""
    from selenium.webdriver.common.action_chains import ActionChains

    spots = np.column_stack([both.first_radius, both.second_radius])
    apart = np.sort(np.hypot(*(spots[:, None] - spots).T), axis=1)[:, 1]
    at = int(apart.argmax())
    x, y = compared.run(
        """
        const box = document.getElementById("compare-scatter");
        box.scrollIntoView({ block: "center" });
        const frame = box.querySelector("svg").getBoundingClientRect();
        return [frame.left + box.plot.x(arguments[0]), frame.top + box.plot.y(arguments[1])];
        """,
        *spots[at].tolist(),
    )
    actions = ActionChains(compared.driver, duration=10)
    actions.w3c_actions.pointer_action.move_to_location(round(x), round(y))
    actions.click().perform()
    card = compared.element("#compare-card")
    assert card.get_attribute("data-input") == str(both.index[at])
    assert f"Input {both.index[at]}" in card.text
    assert compared.run("return document.querySelectorAll('.compare-ring').length") == 2
    press(compared, "Escape")
    assert card.get_attribute("data-input") == ""


def test_the_arrow_keys_go_through_the_gallery(compared):
    shown = cards(compared)
    for wanted, key in ((0, "ArrowRight"), (1, "ArrowRight"), (0, "ArrowLeft")):
        press(compared, key)
        assert compared.element("#compare-card").get_attribute("data-input") == str(shown[wanted])
    pressed = compared.element("#compare-gallery button[aria-pressed=true]")
    assert int(pressed.get_attribute("data-index")) == shown[0]


def test_filters_of_the_gallery(compared, both):
    from selenium.webdriver.common.keys import Keys

    masks = {
        "gained": both.gained(0),
        "lost": both.lost(0),
        "flipped": both.flipped,
        "alone": (both.first_class < 0) != (both.second_class < 0),
    }
    for name, mask in masks.items():
        button = compared.element(f"#compare-filter [value={name}]")
        button.send_keys(Keys.SPACE)
        assert button.get_attribute("aria-pressed") == "true"
        assert set(cards(compared)) <= set(both.index[mask].tolist())
        assert (
            f" of {mask.sum()} inputs" in compared.element("#compare-count").text or not mask.sum()
        )
    tap(compared, "#compare-filter [value=all]")
    compared.choose("compare-label", "1")
    assert f" of {(both.labels == 1).sum()} inputs" in compared.element("#compare-count").text
    compared.choose("compare-label", "")
    tap(compared, "#compare-more")
    assert len(cards(compared)) == 48
    compared.type("compare-find", "40")
    assert cards(compared) == [40]
    first = compared.element("#compare-gallery button")
    first.send_keys(Keys.ENTER)
    assert compared.element("#compare-card").get_attribute("data-input") == "40"
    compared.choose("compare-order", "index")
    compared.type("compare-find", "")
    assert cards(compared)[:3] == both.index[:3].tolist()
    compared.choose("compare-order", "change")


def test_names_are_text_and_pictures_are_there(compared, both):
    tap(compared, "#compare-filter [value=all]")
    said = " ".join(compared.texts("#compare-gallery strong"))
    assert all(EVIL[number] in said for number in np.unique(both.labels[:20]))
    assert NAMES[0] in compared.element(".verdict").text
    assert (
        compared.run("return document.querySelectorAll('#compare-section b[onclick], img').length")
        == 0
    )
    assert compared.run("return document.querySelectorAll('#compare-gallery .thumb').length") == 24
    tap(compared, "#compare-filter [value=alone]")
    assert "abstained" in " ".join(compared.texts("#compare-gallery .compare-side-row"))


def test_arrows_of_the_gallerys_inputs(compared, both):
    tap(compared, "#compare-filter [value=flipped]")
    paths = compared.run(
        "return [...document.querySelectorAll('.compare-arrow')].map((p) => p.getAttribute('d'))"
    )
    heads = sum(path.count("M") for path in paths) / 2  # a line and its head
    assert heads == pytest.approx(both.flipped.sum(), abs=2)  # a head shorter than a pixel is none
    compared.choose("compare-window", "corner")
    assert compared.run("return document.getElementById('compare-arrows').plot.options.x[0]") == 0.8
    compared.choose("compare-window", "whole")


def test_in_the_dark_the_marks_are_lighter(compared):
    def colour():
        return compared.run(
            "return getComputedStyle(document.querySelector('.compare-line.run-a')).stroke"
        )

    light = colour()
    dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    compared.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
    try:
        assert (light, colour()) == ("rgb(0, 114, 178)", "rgb(86, 180, 233)")
    finally:
        compared.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_on_a_phone_nothing_is_wider_than_the_screen(compared):
    compared.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    try:
        compared.until("return document.getElementById('compare-scatter').plot.width <= 390")
        wide = """
            const all = [...document.querySelectorAll("#compare-section *")];
            const own = all.filter((element) => !element.closest(".scroll, svg"));
            return Math.max(...own.map((element) => element.getBoundingClientRect().right));
        """
        assert compared.run(wide) <= 390
    finally:
        compared.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        compared.until("return document.getElementById('compare-scatter').plot.width > 390")


def test_on_paper_the_controls_are_gone_and_the_plots_stay(compared):
    compared.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        shown = "return getComputedStyle(document.querySelector(arguments[0])).display"
        assert compared.run(shown, "#compare-at") == "none"
        assert compared.run(shown, "#compare-scatter svg") != "none"
        assert compared.run(shown, "#compare-gallery li") != "none"
        pdf = compared.driver.execute_cdp_cmd("Page.printToPDF", {})["data"]
        assert len(pdf) > 10_000
    finally:
        compared.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
