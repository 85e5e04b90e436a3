"""The lock files fit pyproject.toml, hold a hash for every pin, and name no machine."""

import importlib.util
import json
import re
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
FILES = ("base.txt", "tested.txt")


@pytest.fixture(scope="module")
def lock():
    spec = importlib.util.spec_from_file_location("lock", ROOT / "release" / "lock.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", FILES)
def test_pins_fit_what_the_project_asks_for(lock, name):
    pins = lock.read_lock(lock.FOLDER / name)
    extras = () if name == "base.txt" else lock.tested_extras()
    for one in lock.wanted(extras):
        held = canonicalize_name(one.name)
        if held != "torch" and lock.applies(one):
            assert one.specifier.contains(pins[held]), one
    assert "torch" not in pins


def test_the_base_is_part_of_the_tested_set(lock):
    base, tested = (lock.read_lock(lock.FOLDER / name) for name in FILES)
    assert base.items() <= tested.items()


def test_a_pin_without_a_hash_and_an_address_are_refused(lock, tmp_path):
    for text, says in (
        ("a==1 \\\nb==2 \\\n", "a pin without a hash"),
        ("a @ https://example.org/a.whl\n", "no pin and no hash"),
        ("--index-url https://example.org\n", "no pin and no hash"),
        ("a==1 \\\n    --hash=md5:00\n", "no pin and no hash"),
    ):
        (tmp_path / "x.txt").write_text(text)
        with pytest.raises(SystemExit, match=says):
            lock.read_lock(tmp_path / "x.txt")


def test_no_address_and_no_path(lock):
    for path in lock.FOLDER.glob("*.txt"):
        lines = [one for one in path.read_text().splitlines() if not one.startswith("#")]
        assert not [one for one in lines if re.search(r"[/@]|\bfile\b|--index|--find", one)], path
    assert "://" not in lock.SBOM.read_text()


def test_torch_is_pinned_as_in_the_constraints(lock):
    assert lock.TORCH.read_text() == lock.WITHOUT_HASH.format(version=lock.pinned_torch())


def test_the_bill_of_materials_names_the_tested_set(lock):
    bill = json.loads(lock.SBOM.read_text())
    held = {one["name"]: one["version"] for one in bill["components"]}
    assert held == lock.read_lock(lock.TESTED) | {"torch": lock.pinned_torch()}
    refs = {one["bom-ref"] for one in (*bill["components"], bill["metadata"]["component"])}
    assert {one["ref"] for one in bill["dependencies"]} == refs
    assert all(set(one["dependsOn"]) <= refs for one in bill["dependencies"])
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
