"""The explorer's file: whole, closed to the outside, listing every threat, and current in docs/."""

import base64
import hashlib
import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from simplicert.cli import app
from simplicert.errors import InvalidInput
from simplicert.mechanisms.threats import find_threat, list_threats
from simplicert.report.explorer import explorer_page, write_explorer
from simplicert.report.explorer.page import SCRIPTS

ROOT = Path(__file__).parents[3]
TEXT = explorer_page()


def embedded():
    """What the script reads."""
    return json.loads(re.search(r'id="catalogue">(.*?)</script>', TEXT)[1])


def test_one_file_and_nothing_from_elsewhere():
    assert len(TEXT) < 150_000
    assert re.findall(r'(?:src|href)="(?!data:)[^"]*"', TEXT) == []
    assert "//" not in re.sub(r"(^|\s)//[^\n]*", "", TEXT).replace("http://www.w3.org/2000/svg", "")


def test_the_policy_lets_this_script_run_and_nothing_else():
    (script,) = re.findall(r"<script>(.*?)</script>", TEXT, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; script-src 'sha256-{digest}';" in TEXT
    assert "{{" not in TEXT.replace(script, "")


def test_every_script_is_in_the_page_in_order():
    assets = ROOT / "src" / "simplicert" / "report" / "explorer" / "assets"
    assert sorted(path.name for path in assets.glob("*.js")) == sorted(SCRIPTS)
    places = [TEXT.index((assets / name).read_text()) for name in SCRIPTS]
    assert places == sorted(places)


def test_every_threat_and_mechanism_is_listed():
    listed = {(one["noise"], one["norm"]): one for one in embedded()["threats"]}
    assert list(listed) == list_threats()
    laplace = listed["laplace", "l1"]
    assert [row["name"] for row in laplace["mechanisms"]] == [*find_threat("laplace").mechanisms]
    assert laplace["compared"]["multinomial"] == ["one_sided", "li", "teng", "improved_dp"]
    assert laplace["compared"]["softmax"] == ["lecuyer", "improved_dp"] and laplace["tight"]
    assert listed["splitting", "l1"]["compared"]["softmax"] == []
    assert not listed["exponential-linf", "linf"]["tight"]
    assert listed["ablation", "l0"]["needs"] == ["size", "keep"]
    assert listed["splitting", "l1"]["certain"]


def test_the_page_of_the_site_is_this_one():
    """`simplicert explorer --out docs/explorer.html`, as `make docs` does."""
    assert (ROOT / "docs" / "explorer.html").read_text(encoding="utf-8") == TEXT


def test_the_command_writes_it(tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    out = tmp_path / "mine.html"
    done = CliRunner().invoke(app, ["explorer", "--out", str(out)])
    assert (done.exit_code, done.output) == (0, f"wrote {out}\n") and not opened
    assert out.read_text(encoding="utf-8") == TEXT
    assert CliRunner().invoke(app, ["explorer", "--out", str(out), "--open"]).exit_code == 0
    assert opened == [out.resolve().as_uri()]


def test_a_wrong_place_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match=r"out must end in \.html, got"):
        write_explorer(tmp_path / "page.txt")
    with pytest.raises(InvalidInput, match="out must lie in a folder that exists, got"):
        write_explorer(tmp_path / "none" / "page.html")
