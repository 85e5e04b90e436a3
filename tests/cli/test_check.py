"""`simplicert check` as a user types it."""

import json
import sys

import pytest

from simplicert.simplex.soundness import RULES

FEW = ("--points", "20000")
CODE = """
from scipy.special import ndtri
import numpy as np
def sound(e0, e1): return np.maximum(ndtri(e0) - ndtri(e1), 0) / 2.1
def double(e0, e1): return np.maximum(ndtri(e0) - ndtri(e1), 0)
def infinite(e0, e1): return np.where(e1 < 1e-100, np.inf, 0.0)
def fails(e0, e1): raise RuntimeError("on\\npurpose")
def fragile(e0, e1):
    if (e1 < 1e-100).any():
        raise OverflowError("\\x1b[31mtoo\\nsmall")
    return e0 * 0
def one(e0): return e0
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "my_checks.py").write_text(CODE)
    yield tmp_path
    sys.modules.pop("my_checks", None)


def test_a_sound_mechanism_is_told_where_it_wins(command, here):
    code, out, err = command("check", "my_checks:sound", *FEW)
    assert (code, err) == (0, "")
    assert out.startswith("my_checks:sound: sound; 20,")
    assert out.count(" kept") == len(RULES)
    assert "larger than cohen, li, improved_dp on " in out
    assert "rounding of 1e-09" in out


@pytest.mark.slow
def test_a_name_of_ours(command):
    code, out, _ = command("check", "improved_dp", "--kind", "soft", *FEW)
    assert code == 0
    assert "softmax" in out
    assert "larger than lecuyer on 100.0 % of the area" in out
    code, out, _ = command("check", "lecuyer", *FEW)
    assert code == 0
    assert "nowhere on the grid larger than cohen, li, improved_dp: at most 0.8" in out


def test_a_broken_rule_is_placed_and_the_exit_code_is_1(command, here):
    code, out, err = command("check", "my_checks:double", *FEW)
    assert (code, err) == (1, "")
    assert f"1 of {len(RULES)} rules broken" in out
    (row,) = (line for line in out.splitlines() if "BROKEN" in line)
    assert row.startswith("never above two_sided")
    words = row.split("BROKEN")[1].split()
    e0, e1, value, limit = (float(word) for word in words[:4])
    assert 0 < e1 < e0 < 1  # not rounded to 1
    assert value == pytest.approx(2 * limit)
    assert "larger than" not in out


def test_what_it_raises_is_one_printable_line(command, here):
    code, out, _ = command("check", "my_checks:fragile", *FEW)
    assert code == 1
    assert "raises OverflowError: ?[31mtoo small" in out
    assert "\x1b" not in out


def test_json(command, here):
    code, out, _ = command("check", "my_checks:infinite", *FEW, "--json", "--seed", "3")
    found = json.loads(out)
    assert code == 1
    assert found["sound"] is False and found["seed"] == 3 and found["wins"] is None
    assert found["name"] == "my_checks:infinite"
    finding = next(row for row in found["findings"] if row["rule"] == "finite")
    assert finding["value"] == "inf" and finding["limit"] > 0
    code, out, _ = command("check", "my_checks:sound", *FEW, "--json")
    found = json.loads(out)
    assert code == 0
    assert found["sound"] is True and found["findings"] == []
    assert 0 < found["wins"]["share"] < 1
    assert found["wins"]["best"]["value"] > 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("ours",), "mechanism must be one of cohen, li"),
        (("my_checks:none",), "must name a function of my_checks, got 'none'"),
        (("my_checks:fails",), "it raises RuntimeError: on purpose"),
        (("my_checks:one",), "it raises TypeError: one() takes 1 positional argument"),
        (("no_module_of_this_name:f",), "and it cannot be found"),
        (("cdf", "--kind", "soft"), "which needs histograms"),
        (("li", "--kind", "soft"), "'li' has no proof for softmax"),
        (("li", "--kind", "x"), "kind must be one of"),
        (("li", "--points", "5"), "points must be a whole number in 2000"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(command, here, words, message):
    code, out, err = command("check", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("simplicert: ") and err.count("\n") == 1


def test_the_limit_is_that_of_the_noise(command, here):
    """Half of Gaussian's two-sided radius is above Laplace's where that is small."""
    few = ("--points", "5000")
    code, out, _ = command("check", "my_checks:double", "--noise", "laplace", *few)
    assert code == 1
    assert "laplace noise in l1" in out.splitlines()[0] and "BROKEN" in out
    code, out, _ = command("check", "one_sided", "--noise", "deletion", "--rate", ".9", *few)
    assert code == 0
    assert out.count(" kept") == len(RULES) + 1  # and a whole number
    assert "deletion noise (rate 0.9) in edits" in out


def test_a_noise_without_a_limit_says_so(command, here):
    few = ("--points", "5000", "--json")
    code, out, _ = command("check", "my_checks:double", "--noise", "exponential-linf", *few)
    found = json.loads(out)
    assert code == 0 and found["sound"] and found["noise"] == "exponential-linf"
    assert "no limit is known for exponential-linf noise and linf" in found["notes"][0]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("teng",), "mechanism must be one of cohen, li"),
        (("cohen", "--noise", "uniform"), "'cohen' has no proof for uniform noise and norm l1"),
        (("teng", "--noise", "laplace", "--kind", "softmax"), "has no proof for softmax"),
        (("two_sided", "--noise", "ablation", "--size", "9"), "keep must be given for ablation"),
    ],
)
def test_what_has_no_proof_is_refused(command, options, words):
    code, out, err = command("check", *options, "--points", "5000")
    assert (code, out) == (2, "")
    assert words in err and "Traceback" not in err
