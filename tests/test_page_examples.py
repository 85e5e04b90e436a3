"""The examples of docs/population.md and docs/threats.md, as a reader would type them."""

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
    (lines,) = blocks("threats.md", "sh")
    for line in lines.splitlines():
        code, out, said = command(*shlex.split(line)[1:])
        assert code == 0 and "two_sided" in out, (line, said)


def test_radii_of_other_noises_are_those_on_the_page():
    (session,) = blocks("threats.md", "pycon")
    test = doctest.DocTestParser().get_doctest(session, {}, "threats.md", None, 0)
    assert len(test.examples) == 4
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0
