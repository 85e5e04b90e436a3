"""Every measured block of every page is what its function writes from the committed results."""

import re
import sys
from pathlib import Path

import make_pages
import pytest
from measured import FILES, SOURCES, format_table, load_source, round_down, round_up

ROOT = Path(__file__).parents[1]
PAGES = [path for path in make_pages.list_pages() if make_pages.BEGINNING in path.read_text()]
BLOCKS = [
    pytest.param(path, name, content, id=f"{path.stem}-{name}")
    for path in PAGES
    for name, content in make_pages.find_blocks(path.read_text())
]


@pytest.mark.parametrize(("path", "name", "content"), BLOCKS)
def test_the_block_is_what_the_results_say(path, name, content):
    assert content == make_pages.write_block(name), "python docs/make_pages.py"


def test_every_block_has_a_function_and_every_function_a_block():
    assert len(BLOCKS) > 70
    assert {block.values[1] for block in BLOCKS} == {*make_pages.list_generators()}
    assert {*FILES} == {path.stem for path in (ROOT / "docs" / "measured").glob("[!_]*.py")}


def test_every_result_has_its_place():
    """No result of a benchmark is left out, and none that is named is missing."""
    results = {f"benchmarks/results/{path.name}" for path in ROOT.glob("benchmarks/results/*.json")}
    assert results <= {*SOURCES.values()}
    assert all(load_source(name) for name in SOURCES)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_markers_stand_where_they_do_not_show(path):
    """In pairs; a line that begins with one and goes on would not be read as Markdown."""
    text = path.read_text()
    begun, ended = text.count(make_pages.BEGINNING), text.count(make_pages.END)
    assert begun == ended == len(list(make_pages.find_blocks(text)))
    assert re.findall(r"^ *<!-- measured: [\w.]+ -->.+$", text, re.MULTILINE) == []
    assert make_pages.fill_blocks(text) == text


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_number_that_is_edited_is_noticed(path, tmp_path):
    """In every block that holds one."""
    text, copy = path.read_text(), tmp_path / path.name
    for name, content in make_pages.find_blocks(text):
        digit = re.search(r"\d", content)
        if digit is None:
            continue
        place = text.index(content, text.index(f"{make_pages.BEGINNING}{name} ")) + digit.start()
        copy.write_text(text[:place] + str(9 - int(digit[0])) + text[place + 1 :])
        assert make_pages.list_differences(copy) == [name]
        assert make_pages.fill_blocks(copy.read_text()) == text


def test_a_marker_without_its_other_half_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("It took <!-- measured: speed.state_time_saved -->0.91 of it.\n")
    assert make_pages.list_differences(page) == ["a marker without its other half"]


def test_a_block_that_nothing_fills_is_refused():
    with pytest.raises(SystemExit, match=r"fills the block speed\.nothing"):
        make_pages.fill_blocks("a <!-- measured: speed.nothing -->1<!-- end -->")
    with pytest.raises(SystemExit, match="several lines"):
        make_pages.fill_blocks("a <!-- measured: speed.tabulate_engines -->1<!-- end -->")


def test_the_command_names_page_and_block(tmp_path, monkeypatch, capsys):
    """On a folder with one page, in which one number was edited."""
    text = (ROOT / "docs" / "joint.md").read_text()
    page = tmp_path / "docs" / "joint.md"
    page.parent.mkdir()
    page.write_text(text.replace("| 384 |", "| 385 |"))
    monkeypatch.setattr(make_pages, "ROOT", tmp_path)
    for words, code, said in [
        (["--check"], 1, "docs/joint.md: bounds.tabulate_grid differs\n"),
        ([], 0, "docs/joint.md: bounds.tabulate_grid rewritten\n"),
        (["--check"], 0, ""),
    ]:
        monkeypatch.setattr(sys, "argv", ["make_pages.py", *words])
        with pytest.raises(SystemExit) as stop:
            make_pages.main()
        assert (stop.value.code, capsys.readouterr().out) == (code, said)
    assert page.read_text() == text


def test_numbers_are_rounded_to_the_side_that_claims_less():
    assert [round_down(0.8999, 2), round_up(0.8001, 2)] == ["0.89", "0.81"]
    assert [round_down(0.29, 2), round_up(0.006 / 0.05, 2)] == ["0.29", "0.12"]
    assert [round_up(1234.5), round_down(1234.5), round_up(None)] == ["1,235", "1,234", "-"]


def test_a_table_with_a_cell_too_many_is_refused():
    with pytest.raises(ValueError, match="3 cells under 2 headings"):
        format_table(["a", "b"], [[1, 2, 3]])
