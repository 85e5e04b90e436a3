"""Columns of a part that do not fit its run are refused."""

import pyarrow as pa
import pytest

from simplicert.errors import DamagedRun
from simplicert.store.parts import _decode_sparse, _encode_sparse


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
