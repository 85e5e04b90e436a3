"""Cohen's log, written and read back."""

import numpy as np
import pytest

import simplicert as sc
from simplicert.runs import Manifest
from simplicert.runs.logs.export import export


@pytest.fixture
def run(tmp_path):
    counts = [[990, 10, 0], [400, 350, 250], [10, 980, 10], [510, 300, 190]]
    tally = sc.Tally(counts, 0.5, labels=[0, 0, 2, 0], index=[3, 5, 8, 9], plan=sc.Plan((1000,)))
    manifest = Manifest(0.5, 4, 3, plan=tally.plan, index=[-1, 3, 5, 8, 9])
    return sc.create_run(tmp_path / "run", manifest, tally)


def test_rows(run):
    certificates = run.certify()
    lines = [line.split("\t") for line in export(certificates, "cohen", "cohen", 1.5).splitlines()]
    assert lines[0] == ["idx", "label", "predict", "radius", "correct", "time"]
    assert [line[:3] for line in lines[1:]] == [
        ["3", "0", "0"],
        ["5", "0", "-1"],
        ["8", "2", "1"],
        ["9", "0", "-1"],
    ]
    assert [line[4] for line in lines[1:]] == ["1", "0", "0", "0"]
    assert lines[1][5] == "0:00:01.500000"
    written = np.array([float(line[3]) for line in lines[1:]])
    radii = certificates.column("cohen")
    assert (written <= radii).all() and (written > radii - 1e-6).all()


def test_read_back_and_audited(run, command, tmp_path):
    """Our own importer takes it, less half a last digit, as other logs are rounded to nearest."""
    log = tmp_path / "log.tsv"
    code, out, err = command("export", "cohen", run.folder, "--out", log)
    assert (code, err) == (0, "") and f"wrote {log}" in out
    code, _, err = command(
        "import", "cohen", log, "--sigma", 0.5, "--draws", 1000, "--out", tmp_path / "back"
    )
    assert code == 0, err
    back = sc.open_run(tmp_path / "back").certify()
    np.testing.assert_allclose(
        back.column("cohen"), run.certify().column("cohen"), rtol=0, atol=1.6e-6
    )


def test_refused(run, command, tmp_path):
    code, _, err = command("export", "sqlite", run.folder)
    assert code == 2 and "format must be one of cohen, got 'sqlite'" in err
    code, _, err = command("export", "cohen", run.folder, "--column", "fastest")
    assert code == 2 and "column must be one of" in err
    tally = sc.Tally([[10, 1]], 0.5)
    sc.create_run(tmp_path / "bare", Manifest(0.5, 1, 2), tally)
    code, _, err = command("export", "cohen", tmp_path / "bare")
    assert code == 2 and "labels are needed for Cohen's log" in err
