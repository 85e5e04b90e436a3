"""`module:name` from the current folder; tests/models/test_function.py has the classifiers."""

import sys

import pytest

from simplicert.errors import InvalidInput
from simplicert.importing import imported, said


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "my_names.py").write_text("answer = 42\n")
    (tmp_path / "my_broken.py").write_text("raise KeyError('of\\n two lines')\n")
    yield tmp_path
    sys.modules.pop("my_names", None)


def test_a_name_of_a_module_in_the_current_folder(here):
    assert imported("model", "my_names:answer") == 42
    assert imported("model", "my_names:nothing") is None
    assert sys.path.count(str(here)) == 1


def test_errors_name_what_it_was_for(here):
    with pytest.raises(InvalidInput, match=r"^mechanism nowhere_at_all:f must name a module"):
        imported("mechanism", "nowhere_at_all:f")
    with pytest.raises(
        InvalidInput, match=r"^model my_broken:f failed when it was imported: KeyErr"
    ):
        imported("model", "my_broken:f")


@pytest.mark.parametrize(
    "spec", ["my_names.py:answer", "../x:f", "./x:f", "a/b:f", r"a\b:f", ".x:f"]
)
def test_a_file_is_no_module(here, spec):
    with pytest.raises(
        InvalidInput, match=r"^model must be written module:function, without \.py or"
    ):
        imported("model", spec)


def test_an_error_in_one_line():
    assert said(ValueError("a\n\t b")) == "ValueError: a b"
