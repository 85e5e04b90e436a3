"""Sizes of pictures and columns of tables are settings of a run, recorded and used again."""

import tomllib

import numpy as np
import pytest
from PIL import Image

import simplicert as sc
from simplicert.data import DataOptions
from simplicert.errors import InvalidInput

CODE = """
import numpy as np

def pictures():
    def classify(batch):
        assert batch.shape[1:] == (3, 4, 4), "weights of 48 numbers"
        means = batch.mean(axis=(1, 2, 3))
        return np.column_stack([1 - means, means])
    return classify

def rows():
    return lambda batch: batch
"""
MORE = ["--sigma", ".25", "--draws", "100", "--batch-size", "50", "--quiet"]


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Photographs of two sizes, a table, and classifiers for both."""
    for number, size in enumerate([(12, 8), (9, 10)]):
        folder = tmp_path / "photos" / ["dark", "light"][number]
        folder.mkdir(parents=True)
        pixels = np.full((*size, 3), 200 * number + 20, dtype=np.uint8)
        Image.fromarray(pixels).save(folder / "a.png")
    (tmp_path / "table.csv").write_text("id,a,b,kind\n1,5,0,first\n2,0,5,second\n")
    (tmp_path / "my_nets.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def read(folder):
    return tomllib.loads((folder / "run.toml").read_text())


@pytest.mark.slow
def test_sizes_are_recorded_and_used_again(command, place):
    words = ["sample", "--model", "my_nets:pictures", "--data", "folder:photos", "--out", "run"]
    code, _, said = command(*words, *MORE)
    assert code == 2 and "`--resize 256 --crop 224`" in said
    code, _, said = command(*words, *MORE, "--resize", "5", "--crop", "5")
    assert code == 2 and "weights of 48 numbers; `--resize 256" in said
    code, _, said = command(*words, *MORE, "--resize", "5", "--crop", "4")
    assert code == 0, said
    held = read(place / "run")
    assert (held["source"]["resize"], held["source"]["crop"]) == (5, 4)
    assert held["made"]["pictures"].endswith("bicubic, antialiased")
    code, out, said = command(
        *("verify", "run", "--replay", "2", "--model", "my_nets:pictures"),
        *("--data", "folder:photos"),
    )
    assert code == 0 and "2 inputs" in out, (out, said)
    assert command(*words, *MORE)[0] == 0  # the run knows its sizes
    code, _, said = command(*words, *MORE, "--resize", "6")
    assert code == 2 and "was made with" in said and "resize = 6 was asked for" in said


@pytest.mark.slow
def test_columns_and_class_names_are_recorded(command, place):
    words = ["sample", "--model", "my_nets:rows", "--data", "table.csv", "--out", "run"]
    code, _, said = command(*words, *MORE, "--label-column", "kind", "--columns", "a, b")
    assert code == 0, said
    held = read(place / "run")
    assert held["made"]["columns"] == ["a", "b"]
    assert held["made"]["class_names"] == ["first", "second"]
    assert held["source"]["label_column"] == "kind" and held["source"]["columns"] == ["a", "b"]
    settings = sc.open_run(place / "run").settings
    assert settings.data_options.columns == ("a", "b")
    assert sc.open_run(place / "run").certify().correct.all()
    code, out, said = command(
        *("verify", "run", "--replay", "2", "--model", "my_nets:rows", "--data", "table.csv")
    )
    assert code == 0 and "2 inputs" in out, (out, said)


def test_from_python(place):
    outcome = sc.draw(
        *("my_nets:rows", "table.csv", 0.25, 50, "run"), label_column="kind", columns=["a", "b"]
    )
    assert outcome.run.tally().labels.tolist() == [0, 1]
    for given in ({"resize": 3}, {"columns": ["a"]}):
        with pytest.raises(InvalidInput, match=r"option of|must not be given for an array"):
            sc.draw(lambda batch: batch, np.eye(3), 0.25, 50, "other", **given)


def test_labels_of_an_array_may_be_texts(tmp_path):
    inputs = 3 * np.eye(2, dtype=np.float32)
    outcome = sc.draw(lambda x: x, inputs, 0.25, 50, tmp_path / "run", labels=["b", "a"])
    assert outcome.run.tally().labels.tolist() == [1, 0]
    assert outcome.run.manifest.made["class_names"] == ["a", "b"]
    with pytest.raises(InvalidInput, match=r"return_inverse=True.* numbers texts in their sorted"):
        sc.sample(lambda x: x, inputs, 0.25, 50, labels=["b", "a"])


def test_a_table_to_train_on(place):
    from simplicert.training.sets import training_sets

    rows = "\n".join(f"{n},{n % 2},{'xy'[n % 2]}" for n in range(20))
    (place / "train.csv").write_text(f"a,b,kind\n{rows}\n")
    trained, tested = training_sets("train.csv", None, None, DataOptions(label_column="kind"))
    assert trained.classes == ("x", "y") and len(tested) == 2
    with pytest.raises(InvalidInput, match=r"one size.*`--resize 256 --crop-to 224` \(in Python"):
        training_sets("folder:photos", None)
    with pytest.raises(InvalidInput, match="test must be a name for label_column, got a data set"):
        training_sets("train.csv", tested, None, DataOptions(label_column="kind"))


@pytest.mark.slow
def test_pictures_to_train_on(command, place):
    """The network records the size, its summary names it, and sample says where it differs."""
    for number in range(20):
        name = place / "photos" / ["dark", "light"][number % 2] / f"{number}.png"
        Image.new("RGB", (9 + number % 3, 12), (40 + 150 * (number % 2),) * 3).save(name)
    words = ["train", "--data", "folder:photos", "--sigma", ".1", "--arch", "mlp", "--epochs", "1"]
    words += ["--batch-size", "8", "--out", "net"]
    code, _, said = command(*words, "--quiet")
    assert code == 2 and "`--resize 256 --crop-to 224`" in said
    code, _, said = command(*words, "--resize", "6", "--crop-to", "9")
    assert code == 2 and "crop_to must be at most resize = 6, got 9" in said
    code, out, said = command(*words, "--resize", "8", "--crop-to", "6")
    assert code == 0 and "--sigma 0.1 --resize 8 --crop 6 --start" in out, said
    held = tomllib.loads((place / "net" / "model.toml").read_text())
    assert (held["data"]["resize"], held["test"]["crop"]) == (8, 6)
    more = ["--sigma", ".1", "--draws", "50", "--batch-size", "50", "--no-compile"]
    sample = ["sample", "--model", "net", "--data", "folder:photos", *more]
    code, _, said = command(*sample, "--resize", "8", "--crop-to", "6", "--out", "same")
    assert code == 0 and "was trained by" not in said
    code, _, said = command(*sample, "--crop", "6", "--out", "other")
    assert code == 0
    assert "is read by --crop 6, and net was trained by --resize 8 --crop 6: radii are true" in said
