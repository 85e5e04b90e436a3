"""Runs of expectations or bare radii give back what a log said, and promise no more."""

import math
import tomllib
from dataclasses import FrozenInstanceError

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import simplicert as sc
from simplicert.files import content_checksum
from simplicert.logs import import_log, import_radii
from simplicert.store.imported import read_imported_run, write_imported_run
from simplicert.store.manifest import Manifest

LOG = """\
idx\tlabel\tpredict\tradius\tcorrect\ttime
0\t3\t3\t0.486\t1\t17.2
20\t7\t-1\t0.0\t0\t17.1
40\t4\t6\t1.2\t0\t62.5
"""
COLUMNS = "index=idx,label=label,predict=predict,radius=radius"


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "sigma_0.50"
    path.write_text(LOG)
    return path


@pytest.fixture
def run(log, tmp_path):
    import_log("cohen", log, 0.5, tmp_path / "run", alpha=0.01, draws=1000)
    return read_imported_run(tmp_path / "run")


@pytest.mark.parametrize("seconds", [[1e308] * 3, [1.0, 1.0, -1e9], [math.inf] * 3, ["a"] * 3])
def test_times_that_cannot_be_added_are_refused(run, seconds):
    """A card adds them; the sum of two finite numbers may be none."""
    rewrite_seconds(run, seconds)
    with pytest.raises(
        sc.DamagedRun, match=r"less than 1,000,000,000 s in each|must hold decimals"
    ):
        _ = read_imported_run(run.folder).columns
    rewrite_seconds(run, [math.nan, 17.0, 999_999_999.0])
    assert len(read_imported_run(run.folder)) == 3


def rewrite_seconds(run, seconds):
    """Write the one table of the run with other times, under a name that fits."""
    (path,) = run.folder.glob("known-*")
    table = pq.read_table(path)
    table = table.set_column(table.column_names.index("seconds"), "seconds", pa.array(seconds))
    path.unlink()
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    content = sink.getvalue().to_pybytes()
    (run.folder / f"known-{content_checksum(content)}.parquet").write_bytes(content)


@pytest.fixture
def bare(log, tmp_path):
    import_radii(log, COLUMNS, 0.5, tmp_path / "bare", bare=True)
    return read_imported_run(str(tmp_path / "bare"))


def test_expectations(run):
    known = run.expectations()
    assert known.index.tolist() == [0, 20, 40]
    assert known.top.tolist()[::2] == [3, 6]
    assert known.labels.tolist() == [3, 7, 4]
    assert known.draws.tolist() == [1000] * 3
    assert known.abstained.tolist() == [False, True, False]
    assert known.reason.tolist() == ["certified", "abstained", "certified"]
    assert (known.sigma, known.alpha, known.level) == (0.5, 0.01, 0.01)
    assert (known.kind, known.scheme, known.method) == ("multinomial", "imported", "radius")
    np.testing.assert_array_equal(known.e1, 1 - known.e0)


def test_certificates(run):
    found = run.certify()
    assert set(found.radii) == {"cohen", "two_sided"}
    np.testing.assert_allclose(found.radius, [0.4855, 0.0, 1.195], rtol=1e-9)
    assert not found.exploratory
    frame = run.to_frame()
    assert frame["predicted"].tolist()[::2] == [3, 6]
    assert frame["abstained"].tolist() == [False, True, False]
    assert frame["correct"].tolist() == [True, False, False]
    assert set(run.certify(mechanisms="cohen").radii) == {"cohen"}
    assert set(run.certify(0.01, "hard", "imported", "radius", ["two_sided"]).radii) == {
        "two_sided"
    }


def test_everything_the_log_said_is_kept(run):
    assert run.columns["radius_text"] == ["0.486", "0.0", "1.2"]
    assert run.columns["correct"].tolist() == [1, 0, 0]
    assert run.columns["seconds"].tolist() == [17.2, 17.1, 62.5]
    assert (len(run), run.missing) == (3, 0)
    assert "3 inputs, 2 with a class, expectations of sigma_0.50, sigma 0.5" in repr(run)


def test_the_manifest_says_what_it_is(run, tmp_path):
    content = tomllib.loads((tmp_path / "run" / "run.toml").read_text())
    source = content["source"]
    assert (source["format"], source["file"], source["holds"]) == (
        "cohen",
        "sigma_0.50",
        "expectations",
    )
    assert len(source["sha256"]) == 32
    assert source["audit"] == list(run.audit)
    assert any("rounded to nearest" in sentence for sentence in run.audit)
    assert (content["classes"], content["inputs"]) == (8, 3)
    assert content["package"] == sc.__version__


def test_there_is_no_tally(run, bare):
    for known in (run, bare):
        with pytest.raises(sc.MissingEvidence, match="no tally: the log gives no counts of all"):
            known.tally()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alpha": 0.001}, r"alpha must be 0.01, as .* was imported: .* got 0.001"),
        ({"kind": "softmax"}, "kind must be multinomial"),
        ({"scheme": "gated"}, "scheme must be imported"),
        ({"method": "clopper_pearson"}, "method must be radius"),
        ({"mechanisms": ["cohen", "li"]}, "must be among cohen, two_sided .* got cohen, li"),
        ({"mechanisms": {"cohen": "li"}}, "mechanisms must be among cohen, two_sided"),
    ],
)
def test_nothing_else_can_be_computed(run, settings, message):
    with pytest.raises(sc.InvalidInput, match=message):
        run.certify(**settings)


