"""Tables on a terminal are aligned, never cut, and broken into blocks if it is narrow."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from simplicert.cli.screen import print_table, table_lines
from simplicert.tables import Grid

WIDE = Grid(
    "a wide table",
    ("run", "sigma", *(f"c{place}" for place in range(12))),
    [
        ("first", "0.25", *(f"{place}.5" for place in range(12))),
        ("", "", *(f"{place}-{place + 9}" for place in range(12))),
        ("second", "1", *(f"{place}.25" for place in range(12))),
    ],
    ("a note",),
    spans=(("", 2), ("group", 4), ("other", 4), ("last", 4)),
    keys=2,
    bold=frozenset({(0, 2), (2, 13)}),
    faint=frozenset({1}),
    rules=frozenset({2}),
)


def lines(grid: Grid, width: int, **how: bool) -> list[str]:
    return [line.plain for line in table_lines(grid, width, **how)]


def test_a_table_that_fits_is_one_block():
    assert lines(WIDE, 200)[:4] == [
        "               group                   other                   last",
        "run     sigma    c0    c1    c2    c3    c4    c5    c6    c7    c8    c9    c10    c11",
        "first    0.25   0.5   1.5   2.5   3.5   4.5   5.5   6.5   7.5   8.5   9.5   10.5   11.5",
        "                0-9  1-10  2-11  3-12  4-13  5-14  6-15  7-16  8-17  9-18  10-19  11-20",
    ]
    assert set(lines(WIDE, 200)[4]) == {"-"}


def test_one_blank_between_columns_where_that_saves_a_break():
    width = max(map(len, lines(WIDE, 200)))
    assert len(lines(WIDE, width - 1)) == len(lines(WIDE, 200))
    assert max(map(len, lines(WIDE, width - 1))) == width - 13


def test_a_narrow_terminal_breaks_between_groups_and_repeats_the_names():
    shown = lines(WIDE, 60)
    assert max(map(len, shown)) <= 60
    assert [line.split() for line in shown if line.startswith("run")] == [
        ["run", "sigma", *(f"c{place}" for place in range(4))],
        ["run", "sigma", *(f"c{place}" for place in range(4, 8))],
        ["run", "sigma", *(f"c{place}" for place in range(8, 12))],
    ]
    assert sum(line.startswith("second") for line in shown) == 3


@given(st.integers(1, 130), st.booleans())
def test_nothing_is_ever_cut(width, stars):
    shown = lines(WIDE, width, stars=stars)
    words = " ".join(shown).replace("*", " ").split()
    for row in (("group", "other", "last"), WIDE.headings, *WIDE.rows):
        assert set(filter(None, row)) <= set(words)
    if width >= 22:  # the names and the widest column
        rows = [line for line in shown if not {"group", "other", "last"} & set(line.split())]
        assert max(map(cell_len, rows)) <= width


def test_wide_letters_keep_their_columns():
    grid = Grid("t", ("run", "x"), [("模型", "1"), ("ab", "10")])
    assert {cell_len(line) for line in lines(grid, 80)[1:]} == {8}


def test_weights_are_styles_on_a_terminal_and_stars_in_a_file(capsys):
    (row,) = (line for line in table_lines(WIDE, 200) if line.plain.startswith("first"))
    assert [span.style for span in row.spans if "bold" in str(span.style)] == ["bold"]
    print_table(WIDE)
    out = capsys.readouterr().out
    assert "0.5*" in out
    assert "11.25*" in out
    assert out.count("*") == 3
    assert out.endswith("a note\n* marks what a terminal shows in bold\n")


def test_a_table_without_weights_is_plain(capsys):
    print_table(Grid("title", ("a", "b"), [("x", "1.0"), ("yy", "10.0")], ("n",)))
    assert capsys.readouterr().out == "title\na      b\nx    1.0\nyy  10.0\nn\n"


@pytest.mark.parametrize("name", ["\x1b[31mred", "two\nlines", "[bold]x[/bold]", ":smile:"])
def test_names_cannot_write_on_the_terminal(name, capsys):
    print_table(Grid(name, ("run", "x"), [(name, "1")], (name,)))
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert out.count("\n") == 4
    assert name.replace("\x1b", "?").replace("\n", " ") in out
