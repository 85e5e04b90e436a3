"""Runs of scheme joint from before it had a pair: they stay what they declared."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import simplicert as sc
from simplicert.store.differences import manifest_differences
from simplicert.store.manifest import read_manifest
from simplicert.verification.certificates import certificate_checks

COUNTS = [[900, 80, 20], [57, 3, 940], [480, 300, 220], [999, 1, 0], [390, 310, 300]]

# Printed by the version before the pair, alpha .01.
MARGINS = {0: 1.2116052274566878, 2: 0.14796040198721, 3: 2.469548173954054}


def write_run(folder, **settings):
    manifest = sc.Manifest(1.0, len(COUNTS), 3, alpha=0.01, scheme="joint", **settings)
    return sc.create_run(folder, manifest, sc.Tally(COUNTS, 1.0))


@pytest.fixture
def earlier(tmp_path):
    """A run whose run.toml names the scheme and no method, as all of them did."""
    path = write_run(tmp_path / "run", method="buehler").folder / "run.toml"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(s for s in lines if not s.startswith(("method", "# checksum"))))
    return sc.open_run(tmp_path / "run")


def test_an_earlier_run_is_certified_as_it_declared(earlier):
    assert earlier.manifest.method == "buehler"
    made = earlier.certify()
    assert not made.exploratory
    assert made.columns == ("two_sided",)
    for row, margin in MARGINS.items():
        assert made.known.margin[row] == pytest.approx(margin, rel=1e-12)
    assert earlier.certify(method="buehler+pair").exploratory


def test_a_new_run_names_its_method(tmp_path):
    run = write_run(tmp_path / "run")
    assert read_manifest(run.folder).method == "buehler+pair"
    made = sc.open_run(run.folder).certify()
    assert not made.exploratory
    assert "ensemble" in made.columns
    assert run.certify(method="buehler").exploratory


def test_an_earlier_run_goes_on_by_its_own_method(earlier):
    now = sc.Manifest(1.0, len(COUNTS), 3, alpha=0.01, scheme="joint")
    assert not [
        name for name, *_ in manifest_differences(earlier.manifest, now) if name == "method"
    ]
    back = [name for name, *_ in manifest_differences(now, earlier.manifest)]
    assert "method" in back


def checker():
    path = Path(__file__).parents[2] / "verify.py"
    spec = importlib.util.spec_from_file_location("script_of_the_root", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("method", ["buehler", "buehler+pair"])
def test_files_of_both_are_verified(earlier, tmp_path, method):
    path = tmp_path / "c.csv"
    earlier.certify(method=method).to_frame().to_csv(path, index=False)
    found = list(certificate_checks(earlier, path))
    assert found[0].holds, found
    wrong, said, whole = checker().check(path, None)
    assert (wrong, whole) == ([], False)  # the margin needs the tallies
    assert ("4 of 4 pairs are limits" in said[1]) == (method == "buehler+pair")
    run_toml = earlier.folder / "run.toml"
    told = [reason for _, reason in checker().check(path, run_toml)[0]]
    assert told == ([] if method == "buehler" else [told[0]])
    assert all("the run declares 'buehler'" in reason for reason in told)


def test_the_checker_holds_the_pair_of_scheme_joint_to_its_share(earlier, tmp_path):
    """E0 and E1 of another share are refused, and so are radii that the pair does not prove."""
    path = tmp_path / "c.csv"
    frame = earlier.certify(method="buehler+pair").to_frame()
    gated = sc.certify(sc.bound(sc.Tally(COUNTS, 1.0), 0.01)).to_frame()
    for column, says in (("e0", "e0 is above the limit"), ("cohen", "does not follow from e0")):
        changed = frame.copy()
        changed[column] = np.where(frame["abstained"], frame[column], gated[column])
        changed.to_csv(path, index=False)
        assert says in str(checker().check(path, None)[0])
