"""Which class of the model each class of the data is: by name, by WordNet id, or by a file."""

import json

import numpy as np
import pytest

from simplicert.data.class_map import map_classes, read_class_map, renumber_labels
from simplicert.data.dataset import Dataset
from simplicert.errors import InvalidInput

MODEL = (
    "n01440764 tench, Tinca tinca",
    "goldfish, Carassius auratus",
    "great_white shark",
    "crane",
)


def made(classes=("goldfish", "Tench"), labels=(0, 1, 1)):
    labels = None if labels is None else np.array(labels)
    return Dataset(np.zeros((3, 2)), labels, np.arange(3), classes, "toy", "0" * 32)


def written(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    return str(tmp_path / name)


def test_by_the_names_of_both():
    mapped = map_classes(made(), "names", MODEL, 4)
    assert mapped.labels.tolist() == [1, 0, 0] and mapped.class_map == (1, 0)
    assert mapped.classes == MODEL and mapped.fingerprint == made().fingerprint
    assert (
        map_classes(made(("n01440764",), (0, 0, 0)), "names", MODEL, 4).labels.tolist() == [0] * 3
    )
    again = renumber_labels(made(), list(mapped.class_map))  # as a replay does it
    assert again.labels.tolist() == [1, 0, 0]
    assert renumber_labels(made(), None).labels.tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("map.toml", 'goldfish = 1\nTench = 7\n"something else" = 3\n'),
        ("map.json", json.dumps({"goldfish": 1, "tench": 7})),
        ("index.json", json.dumps({"1": ["n01443537", "goldfish"], "7": ["n01440764", "tench"]})),
        ("labels.json", json.dumps({"1": "goldfish", "7": "tench, Tinca tinca"})),
        ("list.json", json.dumps(["a", "goldfish", *"cdefg", "tench"])),
        ("map.csv", "name,number\ngoldfish,1\ntench,7\n"),
        ("bare.csv", "goldfish,1\ntench,7\n"),
        ("list.txt", "a\nn01443537 goldfish, Carassius auratus\nc\nd\ne\nf\ng\ntench\n"),
    ],
)
def test_by_a_file(tmp_path, name, text):
    mapped = map_classes(made(), written(tmp_path, name, text), None, 8)
    assert mapped.labels.tolist() == [1, 7, 7] and mapped.class_map == (1, 7)
    assert mapped.classes == ("0", "goldfish", "2", "3", "4", "5", "6", "Tench")


def test_labels_without_names_go_by_their_numbers(tmp_path):
    path = written(tmp_path, "map.toml", "0 = 5\n1 = 2\n")
    assert map_classes(made(None), path, None, 6).labels.tolist() == [5, 2, 2]


def test_two_classes_may_be_one_of_the_model(tmp_path):
    path = written(tmp_path, "map.toml", "goldfish = 2\ntench = 2\n")
    mapped = map_classes(made(), path, None, 3)
    assert mapped.labels.tolist() == [2, 2, 2] and mapped.classes[2] == "goldfish / Tench"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("names", "must name every class of the data, and lacks 'wolf'"),
        ("map.toml", "lacks 'wolf'; it has goldfish"),
        ("map.yaml", "class_map must be names or a file .toml, .json, .csv, .txt"),
        ("absent.toml", "cannot be read"),
        ("broken.json", "cannot be read"),
        ("words.toml", "a class must have a number, got 'one'"),
        ("wide.csv", "each line must be name,number, got 'goldfish,1,2'"),
        ("empty.csv", "must map at least one class"),
        ("gap.txt", "one in the middle is empty"),
        ("far.toml", "must map to the classes 0..3 of the model, got 9 for 'wolf'"),
        ("minus.toml", "a class must have a number, got -1"),
    ],
)
def test_refused(tmp_path, given, said):
    texts = {
        "map.toml": "goldfish = 1",
        "broken.json": "{",
        "words.toml": "wolf = 'one'",
        "wide.csv": "goldfish,1,2\n",
        "empty.csv": "",
        "gap.txt": "\nwolf\ngoldfish\n",
        "far.toml": "wolf = 9\ngoldfish = 1",
        "minus.toml": "wolf = -1",
    }
    path = given if given == "names" else str(tmp_path / given)
    if given in texts:
        written(tmp_path, given, texts[given])
    with pytest.raises(InvalidInput, match="class_map") as error:
        map_classes(made(("wolf", "goldfish")), path, MODEL, 4)
    assert said in str(error.value)


def test_names_that_mean_two_classes_are_refused():
    with pytest.raises(InvalidInput, match="'crane' may be 0 or 1"):
        map_classes(made(("crane", "x"), (0, 0, 0)), "names", ("crane", "crane, bird", "x"), 3)


def test_what_a_map_needs(tmp_path):
    with pytest.raises(InvalidInput, match="class_map names needs class names of both"):
        map_classes(made(), "names", None, 4)
    with pytest.raises(InvalidInput, match="class_map needs labels, and toy has none"):
        map_classes(made(labels=None), "names", MODEL, 4)
    with pytest.raises(InvalidInput, match=r"labels of toy must lie in 0\.\.0"):
        renumber_labels(made(), [3])
    assert read_class_map(tmp_path.joinpath(written(tmp_path, "a.txt", "x\n"))) == {"x": {0}}
