"""The board in a browser: it sorts and filters by keyboard, compares two logs, and asks nobody."""

import json
from pathlib import Path

import numpy as np
import pytest

from simplicert.board import make_board
from simplicert.board.entry import RADII
from simplicert.metrics.pairing import mcnemar_p_value

HEADER = "idx\tlabel\tpredict\tradius\tcorrect\ttime"
NASTY = "<img src=x onerror=document.title=1>"

pytestmark = pytest.mark.slow


def write_log(path, seed, easy, largest=1.8):
    random = np.random.default_rng(seed)
    lines = [HEADER]
    for row in range(200):
        label = row % 10
        right = random.random() < easy
        predict = label if right else (label + 1) % 10
        lines.append(
            f"{row}\t{label}\t{predict}\t{random.uniform(0, largest):.5f}\t{int(right)}\t1"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    folder = tmp_path_factory.mktemp("board")
    for seed, name in enumerate(("hard", "easy", NASTY)):
        place = folder / "in" / "cifar10" / name / "sigma_0.50"
        write_log(place, seed, 0.5 + 0.2 * seed, (1.8, 1.8, 3.5)[seed])
    (folder / "in" / "board.toml").write_text("[[claim]]\ndraws = 100000\nalpha = 0.001\n")
    made = make_board([folder / "in"], folder / "out")
    return folder / "out", {entry.source.path.parent.name: entry for entry in made.entries}


def names(page):
    script = """
        const rows = [...document.querySelectorAll("#table tbody tr")];
        return rows.map((row) => row.querySelector("td.log").textContent.split("/")[2]);
    """
    return page.run(script)


def test_the_table_sorts_and_filters_by_keyboard(page, board):
    from selenium.webdriver.common.keys import Keys

    out, _ = board
    page.logs()
    page.driver.get((out / "index.html").as_uri())
    page.until("return document.querySelectorAll('#table tbody tr').length === 3")
    assert page.run("return document.images.length") == 0  # the name is text
    heading = page.element("th[data-name='acc_0'] button")
    heading.send_keys(Keys.ENTER)
    assert names(page) == [NASTY, "easy", "hard"]
    assert page.element("th[data-name='acc_0']").get_attribute("aria-sort") == "descending"
    heading.send_keys(Keys.ENTER)
    assert names(page) == ["hard", "easy", NASTY]
    assert page.run("return document.querySelector(\"th[data-name='acr_warned'] button\")") is None
    page.element("body").send_keys("/")
    page.driver.switch_to.active_element.send_keys("easy")
    assert names(page) == ["easy"]
    assert page.element("#count").text == "1 to 1 of 1 logs"
    page.driver.switch_to.active_element.send_keys(Keys.BACKSPACE * 4)
    for box in page.driver.find_elements("css selector", "#table input")[:2]:
        box.send_keys(Keys.SPACE)
    page.element("#compare").send_keys(Keys.ENTER)
    page.until(
        "return !!document.getElementById('counts') && !document.getElementById('counts').hidden"
    )
    assert "200 inputs are in both" in page.element("#said").text
    told, asked = page.logs()
    assert (told, asked) == ([], [])


def test_tiny_p_are_not_printed_as_nothing(page, tmp_path):
    """A sum that may have been lost in rounding is said to be small, and never 0."""
    for name, radius in (("none", "0.00100"), ("all", "1.50000")):
        rows = [f"{row}\t{row % 10}\t{row % 10}\t{radius}\t1\t1" for row in range(2000)]
        (tmp_path / "in" / "cifar10" / name).mkdir(parents=True)
        path = tmp_path / "in" / "cifar10" / name / "sigma_0.50"
        path.write_text("\n".join([HEADER, *rows]) + "\n")
    one, two = make_board([tmp_path / "in"], tmp_path / "out").entries
    url = (tmp_path / "out" / "compare.html").as_uri()
    page.driver.get(f"{url}?a={one.source.id}&b={two.source.id}")
    page.until("return !document.getElementById('counts').hidden")
    script = "const rows = [...document.querySelectorAll('#pairs tbody tr')];"
    found = page.run(f"{script} return rows.map((row) => row.cells[5].textContent);")
    assert found == ["1.00", *["< 1e-99"] * 5]


@pytest.mark.parametrize(("other", "radii"), [("easy", 8), (NASTY, 14)])
def test_two_logs_are_compared_by_an_exact_test(page, board, other, radii):
    out, entries = board
    one, two = entries["hard"], entries[other]
    page.logs()
    page.driver.get(f"{(out / 'compare.html').as_uri()}?a={one.source.id}&b={two.source.id}")
    page.until("return !document.getElementById('counts').hidden")
    assert "200 inputs are in both" in page.element("#said").text
    script = """
        const rows = [...document.querySelectorAll("#pairs tbody tr")];
        return rows.map((row) => [...row.cells].map((cell) => parseFloat(cell.textContent)));
    """
    rows = page.run(script)
    assert len(rows) == radii  # from 0 on, by quarters
    for radius, first, second, only_first, only_second, p, holm in rows:
        a, b = (entry.correct & (entry.radius > radius) for entry in (one, two))
        assert (only_first, only_second) == ((a & ~b).sum(), (b & ~a).sum())
        assert first == pytest.approx(100 * a.mean(), abs=0.051)
        assert second == pytest.approx(100 * b.mean(), abs=0.051)
        exact = mcnemar_p_value((b & ~a).sum(), (a & ~b).sum())
        assert exact * (1 - 1e-9) <= p <= 1.011 * exact  # rounded up
        assert p <= holm <= 1
    assert page.logs() == ([], [])


def test_a_log_of_which_only_totals_are_shown_is_compared_as_if_all_were(page, board, tmp_path):
    """The pair was counted beforehand; the same two, with their rows, give the same table."""
    out, entries = board
    claims = tmp_path / "claims.toml"
    claims.write_text('[[claim]]\nmatch = "in/cifar10/[eh]*"\ntotals_only = true\n')
    make_board([out.parent / "in"], tmp_path / "out", claims=claims)
    hard, easy, nasty = (entries[name].source.id for name in ("hard", "easy", NASTY))
    asked = f"?a={easy}&b={hard}"
    script = "return document.querySelector('#pairs tbody').innerText"
    told = []
    for folder in (out, tmp_path / "out"):
        page.driver.get((folder / "compare.html").as_uri() + asked)
        page.until("return !document.getElementById('counts').hidden")
        told.append(page.run(script))
    assert told[0] == told[1] and len(told[0].splitlines()) == 8
    page.driver.get(f"{(tmp_path / 'out' / 'compare.html').as_uri()}?a={nasty}&b={hard}")
    page.until("return document.getElementById('said').textContent.includes('not published')")
    assert page.run("return document.getElementById('counts').hidden")
    page.element("#said a").click()  # leads to one that was counted
    page.until("return !document.getElementById('counts').hidden")
    page.logs()


def test_the_page_of_a_log_says_what_its_log_says(page, board):
    out, entries = board
    entry = entries[NASTY]
    page.logs()
    page.driver.get(f"{(out / 'log.html').as_uri()}?log={entry.source.id}")
    page.until("return !document.getElementById('page').hidden")
    assert page.run("return document.images.length") == 0
    assert page.element("#name").text == entry.source.name
    told = page.element("#page").text
    assert entry.sha256 in told and "Sun et al. 2025" in told
    for one in entry.findings:
        assert one.sentence in told
    rows = page.run(
        "return [...document.querySelectorAll('#accuracies tbody tr')].map((row) => row.innerText)"
    )
    curve = entry.accuracy_at(RADII)
    assert len(rows) == (curve.hits > 0).sum() + 1  # up to the first radius that none reaches
    for place, row in enumerate(rows):
        at, value, low, high = (float(word) for word in row.split() if word != "to")
        assert at == RADII[place]
        assert value <= curve.value[place] + 1e-12 < value + 1.1e-4
        assert low <= curve.low[place] and high >= curve.high[place]
    assert page.run("return document.querySelectorAll('svg').length") == 2
    assert page.run("return document.querySelectorAll('svg path.line, svg path.band').length") == 2
    page.driver.get(f"{(out / 'log.html').as_uri()}?log=nothing")
    assert "No log of this board has this name" in page.element("#said").text
    assert page.logs() == ([], [])


def test_our_edition_opens(page):
    """docs/board: a log by its name, one with totals alone, and a comparison of two of them."""
    out = Path(__file__).parents[2] / "docs" / "board"
    if not (out / "data" / "0.js").exists():
        pytest.skip("the sdist leaves out what the pages of the logs read")
    pairs = (out / "data" / "pairs.js").read_text().splitlines()
    pair = json.loads(pairs[1].rstrip(","))
    page.logs()
    page.driver.get((out / "index.html").as_uri())
    page.until("return document.querySelectorAll('#table tbody tr').length === 100")
    page.element("#table tbody a").click()
    page.until(
        "return !!document.getElementById('page') && !document.getElementById('page').hidden"
    )
    page.driver.get(f"{(out / 'log.html').as_uri()}?log={pair['a']}")
    page.until("return !document.getElementById('page').hidden")
    page.element(f"#kept a[href*='{pair['b']}']").click()
    page.until(
        "return !!document.getElementById('counts') && !document.getElementById('counts').hidden"
    )
    assert f"{pair['shared']} inputs are in both" in page.element("#said").text
    assert page.logs() == ([], [])


def test_a_page_of_a_log_fits_a_telephone(page, board):
    out, entries = board
    page.driver.set_window_size(390, 800)
    own = f"?log={entries[NASTY].source.id}"
    for name, asked in (("log.html", own), ("index.html", ""), ("compare.html", "")):
        page.driver.get((out / name).as_uri() + asked)
        wide, seen = page.run(
            "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert wide <= seen, name
    assert page.logs()[0] == []
