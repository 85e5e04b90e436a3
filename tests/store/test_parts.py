"""Columns and seconds of a part that do not fit its run are refused."""

import json
import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import simplicert as sc
from simplicert.errors import DamagedRun
from simplicert.store.parts import (
    _decode_sparse,
    _encode_sparse,
    read_inputs,
    read_origins,
    read_part,
    read_part_table,
    run_identity,
    write_part,
)


def sparse(classes, values):
    return pa.table({"counts_class": classes, "counts_value": values})


def test_zeros_are_left_out_and_come_back():
    table = sparse([[0, 3], [], [2]], [[7, 1], [], [5]])
    values = _decode_sparse(table, "counts", 4)
    assert values.tolist() == [[7, 0, 0, 1], [0, 0, 0, 0], [0, 0, 5, 0]]
    assert pa.table(_encode_sparse("counts", values)).to_pydict() == table.to_pydict()


@pytest.mark.parametrize(
    "table",
    [
        sparse([[0, 4], [1]], [[7, 1], [5]]),  # no such class: it would be the next input's
        sparse([[-1, 3], [1]], [[7, 1], [5]]),
        sparse([[0], [-1]], [[7], [5]]),  # it would be the last class
        sparse([[0], [4]], [[7], [5]]),
        sparse([[3, 0], [1]], [[7, 1], [5]]),
        sparse([[3, 3], [1]], [[7, 1], [5]]),
        sparse([[0, 3], [1]], [[7], [5]]),
        sparse([[0, 3], [1]], [[7], [5, 1]]),
        sparse([[0.0, 3.0], [1.0]], [[7, 1], [5]]),
        sparse([[0, 3], [1]], [[7.5, 1.0], [5.0]]),
    ],
)
def test_classes_that_do_not_fit_are_refused(table):
    with pytest.raises(DamagedRun, match="column counts does not fit 4 classes, each named once"):
        _decode_sparse(table, "counts", 4)


@pytest.mark.parametrize("seconds", [1e9, 1e18, 1e308, math.inf, math.nan, -0.001])
def test_a_part_of_thousands_of_years_is_damaged(tmp_path, seconds):
    """Two finite numbers may have no finite sum, and a date or a text has no room for others."""
    manifest = sc.Manifest(0.5, 1, 2)
    path = write_part(tmp_path, sc.Tally([[9, 1]], 0.5), manifest, seconds)
    for read in (lambda: read_part(path, manifest), lambda: read_origins(path)):
        with pytest.raises(DamagedRun, match="must have taken 0 to 1,000,000,000 s, got"):
            read()


def test_a_part_of_thirty_years_is_read(tmp_path):
    manifest = sc.Manifest(0.5, 1, 2)
    path = write_part(tmp_path, sc.Tally([[9, 1]], 0.5), manifest, 999_999_999.0)
    assert read_origins(path) == {path.stem: 999_999_999.0} and len(read_part(path, manifest)) == 1


def test_merged_seconds_of_a_thousand_digits(tmp_path):
    """JSON allows them, and no decimal number does."""
    manifest = sc.Manifest(0.5, 1, 2)
    table = read_part_table(write_part(tmp_path, sc.Tally([[9, 1]], 0.5), manifest), manifest)
    for seconds, words in ((10**900, "does not say how long it took"), (1e10, "must have taken")):
        origins = json.dumps({"a": seconds}).encode()
        notes = {**run_identity(manifest), b"merged": origins}
        pq.write_table(table.replace_schema_metadata(notes), tmp_path / "merged.parquet")
        with pytest.raises(DamagedRun, match=words):
            read_origins(tmp_path / "merged.parquet")


def test_a_link_in_the_place_of_a_part_is_not_followed(tmp_path):
    manifest = sc.Manifest(0.5, 1, 2)
    path = write_part(tmp_path, sc.Tally([[9, 1]], 0.5), manifest, 1.0)
    assert read_inputs(path, manifest) == [0] and read_origins(path) == {path.stem: 1.0}
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    for read in (lambda: read_inputs(path, manifest), lambda: read_origins(path)):
        with pytest.raises(sc.SimplicertError, match="must be a plain file, got a link"):
            read()
