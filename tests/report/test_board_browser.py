"""The board in a browser: it sorts and filters by keyboard, compares two logs, and asks nobody."""

import numpy as np
import pytest

from simplicert.board import make_board
from simplicert.metrics.pairing import mcnemar_p_value

HEADER = "idx\tlabel\tpredict\tradius\tcorrect\ttime"
NASTY = "<img src=x onerror=document.title=1>"

pytestmark = pytest.mark.slow


def write_log(path, seed, easy):
    random = np.random.default_rng(seed)
    lines = [HEADER]
    for row in range(200):
        label = row % 10
        right = random.random() < easy
        predict = label if right else (label + 1) % 10
        lines.append(f"{row}\t{label}\t{predict}\t{random.uniform(0, 1.8):.5f}\t{int(right)}\t1")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    folder = tmp_path_factory.mktemp("board")
    for seed, name in enumerate(("hard", "easy", NASTY)):
        write_log(folder / "in" / "cifar10" / name / "sigma_0.50", seed, 0.5 + 0.2 * seed)
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


def test_two_logs_are_compared_by_an_exact_test(page, board):
    out, entries = board
    one, two = entries["hard"], entries["easy"]
    page.logs()
    page.driver.get(f"{(out / 'compare.html').as_uri()}?a={one.source.id}&b={two.source.id}")
    page.until("return !document.getElementById('counts').hidden")
    assert "200 inputs are in both" in page.element("#said").text
    script = """
        const rows = [...document.querySelectorAll("#pairs tbody tr")];
        return rows.map((row) => [...row.cells].map((cell) => parseFloat(cell.textContent)));
    """
    rows = page.run(script)
    assert len(rows) == 8  # radii 0 to 1.75
    for radius, first, second, only_first, only_second, p, holm in rows:
        a, b = (entry.correct & (entry.radius > radius) for entry in (one, two))
        assert (only_first, only_second) == ((a & ~b).sum(), (b & ~a).sum())
        assert first == pytest.approx(100 * a.mean(), abs=0.051)
        assert second == pytest.approx(100 * b.mean(), abs=0.051)
        assert p == pytest.approx(mcnemar_p_value((b & ~a).sum(), (a & ~b).sum()), rel=0.006)
        assert p <= holm <= 1
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
