"""`cifar10:DIR`: binary batches or npz; the pickled batches are refused."""

import pickle

import numpy as np
import pytest

from simplicert.data import load_data
from simplicert.errors import InvalidInput

RANDOM = np.random.default_rng(0)
IMAGES = RANDOM.integers(0, 256, (12, 32, 32, 3), dtype=np.uint8)
LABELS = RANDOM.integers(0, 10, 12)
EXPECTED = IMAGES.transpose(0, 3, 1, 2) / np.float32(255)


def batch(path, images, labels):
    """One binary batch: a label, then the red, green and blue planes."""
    planes = images.transpose(0, 3, 1, 2).reshape(len(images), -1)
    np.column_stack([labels, planes]).astype(np.uint8).tofile(path)


@pytest.fixture
def folder(tmp_path):
    """Two test images and five times two training images."""
    place = tmp_path / "cifar"
    place.mkdir()
    batch(place / "test_batch.bin", IMAGES[:2], LABELS[:2])
    for number in range(1, 6):
        rows = slice(2 * number, 2 * number + 2)
        batch(place / f"data_batch_{number}.bin", IMAGES[rows], LABELS[rows])
    return place


def test_binary_batches(folder):
    test = load_data(f"cifar10:{folder}")
    assert test.name == "cifar10:cifar" and test.classes[3] == "cat" and len(test.classes) == 10
    np.testing.assert_array_equal(test.inputs[np.arange(2)], EXPECTED[:2])
    np.testing.assert_array_equal(test.labels, LABELS[:2])
    train = load_data(f"cifar10:{folder}:train")
    assert train.name == "cifar10:cifar:train" and train.inputs.shape == (10, 3, 32, 32)
    np.testing.assert_array_equal(train.inputs[np.arange(10)], EXPECTED[2:])
    np.testing.assert_array_equal(train.labels, LABELS[2:])
    assert load_data(f"cifar10:{folder}:test").fingerprint == test.fingerprint


def test_the_folder_that_the_archive_unpacks_to_is_found(folder, tmp_path):
    folder.rename(tmp_path / "cifar-10-batches-bin")
    assert len(load_data(f"cifar10:{tmp_path}")) == 2


def test_npz_is_the_same_data(folder, tmp_path):
    np.savez(tmp_path / "cifar10_test.npz", images=IMAGES[:2], labels=LABELS[:2])
    data = load_data(f"cifar10:{tmp_path}")
    assert data.fingerprint == load_data(f"cifar10:{folder}").fingerprint
    assert data.classes[0] == "airplane"


def test_npz_must_be_cifar(tmp_path):
    path = tmp_path / "cifar10_test.npz"
    np.savez(path, images=IMAGES[:, :16], labels=LABELS)
    with pytest.raises(
        InvalidInput, match=r"must be uint8 of shape N x 32 x 32 x 3, got \(12, 3, "
    ):
        load_data(f"cifar10:{tmp_path}")
    np.savez(path, images=IMAGES)
    with pytest.raises(InvalidInput, match="must hold 'labels', got none"):
        load_data(f"cifar10:{tmp_path}")
    np.savez(path, images=IMAGES, labels=LABELS + 5)
    with pytest.raises(InvalidInput, match=r"labels of .* must lie in 0\.\.9"):
        load_data(f"cifar10:{tmp_path}")


def test_pickled_batches_are_refused_and_the_binary_ones_named(tmp_path):
    held = pickle.dumps({"data": IMAGES, "labels": LABELS})
    (tmp_path / "cifar-10-batches-py").mkdir()
    for name in ("test_batch", "data_batch_1"):
        (tmp_path / "cifar-10-batches-py" / name).write_bytes(held)
    for split, name in {"": "test_batch", ":train": "data_batch_1"}.items():
        with pytest.raises(InvalidInput, match=rf"pickled .* never opened.* with {name}\.bin"):
            load_data(f"cifar10:{tmp_path}{split}")


def test_what_is_missing_or_damaged(folder, tmp_path):
    with pytest.raises(InvalidInput, match="must name a folder that exists"):
        load_data(f"cifar10:{tmp_path / 'absent'}")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidInput, match=r"a folder with test_batch\.bin or cifar10_test\.npz"):
        load_data(f"cifar10:{tmp_path / 'empty'}")
    (folder / "data_batch_4.bin").unlink()
    with pytest.raises(InvalidInput, match=r"needs data_batch_4\.bin beside the other batches"):
        load_data(f"cifar10:{folder}:train")
    for content in (b"", b"short"):
        (folder / "test_batch.bin").write_bytes(content)
        with pytest.raises(InvalidInput, match=r"must be records of 3073 bytes, got \d bytes"):
            load_data(f"cifar10:{folder}")


def test_a_label_past_nine_is_refused(folder):
    batch(folder / "test_batch.bin", IMAGES[:3], [0, 10, 1])
    with pytest.raises(InvalidInput, match=r"must lie in 0\.\.9, .* got 10 at input 1"):
        load_data(f"cifar10:{folder}")
