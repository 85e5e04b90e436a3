"""LaTeX, Markdown and CSV: what a reader or a program gets back is what was put in."""

import csv
import io
import re
from pathlib import Path

import pytest
from certified import drawn
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from simplicert.errors import InvalidInput
from simplicert.tables import FORMATS, Grid, TableOptions, make_table
from simplicert.tables.formats import choose_format, escape_latex, latex_number
from simplicert.tables.grid import group_headings, is_text_column, to_one_line

HOSTILE = [
    r"a_b & 100% #1 {x} ~ ^ \input{secret} $x$",
    "a|b\nc",
    "<script>alert(1)</script> &amp;",
    "**bold** _it_ `code` [l](http://x) ![i](j) ~~s~~",
    "[0pt] *",
    "\u03c3 = ½ — ± 模型",
    "tab\tand\x1b[31mred\u202etxt",
    "=HYPERLINK(1)",
    "@sum",
    "-1+2",
    "+1",
    "1e-5",
    "\\",
    "|",
    "\udcff",
]


def grid_of(names: list[str]) -> Grid:
    return Grid(
        f"about {names[0]}",
        ("run", "value"),
        [(name, "1.5") for name in names],
        (f"note on {names[-1]}",),
        bold=frozenset({(0, 0), (0, 1)}),
        records=tuple({"run": name, "value": 1.5} for name in names),
    )


def table_of(text: str) -> list[list[str]]:
    """The cells of the one table in a Markdown text, as a reader sees them."""
    rows: list[list[str]] = []
    inside = False
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text):
        if token.type in ("td_open", "th_open", "td_close", "th_close"):
            inside = token.type.endswith("open")
        elif token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            plain = ("text", "text_special", "strong_open", "strong_close")
            assert all(child.type in plain for child in token.children), token.content
            if inside:
                rows[-1].append("".join(child.content for child in token.children))
    return rows


def test_markdown_shows_every_name_as_it_is():
    rows = table_of(FORMATS["markdown"](grid_of(HOSTILE)))
    assert rows[0] == ["run", "value"]
    assert [row[0] for row in rows[1:]] == [to_one_line(name) for name in HOSTILE]
    assert all(row[1:] == ["1.5"] for row in rows[1:])


@pytest.mark.slow
@given(st.lists(st.text(min_size=1), min_size=1, max_size=4))
def test_markdown_of_any_name(names):
    rows = table_of(FORMATS["markdown"](grid_of(names)))
    assert [row[0] for row in rows[1:]] == [to_one_line(name) for name in names]


def test_markdown_lines_up_in_its_source_and_says_what_is_bold():
    lines = FORMATS["markdown"](grid_of(["a", "longer"])).splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert len({len(line) for line in table}) == 1
    assert "| **a**  | **1.5** |" in table
    assert table[1] == "| :----- | ------: |"
    assert lines[-1] == "- note on longer"


def test_markdown_headings_that_read_the_same_are_told_apart():
    grid = Grid("t", ("run", "M", "M"), [("a", "1", "2")], spans=(("", 1), ("x", 1), ("y", 1)))
    assert table_of(FORMATS["markdown"](grid))[0] == ["run", "x M", "y M"]


def unescaped(text: str) -> str:
    """What LaTeX prints for our own escapes; anything else that is special fails."""
    for code, letter in (
        (r"\textbackslash{}", "\0"),
        (r"\textasciitilde{}", "~"),
        (r"\textasciicircum{}", "^"),
        ("-{}", "-"),
        ("$<$", "<"),
        ("$>$", ">"),
        ("$|$", "|"),
        (r"$\sigma$", "\u03c3"),
        (r"$\pm$", "±"),
        ("{[}", "["),
        ("{]}", "]"),
        ("{*}", "*"),
    ):
        text = text.replace(code, letter)
    assert not re.search(r"(?<!\\)[{}$&#%_]", text), text
    return re.sub(r"\\([{}$&#%_])", r"\1", text).replace("\0", "\\")


@pytest.mark.parametrize("name", HOSTILE)
def test_latex_prints_every_name_as_it_is(name):
    assert unescaped(escape_latex(name)) == to_one_line(name)


def test_latex_escapes_one_by_one():
    assert escape_latex("a_b & 5% {#} \\ ~ ^ $") == (
        r"a\_b \& 5\% \{\#\} \textbackslash{} \textasciitilde{} \textasciicircum{} \$"
    )
    assert escape_latex("λΩ") == r"$\lambda$$\Omega$"
    assert "--" not in escape_latex("a---b")


def rows_of(text: str) -> list[list[str]]:
    """The cells of a tabular, split at what LaTeX splits at."""
    body = text.partition(r"\toprule")[2].partition(r"\bottomrule")[0]
    lines = [line for line in body.splitlines() if line.endswith(r"\\")]
    return [re.split(r"(?<!\\) & ", line.removesuffix(r" \\")) for line in lines]


@pytest.mark.parametrize("style", ["field", "paper1", "paper2", "pairs"])
def test_latex_is_balanced_with_the_same_columns_in_every_row(held, style):
    studies = [held(HOSTILE[0], drawn()), held("[b]", drawn(), 1.0, data=HOSTILE[2])]
    if style == "paper2":
        studies = studies[:1]
    text = FORMATS["latex"](make_table(studies, style))
    plain = text.replace(r"\\", "").replace(r"\{", "").replace(r"\}", "")
    assert plain.count("{") == plain.count("}")
    depth = 0
    for letter in plain:
        depth += (letter == "{") - (letter == "}")
        assert depth >= 0
    assert re.sub(r"\\\$", "", text).count("$") % 2 == 0
    begun, ended = re.findall(r"\\begin{(\w+\*?)}", text), re.findall(r"\\end{(\w+\*?)}", text)
    assert sorted(begun) == sorted(ended) == ["minipage", "table*", "tabular"]
    columns = len(re.search(r"\\begin{tabular}{([lr]+)}", text)[1])
    for cells in rows_of(text):
        spanned = [re.match(r"\\multicolumn{(\d+)}", cell) for cell in cells]
        assert sum(int(found[1]) if found else 1 for found in spanned) == columns
        assert not cells[0].lstrip().startswith(("[", "*"))  # would be an option of the break


