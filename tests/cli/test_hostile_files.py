"""Every command that reads a file gets files that were made against it.

All commands run one after another in one process of their own, so that the most memory that any of
them took can be read at the end. Nothing is timed: the alarm only ends a wait without end.
"""

import re

import pytest
from hostile import CASES
from typed import type_commands

pytestmark = pytest.mark.slow  # one process goes through all files, which takes half a minute

MOST = 3 * 2**20  # kB: what may always be unpacked, and the libraries


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Exit code, what was said, and the most memory taken so far, of each case; and what to say."""
    lines, wanted = [], {}
    for number, (name, make) in enumerate(CASES.items()):
        folder = tmp_path_factory.mktemp(f"case{number}")
        words, wanted[name] = make(folder)
        lines.append((folder, words))
    said = type_commands(lines)
    return {name: (*one[:3], wanted[name]) for name, one in zip(CASES, said, strict=True)}


@pytest.mark.parametrize("name", CASES)
def test_one_sentence_and_exit_code_2(answers, name):
    code, said, _, wanted = answers[name]
    assert code == 2, said
    *before, last = said.strip().splitlines()
    assert last.startswith("simplicert: ") and re.search(wanted, last), said
    progress = ("reading ", "loading ")
    assert not [line for line in before if not line.startswith(progress)], said
    assert "secret" not in said


def test_the_memory_stays_within_its_limit(answers):
    most = {name: memory for name, (_, _, memory, _) in answers.items()}
    assert max(most.values()) < MOST, most
