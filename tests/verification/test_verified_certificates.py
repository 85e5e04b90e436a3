"""Certificates on disk are compared with their run: any altered cell is found."""

import ast
import contextlib
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from verified import certified, checks, forged, moved, wrong

import simplicert as sc
from simplicert.store.manifest import Manifest
from simplicert.types.certificates import LAST_COLUMNS
from simplicert.verification import verify_run
from simplicert.verification.certificates import (
    certificate_checks,
    find_differences,
    plain_values,
)
from simplicert.verification.stored import StoredCertificates


@pytest.fixture(scope="module")
def tally():
    random = np.random.default_rng(0)
    weights = random.normal(size=(12, 4)).astype(np.float32)
    inputs, labels = random.random((40, 12)), random.integers(0, 4, 40)
    return sc.sample(lambda batch: batch @ weights, inputs, 0.2, 1000, labels=labels)


@pytest.fixture
def run(tally, tmp_path):
    """A run whose draws are made once for all tests: none of them draws again."""
    manifest = Manifest(tally.sigma, len(tally), tally.classes, plan=tally.plan, source={"seed": 0})
    return sc.create_run(tmp_path / "run", manifest, tally)


def as_text(path):
    """Return the file as it is written, cell by cell."""
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def altered(path, column, value):
    """Change the last certified row, and return its input."""
    frame = as_text(path)
    row = frame.index[frame["abstained"] == "False"][-1]
    before = frame.loc[row, column]
    with contextlib.suppress(ValueError, SyntaxError):
        before = ast.literal_eval(before)
    after = value(before)
    frame.loc[row, column] = after if isinstance(after, str) else repr(after)
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
    "predicted": lambda v: "",
    "label": lambda v: (v + 1) % 4,
    "correct": lambda v: not v,
    "abstained": lambda v: True,
    "draws": lambda v: v + 1,
    "method": lambda v: "one_sided",
    "level": lambda v: v / 2,
    "count_top": lambda v: v + 1,
    "count_second": lambda v: v - 1,
    "sensitivity": lambda v: v * 0.5,
    "grid": lambda v: 1 / 255,
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
        assert told == ("mechanisms" not in settings)


@pytest.mark.parametrize("column, value", [("alpha", 0.0005), ("scheme", "paper"), ("sigma", 0.3)])
def test_settings_changed_throughout(run, column, value):
    path = certified(run)
    frame = as_text(path)
    frame[column] = str(value)
    frame.to_csv(path, index=False)
    assert "does not follow from the tallies" in wrong(run, [path])


def test_tallies_forged_with_fitting_checksums(run):
    path = certified(run)
    forgery = forged(run, moved)
    assert "radius of input 1 is" in wrong(forgery, [path])


def test_rows_lost_added_and_doubled(run):
    path = certified(run)
    frame = as_text(path)
    frame[frame["index"] != "7"].to_csv(path, index=False)
    assert "the file does not hold input 7" in wrong(run, [path])
    frame.assign(index=frame["index"].replace("7", "77")).to_csv(path, index=False)
    assert "the tallies do not hold input 77" in wrong(run, [path])
    frame.assign(index=frame["index"].replace("7", "8")).to_csv(path, index=False)
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
    assert "made for sensitivity 2, and the run declares 1" in str(checks(run, [path]))
    sc.write_certificates(sc.certify(replace(known, level=1e-9)), path)
    assert "its proved level is 0.001, and the file says 1e-09" in wrong(run, [path])


def test_files_of_before_had_sigma_unrounded(tmp_path):
    """Old radii may be larger by the rounding of sigma; new ones may not."""
    tally = sc.Tally([[900, 80, 20], [500, 480, 20]], 0.12)
    run = sc.create_run(tmp_path / "run", Manifest(0.12, 2, 3), tally)
    path = certified(run)
    frame = as_text(path)
    for name in ("radius", "ensemble", *sc.MECHANISMS):
        if name in frame.columns:
            before = frame[name].astype(float) * 0.12 / float(np.float32(0.12))
            frame[name] = [repr(value) for value in before]
    frame.to_csv(path, index=False)
    assert "radius of input" in wrong(run, [path])
    frame.drop(columns=list(LAST_COLUMNS)).to_csv(path, index=False)
    assert not wrong(run, [path])
    assert "up to rounding (2e-08 of a number)" in str(checks(run, [path]))


