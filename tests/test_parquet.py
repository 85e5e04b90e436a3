"""What a Parquet file and its pages claim is added up before memory is allocated."""

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simplicert import DamagedRun, machine, parquet
from simplicert.parquet import read_column, read_metadata, read_parquet

LISTS = pa.array([[1, 2, 3], [], [4]] * 3000)
TABLE = pa.table({"index": np.arange(9000), "lists": LISTS})


def written(table=TABLE, **settings):
    sink = io.BytesIO()
    pq.write_table(table, sink, **settings)
    return sink.getvalue()


@pytest.mark.parametrize("compression", ["none", "snappy", "zstd"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("dictionary", [True, False])
def test_the_pages_of_sound_files_are_counted(compression, version, dictionary):
    """The table of contents is right in these files, so both must agree."""
    content = written(
        compression=compression,
        data_page_version=version,
        use_dictionary=dictionary,
        row_group_size=4000,
        data_page_size=1000,
        write_page_checksum=True,
    )
    metadata = pq.ParquetFile(io.BytesIO(content)).metadata
    assert metadata.num_row_groups == 3
    for group in range(3):
        for place in range(2):
            column = metadata.row_group(group).column(place)
            values, unpacked = parquet.announced_sizes(io.BytesIO(content), len(content), column)
            assert values == column.num_values
            assert 0 < unpacked <= column.total_uncompressed_size
    assert read_parquet(content, 9000).equals(TABLE)
    assert read_column(io.BytesIO(content), 9000, "index").to_pylist() == list(range(9000))


def test_notes():
    content = written(TABLE.replace_schema_metadata({"seconds": "7"}))
    assert read_metadata(io.BytesIO(content)) == {b"seconds": b"7"}
    assert read_metadata(io.BytesIO(written())) == {}


def test_rows_that_do_not_belong():
    with pytest.raises(DamagedRun, match="it has 9,000 rows, and at most 8,999 belong there"):
        read_parquet(written(), 8999)
    with pytest.raises(DamagedRun, match="it has 9,000 rows, and at most 8,999 belong there"):
        read_column(io.BytesIO(written()), 8999, "index")


def test_a_page_that_claims_more_than_the_contents_say(monkeypatch):
    """The reader allocates memory by the page, so the page's number of values counts."""
    zeros = pa.table({"index": np.zeros(9, np.int64)})
    content = bytearray(
        written(zeros, compression="none", use_dictionary=False, write_statistics=False)
    )
    column = pq.ParquetFile(io.BytesIO(content)).metadata.row_group(0).column(0)
    at = content.index(bytes([0x2C, 0x15, 18]), column.data_page_offset)  # data page, 9 values
    monkeypatch.setattr(machine, "RATIO", 0)
    monkeypatch.setattr(machine, "LARGE", 9 * parquet.VALUE + column.total_uncompressed_size)
    assert len(read_parquet(bytes(content), 9)) == 9
    content[at + 2] = 0x7E  # 63 of them
    assert parquet.announced_sizes(io.BytesIO(content), len(content), column)[0] == 63
    with pytest.raises(DamagedRun, match="it would grow"):
        read_parquet(bytes(content), 9)


def test_what_would_fill_the_memory(monkeypatch):
    monkeypatch.setattr(machine, "LARGE", 10**6)
    million = pa.table({"index": np.zeros(10**6, np.int64)})
    content = written(million, compression="zstd")
    with pytest.raises(DamagedRun, match=r"it would grow from [\d,]+ to 16,"):
        read_parquet(content, 10**6)
    with pytest.raises(DamagedRun, match=r"it would grow from [\d,]+ to 16,"):
        read_column(io.BytesIO(content), 10**6, "index")


def test_words_are_written_out_if_they_fit(monkeypatch):
    table = pa.table({"index": [0, 1, 2], "word": ["a", None, "bcd"], "share": [0.5, None, 1.0]})
    assert read_parquet(written(table), 3, texts=True).equals(table)
    with pytest.raises(DamagedRun, match="column word must hold integers"):
        read_parquet(written(table), 3)
    monkeypatch.setattr(machine, "LARGE", 10**6)
    word = pa.DictionaryArray.from_arrays(np.zeros(1000, np.int32), ["x" * 10**4])
    content = written(pa.table({"word": word}), compression="zstd")
    with pytest.raises(DamagedRun, match=r"column word is refused: .* to 10,000,000 bytes"):
        read_parquet(content, 1000, texts=True)


@pytest.mark.parametrize("files", [300, pytest.param(2000, marks=pytest.mark.slow)])
def test_every_damage_is_a_sentence(files):
    """Files with a few bytes changed give a table, a refusal or Arrow's own error."""
    sound, random = written(compression="zstd"), np.random.default_rng(0)
    refused = 0
    for _ in range(files):
        content = bytearray(sound)
        for _ in range(random.integers(1, 4)):
            content[random.integers(len(content))] = random.integers(256)
        try:
            read_parquet(bytes(content), 9000)
        except (DamagedRun, pa.ArrowException, OSError, ValueError):
            refused += 1
    assert 0.15 * files < refused < files
