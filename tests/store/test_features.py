"""How many features the inputs of a run have, for norms that depend on it."""

import pytest

import simplicert as sc
from simplicert.store.features import find_size


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ([1, 28, 28], 784),  # grey pictures
        ([1], 1),
        ([3, 0, 2], None),  # no inputs have this shape: none is recorded
        ([3, -2], None),
        ([3, 2.0], None),
        ("3", None),
        (None, None),
    ],
)
def test_the_size_is_that_of_the_recorded_shape(shape, expected):
    manifest = sc.Manifest(sigma=0.5, inputs=2, classes=3, made={"shape": shape})
    assert find_size(manifest, "linf") == expected
    assert find_size(manifest, "l2") is None


def test_another_size_than_the_recorded_one_is_refused():
    manifest = sc.Manifest(sigma=0.5, inputs=2, classes=3, made={"shape": [1, 28, 28]})
    with pytest.raises(sc.InvalidInput, match=r"size must be 784, .* got 783"):
        find_size(manifest, "linf", 783)
