"""What is inside the wheel and the sdist, and what is not."""

import re
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

import simplicert

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
SOURCE = ROOT / "src" / "simplicert"
ROOMS = ("src", "tests", "benchmarks", "docs", "examples", "experiments", "release")
WRITTEN_BY_TOOLS = {"__pycache__", ".pytest_cache", ".hypothesis", "site"}
WHEEL_MB, SDIST_MB = 15, 40  # twenty-two networks of .6 MB; and the tallies of the experiments


def files(folder):
    """Every file that somebody wrote, by its path below the root."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(ROOT)) for path in found if not WRITTEN_BY_TOOLS & {*path.parts}}


@pytest.fixture(scope="session")
def inside(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="session")
def metadata(inside):
    (name,) = (name for name in inside if name.endswith(".dist-info/METADATA"))
    return Parser().parsestr(inside[name].decode())


def test_the_package_is_whole_and_alone(inside):
    package = {name for name in inside if ".dist-info/" not in name}
    assert package == {name.removeprefix("src/") for name in files(SOURCE)}


def test_what_is_no_code_ships_too(inside):
    names = set(inside)
    assert "simplicert/py.typed" in names
    assert "simplicert/data/example_counts.txt" in names
    templates = {Path(name).suffix for name in names if "/report/templates/" in name}
    assert templates == {".html", ".css", ".js", ".json"}  # the last: regions of the winner map
    for room in ("board/templates", "cards/templates", "report/explorer/assets"):
        shipped = {Path(name).suffix for name in names if f"/{room}/" in name}
        assert shipped >= {".html", ".css"}, room
    assert "simplicert/tables/published.toml" in names
    zoo = {Path(name).parent.name for name in names if name.endswith("/weights.safetensors")}
    assert zoo >= {f"cifar10-small-{sigma}" for sigma in ("0.12", "0.25", "0.5", "1")}
    for network in zoo:
        assert f"simplicert/models/zoo/{network}/model.toml" in names
    assert any("/training/recipes/" in name and name.endswith(".toml") for name in names)


def test_nothing_of_the_workshop_ships(inside):
    tops = {name.split("/")[0] for name in inside}
    assert tops == {"simplicert", f"simplicert-{simplicert.__version__}.dist-info"}
    assert not [name for name in inside if re.search(r"(^|/)(test_|conftest)|\.parquet$", name)]


def test_the_licence_and_the_command_ship(inside):
    end = f"simplicert-{simplicert.__version__}.dist-info"
    assert inside[f"{end}/licenses/LICENSE"] == (ROOT / "LICENSE").read_bytes()
    assert b"simplicert = simplicert.__main__:start" in inside[f"{end}/entry_points.txt"]


@pytest.mark.slow
def test_there_is_one_version(metadata, wheel, sdist):
    version = simplicert.__version__
    assert metadata["Version"] == version
    assert wheel.name == f"simplicert-{version}-py3-none-any.whl"
    assert sdist.name == f"simplicert-{version}.tar.gz"
    cited = re.search(
        r"^version: (\S+)\ndate-released: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.M
    )
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert headings[:2] == ["Unreleased", f"{version} - {cited[2]}"]
    assert cited[1] == version


def test_metadata_say_what_is_needed(metadata):
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Requires-Python"] == ">=3.11"
    assert set(metadata.get_all("Provides-Extra")) == {*PROJECT["optional-dependencies"]}
    needed = [line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line]
    assert len(needed) == len(PROJECT["dependencies"])
    said = {line.rpartition(" ")[2] for line in metadata.get_all("Classifier")}
    assert {"3.11", "3.12", "3.13"} <= said


@pytest.mark.parametrize("extra", ["demo", "hf", "timm", "attacks"])
def test_an_extra_that_needs_torch_brings_it(metadata, extra):
    """`pip install simplicert[demo]` must be enough for `simplicert demo`, which trains."""
    brought = [line for line in metadata.get_all("Requires-Dist") if f"'{extra}'" in line]
    assert [line for line in brought if line.startswith("torch>=")]


@pytest.mark.slow
def test_the_sdist_has_all_that_the_tests_need(sdist):
    with tarfile.open(sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    wanted = set().union(*(files(ROOT / room) for room in ROOMS))
    wanted |= {path.name for path in ROOT.glob("*.*") if path.suffix in (".md", ".py", ".toml")}
    wanted |= {"Makefile", "LICENSE", "CITATION.cff", "mkdocs.yml", "constraints.txt"}
    pages = {name for name in wanted if re.fullmatch(r"docs/board/data/\d+\.js", name)}
    assert not pages & held  # of the ledger's logs: they are large, and in the clone
    wanted -= pages
    assert len(wanted) > 600
    assert wanted - held == set()


def test_sizes_are_bounded(wheel, sdist):
    assert 2 < wheel.stat().st_size / 1e6 < WHEEL_MB
    assert wheel.stat().st_size < sdist.stat().st_size < SDIST_MB * 1e6
