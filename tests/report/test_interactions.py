"""What a reader does with the page, in Chromium: a click, a key, the dark, a phone, paper.

All tests use one page, of two runs with pictures, scores and an attack, and none leaves a complaint
on the console or a request. Accessibility is checked by axe-core where it is found: `npm install
--no-save axe-core` puts it beside the project, and AXE names another place.
"""

import os
from pathlib import Path

import numpy as np
import pytest

from simplicert.data import load_data
from simplicert.report import report_page
from simplicert.store.attacks import AttackRow, attack_path, write_attack
from simplicert.types.certificates import format_radius_down

pytestmark = pytest.mark.slow

CLASSES = ["cat", "dog", "<b>bird</b>", "frog"]

FOUND = Path("node_modules/axe-core/axe.min.js")


def write_attack_on(study):
    """An attack that found something beside every third certificate."""
    certificates = study.certificates()
    live = np.flatnonzero(~certificates.abstained)
    manifest = study.run.manifest
    settings = {"draws": 10, "tests": 1, "level": 0.001, "inputs": len(live), "confirm": 100}
    search = {"explore": 10, "steps": 1, "restarts": 1, "samples": 1, "gradients": "network"}
    about = {"kind": "multinomial", "alpha": 0.001, "scheme": "gated", "sigma": 0.5, "norm": "l2"}
    rows = [
        AttackRow(
            int(at), int(certificates.known.top[at]), float(certificates.radius[at]),
            (int(certificates.known.top[at]) + 1) % 4 if place % 3 == 0 else None,
            1.5 * float(certificates.radius[at]) if place % 3 == 0 else None,
            **settings, **search, seed=0, **about, run=manifest.id,
        )
        for place, at in enumerate(live)
    ]  # fmt: skip
    write_attack(attack_path(study.run.folder, manifest, "multinomial"), rows)


