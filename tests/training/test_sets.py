"""A test set that holds some of the training's classes, under numbers of its own."""

import numpy as np
import pytest

from simplicert.data.dataset import Dataset
from simplicert.errors import InvalidInput
from simplicert.training.job import describe_data
from simplicert.training.sets import training_sets


def made(name, classes, labels):
    inputs = np.zeros((len(labels), 2), np.float32)
    return Dataset(inputs, np.array(labels), np.arange(len(labels)), classes, name, f"{name:0<32}")


TRAINED = made("a", ("cat", "dog", "fox"), [0, 1, 2, 0])
TESTED = made("b", ("dog", "fox"), [0, 1, 1])


def test_other_classes_are_refused_without_a_map():
    with pytest.raises(InvalidInput, match="test b must have the classes of a"):
        training_sets(TRAINED, TESTED)


def test_a_map_numbers_the_test_as_the_training(tmp_path):
    _, test = training_sets(TRAINED, TESTED, "names")
    assert test.labels.tolist() == [1, 2, 2] and test.classes == TRAINED.classes
    assert describe_data(test)["class_map"] == [1, 2] and "class_map" not in describe_data(TRAINED)
    (tmp_path / "map.toml").write_text("dog = 2\nfox = 0\n")
    _, test = training_sets(TRAINED, TESTED, str(tmp_path / "map.toml"))
    assert test.labels.tolist() == [2, 0, 0]


def test_a_map_without_a_test_is_refused():
    with pytest.raises(InvalidInput, match="class_map must come with test"):
        training_sets(TRAINED, None, "names")
