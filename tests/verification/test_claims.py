"""A board entry is held to its run: every field that a run can show, no word that it cannot."""

import pytest
import tomli_w

import simplicert as sc
from simplicert.cards.files import write_claims
from simplicert.errors import InvalidInput
from simplicert.logs import import_radii
from simplicert.verification import verify_run
from simplicert.verification.claims import _compare_claim


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    tally = sc.Tally([[990, 10]] * 3, 0.5, labels=[0] * 3, plan=sc.Plan((1000,)))
    settings = sc.Manifest(0.5, 3, 2, plan=tally.plan, made={"data": "cifar10:here"})
    sc.create_run(folder / "mine", settings, tally)
    return folder


def claims_of(runs, *claims, name="board.toml", **more):
    """The checks of claims about the run."""
    (runs / name).write_text(tomli_w.dumps({"claim": list(claims), **more}))
    found = verify_run(runs / "mine", claims=runs / name)
    return [check for check in found if check.about == "claims"]


def test_the_entry_that_card_writes_holds(runs):
    (runs / "board.toml").unlink(missing_ok=True)
    write_claims(runs / "mine", runs / "board.toml", "ours")
    text = (runs / "board.toml").read_text()
    assert 'match = "mine"' in text and 'data = "cifar10"' in text and "draws = 1000" in text
    found = [
        check
        for check in verify_run(runs / "mine", claims=runs / "board.toml")
        if check.about == "claims"
    ]
    assert [check.holds for check in found] == [True] * 5 + [None]
    assert "method 'ours', data 'cifar10'" in found[-1].says


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sigma", 0.25),
        ("sigma", "0.5"),
        ("alpha", 0.0001),
        ("draws", 100_000),
        ("noise", "laplace"),
        ("norm", "edits"),
    ],
)
def test_a_wrong_claim_fails(runs, name, value):
    (check,) = claims_of(runs, {"match": "mi*", name: value})
    assert check.holds is False and f"{name} {value!r} is claimed" in check.says


def test_later_claims_replace_earlier_ones_and_others_do_not_matter(runs):
    found = claims_of(
        runs, {"sigma": 9}, {"match": "mine", "sigma": 0.5}, {"match": "theirs", "sigma": 7}
    )
    assert [check.holds for check in found] == [True]


def test_a_claim_of_something_else_is_no_claim(runs):
    (check,) = claims_of(runs, {"match": "theirs", "sigma": 0.5})
    assert check.holds is False and "no claim of board.toml is about this run" in check.says


def test_unknown_fields_and_other_shapes(runs):
    first, second = claims_of(runs, {"sigma": 0.5, "accuracy": 1.0})
    assert first.holds is False and "accuracy" in first.says and second.holds is True
    with pytest.raises(InvalidInput, match=r"must hold \[\[claim\]\] tables alone, got other"):
        claims_of(runs, {"sigma": 0.5}, other=1)
    with pytest.raises(InvalidInput, match="claims must be a file that exists"):
        list(verify_run(runs / "mine", claims=runs / "none.toml"))


def test_draws_of_a_log_that_names_none_can_neither_hold_nor_fail(tmp_path):
    (tmp_path / "log.csv").write_text("c,r\n1,0.5\n")
    import_radii(tmp_path / "log.csv", "predict=c,radius=r", 0.5, tmp_path / "mine", bare=True)
    check, sigma = claims_of(tmp_path, {"draws": 1000, "sigma": 0.5})[::-1]
    assert check.holds is None and check.says == "draws 1000 is claimed, and none is recorded"
    assert sigma.holds is True


def test_an_entry_lies_above_its_run_and_replaces_nothing(runs, tmp_path):
    with pytest.raises(InvalidInput, match="claims must lie in a folder above the run"):
        write_claims(runs / "mine", tmp_path / "board.toml", "ours")
    with pytest.raises(InvalidInput, match="claims must be a new file"):
        write_claims(runs / "mine", runs / "board.toml", "ours")


def test_claims_elsewhere_are_not_about_the_run(runs, tmp_path):
    (tmp_path / "board.toml").write_text(tomli_w.dumps({"claim": [{"sigma": 9.0}]}))
    found = list(verify_run(runs / "mine", claims=tmp_path / "board.toml"))
    (check,) = [check for check in found if check.about == "claims"]
    assert (check.holds, check.says) == (False, "no claim of board.toml is about this run")


@pytest.mark.parametrize("value", [True, [0.5], {"x": 0.5}])
def test_a_value_of_another_type_is_another_value(runs, value):
    """True is 1 in Python, and a list that holds the number is no number."""
    assert all(check.holds is False for check in claims_of(runs, {"sigma": value}))
    assert _compare_claim("sigma", True, (1.0,), "run.toml").holds is False
    assert _compare_claim("sigma", 1, (1.0,), "run.toml").holds is True
