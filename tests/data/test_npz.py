"""`file.npz`: images or inputs, labels and class names; one sentence for each thing wrong."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from simplicert.data import load_data
from simplicert.errors import InvalidInput

GREY = np.arange(2 * 3 * 4, dtype=np.uint8).reshape(2, 3, 4)
COLOUR = np.arange(2 * 3 * 4 * 3, dtype=np.uint8).reshape(2, 3, 4, 3)
EVERY = np.arange(2)


def write(folder, **arrays):
    np.savez(folder / "file.npz", **arrays)
    return str(folder / "file.npz")


def test_colour_images_become_floats_with_channels_first(tmp_path):
    data = load_data(write(tmp_path, images=COLOUR, labels=[1, 0], classes=["cat", "dog"]))
    assert data.inputs.shape == (2, 3, 3, 4) and len(data) == 2
    got = data.inputs[EVERY]
    assert got.dtype == np.float32 and got.flags.c_contiguous
    np.testing.assert_array_equal(got, COLOUR.transpose(0, 3, 1, 2) / np.float32(255))
    assert data.labels.tolist() == [1, 0] and data.labels.dtype == np.int64
    assert data.classes == ("cat", "dog") and data.index.tolist() == [0, 1]
    assert data.name == "file.npz" and len(data.fingerprint) == 32


def test_grey_images_get_a_channel(tmp_path):
    data = load_data(write(tmp_path, images=GREY))
    assert data.inputs.shape == (2, 1, 3, 4)
    np.testing.assert_array_equal(data.inputs[EVERY][:, 0], GREY / np.float32(255))
    assert data.labels is None and data.classes is None


def test_pixels_stay_bytes_until_asked_for(tmp_path):
    data = load_data(write(tmp_path, images=COLOUR))
    assert data.inputs.values.dtype == np.uint8
    for where in (1, slice(0, 1), [1, 0], np.array([], dtype=np.int64)):
        np.testing.assert_array_equal(data.inputs[where], data.inputs[EVERY][where])


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_floats_are_taken_as_they_are(tmp_path, kind):
    values = np.array([[-3, 0.5, 200], [1, 2, 3]], dtype=kind)
    data = load_data(write(tmp_path, inputs=values))
    assert data.inputs[EVERY].dtype == np.float32
    np.testing.assert_array_equal(data.inputs[EVERY], values)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e300])
def test_numbers_must_be_finite_in_float32(tmp_path, value):
    values = np.ones((5, 4))
    values[3, 2] = value
    with pytest.raises(InvalidInput, match=r"must be finite in float32, .* at input 3"):
        load_data(write(tmp_path, inputs=values))


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"labels": [1]}, "must hold either 'images' or 'inputs', got none"),
        ({"images": GREY, "inputs": GREY}, "got images and inputs"),
        ({"images": GREY, "label": [0, 1]}, "may hold .*, under these names; got also label"),
        ({"images": np.zeros((2, 3, 8, 8), np.uint8)}, "; move the channels to the end"),
        ({"images": GREY, "labels": [0]}, r"labels of file.npz must have shape \(2,\), got \(1,\)"),
        ({"images": GREY, "labels": [[0], [1]]}, r"must have shape \(2,\), got \(2, 1\)"),
        ({"images": GREY, "labels": [0.0, 1.0]}, "labels of file.npz must hold integers"),
        ({"images": GREY, "labels": [0, -1]}, "labels of file.npz must not be negative, got -1"),
        ({"images": GREY, "labels": [0, 2], "classes": ["a", "b"]}, r"0\.\.1, .* got 2 at input 1"),
        ({"images": GREY, "classes": [1, 2]}, "classes of file.npz must be a list of texts"),
        ({"images": GREY, "classes": [["a"]]}, "classes of file.npz must be a list of texts"),
        ({"images": GREY.astype(np.int64)}, "must be uint8 images or floats, got .* int64"),
        ({"inputs": GREY > 3}, "must be uint8 images or floats, got .* bool"),
        ({"inputs": GREY * 1j}, "must be uint8 images or floats, got .* complex"),
        ({"images": COLOUR.transpose(0, 3, 2, 1)[..., [0] * 5]}, "C at most 4, got"),
        ({"images": GREY[0]}, r"N x H x W .* got \(3, 4\)"),
        ({"inputs": np.ones(3)}, r"inputs of file.npz must have shape \(N, ...\), got \(3,\)"),
        ({"inputs": np.ones((0, 3))}, "file.npz must hold at least one input, got none"),
        ({"inputs": np.ones((3, 0))}, r"must have at least one value, got \(3, 0\)"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, arrays, message):
    with pytest.raises(InvalidInput, match=message):
        load_data(write(tmp_path, **arrays))


class Trap:
    """Unpickling it creates a file."""

    def __init__(self, mark):
        """`mark` is the file."""
        self.mark = mark

    def __reduce__(self):
        """What a pickle says to do when it is read."""
        return (Path.touch, (self.mark,))


def test_objects_are_never_unpickled(tmp_path):
    trap = Trap(tmp_path / "mark")
    held = np.empty(2, dtype=object)
    held[:] = [trap, trap]
    with pytest.raises(InvalidInput, match="plain arrays"):
        load_data(write(tmp_path, images=held))
    (tmp_path / "file.npz").write_bytes(pickle.dumps(trap))
    with pytest.raises(InvalidInput, match="plain arrays"):
        load_data(str(tmp_path / "file.npz"))
    assert not trap.mark.exists()
    pickle.loads(pickle.dumps(trap))
    assert trap.mark.exists(), "the trap does not work"


def test_files_that_are_not_npz(tmp_path):
    path = tmp_path / "file.npz"
    with pytest.raises(InvalidInput, match="must name a file that exists"):
        load_data(str(path))
    with path.open("wb") as file:
        np.save(file, GREY)
    with pytest.raises(InvalidInput, match="must be an npz file, got a npy one"):
        load_data(str(path))
    for content in (b"", b"PK\x03\x04 and no more"):
        path.write_bytes(content)
        with pytest.raises(InvalidInput, match="must be an npz file of plain arrays"):
            load_data(str(path))