def test_bare_radii(bare):
    frame = bare.to_frame()
    assert list(frame.columns) == ["index", "label", "predicted", "correct", "radius"]
    assert frame["radius"].tolist() == [0.486, 0.0, 1.2]
    assert frame["predicted"].isna().tolist() == [False, True, False]
    assert frame["correct"].tolist() == [True, False, False]
    assert not any("draws" in sentence for sentence in bare.audit)  # no cap without a formula
    for compute in (bare.expectations, bare.certify):
        with pytest.raises(sc.MissingEvidence, match="holds bare radii"):
            compute()


def test_bare_radii_without_labels_and_without_a_radius(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("c,r\n1,0.5\n2,None\n-1,0.3\n4,-0.2\n")
    frame = import_radii(path, "predict=c,radius=r", 1.0, tmp_path / "run", bare=True).to_frame()
    assert frame["label"].isna().all()
    assert frame["correct"].isna().all()
    assert frame["radius"].tolist() == [0.5, 0.0, 0.0, 0.0]


def test_class_zero_is_a_class(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("c,r\n0,0.7\n-1,0.3\n")
    frame = import_radii(path, "predict=c,radius=r", 1.0, tmp_path / "run", bare=True).to_frame()
    assert frame["radius"].tolist() == [0.7, 0.0]
    assert frame["predicted"][0] == 0 and frame["predicted"].isna().tolist() == [False, True]


def test_counts_are_bounded_by_the_draws_stated(tmp_path):
    path = tmp_path / "log"
    path.write_text(
        "idx\tlabel\tpredict\tradius\traw_count\n0\t1\t1\t0.5\t900\n20\t1\t-1\t0.0\t400\n"
    )
    run = import_log("second-order", path, 0.5, tmp_path / "run", draws=1000)
    assert run.expectations().method == "count"
    assert run.expectations().e0[0] == pytest.approx(0.867464, abs=1e-4)
    assert run.columns["count"].tolist() == [900, 400]
    with pytest.raises(sc.InvalidInput, match="draws must be given with a second-order log"):
        import_log("second-order", path, 0.5, tmp_path / "other")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sigma": 0}, "sigma must be a positive finite number, got 0"),
        ({"alpha": 1.0}, "alpha must lie strictly between 0 and 1, got 1.0"),
        ({"draws": 0}, "draws must be at least 1, got 0"),
        ({"name": "salman"}, "format must be one of cohen, second-order, iss, got 'salman'"),
    ],
)
def test_import_refuses_before_it_writes(log, tmp_path, change, message):
    settings = {"name": "cohen", "file": log, "sigma": 0.5, "out": tmp_path / "run", **change}
    with pytest.raises(sc.InvalidInput, match=message):
        import_log(**settings)
    assert not (tmp_path / "run").exists()


def test_an_existing_folder_is_never_touched(run, log, tmp_path):
    with pytest.raises(sc.InvalidInput, match="already holds something"):
        import_log("cohen", log, 0.5, tmp_path / "run")


def test_damage_is_named(run, tmp_path):
    path = next((tmp_path / "run").glob("known-*.parquet"))
    content = path.read_bytes()
    path.write_bytes(content[:-9])
    with pytest.raises(sc.DamagedRun, match="was altered or truncated"):
        len(read_imported_run(tmp_path / "run"))
    path.unlink()
    with pytest.raises(sc.DamagedRun, match="must hold one file known-"):
        read_imported_run(tmp_path / "run").certify()


def test_what_is_no_run_of_a_log(tmp_path):
    with pytest.raises(sc.InvalidInput, match="run must be a folder that exists"):
        read_imported_run(tmp_path / "nowhere")
    tally = sc.Tally([[5, 1]], 0.5)
    sc.create_run(tmp_path / "run", Manifest(0.5, 1, 2), tally)
    with pytest.raises(sc.DamagedRun, match="must hold expectations or radii, got None"):
        read_imported_run(tmp_path / "run")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"index": [0], "predicted": [1]}, "lacks the columns e0, e1, reason"),
        (
            {"index": [0], "predicted": [1], "e0": [1.5], "e1": [0.1], "reason": ["certified"]},
            r"does not hold expectations: e0 must lie in \[0, 1\]",
        ),
    ],
)
def test_tables_that_are_not_expectations(tmp_path, columns, message):
    manifest = Manifest(0.5, 1, 2, source={"holds": "expectations"})
    run = write_imported_run(tmp_path / "run", manifest, columns)
    with pytest.raises(sc.DamagedRun, match=message):
        run.expectations()


def test_other_programs_can_read_the_table(run, tmp_path):
    table = pq.read_table(next((tmp_path / "run").glob("known-*.parquet")))
    assert table.schema.field("e0").type == pa.float64()
    assert table.schema.field("predicted").type == pa.int64()


def test_a_run_of_a_log_lies_in_folders_that_are_made_and_does_not_change(run, tmp_path):
    columns = {"index": [0], "predicted": [1], "radius": [0.5]}
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "a" / "b" / "run", tmp_path / "empty"):
        made = write_imported_run(folder, run.manifest, columns)
        assert made.folder == folder and (folder / "run.toml").exists()
    with pytest.raises(FrozenInstanceError):
        run.folder = tmp_path
