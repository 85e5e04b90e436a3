"""Certificates on disk against their run: any cell that was touched is found."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from verified import certified, checks, forged, fresh, moved, wrong

import simplicert as sc
from simplicert.types.certificates import LAST


@pytest.fixture
def run(place):
    return fresh(place, draws=1000, sigma=0.2)


def altered(path, column, value):
    """Change the first certified row; its input."""
    frame = pd.read_csv(path)
    row = frame.index[~frame["abstained"]][0]
    frame[column] = frame[column].astype(object)
    frame.loc[row, column] = value(frame.loc[row, column])
    frame.to_csv(path, index=False)
    return frame.loc[row, "index"]


CHANGES = {
    "radius": lambda v: v * (1 + 1e-8),
    "e0": lambda v: v * (1 + 1e-8),
    "e1": lambda v: v * (1 - 1e-8),
    "li": lambda v: v * (1 - 1e-8),
    "ensemble": lambda v: 0.0,
    "winner": lambda v: "lecuyer",
    "top": lambda v: (v + 1) % 4,
    "predicted": lambda v: np.nan,
    "label": lambda v: (v + 1) % 4,
    "correct": lambda v: not v,
    "abstained": lambda v: True,
    "draws": lambda v: v + 1,
}


@pytest.mark.parametrize("column", CHANGES)
def test_one_cell_changed(run, column):
    path = certified(run)
    item = altered(path, column, CHANGES[column])
    assert f"{column} of input {item} is" in wrong(run, [path])


def test_rounding_of_other_libraries_is_said_and_allowed(run):
    path = certified(run)
    altered(path, "radius", lambda v: v * (1 - 1e-13))
    assert not wrong(run, [path])
    assert "up to rounding (1e-13" in str(checks(run, [path]))


def test_settings_are_the_file_s_own_and_others_than_declared_are_said(run):
    for settings in (
        {"alpha": 0.01},
        {"kind": "softmax"},
        {"kind": "softmax", "scheme": "paper"},
        {"scheme": "joint"},
        {"method": "one_sided"},
        {"mechanisms": ["li", "two_sided"]},
    ):
        path = certified(run, **settings)
        found = [c for c in checks(run, [path]) if c.about == "certificates"]
        assert found[0].holds, (settings, found)
        told = "exploratory" in str(found)
        assert told == bool({"alpha", "kind", "scheme"} & set(settings))


@pytest.mark.parametrize("column, value", [("alpha", 0.0005), ("scheme", "paper"), ("sigma", 0.3)])
def test_settings_changed_throughout(run, column, value):
    path = certified(run)
    frame = pd.read_csv(path)
    frame[column] = value
    frame.to_csv(path, index=False)
    assert "does not follow from the tallies" in wrong(run, [path])


def test_tallies_forged_with_fitting_checksums(run):
    path = certified(run)
    forgery = forged(run, moved)
    assert "radius of input 1 is" in wrong(forgery, [path])


def test_rows_lost_added_and_doubled(run):
    path = certified(run)
    frame = pd.read_csv(path)
    frame[frame["index"] != 7].to_csv(path, index=False)
    assert "the file does not hold input 7" in wrong(run, [path])
    frame.assign(index=frame["index"].replace(7, 77)).to_csv(path, index=False)
    assert "the tallies do not hold input 77" in wrong(run, [path])
    frame.assign(index=frame["index"].replace(7, 8)).to_csv(path, index=False)
    assert "an input comes twice" in wrong(run, [path])


@pytest.mark.parametrize(
    "content",
    [b"", b"index,radius\n0,1\n", b"\xff\xfe\x00", b"index,radius,alpha,kind,scheme,sigma\n",
     b"index,radius,alpha,kind,scheme,sigma\n0,1,0.1,x,y,z\n",
     b"index,radius,alpha,kind,scheme,sigma\n0,1,?,multinomial,gated,1\n",
     b"index,radius,alpha,kind,scheme,sigma\n0,1,0.1,multinomial,gated,1\n1,1,0.2,multinomial,gated,1\n"],
)  # fmt: skip
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_files_that_are_no_certificates(run, content, suffix):
    path = run.folder.parent / f"no{suffix}"
    path.write_bytes(content)
    assert f"certificates: no{suffix}" in wrong(run, [path])


def test_parquet_says_its_level_and_sensitivity(run):
    known = sc.bound(run.tally())
    path = run.folder.parent / "c.parquet"
    sc.write_certificates(sc.certify(known, sensitivity=2.0), path)
    assert not wrong(run, [path])
    assert "made for sensitivity 2, and the run declares 1" in str(checks(run, [path]))
    sc.write_certificates(sc.certify(replace(known, level=1e-9)), path)
    assert "the proved level is 0.001, and the file says 1e-09" in wrong(run, [path])


def test_files_of_before_had_sigma_unrounded(place):
    """Radii of then may be larger by the rounding of sigma; files of now may not."""
    run = fresh(place, sigma=0.12)
    path = certified(run)
    frame = pd.read_csv(path)
    radii = [name for name in ("radius", "ensemble", *sc.MECHANISMS) if name in frame.columns]
    for name in radii:
        frame[name] *= 0.12 / float(np.float32(0.12))
    frame.to_csv(path, index=False)
    assert "radius of input" in wrong(run, [path])
    frame.drop(columns=list(LAST)).to_csv(path, index=False)
    assert not wrong(run, [path])
    assert "up to rounding (2e-08 of a number)" in str(checks(run, [path]))


def test_a_mechanism_of_the_caller_s_own_is_not_judged(run):
    path = run.folder.parent / "c.csv"
    mine = {"mine": lambda e0, e1: (e0 - e1) / 2, "li": "li"}
    sc.write_certificates(run.certify(mechanisms=mine), path)
    assert not wrong(run, [path])
    assert "radii of mine, and what rests on them, are not recomputed" in str(checks(run, [path]))
    altered(path, "li", lambda v: v * 1.1)
    assert "li of input" in wrong(run, [path])


def test_files_are_found_where_the_commands_leave_them(run):
    path = certified(run, "run.csv")
    assert "run.csv: all 40 rows follow" in str(checks(run))
    path.rename(run.folder / "certificates.csv")
    assert "certificates.csv: all 40 rows follow" in str(checks(run))
    (run.folder / "certificates.csv").unlink()
    assert "no file of certificates" in str(checks(run))
