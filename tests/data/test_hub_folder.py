"""`hf:DIR` for folders laid out as on the Hub; the datasets library is not needed."""

import io
import json
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from simplicert.data import DataOptions, load_data
from simplicert.errors import InvalidInput

PIXELS = np.random.default_rng(0).integers(0, 256, (5, 5, 6, 3), dtype=np.uint8)
LABELS = [1, 0, 1, 1, 0]
FEATURES = {"image": {"_type": "Image"}, "label": {"_type": "ClassLabel", "names": ["cat", "dog"]}}


def png(pixels):
    sink = io.BytesIO()
    Image.fromarray(pixels).save(sink, "PNG")
    return sink.getvalue()


def shard(path, rows, *, said=True, size=2, **columns):
    path.parent.mkdir(parents=True, exist_ok=True)
    pictures = [{"bytes": png(PIXELS[row]), "path": f"{row}.png"} for row in rows]
    table = pa.table({"image": pictures, "label": [LABELS[row] for row in rows]} | columns)
    if said:
        told = {"huggingface": json.dumps({"info": {"features": FEATURES}})}
        table = table.replace_schema_metadata(told)
    pq.write_table(table, path, row_group_size=size)


@pytest.fixture(autouse=True)
def _without_the_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)


@pytest.fixture
def pets(tmp_path):
    shard(tmp_path / "pets" / "data" / "test-00000-of-00002.parquet", [0, 1, 2])
    shard(tmp_path / "pets" / "data" / "test-00001-of-00002.parquet", [3, 4])
    shard(tmp_path / "pets" / "data" / "train-00000-of-00001.parquet", [4])
    (tmp_path / "pets" / "README.md").write_text("---\ndataset_info: {}\n---\n")
    return tmp_path / "pets"


def test_pictures_of_all_files_in_their_order(pets, tmp_path):
    data = load_data(f"hf:{pets}")
    assert data.classes == ("cat", "dog") and data.labels.tolist() == LABELS
    expected = PIXELS.transpose(0, 3, 1, 2) / np.float32(255)
    np.testing.assert_array_equal(data.inputs[np.arange(5)], expected)
    np.testing.assert_array_equal(data.inputs[np.array([4, 0])], expected[[4, 0]])
    np.savez(tmp_path / "pets.npz", images=PIXELS, labels=LABELS)
    assert load_data(str(tmp_path / "pets.npz")).fingerprint == data.fingerprint
    assert load_data(f"hf:{pets}:train").labels.tolist() == [0]
    fitted = load_data(f"hf:{pets}", options=DataOptions(resize=4, crop=3))
    assert fitted.inputs.shape == (5, 3, 3, 3)


def test_without_a_word_about_the_columns(tmp_path):
    shard(tmp_path / "test.parquet", [0, 1], said=False, kind=["dog", "cat"])
    data = load_data(f"hf:{tmp_path}")
    assert data.classes is None and data.labels.tolist() == [1, 0]
    named = load_data(f"hf:{tmp_path}", options=DataOptions(label_column="kind"))
    assert named.classes == ("cat", "dog") and named.labels.tolist() == [1, 0]
    assert load_data(f"hf:{tmp_path}", options=DataOptions(label_column="")).labels is None
    with pytest.raises(InvalidInput, match="has no column colour"):
        load_data(f"hf:{tmp_path}", options=DataOptions(label_column="colour"))


def test_a_folder_of_images_for_each_split(tmp_path):
    for row in range(3):
        place = tmp_path / "test" / ("cat", "dog")[LABELS[row]]
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{row}.png").write_bytes(png(PIXELS[row]))
    data = load_data(f"hf:{tmp_path}")
    assert data.classes == ("cat", "dog") and data.labels.tolist() == [0, 1, 1]
    with pytest.raises(InvalidInput, match="folder with the split 'dev' as on the Hub"):
        load_data(f"hf:{tmp_path}:dev")


def test_tables_of_numbers(tmp_path):
    columns = {"a": [0.5, 1.5], "b": [3, 4], "species": [1, 0]}
    told = {"species": {"_type": "ClassLabel", "names": ["x", "y"]}}
    table = pa.table(columns).replace_schema_metadata(
        {"huggingface": json.dumps({"info": {"features": told}})}
    )
    (tmp_path / "data").mkdir()
    pq.write_table(table, tmp_path / "data" / "test-00000-of-00001.parquet")
    data = load_data(f"hf:{tmp_path}")
    assert data.columns == ("a", "b") and data.classes == ("x", "y")
    assert data.labels.tolist() == [1, 0] and data.inputs[1].tolist() == [1.5, 4.0]
    (tmp_path / "train.csv").write_text("a,label\n1,x\n")
    assert load_data(f"hf:{tmp_path}:train").classes == ("x",)


def test_a_path_in_place_of_a_picture_is_not_followed(tmp_path):
    (tmp_path / "secret.png").write_bytes(png(PIXELS[0]))
    cell = {"bytes": None, "path": str(tmp_path / "secret.png")}
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    pq.write_table(pa.table({"image": pa.array([cell], kind)}), tmp_path / "test.parquet")
    with pytest.raises(InvalidInput, match="holds a path or an address instead"):
        load_data(f"hf:{tmp_path}")


def test_one_picture_said_a_thousand_times_is_refused(tmp_path, monkeypatch):
    """A dictionary holds it once; written out it would be large."""
    from simplicert import machine

    monkeypatch.setattr(machine, "LARGE", 1)
    monkeypatch.setattr(machine, "RATIO", 1)
    shard(tmp_path / "test.parquet", [0] * 1000, size=1000)
    with pytest.raises(InvalidInput, match=r"test.parquet must be a Parquet table: .*grow"):
        load_data(f"hf:{tmp_path}")


def test_what_is_no_table(tmp_path):
    (tmp_path / "test.parquet").write_text("no")
    with pytest.raises(InvalidInput, match=r"test.parquet must be a Parquet table"):
        load_data(f"hf:{tmp_path}")
