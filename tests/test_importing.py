"""`module:name` from the current folder; tests/models/test_function.py has the classifiers."""

import sys
from pathlib import Path

import pytest

import simplicert
from simplicert.errors import InvalidInput
from simplicert.importing import USER, Trust, describe_error, import_object


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
    assert import_object("model", "my_names:answer", USER) == 42
    assert import_object("model", "my_names:nothing", USER) is None
    assert sys.path.count(str(here)) == 1


def test_errors_name_what_it_was_for(here):
    with pytest.raises(InvalidInput, match=r"^mechanism nowhere_at_all:f must name a module"):
        import_object("mechanism", "nowhere_at_all:f", USER)
    with pytest.raises(
        InvalidInput, match=r"^model my_broken:f failed when it was imported: KeyErr"
    ):
        import_object("model", "my_broken:f", USER)


@pytest.mark.parametrize(
    "spec", ["my_names.py:answer", "../x:f", "./x:f", "a/b:f", r"a\b:f", ".x:f"]
)
def test_a_file_is_no_module(here, spec):
    with pytest.raises(
        InvalidInput, match=r"^model must be written module:function, without \.py or"
    ):
        import_object("model", spec, USER)


def test_an_error_in_one_line():
    assert describe_error(ValueError("a\n\t b")) == "ValueError: a b"


def test_a_file_s_word_is_refused_before_anything_is_imported():
    with pytest.raises(InvalidInput, match=r"run\.toml names the model my_broken:f.*pass --mo"):
        import_object("model", "my_broken:f", Trust("run.toml"))
    with pytest.raises(InvalidInput, match="pass --arch x:y"):
        import_object("model", "nowhere:f", Trust("run.toml", vouched=True), "--arch x:y")


def test_only_one_place_imports_what_a_text_names():
    """Elsewhere importlib has names of libraries that stand in the source."""
    source = Path(simplicert.__file__).parent
    found = {
        str(path.relative_to(source))
        for path in source.rglob("*.py")
        if "import_module" in path.read_text() or "importlib.import" in path.read_text()
    }
    assert found == {"importing.py", "__init__.py"}
