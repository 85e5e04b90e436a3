"""A table of certificates has at most a hundred columns, as CSV and as Parquet."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simplicert.verification.stored import NEEDED, read_stored

WORDS = {"kind": "multinomial", "scheme": "gated"}


def wide_table(folder, suffix, columns):
    """A table of one row with so many columns."""
    names = [*NEEDED, *(f"other{number}" for number in range(columns - len(NEEDED)))]
    path = folder / f"certificates{suffix}"
    if suffix == ".csv":
        cells = [WORDS.get(name, "0" if name == "index" else "0.5") for name in names]
        path.write_text(f"{','.join(names)}\n{','.join(cells)}\n")
    else:
        values = {name: [WORDS.get(name, 0 if name == "index" else 0.5)] for name in names}
        pq.write_table(pa.table(values), path)
    return path


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_hundred_columns_are_read_and_no_more(tmp_path, suffix):
    found = read_stored(wide_table(tmp_path, suffix, 100), 1)
    assert len(found.columns) == 100
    with pytest.raises(ValueError, match="its 101 columns must be at most 100"):
        read_stored(wide_table(tmp_path, suffix, 101), 1)
