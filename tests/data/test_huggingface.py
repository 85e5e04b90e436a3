"""`hf:DIR`: a data set written by save_to_disk."""

import sys

import numpy as np
import pytest
from PIL import Image

from simplicert.data import load_data
from simplicert.errors import InvalidInput

PIXELS = np.random.default_rng(0).integers(0, 256, (3, 5, 6, 3), dtype=np.uint8)


@pytest.fixture
def datasets():
    return pytest.importorskip("datasets")


@pytest.fixture
def table(datasets):
    kinds = {"img": datasets.Image(), "label": datasets.ClassLabel(names=["cat", "dog"])}
    rows = {"img": [Image.fromarray(image) for image in PIXELS], "label": [1, 0, 1]}
    return datasets.Dataset.from_dict(rows, features=datasets.Features(kinds))


def test_images_labels_and_classes(table, tmp_path):
    table.save_to_disk(tmp_path / "pets")
    data = load_data(f"hf:{tmp_path / 'pets'}")
    assert data.name == "hf:pets" and data.classes == ("cat", "dog")
    assert data.labels.tolist() == [1, 0, 1] and data.inputs.shape == (3, 3, 5, 6)
    np.testing.assert_array_equal(
        data.inputs[np.arange(3)], PIXELS.transpose(0, 3, 1, 2) / np.float32(255)
    )
    np.savez(tmp_path / "pets.npz", images=PIXELS, labels=[1, 0, 1])
    assert load_data(str(tmp_path / "pets.npz")).fingerprint == data.fingerprint


def test_splits(datasets, table, tmp_path):
    splits = {"train": table, "test": table.select([2, 0])}
    datasets.DatasetDict(splits).save_to_disk(tmp_path / "pets")
    assert load_data(f"hf:{tmp_path / 'pets'}").labels.tolist() == [1, 1]
    train = load_data(f"hf:{tmp_path / 'pets'}:train")
    assert train.name == "hf:pets:train" and train.labels.tolist() == [1, 0, 1]
    with pytest.raises(InvalidInput, match=r"one of \['test', 'train'\], got 'dev'"):
        load_data(f"hf:{tmp_path / 'pets'}:dev")
    table.save_to_disk(tmp_path / "whole")
    with pytest.raises(InvalidInput, match="has no splits, got 'train'"):
        load_data(f"hf:{tmp_path / 'whole'}:train")


def test_columns(table, tmp_path):
    table.remove_columns("label").save_to_disk(tmp_path / "unlabelled")
    assert load_data(f"hf:{tmp_path / 'unlabelled'}").labels is None
    table.remove_columns("img").save_to_disk(tmp_path / "labels")
    with pytest.raises(InvalidInput, match=r"one column of images, got none among \['label'\]"):
        load_data(f"hf:{tmp_path / 'labels'}")


def test_what_is_not_there(datasets, tmp_path):
    (tmp_path / "empty").mkdir()
    for where in (tmp_path / "empty", "nobody/nothing-here"):
        with pytest.raises(InvalidInput, match=r"written by save_to_disk or .* local cache, got '"):
            load_data(f"hf:{where}")
    with pytest.raises(InvalidInput, match="followed by a name or a folder, got nothing"):
        load_data("hf:")


def test_without_the_library(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(InvalidInput, match=r"needs datasets, .* pip install 'simplicert\[hf\]'"):
        load_data(f"hf:{tmp_path}")
