"""The examples of docs/population.md, threats.md and text.md, as a reader would type them."""

import doctest
import re
import shlex
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"


def blocks(page, language):
    """The fenced blocks of one language on a page, in their order."""
    text = (DOCS / page).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
def test_a_population_of_digits_is_certified_from_beginning_to_end(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = "".join(blocks("population.md", "sh")).splitlines()
    assert len(lines) == 8 and all(line.startswith("simplicert ") for line in lines)
    printed = {}
    for line in lines:
        code, printed[line], said = command(*shlex.split(line)[1:])
        assert code == 0, (line, said)
    smoothed, gate, randomised = (printed[lines[place]] for place in (3, 4, 7))
    assert "64 draws of each of 179 inputs" in smoothed and "1 of 1 requirements hold" in gate
    assert "answers by one noisy copy" in randomised


def test_every_command_about_other_noises_works(command):
    lines = blocks("threats.md", "sh")[0]
    for line in lines.splitlines():
        code, out, said = command(*shlex.split(line)[1:])
        assert code == 0 and "two_sided" in out, (line, said)


def test_radii_of_other_noises_are_those_on_the_page():
    session = "\n".join(blocks("threats.md", "pycon"))
    test = doctest.DocTestParser().get_doctest(session, {}, "threats.md", None, 0)
    assert len(test.examples) >= 7
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0


REVIEWS = """
def make():
    return lambda batch: [int(one.count("good") > one.count("bad")) for one in batch]
"""


def test_texts_are_drawn_certified_and_verified(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "reviews.py").write_text(REVIEWS)
    lines = '{"text": "good good good", "label": "yes"}\n{"text": "a bad film", "label": "no"}\n'
    (tmp_path / "reviews.jsonl").write_text(lines)
    (tmp_path / "runs").mkdir()
    (shown,) = blocks("text.md", "sh")
    for line in shown.splitlines():
        code, _, said = command(*shlex.split(line)[1:])
        assert code == 0, (line, said)
    assert "edits" in (tmp_path / "reviews.csv").read_text()


def test_texts_in_python_are_as_on_the_page():
    (session,) = blocks("text.md", "pycon")
    test = doctest.DocTestParser().get_doctest(session, {}, "text.md", None, 0)
    assert len(test.examples) == 8
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0
