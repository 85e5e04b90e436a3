"""`simplicert simplex` as a user types it."""

import json
import sys

import pytest

import simplicert as sc

CODE = """
from scipy.special import ndtri
import numpy as np
def half(e0, e1): return np.maximum(ndtri(e0) - ndtri(e1), 0) / 4
def double(e0, e1): return ndtri(e0) - ndtri(e1)
def fails(e0, e1): raise RuntimeError("on\\npurpose")
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "my_maps.py").write_text(CODE)
    yield tmp_path
    sys.modules.pop("my_maps", None)


@pytest.mark.slow
def test_a_ratio_prints_its_extremes_and_writes_the_map(command, here):
    code, out, err = command(
        "simplex", "--ratio", "improved_dp:lecuyer", "--kind", "softmax", "--out", "map.png"
    )
    assert (code, err) == (0, "")
    assert "improved_dp / lecuyer, softmax, whatever sigma" in out
    row = next(line for line in out.splitlines() if line.startswith("largest ")).split()
    assert float(row[1]) > 5
    assert [float(x) for x in row[2:4]] == pytest.approx([0.5, 0.5], abs=1e-5)
    assert "at the margin of E0 = E1" in out
    assert "improved_dp larger on 100.0 % of the area" in out
    assert "wrote map.png" in out
    assert (here / "map.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_without_options_the_winner_of_the_papers_ensemble(command):
    code, out, _ = command("simplex")
    assert code == 0
    shares = {
        line.split()[0]: float(line.split()[1])
        for line in out.splitlines()
        if line.split()[0] in sc.MECHANISMS
    }
    assert shares == pytest.approx({"cohen": 5.2, "li": 10.7, "improved_dp": 84.1}, abs=0.15)
    assert "no map written" in out
    assert command("simplex", "--winner")[1] == out


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["pdf", "svg"])
def test_ones_own_mechanism_in_any_format(command, here, suffix):
    out_file = here / f"map.{suffix}"
    code, out, _ = command(
        "simplex", "--difference", "my_maps:half:cohen,li", "--steps", "50", "--out", out_file
    )
    assert code == 0
    assert "my_maps:half - cohen, li, multinomial, sigma 1" in out
    assert out_file.stat().st_size > 10_000


@pytest.mark.slow
def test_json_holds_every_number_and_line(command, here):
    code, out, _ = command("simplex", "--ratio", "cohen:li", "--json", "--steps", "100")
    found = json.loads(out)
    assert code == 0
    assert (found["left"], found["right"], found["out"]) == (["cohen"], ["li"], None)
    assert found["largest"]["value"] == pytest.approx(1.2533, abs=1e-3)
    assert len(found["lines"][0]["points"]) > 300
    assert not list(here.glob("*.png"))


def test_json_of_a_winner_map_of_ones_own(command, here):
    words = ("--mechanisms", "cohen,my_maps:half", "--out", "w.svg", "--steps", "50", "--json")
    code, out, _ = command("simplex", *words)
    found = json.loads(out)
    assert code == 0
    assert list(found["shares"]) == ["cohen", "my_maps:half"]
    assert found["out"] == "w.svg" and (here / "w.svg").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--ratio", "li"), "a comparison must be A:B"),
        (("--ratio", "improve_dp:lecuyer"), "got 'improve_dp:lecuyer'"),
        (("--ratio", "li:cohen", "--winner"), "one map at a time, got --ratio and --winner"),
        (("--ratio", "li:cohen", "--difference", "li:cohen"), "got --ratio and --difference"),
        (("--ratio", "li:cohen", "--mechanisms", "li,cohen"), "--mechanisms is of --winner"),
        (("--ratio", "li:lecuyer", "--kind", "soft"), "'li' has no proof for softmax"),
        (("--kind", "x"), "kind must be one of"),
        (("--mechanisms", "li"), "at least two to compare"),
        (("--mechanisms", ""), "mechanism must be one of"),
        (("--steps", "0"), "steps must lie in 1..2000, got 0"),
        (("--steps", "2001"), "steps must lie in 1..2000, got 2001"),
        (("--out", "map.gif"), "must be one of .png, .pdf, .svg"),
        (("--out", "nowhere/map.png"), "out must lie in a folder that exists"),
        (("--ratio", "my_maps:double:li"), "my_maps:double returned"),
        (("--ratio", "my_maps:fails:li"), "failed when it was called: RuntimeError: on purpose"),
        (("--ratio", "my_maps:none:li"), "must name a function of my_maps, got 'none'"),
        (("--ratio", "cdf:lecuyer", "--kind", "soft"), "which needs histograms"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(command, here, words, message):
    code, out, err = command("simplex", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("simplicert: ") and err.count("\n") == 1


def test_help_says_why_there_is_no_sigma(command):
    code, out, _ = command("simplex", "--help")
    assert code == 0
    assert "There is no --sigma" in " ".join(out.split())
    assert "simplicert simplex --ratio improved_dp:lecuyer" in " ".join(out.split())


LAPLACE = ("--noise", "laplace")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--noise", "cauchy"), "noise must be one of gaussian, laplace"),
        (
            (*LAPLACE, "--norm", "l2"),
            "norm must be one that laplace noise certifies (l1), got 'l2'",
        ),
        (("--noise", "ablation"), "size must be given for ablation noise and norm l0"),
        (("--noise", "deletion"), "rate must be given for deletion noise and norm edits"),
        (("--rate", ".5"), "rate has no meaning for gaussian noise and norm l2"),
        ((*LAPLACE, "--ratio", "cohen:li"), "'cohen' has no proof for laplace noise and norm l1"),
        (("--ratio", "teng:li"), "a comparison must be A:B or A:B,C, each of cohen, li"),
        ((*LAPLACE, "--kind", "softmax", "--ratio", "teng:lecuyer"), "no proof for softmax"),
        (("--noise", "uniform", "--kind", "softmax"), "at least two to compare, got 'two_sided'"),
    ],
)
def test_what_a_threat_does_not_have_is_refused_in_a_sentence(command, options, words):
    code, out, err = command("simplex", "--steps", "20", *options)
    assert (code, out) == (2, "")
    assert words in err and err.count("\n") == 1 and "Traceback" not in err


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        ("--noise", "laplace", "--ratio", "two_sided:teng"),
        ("--noise", "uniform", "--norm", "linf", "--size", "3072"),
        ("--noise", "exponential-linf"),
        ("--noise", "ablation", "--size", "784", "--keep", "45"),
        ("--noise", "deletion", "--rate", ".9", "--difference", "two_sided:one_sided"),
        ("--norm", "l1"),
    ],
)
def test_every_threat_is_summarised_and_drawn(command, here, options):
    code, out, err = command("simplex", *options, "--steps", "40", "--out", "map.png")
    assert (code, err) == (0, "")
    assert " noise " in out.splitlines()[0] and "wrote map.png" in out
    assert (here / "map.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_json_of_another_threat_names_it(command, here):
    code, out, _ = command(
        "simplex", "--noise", "uniform", "--ratio", "one_sided:two_sided", "--json", "--steps", "40"
    )
    found = json.loads(out)
    assert code == 0
    assert (found["noise"], found["norm"], found["scale"]) == ("uniform", "l1", 1.0)
    assert found["largest"]["value"] <= 1