@pytest.fixture(scope="module")
def studies(make_study, tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "images.npz"
    random = np.random.default_rng(0)
    np.savez(path, images=random.integers(0, 256, (60, 8, 8, 3), dtype=np.uint8))
    named = {"data": str(path), "class_names": CLASSES}
    source = {"data_fingerprint": load_data(str(path)).fingerprint}
    settings = {"inputs": 60, "source": source, "made": named, "histograms": True}
    found = [make_study("little", **settings), make_study("much", sigma=1.0, **settings)]
    write_attack_on(found[0])
    return found


@pytest.fixture(scope="module")
def text(studies):
    return report_page(studies)


@pytest.fixture
def report(page, text, tmp_path):
    page.open(text, tmp_path)
    page.choose("run", "0")
    yield page
    assert page.logs() == ([], [])


def parts(report):
    """The titles of an opened row, and how many marks each of its figures has."""
    return report.run("""
        const marks = (id) => document.querySelectorAll(`#${id} svg path, #${id} svg rect`).length;
        return ["detail-scores", "detail-simplex", "detail-bars"].map(marks);
    """)


def test_a_click_opens_the_row_and_another_closes_it(report, studies):
    report.element("#inputs tbody tr[data-at] td.word").click()
    assert report.element("#inputs tr.open button").get_attribute("aria-expanded") == "true"
    index = int(report.element("#inputs tr.open button").text)
    row = studies[0].certificates().to_frame().set_index("index").loc[index]
    said = report.element("#inputs .detail").text
    assert f"label {CLASSES[row['label']]}" in said
    assert format_radius_down(row["radius"]) in said
    assert report.texts("#detail-bars .small")[:2] == ["Cohen", format_radius_down(row["cohen"])]
    assert report.run("return document.querySelectorAll('.detail .thumb').length") == 1
    assert all(count > 3 for count in parts(report))
    assert report.run("return document.querySelectorAll('#detail-bars .limit').length") == 1
    report.element("#inputs tr.open td.word").click()
    assert report.texts(".detail") == []


def test_the_keyboard_opens_a_row_and_keeps_its_place(report):
    button = "#inputs tbody tr[data-at]:nth-child(3) button"
    report.element(button).send_keys("\n")
    assert report.element("#inputs tr.open button").text == report.element(button).text
    same = "return document.activeElement === document.querySelector(arguments[0])"
    assert report.run(same, "#inputs tr.open button")
    report.run("document.activeElement.click()")
    assert report.texts(".detail") == []


def test_an_attack_is_a_line_beside_the_bars_and_a_point_of_the_plot(report):
    report.choose("outcome", "correct")
    report.element("#inputs th[data-key=attack] button").click()
    assert report.column("attack")[0]
    report.element("#inputs tbody button").click()
    assert "attack: " in report.element(".facts").text
    assert report.run("return document.querySelectorAll('#detail-bars .attack-line').length") == 1
    assert report.run("return document.querySelector('#attack-plot .attacked').getAttribute('d')")
    table = report.texts("#attack-section td")
    assert any(name in cell for cell in table for name in CLASSES)


def test_scores_are_those_of_the_tally(report, studies):
    """The bars of an opened input against its histograms, merged to 32 bins."""
    report.element("#inputs tbody button").click()
    index = int(report.element("#inputs tr.open button").text)
    tally = studies[0].tally
    thresholds = np.searchsorted(np.arange(1, 32) / 32, _bin_middles(tally.histograms.shape[2]))
    merged = np.array([np.bincount(thresholds, h, 32) for h in tally.histograms[index]])
    drawn = report.run("""
        const { scores } = state.view;
        const at = 2 * scores.bins * scores.inputs.indexOf(arguments[0]);
        return [...scores.heights.slice(at, at + 2 * scores.bins)];
    """, index)  # fmt: skip
    shown = np.array(drawn).reshape(2, 32)
    top = int((tally.leaders[index] == studies[0].certificates().known.top[index]).argmax())
    second = [k for k in range(3) if np.array_equal(_scale(merged, top, k), shown)]
    assert len(second) == 1 and second[0] != top


def _scale(merged, one, two):
    pair = merged[[one, two]]
    return np.ceil(255 * pair / pair.max())


def _bin_middles(bins):
    from simplicert.types.scores import LAYOUTS

    edges = np.concatenate([[0.0], LAYOUTS[bins], [1.0]])
    return (edges[1:] + edges[:-1]) / 2


def test_every_term_is_explained_by_pointer_and_by_key(report):
    lacking = report.run("""
        const terms = document.querySelectorAll("[data-term], #inputs th button");
        return [...terms].filter((term) => !term.dataset.tip).map((term) => term.textContent);
    """)
    assert lacking == []
    report.run("document.querySelector('#inputs th[data-key=e0] button').focus()")
    assert "lower bound" in report.element("#tip").text
    report.run("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', "
               "{ key: 'Escape', bubbles: true }))")  # fmt: skip
    assert not report.element("#tip").is_displayed()


def test_the_contents_lead_to_the_sections_and_headings_stick(report):
    links = report.texts("#contents a")
    assert (
        links[:5] == ["In short", "How far", "Compare", "Simplex", "Inputs"] and "Attack" in links
    )
    report.element("#contents a[href='#inputs-section']").click()
    report.run("scrollBy(0, 500)")
    tops = report.run("""
        const top = (find) => document.querySelector(find).getBoundingClientRect();
        return [top("header").top, top("header").bottom, top("#inputs th").top];
    """)
    assert tops[0] == 0 and tops[2] == pytest.approx(tops[1], abs=1.5)


@pytest.mark.parametrize("width", [1400, 1100, 390])
def test_no_column_is_cropped(report, width):
    report.keep_width(width)
    near = "return Math.abs(document.documentElement.dataset.width - arguments[0]) < 20"
    report.until(near, width)  # a scroll bar may take some of it
    wide, table, frame = report.run("""
        const table = document.getElementById("inputs");
        const root = document.documentElement;
        return [root.scrollWidth, table.offsetWidth, table.parentElement.clientWidth];
    """)
    assert wide <= width and table <= frame
    keys = report.run(
        "return [...document.querySelectorAll('#inputs th')].map((h) => h.dataset.key)"
    )
    assert {"radius", "index", "outcome"} < {*keys} and ("e0" in keys) == (width > 500)
    if width == 390:
        assert keys[0] == "radius"
        report.element("#inputs tbody button").click()
        assert report.run("return document.documentElement.scrollWidth") == 390
        assert report.run("return document.getElementById('curves').plot.width") < 390


def test_the_dark_is_dark_and_the_button_switches(report):
    def paper():
        return report.run("return getComputedStyle(document.body).backgroundColor")

    report.keep_width(1400, dark=True)
    assert paper() == "rgb(22, 24, 28)"
    report.element("#theme").click()
    assert paper() == "rgb(255, 255, 255)"
    report.element("#theme").click()
    assert paper() == "rgb(22, 24, 28)"
    report.keep_width(1400, dark=True, media="print")
    assert paper() == "rgb(255, 255, 255)"


def test_paper_has_everything_and_no_controls(report):
    report.keep_width(720, media="print")
    hidden = "return getComputedStyle(document.querySelector(arguments[0])).display"
    for control in (".switches", "nav", "#theme"):
        assert report.run(hidden, control) == "none"
    wide = "return document.querySelector('#curves svg').getBoundingClientRect().right"
    assert report.run(wide) <= 720
    pdf = report.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    assert len(pdf["data"]) > 10_000


def test_dragging_looks_closer_and_a_double_click_goes_back(report):
    from selenium.webdriver.common.action_chains import ActionChains

    window = "return document.getElementById('simplex').plot.options.x"
    whole = report.run(window)
    start, end = report.at("simplex", 0.6, 0.1), report.at("simplex", 0.8, 0.2)
    actions = ActionChains(report.driver, duration=20)
    pointer = actions.w3c_actions.pointer_action
    pointer.move_to_location(*start)
    pointer.pointer_down()
    pointer.move_to_location(*end)
    pointer.pointer_up()
    actions.perform()
    assert report.run(window) == pytest.approx([0.6, 0.8], abs=0.01)
    report.run("document.getElementById('simplex').dispatchEvent(new MouseEvent('dblclick'))")
    assert report.run(window) == whole


def test_many_points_are_a_stated_sample(report):
    """3,000 at most, evenly spread; here the limit is lowered on the page itself."""
    said = report.run("return placedWords(7)")
    assert said.startswith("A sample of 7 of ") and "the table holds all of them" in said


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing(report, dark):
    axe = Path(os.environ.get("AXE", FOUND))
    if not axe.is_file():
        pytest.skip("axe-core is not here: npm install --no-save axe-core")
    report.keep_width(1400, dark=dark)
    report.element("#inputs tbody button").click()
    report.run(axe.read_text(encoding="utf-8") + "; window.axe = axe;")
    found = report.driver.execute_async_script("""
        const done = arguments[0];
        const say = ({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`);
        axe.run(document).then(({ violations }) => done(violations.flatMap(say)));
    """)
    assert found == []
