"""A packed table reads back as it was, or rounded to the safe side where there are many rows."""

import base64
import zlib

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simplicert.report.columns import EMPTY, pack_table, round_single
from simplicert.report.views import make_views, risk_order


def read_back(table):
    """Read a packed table as 1_base.js does: name -> values, None where a cell is empty."""
    data, rows, start, found = (
        zlib.decompress(base64.b64decode(table["packed"])),
        table["rows"],
        0,
        {},
    )
    for column in table["columns"]:
        if column["as"] == "copy":
            found[column["name"]] = found[column["of"]]
            continue
        width = column.get("width", 4)
        piece = np.frombuffer(data[start : start + rows * width], np.uint8)
        start += rows * width
        kind = {"words": f"<u{width}", "float": f"<f{width}", "int": "<i4"}[column["as"]]
        numbers = np.ascontiguousarray(piece.reshape(width, rows).T).view(kind).ravel()
        if column["as"] == "words":
            found[column["name"]] = [column["words"][at] for at in numbers]
        elif column["as"] == "float":
            found[column["name"]] = [None if np.isnan(x) else float(x) for x in numbers]
        else:
            whole = np.cumsum(numbers, dtype=np.int32)
            found[column["name"]] = [None if x == EMPTY else int(x) for x in whole]
    assert start == len(data)
    return found


def rank_of(view):
    rank = np.empty(len(view.frame), np.int64)
    rank[risk_order(view)] = np.arange(1, len(view.frame) + 1)
    return rank


def test_every_cell_of_the_csv_file_is_there(make_study):
    for view in make_views([make_study(inputs=60)]):
        found = read_back(pack_table(view.frame, rank_of(view), exact=True))
        assert [found["risk"][row] for row in risk_order(view)] == list(range(1, 61))
        lines = [line.split(",") for line in view.csv.splitlines()]
        for place, name in enumerate(lines[0]):
            for cell, value in zip([line[place] for line in lines[1:]], found[name], strict=True):
                assert ("" if value is None else str(value)) == cell


def test_many_rows_are_rounded_to_the_safe_side(make_study):
    (view,) = make_views([make_study(inputs=60, soft=False)])
    found = read_back(pack_table(view.frame, rank_of(view), exact=False))
    for name in ("radius", "e0", "e1", "cohen", "two_sided"):
        exact = view.frame[name]
        for value, true in zip(found[name], exact, strict=True):
            if value in (None, ""):
                assert np.isnan(true)
                continue
            assert (float(value) >= true) if name == "e1" else (float(value) <= true)
            assert float(value) == pytest.approx(true, rel=2e-7, abs=1e-40)


@given(st.lists(st.floats(0, 10), min_size=1, max_size=20), st.booleans())
def test_single_precision_never_rounds_to_the_other_side(values, up):
    exact = np.array(values)
    found = round_single(exact, up=up).astype(float)
    assert (found >= exact).all() if up else (found <= exact).all()


def test_large_numbers_of_inputs_and_odd_texts():
    rows = 40
    frame = pd.DataFrame(
        {
            "index": np.arange(rows, dtype=np.int64) * 10**12,
            "name": pd.Series([f'a, "{n}"' for n in range(rows)], dtype="string"),
            "count": pd.Series([None, *range(1, rows)], dtype="Int64"),
        }
    )
    found = read_back(pack_table(frame, np.arange(rows), exact=True))
    assert found["index"] == frame["index"].tolist()
    assert found["name"] == frame["name"].tolist()
    assert found["count"] == [None, *range(1, rows)]
