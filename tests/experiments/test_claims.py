"""docs/claims.md: verdicts follow from checks, numbers from the results, and commands exist."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from typer.main import get_command

from simplicert.cli import app
from simplicert.simplex import make_grid
from simplicert.simplex.extremes import Extreme

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "experiments" / "claims"
PAGE = (ROOT / "docs" / "claims.md").read_text()
BLOCKS = re.findall(r"^```\n(.+?)\n```$", PAGE, re.MULTILINE | re.DOTALL)
COMMANDS = list(dict.fromkeys(line for block in BLOCKS for line in block.splitlines()))


@pytest.fixture
def claims(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    import claims

    return claims


@pytest.fixture
def held(claims, monkeypatch):
    """All evidence, with a coarse simplex, on which extremes are looked up and not searched."""
    import evidence

    known = make_grid(12)

    def look(compare, kind, sign):
        values = sign * np.nan_to_num(compare(known), nan=-sign * np.inf)
        at = values.argmax()
        return Extreme(float(sign * values[at]), float(known.e0[at]), float(known.e1[at]), ())

    monkeypatch.setattr(evidence, "find_extreme", look)
    return evidence.read_evidence(evidence.measure_simplex(12))


@pytest.mark.slow
def test_the_page_is_what_the_results_say(claims):
    found = claims.list_claims(claims.read_evidence())
    assert claims.write_page(found) == PAGE, "make paper"


@pytest.mark.parametrize(
    ("checks", "verdict"),
    [
        ((True, True), "replicated"),
        ((True, False), "replicated in part"),
        ((True, None), "replicated in part"),
        ((True, False, None), "replicated in part"),
        ((False, False), "not replicated"),
        ((False, None), "not replicated"),
        ((None, None), "not testable here"),
    ],
)
def test_the_verdict_follows_from_the_checks(claims, checks, verdict):
    from claim import Check, Claim

    made = tuple(Check("a check", holds) for holds in checks)
    claim = Claim("Section 1", "It is so.", "1", "2", "none", made)
    assert claim.verdict == verdict
    assert f"**{verdict.capitalize()}.** It is so." in claims.write_claim(1, claim)


def test_what_grows_and_what_falls(claims):
    from claim import above, falls, rises, within_a_fifth

    assert rises([1, 1, 2]) and not rises([1, 1, 1]) and not rises([1, 3, 2])
    assert falls([2, 1, 1]) and not falls([1, 2]) and above([2, 3], [1, 2])
    assert not above([2, 2], [1, 2]) and within_a_fifth(47, 40) and not within_a_fifth(23.7, 40)


def test_every_claim_has_a_place_checks_and_a_verdict(claims):
    numbers = [int(number) for number in re.findall(r"^## (\d+)$", PAGE, re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1)) and len(numbers) > 40
    rows = re.findall(r"^\| \[(\d+)\].* \| ([^|]+) \|$", PAGE, re.MULTILINE)
    below = [said.lower() for said in re.findall(r"^\*\*(.+)\.\*\* ", PAGE, re.MULTILINE)]
    assert [verdict for _, verdict in rows] == below and len(below) == len(numbers)
    assert set(below) == set(claims.RULE)
    assert all("nan" not in row.split() for row in PAGE.splitlines())


def test_claims_that_the_issue_names_are_there():
    for words in ("more than double", "five times", "9 % more", "49 % more", "uniformly"):
        assert words in PAGE
    for words in ("r < 1", "rises monotonically", "less than .1 s", "training time by 40"):
        assert words in PAGE


@pytest.mark.parametrize("line", [line for line in COMMANDS if line.startswith("simplicert")])
def test_the_commands_have_the_options_that_they_use(line):
    _, name, *words = shlex.split(line)
    command = get_command(app).commands[name]
    known = {option for item in command.params for option in item.opts}
    assert {word for word in words if word.startswith("--")} <= known


def test_the_scripts_exist():
    scripts = {line.split()[1] for line in COMMANDS if line.startswith("python")}
    assert scripts and all((ROOT / script).is_file() for script in scripts)


def test_missing_runs_are_not_decided_and_present_ones_are(claims, held):
    """Tiny ImageNet as the paper's Table 1 has it: what waited for it is then decided."""
    from dataclasses import replace

    paper = {}
    for sigma, top1, *cells, together in held.paper["table_1"]:
        row = {"top1": float(top1)}
        for name, group in zip(("cohen", "li", "improved_dp"), cells, strict=True):
            measures = (f"{name}_{measure}" for measure in ("median", "largest", "above_0.05"))
            row |= dict(zip(measures, map(float, group.split()), strict=True))
        row["ensemble_above_0.05"] = float(together.split()[1])
        paper[sigma] = {"all": {"table_1": row}, "e0": 0.5, "e1": 0.1}
    before = claims.list_claims(replace(held, tiny={}))
    after = claims.list_claims(replace(held, tiny=paper))
    waiting = [claim.says for claim in before if "Not all runs" in claim.remark]
    assert len(waiting) >= 5
    decided = {claim.says: claim for claim in after if claim.says in waiting}
    for claim in decided.values():
        own = [check for check in claim.checks if "Tiny ImageNet" in check.text]
        assert own and all(check.holds is not None for check in own), claim.says
        if "CIFAR-10" not in own[0].text:  # nothing but the paper's own table
            assert all(check.holds for check in own), claim.says
    assert "49.0 points" in next(one.ours for one in after if "49 %" in one.says)


def test_one_claim_can_be_printed(claims, held, monkeypatch, capsys):
    monkeypatch.setattr(claims, "read_evidence", lambda: held)
    monkeypatch.setattr("sys.argv", ["claims.py", "3"])
    claims.main()
    printed = capsys.readouterr().out
    assert printed.startswith("## 3\n") and "The paper: above .05" in printed
    monkeypatch.setattr("sys.argv", ["claims.py", "99"])
    with pytest.raises(SystemExit, match="number must be one of 1 to"):
        claims.main()
