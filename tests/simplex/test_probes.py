"""The points of a check: permissible, everywhere, and in the corners where arithmetic breaks."""

import numpy as np
import pytest

from simplicert.simplex.probes import NODES, make_probes


@pytest.fixture(scope="module")
def million():
    return make_probes(1_000_000, seed=0)


def test_every_point_is_one_that_certification_asks(million):
    assert (million.e1 >= 1e-300).all()
    assert (million.e1 < million.e0).all()
    assert (million.e1 <= 1 - million.e0).all()


@pytest.mark.parametrize("count", [2000, 10_000, 1_000_000])
def test_there_are_as_many_as_asked_for(count):
    found = make_probes(count, seed=1)
    assert count <= len(found.e0) < 1.1 * count + 200


def test_a_quarter_lies_evenly_over_the_triangle(million):
    """Eight cells of equal area each hold at least 1/4 of 1/8 of the points."""
    right, upper = million.e0 - million.e1, 2 * million.e1
    for low in (right < 0.2929, right > 0.5):  # 1 - 1/sqrt(2); the corner of a quarter
        assert low.mean() > 0.25 * 0.24
    for cell in np.ndindex(4, 4):
        row, column = cell
        if row + column < 4:
            inside = (right * 4 >= row) & (right * 4 < row + 1)
            inside &= (upper * 4 >= column) & (upper * 4 < column + 1)
            share = 2 / 16 if row + column < 3 else 1 / 16
            assert inside.mean() > 0.24 * share, cell


def test_points_hug_every_side_and_corner(million):
    e0, e1 = million.e0, million.e1
    assert e1.min() == 1e-300 and e0.max() == 1 - 1e-16
    assert (e1 < 1e-200).sum() > 5000
    assert ((e0 - e1 < 1e-12) & (e0 > 0.1)).sum() > 5000
    assert (1 - e0 - e1 < 1e-12).sum() > 5000
    assert (e1 == 1 - e0).sum() > 1000
    assert (1 - e0 < 1e-12).sum() > 5000
    assert (e0 < 1e-12).sum() > 5000
    assert ((np.abs(e0 - 0.5) < 1e-9) & (np.abs(e1 - 0.5) < 1e-9)).sum() > 5000
    assert ((e0 == 0.7) & (np.abs(e0 - e1 - 1e-12) < 1e-15)).sum() == 0  # 1 - e0 is smaller there
    assert ((e0 == 0.1) & (np.abs(e0 - e1 - 1e-12) < 1e-15)).any()
    assert (e1 == np.nextafter(e0, 0)).any()


def test_lines_are_whole_and_rise(million):
    split, end = million.columns * NODES, (million.columns + million.rows) * NODES
    for fixed, rising, part in (
        (million.e0, million.e1, slice(0, split)),
        (million.e1, million.e0, slice(split, end)),
    ):
        line, along = fixed[part].reshape(-1, NODES), rising[part].reshape(-1, NODES)
        assert (line == line[:, :1]).all()
        assert (np.diff(along, axis=1) >= 0).all()
        assert len(np.unique(line[:, 0])) > 900
        assert (np.diff(along, axis=1) > 0).mean() > 0.9


def test_the_same_seed_gives_the_same_points():
    one, same, other = make_probes(3000, 5), make_probes(3000, 5), make_probes(3000, 6)
    np.testing.assert_array_equal(one.e0, same.e0)
    np.testing.assert_array_equal(one.e1, same.e1)
    assert not np.array_equal(one.e0, other.e0)