def test_a_mechanism_of_the_caller_s_own_is_held_to_two_sided(run):
    path = run.folder.parent / "c.csv"
    mine = {"mine": lambda e0, e1: (e0 - e1) / 2, "li": "li"}
    sc.write_certificates(run.certify(mechanisms=mine), path)
    assert not wrong(run, [path])
    assert "how mine is computed is not known here" in str(checks(run, [path]))
    text = path.read_text()
    for column in ("li", "radius", "e0"):
        altered(path, column, lambda v: v * 1.1)
        assert f"{column} of input" in wrong(run, [path])
        path.write_text(text)
    given = as_text(path)["abstained"] == "False"
    limits = pd.Series(run.certify(mechanisms=["two_sided"]).radii["two_sided"])
    for share, above in ((0.999, False), (1.001, True), (1.9, True), (99.0, True)):
        frame = as_text(path)
        frame.loc[given, "mine"] = (share * limits[given]).map(repr)
        frame.to_csv(path, index=False)
        says = "mine of input 0 exceeds two_sided, as no true radius does"
        assert (says in wrong(run, [path])) is above
        path.write_text(text)


def test_files_are_found_where_the_commands_leave_them(run):
    path = certified(run, "run.csv")
    assert "run.csv: all 40 rows follow" in str(checks(run))
    path.rename(run.folder / "certificates.csv")
    assert "certificates.csv: all 40 rows follow" in str(checks(run))
    (run.folder / "certificates.csv").unlink()
    assert "no file of certificates" in str(checks(run))


@pytest.mark.parametrize("name", [".", "parts/..", "../link"])
def test_files_are_found_whatever_the_run_is_called(run, name, monkeypatch):
    altered(certified(run, "run.csv"), "radius", lambda _: "9.0")
    run.folder.with_name("link").symlink_to(run.folder)
    monkeypatch.chdir(run.folder)
    found = [one for one in verify_run(Path(name)) if one.about == "certificates"]
    assert [one.holds for one in found] == [False] and "run.csv does not follow" in found[0].says


@pytest.mark.parametrize("lost", ["method", "sensitivity"])
def test_a_column_that_the_comparison_needs_is_lacking(run, lost):
    path = certified(run, "run.csv")
    as_text(path).drop(columns=[lost]).to_csv(path, index=False)
    assert f"it lacks the columns {lost}" in wrong(run, [path])


def test_a_norm_without_its_noise(run):
    path = certified(run, "run.csv")
    as_text(path).assign(norm="linf").to_csv(path, index=False)
    assert "it lacks the columns noise" in wrong(run, [path])


SPELLINGS = [
    "inf",
    "-inf",
    "nan",
    "1e999",
    "1E5",
    "+1.0",
    " 1",
    "1_0",
    "\u0661",
    "0x1p3",
    "true",
    "9" * 5000,
]


@pytest.mark.slow
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_no_cell_passes_under_another_spelling(run, spelling):
    """This tries every column of the last certified row, including the settings."""
    path = certified(run)
    text = path.read_text()
    for column in text.splitlines()[0].split(","):
        altered(path, column, lambda v: spelling)
        assert wrong(run, [path]), column
        path.write_text(text)
    assert not wrong(run, [path])


@pytest.mark.parametrize(
    "column, spelling",
    [("abstained", "0"), ("abstained", "0.0"), ("correct", "1"), ("top", "True")],
)
def test_truth_values_are_no_numbers(run, column, spelling):
    path = certified(run)
    altered(path, column, lambda v: spelling)
    assert f"{column} must be" in wrong(run, [path])


def with_columns(path, change):
    """Return the file with other columns, each given as (name, cells)."""
    frame = as_text(path)
    columns = change([(name, list(frame[name])) for name in frame.columns])
    rows = zip(*([name, *cells] for name, cells in columns), strict=True)
    path.write_text("".join(",".join(row) + "\n" for row in rows))


def repeated(columns):
    return [*columns, next(c for c in columns if c[0] == "radius")]


def strange(columns):
    return [*columns, ("radius2", ["0.0"] * len(columns[0][1]))]


def strange_among_settings(columns):
    return [*columns[:17], ("bonus", ["0.0"] * len(columns[0][1])), *columns[17:]]


COLUMNS = {
    "repeated": repeated,
    "strange": strange,
    "strange among settings": strange_among_settings,
    "reversed": lambda columns: columns[::-1],
    "moved": lambda columns: [*columns[1:], columns[0]],
    "one of the last lost": lambda columns: columns[:-1],
    "ensemble lost": lambda columns: [c for c in columns if c[0] != "ensemble"],
    "e0 lost": lambda columns: [c for c in columns if c[0] != "e0"],
}


