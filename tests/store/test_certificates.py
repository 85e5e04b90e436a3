"""Certificates on disk have the same numbers, bit for bit, with the settings beside them."""

import json

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import simplicert as sc


@pytest.fixture
def certificates():
    random = np.random.default_rng(0)
    counts = random.multinomial(1000, [0.5, 0.3, 0.2], size=50)
    return sc.certify(sc.bound(sc.Tally(counts, 0.3, labels=random.integers(3, size=50))))


def test_csv_reads_back_bit_for_bit(tmp_path, certificates):
    sc.write_certificates(certificates, tmp_path / "c.csv")
    read = pd.read_csv(tmp_path / "c.csv")
    frame = certificates.to_frame()
    assert list(read.columns) == list(frame.columns)
    for name in ("radius", "e0", "e1", "cohen", "li", "two_sided", "ensemble"):
        np.testing.assert_array_equal(read[name], frame[name])
    assert (read["abstained"] == frame["abstained"]).all()


def test_empty_cells_are_empty(tmp_path):
    tally = sc.Tally([[500, 490, 10]], 0.5)
    sc.write_certificates(sc.certify(sc.bound(tally)), tmp_path / "c.csv")
    row = (tmp_path / "c.csv").read_text().splitlines()[1].split(",")
    assert row[:9] == ["0", "", "0", "", "", "True", "0.0", "", ""]


def test_parquet_carries_settings_and_origin(tmp_path, certificates):
    sc.write_certificates(certificates, tmp_path / "c.parquet", origin={"run": "mine"})
    table = pq.read_table(tmp_path / "c.parquet")
    settings = json.loads(table.schema.metadata[b"simplicert"])
    assert settings == {
        "sigma": 0.3,
        "alpha": 0.001,
        "proved_level": 0.001,
        "kind": "multinomial",
        "scheme": "gated",
        "method": "clopper_pearson",
        "norm": "l2",
        "sensitivity": 1.0,
        "grid": None,
        "exploratory": False,
        "run": "mine",
    }
    frame = certificates.to_frame()
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "c.parquet"), frame)


def test_other_suffixes_and_folders(tmp_path, certificates):
    with pytest.raises(sc.InvalidInput, match=r"out must end in .csv or .parquet, got '.*c.xlsx'"):
        sc.write_certificates(certificates, tmp_path / "c.xlsx")
    with pytest.raises(sc.InvalidInput, match="folder that exists"):
        sc.write_certificates(certificates, tmp_path / "no" / "c.csv")