def test_latex_numbers():
    assert latex_number("0.77") == "0.77"
    assert latex_number("-0.5") == "$-0.5$"
    assert latex_number("+-0.024") == r"$\pm0.024$"
    assert latex_number("3.3e-18") == r"$3.3 \times 10^{-18}$"
    assert latex_number("<1e-300") == "$<10^{-300}$"
    assert latex_number("88-95") == "88--95"
    assert latex_number("-") == "-"


def test_latex_headings_have_the_signs_of_papers():
    text = FORMATS["latex"](
        Grid("t", ("run", "x"), [("a>=b", "1")], keys=1, spans=(("r >= 1", 2),))
    )
    assert r"r $\geq$ 1" in text
    assert "a$>$=b" in text  # a name stays as it is


def test_latex_marks_bold_faint_and_rules():
    grid = Grid(
        "t",
        ("run", "sigma", "x"),
        [("a", "1", "2"), ("", "", "1-3"), ("b", "2", "1")],
        keys=2,
        spans=(("", 2), ("top", 1)),
        bold=frozenset({(0, 2)}),
        faint=frozenset({1}),
        rules=frozenset({2}),
    )
    assert FORMATS["latex"](grid) == (
        "% needs \\usepackage{booktabs}\n"
        "\\begin{table*}\n"
        "\\caption{t}\n"
        "\\centering\n"
        "\\begin{tabular}{lrr}\n"
        "\\toprule\n"
        " &  & \\multicolumn{1}{c}{top} \\\\\n"
        "\\cmidrule(lr){3-3}\n"
        "run & $\\sigma$ & x \\\\\n"
        "\\midrule\n"
        "a & 1 & \\textbf{2} \\\\\n"
        " &  & {\\scriptsize 1--3} \\\\\n"
        "\\midrule\n"
        "b & 2 & 1 \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
        "\\end{table*}\n"
    )


def test_csv_reads_back_exactly(held):
    studies = [held('a,b\n"c"', drawn()), held("=1+1", drawn(), 1.0)]
    grid = make_table(studies)
    read = list(csv.DictReader(io.StringIO(FORMATS["csv"](grid))))
    assert [row["run"] for row in read] == ['a,b "c"', "'=1+1"]
    assert [row["exploratory"] for row in read] == ["false", "false"]
    for row, record in zip(read, grid.records, strict=True):
        assert list(row) == list(record)
        for name, value in record.items():
            assert re.fullmatch(r"[a-z][a-z0-9_.]*", name)
            if isinstance(value, float):
                assert float(row[name]) == value


def test_csv_never_begins_a_text_as_a_formula():
    rows = list(csv.reader(io.StringIO(FORMATS["csv"](grid_of(HOSTILE)))))[1:]
    for name, row in zip(HOSTILE, rows, strict=True):
        assert row[0][:1] not in "=+-@\t\r"
        assert row[0].removeprefix("'") == to_one_line(name)


def test_csv_of_negative_numbers_and_nothing():
    grid = Grid("t", ("x",), [], records=({"x": -0.5, "y": None}, {"x": True, "z": 3}))
    assert FORMATS["csv"](grid) == "x,y,z\n-0.5,,\ntrue,,3\n"
    with pytest.raises(InvalidInput, match="needs records"):
        FORMATS["csv"](Grid("t", ("x",), []))


@pytest.mark.parametrize("style", ["field", "paper1", "paper2", "pairs"])
def test_all_formats_hold_the_same_rows(held, style):
    grid = make_table([held("a", drawn()), held("b", drawn(), 1.0)], style, TableOptions())
    seen = table_of(FORMATS["markdown"](grid))[1:]
    assert seen == [list(row) for row in grid.rows]
    assert len(rows_of(FORMATS["latex"](grid))) == len(grid.rows) + 2  # and two lines of headings


def test_the_format_is_named_or_that_of_the_suffix():
    assert choose_format(None, None) == "screen"
    assert choose_format(None, Path("a.tex")) == "latex"
    assert choose_format(None, Path("a.md")) == "markdown"
    assert choose_format("csv", Path("a.txt")) == "csv"
    with pytest.raises(InvalidInput, match=r"must end in \.md, \.tex, \.html, \.csv, \.json"):
        choose_format(None, Path("a.txt"))
    with pytest.raises(
        InvalidInput, match="one of screen, markdown, latex, html, csv, json, got 'x'"
    ):
        choose_format("x", None)
    with pytest.raises(InvalidInput, match="got 'screen'"):
        choose_format("screen", Path("a.txt"))


def test_words_stand_left_and_numbers_right():
    grid = Grid("t", ("a", "b", "c"), [("1", "<1e-3", "x"), ("2", "-", "2")])
    assert [is_text_column(grid, column) for column in range(3)] == [True, False, True]


def test_spans_cover_the_columns_from_the_left():
    grid = Grid("t", ("a", "b", "c", "d"), [], spans=(("", 1), ("x", 2)))
    assert group_headings(grid) == [("", [0]), ("x", [1, 2]), ("", [3])]
