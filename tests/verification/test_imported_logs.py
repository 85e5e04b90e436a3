"""Of an imported log what follows from its text is checked; the rest is its author's word."""

from dataclasses import replace
from io import BytesIO

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import simplicert as sc
from simplicert.files import content_checksum
from simplicert.logs import import_counts, import_dsrs, import_log, import_radii
from simplicert.store.manifest import read_manifest, write_manifest
from simplicert.verification import Replay, verify_run


def test_imported_counts_hold_what_they_can(tmp_path):
    table = tmp_path / "counts.txt"
    table.write_text("900 80 20 0\n500 480 20 1\n10 990 0 2\n")
    run = import_counts(table, 0.5, tmp_path / "run")
    found = list(verify_run(run.folder, replay=Replay(2)))
    assert [c.says for c in found if c.holds is False] == []
    assert "at the word of the imported counts" in str(found)
    assert "it was imported" in found[-1].says


def test_an_imported_log(tmp_path):
    log = tmp_path / "log.tsv"
    log.write_text("idx\tlabel\tpredict\tradius\tcorrect\ttime\n0\t1\t1\t0.5\t1\t0:00:01\n")
    run = import_log("cohen", log, 0.5, tmp_path / "run", draws=1000)
    path = tmp_path / "run.csv"
    sc.write_certificates(run.certify(), path)
    found = list(verify_run(run.folder, replay=Replay(2)))
    assert all(c.holds is not False for c in found[:-1]), found
    assert found[-1].holds is None
    (table,) = run.folder.glob("known-*")
    table.write_bytes(table.read_bytes()[:-1])
    assert table.name in str([c for c in verify_run(run.folder) if c.holds is False])


def log_run(tmp_path, rows="0\t1\t1\t0.5\t1\t0:00:01\n1\t1\t-1\t0.0\t0\t0:00:01\n"):
    log = tmp_path / "log.tsv"
    log.write_text("idx\tlabel\tpredict\tradius\tcorrect\ttime\n" + rows)
    return import_log("cohen", log, 0.5, tmp_path / "run", draws=1000)


def rewrite_log(run, **columns):
    """Write the one table of the run with other columns, under a name that fits."""
    (path,) = run.folder.glob("known-*")
    table = pq.read_table(path)
    for name, cells in columns.items():
        place = table.column_names.index(name)
        table = table.set_column(place, name, pa.array(cells))
    sink = BytesIO()
    pq.write_table(table, sink)
    path.unlink()
    (run.folder / f"known-{content_checksum(sink.getvalue())}.parquet").write_bytes(sink.getvalue())
    return "\n".join(c.says for c in verify_run(run.folder) if c.holds is False)


NOT_A_NUMBER = float("nan")


@pytest.mark.parametrize(
    "columns, says",
    [
        ({"e0": [2.0, NOT_A_NUMBER]}, "e0 must lie in"),
        ({"e0": [0.99, NOT_A_NUMBER], "e1": [0.01, NOT_A_NUMBER]}, "e0 of input 0 is 0.81"),
        ({"e0": [NOT_A_NUMBER] * 2, "e1": [NOT_A_NUMBER] * 2}, "e0 of input 0 is 0.81"),
        ({"e0": [float("inf"), NOT_A_NUMBER]}, "e0 must lie in"),
        ({"e0": ["0.9", "0.1"]}, "must hold decimals in column e0"),
        ({"e1": [0.1, NOT_A_NUMBER]}, "e1 of input 0 is 0.18"),
        ({"predicted": ["1", "x"]}, "must hold whole numbers in column predicted"),
        ({"predicted": [1, 1]}, "reason of input 1 is"),
        ({"index": [0.5, 1.5]}, "must hold whole numbers in column index"),
        ({"reason": ["certified", "certified"]}, "reason of input 1 is abstained"),
        ({"radius_text": ["0.6", "0.0"]}, "e0 of input 0 is"),
        ({"radius_text": ["x", "0.0"]}, "the imported log contradicts itself"),
        ({"radius_text": ["inf", "0.0"]}, "the imported log contradicts itself"),
        ({"label": [None, 1]}, "must hold whole numbers in column label"),
        ({"draws": [0.0, 1.0]}, "must hold whole numbers in column draws"),
    ],
)
def test_a_forged_log_is_noticed_without_any_file_of_certificates(tmp_path, columns, says):
    run = log_run(tmp_path)
    assert not [c for c in verify_run(run.folder) if c.holds is False]
    assert says in rewrite_log(run, **columns)


def test_what_of_a_log_is_its_author_s_word_is_said(tmp_path):
    run = log_run(tmp_path)
    said = str(list(verify_run(run.folder)))
    assert "that the text is its author's is not shown here (sha256 of the log: " in said
    manifest = read_manifest(run.folder)
    write_manifest(run.folder, replace(manifest, sigma=0.25))
    assert "does not follow from its text" in str(list(verify_run(run.folder)))


def test_a_log_of_bare_radii_follows_from_its_text(tmp_path):
    log = tmp_path / "radii.csv"
    log.write_text("i,p,r\n0,1,0.5\n1,0,0.25\n")
    run = import_radii(log, "index=i,predict=p,radius=r", 0.5, tmp_path / "run", bare=True)
    assert not [c for c in verify_run(run.folder) if c.holds is False]
    assert "radius of input 1 is 0.25, not 0.75" in rewrite_log(run, radius=[0.5, 0.75])


def test_a_log_of_bounds_follows_from_its_text(tmp_path):
    """E0 is the bound itself, whatever a radius would say."""
    log = tmp_path / "bounds.txt"
    log.write_text(
        "x disttype gaussian\nx std 0.5\nx N 1000\nx alpha 0.001\no 0 0.9 0.91\no 1 0.4 0.41\n"
    )
    run = import_dsrs(log, tmp_path / "run")
    assert not [c for c in verify_run(run.folder) if c.holds is False]
    assert "e0 of input 0 is 0.8999" in rewrite_log(run, e0=[0.95, NOT_A_NUMBER])


def test_one_input_may_be_drawn_again_and_no_fewer(tmp_path):
    run = log_run(tmp_path)
    assert all(c.holds is not False for c in verify_run(run.folder, replay=Replay(1)))
    with pytest.raises(sc.InvalidInput, match="replay must be a positive number of inputs"):
        list(verify_run(run.folder, replay=Replay(0)))
