"""What stands inside the page cannot end its script element, and reads back as it was."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simplicert.report.payload import build_payload, embed_json, safe_file_name
from simplicert.report.views import make_views, risk_order


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


def test_ranks_follow_the_risk_order(make_study):
    views = make_views([make_study()])
    content = build_payload(views, ["a", "b", "c", "d"], None)
    for view, found in zip(views, content["views"], strict=True):
        assert [found["risk"][row] for row in risk_order(view)] == list(range(1, 41))
        assert found["csv"].splitlines()[0].split(",")[:3] == ["index", "label", "top"]
        assert set(found["columns"]) <= set(content["looks"])
        assert set(view.certificates.winner) - {""} <= set(content["looks"])
    assert content["classes"] == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("name", "file"),
    [("sigma-0.25", "sigma-0.25"), ("a/b c", "a_b_c"), ("<b>", "b"), ("..", "run"), ("é", "run")],
)
def test_file_names(name, file):
    assert safe_file_name(name) == file
