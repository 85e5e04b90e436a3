"""Tables may have any separator; summaries are told from rows, and unreadable cells are named."""

import math

import pytest

import simplicert as sc
from simplicert.logs import table as cells
from simplicert.logs.table import read_table


def written(tmp_path, text):
    path = tmp_path / "log.txt"
    path.write_text(text)
    return path


@pytest.mark.parametrize("separator", ["\t", ",", ";", "|", " ", " \t ", ", "])
def test_separators(tmp_path, separator):
    text = "".join(separator.join(line) + "\n" for line in (("Idx", "radius"), ("3", "0.5")))
    table = read_table(written(tmp_path, text), ["idx"])
    assert (table.names, table.rows, table.lines) == (("idx", "radius"), [["3", "0.5"]], [2])


def test_a_mark_and_a_byte_order_mark_before_the_header(tmp_path):
    path = tmp_path / "log.txt"
    path.write_bytes("# idx\tradius\n3\t0.5\n".encode("utf-8-sig"))
    assert read_table(path, ["idx"]).names == ("idx", "radius")


def test_lines_that_are_no_rows_are_kept_apart(tmp_path):
    text = "idx\tr\n0\t1\n\nidx\tr\n1\t1\nACR = 5\n2\t"
    table = read_table(written(tmp_path, text), ["idx"])
    assert table.lines == [2, 5, 7]
    assert table.left_out == ("line 4, 'idx\\tr'", "line 6, 'ACR = 5'")


def test_a_last_line_cut_short_is_left_out(tmp_path):
    table = read_table(written(tmp_path, "idx\tr\ttime\n0\t1\t2\n1\t0."), ["idx"])
    assert table.lines == [2]
    assert table.left_out == ("line 3, '1\\t0.'",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must hold a header and at least one row, got an empty file"),
        ("idx\tr\n", "must hold at least one row, got only idx, r"),
        ("idx\tr\n0\n1\t2\n", r"line 2 must have 2 cells \(idx, r\), got 1: '0'"),
        ("idx\tr\n0\t1\t2\n1\t2\n", r"line 2 must have 2 cells \(idx, r\), got 3"),
        ("idx\tr\n1\t2\n0\t1\t2\n", r"line 3 must have 2 cells \(idx, r\), got 3"),
    ],
)
def test_tables_that_cannot_be_read(tmp_path, text, message):
    with pytest.raises(sc.InvalidInput, match=message):
        read_table(written(tmp_path, text), ["idx"])


def test_files_that_are_not_text(tmp_path):
    (tmp_path / "log").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(sc.InvalidInput, match="must be UTF-8 text"):
        read_table(tmp_path / "log", ["idx"])
    with pytest.raises(sc.InvalidInput, match=r"file must be a log that exists, got '.*nowhere'"):
        read_table(tmp_path / "nowhere", ["idx"])


def test_columns_are_named_or_missed_by_name(tmp_path):
    table = read_table(written(tmp_path, "idx\tr\n7\tx\n"), ["idx"])
    assert table.column(table.require_place("index", "idx"), cells.parse_integer, "an integer") == [
        7
    ]
    assert table.place("nothing") is None
    with pytest.raises(sc.InvalidInput, match="must have a column radius or l2_radius, got idx, r"):
        table.require_place("radius", "l2_radius")
    with pytest.raises(sc.InvalidInput, match="line 2: r must be a number, got 'x'"):
        table.column(1, cells.parse_number_text, "a number")


@pytest.mark.parametrize(
    ("text", "value"),
    [("15.4", 15.4), ("0:00:15.5", 15.5), ("1:02:03.000004", 3723.000004), ("2", 2)],
)
def test_seconds(text, value):
    assert cells.parse_seconds(text) == pytest.approx(value)


def test_days_and_no_time():
    assert cells.parse_seconds("1 day, 2:00:00") == 26 * 3600
    assert cells.parse_seconds("2 days, 0:00:01.5") == 2 * 86400 + 1.5
    assert math.isnan(cells.parse_seconds(""))


@pytest.mark.parametrize(
    "text", ["1e308", "1000000000", "-1e9", "999999999:00:00", "1e9 days, 0:0:0"]
)
def test_a_time_that_nobody_waited(text):
    with pytest.raises(ValueError, match=r"\d"):
        cells.parse_seconds(text)
    assert cells.parse_seconds("999999999") == 999_999_999


def test_classes_and_switches():
    assert [cells.parse_integer(text) for text in ("3", "-1", "[3]", "3.0")] == [3, -1, 3, 3]
    assert [cells.parse_class(text) for text in ("3", "", "None", "-2")] == [3, -1, -1, -2]
    assert [cells.parse_boolean(text) for text in ("1", "0", "True", "False", "17")] == [
        1,
        0,
        1,
        0,
        17,
    ]
    assert [cells.parse_number_text(text) for text in ("0.10", "nan", "None", "")] == [
        "0.10",
        "",
        "",
        "",
    ]


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (cells.parse_integer, "3.5"),
        (cells.parse_integer, ""),
        (cells.parse_integer, "nan"),
        (cells.parse_integer, "1e99"),
        (cells.parse_integer, "1e999999999"),
        (cells.parse_class, "cat"),
        (cells.parse_boolean, "yes"),
        (cells.parse_number_text, "inf"),
        (cells.parse_number_text, "1e999"),
        (cells.parse_number_text, "__import__('os')"),
        (cells.parse_seconds, "noon"),
        (cells.parse_seconds, "1:2"),
    ],
)
def test_cells_that_say_something_else(read, text):
    with pytest.raises(ValueError):
        read(text)


@pytest.mark.parametrize("text", ["#", "##\n", "# \n1\t2\n"])
def test_a_header_of_marks_alone(tmp_path, text):
    """The fuzzer found this."""
    (tmp_path / "log.tsv").write_text(text)
    with pytest.raises(sc.InvalidInput, match="must hold a header and at least one row"):
        read_table(tmp_path / "log.tsv", ("idx",))
