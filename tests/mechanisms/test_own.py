"""Mechanisms named on the command line: ours and the user's own."""

import sys

import numpy as np
import pytest

import simplicert as sc
from simplicert.mechanisms import own

CODE = """
import numpy as np
from simplicert import Mechanism
def half(e0, e1): return (e0 - e1) / 2
def other(e0, e1): return (e0 - e1) / 3
def fails(e0, e1): raise RuntimeError("on\\n purpose")
def warns(e0, e1): return np.log(e0 - e0) * 0 + 0 * (e0 / (e1 - e1)) + 0.0
soft = Mechanism(half, frozenset({"softmax"}), "me")
value = 3
"""
POINT = np.array([0.7]), np.array([0.2])


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "my_radii.py").write_text(CODE)
    yield tmp_path
    sys.modules.pop("my_radii", None)


def test_a_name_of_ours_is_its_row():
    assert own.load_mechanism("li") is sc.MECHANISMS["li"]
    assert own.load_guarded_mechanism("li") is sc.MECHANISMS["li"]


def test_a_function_is_a_mechanism_of_both_kinds():
    found = own.load_mechanism("my_radii:half")
    assert found.radius(*POINT) == pytest.approx(0.25)
    assert found.kinds == {"multinomial", "softmax"}
    assert (found.noise, found.norm, found.needs) == ("gaussian", "l2", "pair")


def test_a_mechanism_says_itself_what_it_is_proved_for():
    assert own.load_mechanism("my_radii:soft").kinds == {"softmax"}
    assert own.load_guarded_mechanism("my_radii:soft").kinds == {"softmax"}


def test_what_ones_own_code_raises_is_one_sentence():
    assert own.load_guarded_mechanism("my_radii:half").radius(*POINT) == pytest.approx(0.25)
    with pytest.raises(
        sc.InvalidInput, match=r"^mechanism my_radii:fails failed .* RuntimeError: on purpose$"
    ):
        own.load_guarded_mechanism("my_radii:fails").radius(*POINT)
    with pytest.raises(RuntimeError):
        own.load_mechanism("my_radii:fails").radius(*POINT)
    own.load_guarded_mechanism("my_radii:warns").radius(
        *POINT
    )  # numpy's warnings are not the user's business


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("ours", r"mechanism must be one of cohen, li, .* or module:function, got 'ours'"),
        ("", "got ''"),
        (":half", "got ':half'"),
        ("my_radii:", "got 'my_radii:'"),
        ("my_radii:absent", "must name a function of my_radii, got 'absent'"),
        ("my_radii:value", "must name a function of my_radii, got 'value'"),
        ("no_such_module:f", "mechanism no_such_module:f must name a module that can be imported"),
        ("cdf", r"reads \(e0, e1\), got 'cdf', which needs histograms"),
    ],
)
def test_what_is_not_there(spec, message):
    with pytest.raises(sc.InvalidInput, match=message):
        own.load_mechanism(spec)


@pytest.mark.parametrize(
    ("text", "left", "right"),
    [
        ("improved_dp:lecuyer", ["improved_dp"], ["lecuyer"]),
        ("improved_dp:cohen,li,lecuyer", ["improved_dp"], ["cohen", "li", "lecuyer"]),
        ("improved_dp : cohen, li", ["improved_dp"], ["cohen", "li"]),
        ("my_radii:half:li", ["my_radii:half"], ["li"]),
        ("li:my_radii:half", ["li"], ["my_radii:half"]),
        ("my_radii:half:my_radii:other", ["my_radii:half"], ["my_radii:other"]),
        (
            "cohen,my_radii:half:li,my_radii:other",
            ["cohen", "my_radii:half"],
            ["li", "my_radii:other"],
        ),
    ],
)
def test_a_comparison_has_two_sides(text, left, right):
    found = own.parse_comparison(text)
    assert [list(side) for side in found] == [left, right]


@pytest.mark.parametrize(
    "text",
    ["li", "li:", ":li", "li:lix", "improve_dp:lecuyer", "", "li,:li"],
)
def test_what_is_no_comparison(text):
    with pytest.raises(sc.InvalidInput, match="a comparison must be A:B or A:B,C"):
        own.parse_comparison(text)


def test_a_list():
    assert list(own.parse_mechanisms("li, my_radii:half,cohen")) == ["li", "my_radii:half", "cohen"]
    with pytest.raises(sc.InvalidInput, match="got ''"):
        own.parse_mechanisms("li,")
