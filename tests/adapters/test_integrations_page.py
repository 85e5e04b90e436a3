"""The examples of docs/integrations.md, as typed by a reader; each where its tool imports."""

import doctest
import re
import warnings
from importlib import import_module
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "integrations.md").read_text()
SECTIONS = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE))
TOOLS = {
    "scikit-learn": "sklearn",
    "A training loop": "torch",
    "ART": "art",
    "VERONA": "ada_verona",
}


def test_every_section_is_run():
    assert list(SECTIONS) == list(TOOLS)


@pytest.mark.slow
@pytest.mark.parametrize("name", TOOLS)
@pytest.mark.filterwarnings("ignore")  # of the tools, about what else could be installed
def test_the_example_gives_what_the_page_shows(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import_module(TOOLS[name])
        except (ImportError, RuntimeError) as error:
            pytest.skip(f"{TOOLS[name]} does not import here: {error}")
    (session,) = re.findall(r"^```pycon\n(.*?)^```$", SECTIONS[name], re.DOTALL | re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(session, {}, name, None, 0)
    assert len(test.examples) >= 8
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0
