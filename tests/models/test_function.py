"""`module:function`: the user's own code, from the current folder."""

import sys

import numpy as np
import pytest

from simplicert.errors import InvalidInput
from simplicert.models import load_model

CODE = """
import numpy as np
import torch

def linear():
    def classify(batch):
        return batch @ np.eye(2, dtype=np.float32)
    return classify

def network():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Dropout(), torch.nn.Linear(2, 3))

class Callable:
    def __call__(self, batch):
        return batch

class Weighted(Callable):
    def __init__(self, fingerprint):
        self.fingerprint = fingerprint

one, two = lambda: Weighted("1"), lambda: Weighted("2")
built_in = lambda: np.add
instance = torch.nn.Linear(2, 3)
def needs(this): return this
def nothing(): return 3
def broken():
    return {}["lost"]
value = 3
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A current folder with a module that no other test has imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.delitem(sys.modules, "my_models", raising=False)
    (tmp_path / "my_models.py").write_text(CODE)
    yield tmp_path
    sys.modules.pop("my_models", None)


def test_a_function(here):
    model = load_model("my_models:linear")
    assert model.name == "my_models:linear"
    batch = np.ones((3, 2), np.float32)
    np.testing.assert_array_equal(model.classifier(batch), batch)


def test_a_module_is_put_in_eval_mode(here):
    assert not load_model("my_models:network").classifier.training


def test_fingerprint_of_a_function_is_of_its_source(here):
    first = load_model("my_models:linear").fingerprint
    assert load_model("my_models:linear").fingerprint == first
    sys.modules.pop("my_models")
    (here / "my_models.py").write_text(CODE.replace("np.eye(2,", "-np.eye(2,"))
    import linecache

    linecache.checkcache()
    assert load_model("my_models:linear").fingerprint != first


def test_fingerprint_without_source_is_of_the_name(here):
    built_in, instance = (
        load_model(f"my_models:{n}").fingerprint for n in ("built_in", "Callable")
    )
    assert built_in != instance
    assert load_model("my_models:Callable").fingerprint == instance


def test_a_classifier_may_state_its_fingerprint(here):
    one, two = (load_model(f"my_models:{name}").fingerprint for name in ("one", "two"))
    assert one != two and load_model("my_models:one").fingerprint == one


@pytest.mark.parametrize("name", ["instance", "needs"])
def test_it_must_need_no_arguments(here, name):
    with pytest.raises(InvalidInput, match=f"my_models:{name} must name a function without argum"):
        load_model(f"my_models:{name}")


def test_what_is_not_there_or_no_classifier(here):
    with pytest.raises(InvalidInput, match=r"must return a classifier, .* got 3"):
        load_model("my_models:nothing")
    for name in ("value", "absent"):
        with pytest.raises(InvalidInput, match=f"must name a function of my_models, got '{name}'"):
            load_model(f"my_models:{name}")
    with pytest.raises(InvalidInput, match=r"no_such_module_here:f .* and it cannot be found"):
        load_model("no_such_module_here:f")
    (here / "needy.py").write_text("import no_such_library_as_this")
    with pytest.raises(InvalidInput, match="no_such_library_as_this, which it imports, cannot"):
        load_model("needy:f")


def test_forms_are_listed():
    for spec in ("model", "model.keras", ":f", "m:"):
        with pytest.raises(InvalidInput, match=r"model must be file\.pt2, file\.onnx, .* got"):
            load_model(spec)


def test_an_error_says_which_line_of_the_module_it_came_from(here):
    line = CODE.splitlines().index('    return {}["lost"]') + 1
    with pytest.raises(InvalidInput, match=rf"KeyError: 'lost' \(my_models.py, line {line}\)$"):
        load_model("my_models:broken")
