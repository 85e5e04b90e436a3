"""A part says which run it is of, and with which sensitivity its radii are to be divided."""

import re
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

import simplicert as sc
from simplicert.errors import DamagedRun
from simplicert.files import content_checksum
from simplicert.store.identity import STAGE, find_strange_setting, run_identity
from simplicert.store.manifest import CHECKSUM_LINE, Manifest
from simplicert.store.parts import part_name

TALLY = sc.Tally([[990, 7, 3]], 0.5)


def stretched(folder, sensitivity):
    source = {} if sensitivity is None else {"sensitivity": sensitivity}
    return sc.create_run(folder, Manifest(0.5, 1, 3, source=source), TALLY)


def restate(run, sensitivity):
    """Change the sensitivity in run.toml, or leave it out, with a checksum that fits."""
    path = run.folder / "run.toml"
    text = path.read_text().rpartition(CHECKSUM_LINE)[0]
    text = re.sub(r"sensitivity = .*\n", "", text)
    if sensitivity is not None:
        text = text.replace("[source]\n", f"[source]\nsensitivity = {sensitivity}\n")
    path.write_text(f"{text}{CHECKSUM_LINE}{content_checksum(text.encode())}\n")


@pytest.mark.parametrize("before", [None, 2.0])
@pytest.mark.parametrize("after", [None, 2.0, 0.5, 1e-300, 1e300, 2])
def test_a_sensitivity_that_was_changed_in_run_toml_alone_is_refused(tmp_path, before, after):
    run = stretched(tmp_path / "run", before)
    restate(run, after)
    again = sc.open_run(run.folder)
    if (before or 1.0) == (after or 1.0):  # 2 and 2.0 are the same, and so are 1 and none
        assert again.certify().sensitivity == (after or 1.0)
        return
    with pytest.raises(DamagedRun, match="its sensitivity is not this run's"):
        again.certify()


@pytest.mark.parametrize("sensitivity", [None, 2.0])
def test_a_part_of_an_earlier_version_says_no_sensitivity_and_is_read(tmp_path, sensitivity):
    run = stretched(tmp_path / "run", sensitivity)
    (path,) = run.paths()
    table = pq.read_table(path)
    said = dict(table.schema.metadata)
    assert said.pop(STAGE) == (sensitivity or 1.0).hex().encode()
    pq.write_table(table.replace_schema_metadata(said), path)
    path.rename(path.with_name(part_name(0, path.read_bytes())))
    assert sc.open_run(run.folder).tally() == TALLY


def test_each_setting_is_compared_and_named():
    own = Manifest(0.5, 1, 3)
    others = {
        "run": replace(own, id="0" * 16),
        "sigma": replace(own, sigma=0.25),
        "classes": replace(own, classes=4),
        "format": replace(own, format=1),
        "noise": replace(own, format=3, noise={"name": "laplace"}),
        "sensitivity": replace(own, source={"sensitivity": 0.5}),
    }
    assert find_strange_setting(run_identity(own), own) is None
    for name, other in others.items():
        found = find_strange_setting(run_identity(other), own)
        assert found == ("format" if name == "noise" else name)
    assert find_strange_setting({**run_identity(own), b"noise": b"laplace"}, own) == "noise"
