"""Cohen's log is written and read back."""

from decimal import Decimal

import numpy as np
import pytest

import simplicert as sc
from simplicert.logs.cohen import export_log
from simplicert.store import Manifest


@pytest.fixture
def run(tmp_path):
    counts = [[990, 10, 0], [400, 350, 250], [10, 980, 10], [510, 300, 190]]
    tally = sc.Tally(counts, 0.5, labels=[0, 0, 2, 0], index=[3, 5, 8, 9], plan=sc.Plan((1000,)))
    manifest = Manifest(0.5, 4, 3, plan=tally.plan, index=[-1, 3, 5, 8, 9])
    return sc.create_run(tmp_path / "run", manifest, tally)


def test_rows(run):
    certificates = run.certify()
    lines = [
        line.split("\t") for line in export_log(certificates, "cohen", "cohen", 1.5).splitlines()
    ]
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
    exact = [
        Decimal(line[3]) <= Decimal(float(r)) for line, r in zip(lines[1:], radii, strict=True)
    ]
    assert all(exact) and (written > radii * (1 - 1e-15) - 1e-300).all()


def test_read_back_and_audited(run, command, tmp_path):
    """Our own importer takes it digit for digit, and our own audit does not call it rounded."""
    log = tmp_path / "log.tsv"
    code, out, err = command("export", "cohen", run.folder, "--out", log)
    assert (code, err) == (0, "") and f"wrote {log}" in out
    code, _, err = command(
        "import", "cohen", log, "--sigma", 0.5, "--draws", 1000, "--out", tmp_path / "back"
    )
    assert code == 0 and "rounded" not in err
    back, radii = sc.open_run(tmp_path / "back").certify(), run.certify().column("cohen")
    np.testing.assert_allclose(back.column("cohen"), radii, rtol=1e-12, atol=0)
    assert (back.column("cohen") <= radii).all()


@pytest.mark.parametrize("seed", range(3))
def test_the_audit_of_our_own_export_is_clean(command, tmp_path, seed):
    """Radii of every size, down to tiny ones, over the inputs that CIFAR's users certify."""
    random = np.random.default_rng(seed)
    top = random.integers(500, 1001, 500)
    counts = np.stack([top, 1000 - top, np.zeros(500, int)], axis=1)
    tally = sc.Tally(counts, 0.5, labels=random.integers(0, 2, 500), index=20 * np.arange(500))
    sc.create_run(tmp_path / "run", Manifest(0.5, 500, 3, index=[0, 20, 500]), tally)
    command("export", "cohen", tmp_path / "run", "--out", tmp_path / "log.tsv")
    words = ["--sigma", 0.5, "--draws", 1000, "--out", tmp_path / "back"]
    code, _, err = command("import", "cohen", tmp_path / "log.tsv", *words)
    assert (code, err) == (0, "")
    assert sc.open_run(tmp_path / "back").audit == ()
    assert command("verify", tmp_path / "back")[0] == 0


def test_refused(run, command, tmp_path):
    code, _, err = command("export", "sqlite", run.folder)
    assert code == 2 and "format must be one of cohen, got 'sqlite'" in err
    code, _, err = command("export", "cohen", run.folder, "--column", "fastest")
    assert code == 2 and "column must be one of" in err
    tally = sc.Tally([[10, 1]], 0.5)
    sc.create_run(tmp_path / "bare", Manifest(0.5, 1, 2), tally)
    code, _, err = command("export", "cohen", tmp_path / "bare")
    assert code == 2 and "labels are needed for Cohen's log" in err