@pytest.mark.parametrize("change", COLUMNS)
def test_columns_are_those_of_the_format(run, change):
    path = certified(run)
    with_columns(path, COLUMNS[change])
    assert "column" in wrong(run, [path])


def test_a_file_without_any_of_the_last_columns_is_an_older_one(run):
    path = certified(run)
    with_columns(path, lambda columns: columns[:-6])
    assert not wrong(run, [path])
    altered(path, "radius", lambda v: v * (1 + 1e-6))
    assert "radius of input" in wrong(run, [path])


@pytest.mark.parametrize(
    "name",
    ["sigma", "alpha", "proved_level", "kind", "scheme", "method", "norm", "sensitivity", "grid"],
)
def test_what_parquet_says_besides_is_compared(run, name):
    path = certified(run, "c.parquet")
    table = pq.read_table(path)
    metadata = dict(table.schema.metadata)
    extra = json.loads(metadata[b"simplicert"])
    extra[name] = 0.25 if not isinstance(extra[name], str) else "other"
    metadata[b"simplicert"] = json.dumps(extra).encode()
    pq.write_table(table.replace_schema_metadata(metadata), path)
    assert f"its {name.replace('_', ' ')} is" in wrong(run, [path])


def test_infinity_and_other_types_in_parquet(run):
    path = certified(run, "c.parquet")
    table = pq.read_table(path)
    for name in ("radius", "li", "alpha", "level"):
        cells = pa.array([math.inf] * len(table))
        pq.write_table(table.set_column(table.column_names.index(name), name, cells), path)
        assert "must hold finite numbers, got infinity" in wrong(run, [path])
    for name, cells in (("abstained", [0] * len(table)), ("top", [1.0] * len(table))):
        place = table.column_names.index(name)
        pq.write_table(table.set_column(place, name, pa.array(cells)), path)
        assert f"column {name} must not hold" in wrong(run, [path])


def test_more_rows_than_inputs_are_not_read(run):
    path = certified(run)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines, *(f"{1000 + i}{lines[1][1:]}" for i in range(5))]) + "\n")
    assert "it holds more rows than the run's 40 inputs" in wrong(run, [path])
    table = pq.read_table(certified(run, "c.parquet"))
    pq.write_table(pa.concat_tables([table, table]), run.folder.parent / "c.parquet")
    assert "it has 80 rows, and at most 40 belong there" in wrong(
        run, [run.folder.parent / "c.parquet"]
    )


class Counting(dict):
    """The row of each input, and how often rows were looked up."""

    looked = 0

    def __iter__(self):  # noqa: D105
        for item in super().__iter__():
            Counting.looked += 1
            yield item

    def __contains__(self, item):  # noqa: D105
        Counting.looked += 1
        return super().__contains__(item)

    def __getitem__(self, item):  # noqa: D105
        Counting.looked += 1
        return super().__getitem__(item)


def test_work_grows_in_proportion_to_the_rows(monkeypatch):
    """Ten times the rows need ten times the lookups: no row searches among the others."""
    plainly = StoredCertificates.places.fget
    monkeypatch.setattr(
        StoredCertificates, "places", property(lambda stored: Counting(plainly(stored)))
    )
    looked = []
    for rows in (100, 1000):
        anew = sc.certify(sc.bound(sc.Tally(np.tile([900, 80, 20], (rows, 1)), 0.5)))
        frame = anew.to_frame()
        stored = StoredCertificates({name: plain_values(frame[name]) for name in frame.columns}, {})
        assert find_differences(stored, anew) == ([], 0.0)
        looked.append(Counting.looked)
        Counting.looked = 0
    assert looked == [300, 3000]


def test_a_size_that_the_run_does_not_record_is_the_file_s_word(tmp_path):
    """Radii in linf shrink with the root of the size: nobody else knows it here."""
    tally = sc.Tally([[990, 7, 3]], 0.5)
    for made in ({}, {"shape": [3, 4]}):
        manifest = Manifest(0.5, 1, 3, made=made)
        run = sc.create_run(tmp_path / f"run{len(made)}", manifest, tally)
        path = run.folder.with_suffix(".csv")
        sc.write_certificates(run.certify(norm="linf", size=None if made else 1), path)
        told = [check for check in certificate_checks(run, path) if "of size 1" in check.says]
        assert [check.holds for check in told] == ([] if made else [None])
