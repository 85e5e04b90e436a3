"""`hf:DIR`: a data set written by save_to_disk."""

import io
import json
import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from PIL import Image

from simplicert.data import DataOptions, load_data
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


def test_a_plain_column_named_label_holds_the_labels(datasets, table, tmp_path):
    """Whoever makes a data set of a dictionary has numbers or texts, and no class labels."""
    for name, kind, found in (("numbers", "int64", [1, 0, 1]), ("texts", "string", [1, 0, 1])):
        plain = table.cast_column("label", datasets.Value(kind))
        plain.save_to_disk(tmp_path / name)
        assert load_data(f"hf:{tmp_path / name}").labels.tolist() == found
    options = DataOptions(label_column="")
    assert load_data(f"hf:{tmp_path / 'numbers'}", options=options).labels is None


@pytest.mark.parametrize(
    "kept",
    [
        {"_format_columns": []},
        {"_format_columns": ["img"]},
        {"_format_type": "numpy"},
        {"_format_type": "pandas", "_format_columns": ["label"]},
    ],
)
def test_a_format_that_was_saved_hides_nothing(datasets, table, tmp_path, kept):
    """It says how the saver looked at the table, and a stranger may write anything there."""
    table.save_to_disk(tmp_path / "pets")
    plain = load_data(f"hf:{tmp_path / 'pets'}")
    state = tmp_path / "pets" / "state.json"
    state.write_text(json.dumps(json.loads(state.read_text()) | kept))
    data = load_data(f"hf:{tmp_path / 'pets'}")
    assert data.labels.tolist() == [1, 0, 1] and data.fingerprint == plain.fingerprint
    numbers = datasets.Dataset.from_dict({"a": [0.5, 1.5], "label": [0, 1]})
    numbers.save_to_disk(tmp_path / "numbers")
    state = tmp_path / "numbers" / "state.json"
    state.write_text(json.dumps(json.loads(state.read_text()) | {"_format_columns": []}))
    assert load_data(f"hf:{tmp_path / 'numbers'}").labels.tolist() == [0, 1]


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
        with pytest.raises(InvalidInput, match=r"by save_to_disk(, a| or) .* local cache.*, got '"):
            load_data(f"hf:{where}")
    with pytest.raises(InvalidInput, match="followed by a name or a folder, got nothing"):
        load_data("hf:")


@contextmanager
def counting_server(content):
    """A web server of this machine, and the paths that it was asked for."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args):
            """Nothing on the screen."""

    Handler.do_HEAD = Handler.do_POST = Handler.do_GET
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def png():
    sink = io.BytesIO()
    Image.fromarray(PIXELS[0]).save(sink, "PNG")
    return sink.getvalue()


def referring(datasets, paths, folder):
    """A data set whose table holds paths and no pictures; save_to_disk would put them in."""
    kinds = {"bytes": datasets.Value("binary"), "path": datasets.Value("string")}
    rows = {"img": [{"bytes": None, "path": str(path)} for path in paths]}
    datasets.Dataset.from_dict(rows, datasets.Features({"img": kinds})).save_to_disk(folder)
    info = folder / "dataset_info.json"
    content = json.loads(info.read_text())
    content["features"]["img"] = {"_type": "Image"}
    info.write_text(json.dumps(content))


@pytest.mark.parametrize("offline", [False, True])
def test_pictures_by_address_are_never_fetched(datasets, tmp_path, monkeypatch, offline):
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", offline)
    with counting_server(png()) as (address, asked):
        urls = [f"{address}/{i}.png" for i in range(3)]
        referring(datasets, urls, tmp_path / "far")
        with pytest.raises(InvalidInput, match=r"far image 0 .* address 'http://127.* is ever"):
            load_data(f"hf:{tmp_path / 'far'}")
        referring(datasets, [f"zip://a.png::{urls[0]}"], tmp_path / "chained")
        with pytest.raises(InvalidInput, match="nothing is ever fetched over the network"):
            load_data(f"hf:{tmp_path / 'chained'}")
        assert asked == []


def test_the_library_itself_fetches_them(datasets, tmp_path, monkeypatch):
    """Otherwise the test above could not fail; it needs a part that datasets does not install."""
    pytest.importorskip("aiohttp")
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", False)
    with counting_server(png()) as (address, asked):
        referring(datasets, [f"{address}/0.png"], tmp_path / "far")
        assert datasets.load_from_disk(str(tmp_path / "far"))[0]["img"].size == (6, 5)
        assert asked


@pytest.mark.slow
def test_a_table_opens_no_files_outside_its_folder(datasets, tmp_path):
    (tmp_path / "private.png").write_bytes(png())
    for number, path in enumerate(("private.png", "pets1/../private.png")):
        folder = tmp_path / f"pets{number}"
        referring(datasets, [tmp_path / path], folder)
        with pytest.raises(
            InvalidInput, match=r"leads to the file .* not in the data set's folder"
        ):
            load_data(f"hf:{folder}")
    folder = tmp_path / "own"
    referring(datasets, [folder / "own.png"], folder)
    (folder / "own.png").write_bytes(png())
    data = load_data(f"hf:{folder}")
    np.testing.assert_array_equal(data.inputs[0], PIXELS[0].transpose(2, 0, 1) / np.float32(255))


def test_a_folder_whose_tables_lie_elsewhere(table, tmp_path):
    table.save_to_disk(tmp_path / "private")
    table.save_to_disk(tmp_path / "pets")
    state = tmp_path / "pets" / "state.json"
    content = json.loads(state.read_text())
    (arrow,) = (tmp_path / "private").glob("*.arrow")
    content["_data_files"] = [{"filename": str(arrow)}]
    state.write_text(json.dumps(content))
    with pytest.raises(InvalidInput):
        load_data(f"hf:{tmp_path / 'pets'}")


@pytest.mark.slow
def test_names_are_looked_up_in_the_cache_alone(datasets, tmp_path):
    """In a process of its own: where the Hub is, is read once."""
    code = """
import simplicert as sc
from simplicert.data import DataOptions, load_data
from simplicert.models import load_model
for load in (load_data, load_model):
    try:
        load("hf:somebody/nothing-here")
    except sc.InvalidInput:
        print("refused")
"""
    with counting_server(b"{}") as (address, asked):
        home = {"HF_ENDPOINT": address, "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "0"}
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | home,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.split() == ["refused", "refused"] and asked == []


@pytest.mark.parametrize("where", ["script.py", "../up", "a/b/c", "https://127.0.0.1/x"])
def test_what_is_no_name_of_a_data_set(datasets, tmp_path, monkeypatch, where):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "script.py").write_text("import pathlib; pathlib.Path('ran').touch()")
    with pytest.raises(InvalidInput, match="must name a folder written by save_to_disk"):
        load_data(f"hf:{where}")
    assert not (tmp_path / "ran").exists()


def test_without_the_library(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    (tmp_path / "dataset_dict.json").write_text("{}")  # as save_to_disk leaves it
    with pytest.raises(InvalidInput, match=r"needs datasets, .* pip install 'simplicert\[hf\]'"):
        load_data(f"hf:{tmp_path}")
