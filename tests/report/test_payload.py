"""The payload reads back as it was and cannot end its script; its radii are rounded down."""

import base64
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simplicert as sc
from simplicert.mechanisms.naming import example_threats
from simplicert.report.offline import embed_json
from simplicert.report.payload import (
    STEPS,
    build_payload,
    grid_points,
    pack_floats,
    radius_grids,
    safe_file_name,
)
from simplicert.report.views import make_views


@pytest.mark.slow
@given(st.text())
def test_any_text_reads_back_and_holds_no_markup(text):
    found = embed_json({"name": text})
    assert json.loads(found) == {"name": text}
    assert found.isascii()
    assert not set("<>&") & set(found)


def test_the_end_of_a_script_element_is_escaped():
    assert "</script" not in embed_json({"x": "</script><!--\u2028"})


def test_not_a_number_is_refused():
    with pytest.raises(ValueError, match="JSON"):
        embed_json({"x": float("nan")})


def test_tables_name_their_columns_and_looks(make_study):
    views = make_views([make_study()])
    content = build_payload(views, ["a", "b", "c", "d"], None)
    for view, found in zip(views, content["views"], strict=True):
        names = [column["name"] for column in found["table"]["columns"]]
        assert names == [*view.frame.columns, "risk"]
        assert found["table"]["exact"]
        assert set(found["columns"]) <= set(content["looks"])
        assert set(view.certificates.winner) - {""} <= set(content["looks"])
    assert content["classes"] == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("name", "file"),
    [("sigma-0.25", "sigma-0.25"), ("a/b c", "a_b_c"), ("<b>", "b"), ("..", "run"), ("é", "run")],
)
def test_file_names(name, file):
    assert safe_file_name(name) == file


def unpacked(text):
    return np.frombuffer(base64.b64decode(text), "<f4").astype(float)


@pytest.fixture(scope="module")
def every():
    return radius_grids(example_threats(), 20)


@pytest.fixture(scope="module")
def grids(every):
    return every["threats"][0]


def test_points_lie_inside_in_the_order_that_the_script_reads():
    e0, e1 = grid_points(20)
    assert len(e0) == 100
    assert ((e1 < e0) & (e0 + e1 <= 1 + 1e-12) & (e1 > 0)).all()
    for j in range(10):
        for i in range(j + 1, 20 - j):
            at = j * (20 - j) + i - j - 1  # as in 3_maps.js
            assert (e0[at], e1[at]) == ((i + 0.5) / 20, (j + 0.5) / 20)


def test_radii_are_rounded_down_for_every_threat(every, grids):
    e0, e1 = grid_points(20)
    assert set(grids["radii"]) == {n for n, row in sc.MECHANISMS.items() if row.needs == "pair"}
    for threat, shown in zip(example_threats(), every["threats"], strict=True):
        about = {"noise": threat.noise, "norm": threat.norm, **threat.numbers}
        for name, at in shown["radii"].items():
            found, exact = unpacked(every["packed"][at]), sc.radius(name, e0, e1, **about)
            assert (found <= exact).all()
            assert np.allclose(found, exact, rtol=2e-7, atol=0)
            assert not threat.whole or (found == exact).all()
    assert (unpacked(every["packed"][grids["radii"]["two_sided"]]) > 0).all()


def test_grids_that_are_the_same_are_sent_once(every):
    places = [at for shown in every["threats"] for at in shown["radii"].values()]
    assert sorted({*places}) == list(range(len(every["packed"])))
    assert len({*every["packed"]}) == len(every["packed"]) < len(places)


def test_kinds_have_the_mechanisms_with_a_proof(grids):
    pair = {name: row.kinds for name, row in sc.MECHANISMS.items() if row.needs == "pair"}
    for kind in sc.PAPER_ENSEMBLE:
        assert grids["kinds"][kind] == [name for name, kinds in pair.items() if kind in kinds]
    assert "cohen" not in grids["kinds"]["softmax"]
    assert grids["kinds"]["multinomial"][0] == "cohen"
    assert grids["ensembles"] == {kind: list(m) for kind, m in sc.PAPER_ENSEMBLE.items()}


@given(st.lists(st.floats(0, 10), min_size=1, max_size=20))
def test_packing_never_rounds_up(values):
    exact = np.array(values)
    found = unpacked(pack_floats(exact))
    assert (found <= exact).all()
    assert np.allclose(found, exact, rtol=2e-7, atol=1e-44)


@given(st.floats(0, 1), st.floats(0, 1))
def test_the_grid_point_that_a_pointer_reads_promises_less(one, two):
    """The rule of 4_simplex.js: E0 down, E1 up, and still inside."""
    e0, e1 = max(one, two), min(one, two)
    if e0 + e1 > 1 or e0 == e1:
        return
    i, j = int(np.floor(e0 * STEPS - 0.5)), max(0, int(np.ceil(e1 * STEPS - 0.5)))
    if i <= j:
        return  # the page says that it cannot tell
    assert (i + 0.5) / STEPS <= e0 + 1e-15
    assert (j + 0.5) / STEPS >= e1 - 1e-15
    assert i + j + 1 <= STEPS
