"""Every block of docs/quickstart.md, run as a newcomer would: from an empty folder, in order."""

import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import simplicert as sc

PAGE = (Path(__file__).parents[1] / "docs" / "quickstart.md").read_text()
SECTIONS = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE))
BLOCK = re.compile(r"^```(\w*)(?: title=\"([^\"\n]+)\")?\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass
class Terminal:
    """A folder, and what was printed since the last command line."""

    command: object
    printed: str = ""

    def type(self, line):
        """Run one line, which must succeed."""
        words = shlex.split(line)
        if words[0] == "simplicert":
            code, out, said = self.command(*words[1:])
        else:
            assert words[0] == "python", line
            run = [sys.executable, *words[1:]]
            done = subprocess.run(run, capture_output=True, text=True, check=False)
            code, out, said = done.returncode, done.stdout, done.stderr
        assert code == 0, (line, said)
        self.printed += out


def shape(text):
    """Words without numbers: another processor trains other weights."""
    bare = re.sub(r"[\[\]]", " ", text)
    return re.sub(r"[-\d.e]*\d[-\d.e]*|True|False|<NA>|NaN", "#", bare).split()


def same(shown, printed, exact):
    """Whether the page shows what was printed; to the last digit where no network was trained.

    A mechanism that is newer than the page may have a row that it does not show.
    """
    newer = {name for name in sc.MECHANISMS if name not in PAGE}
    lines = [line for line in printed.splitlines() if not newer & set(line.split()[:1])]
    printed = "\n".join(lines)
    if exact:
        return [line.rstrip() for line in shown.splitlines()] == [
            line.rstrip() for line in printed.splitlines()
        ]
    return shape(shown) == shape(printed)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["A PyTorch network", "An ONNX file", "A scikit-learn model", "A table of counts"]
)
def test_the_way_in(name, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    terminal, compared = Terminal(command), 0
    for language, title, text in BLOCK.findall(SECTIONS[name]):
        if title:
            (tmp_path / title).write_text(text)
        elif language == "sh":
            terminal.printed = ""
            for line in text.splitlines():
                terminal.type(line)
        else:
            assert language == "text"
            assert same(text, terminal.printed, exact=name == "A table of counts"), terminal.printed
            compared += 1
    assert compared > 0


def test_no_way_in_is_left_out():
    """All blocks are in the four sections, but for the installation."""
    assert list(SECTIONS)[-1] == "Next"
    assert [block[2] for block in BLOCK.findall(PAGE.split("\n## ")[0])] == [
        "pip install 'PATH_OF_THE_COPY[all]'\n"
    ]
    assert len(SECTIONS) == 5 and not BLOCK.findall(SECTIONS["Next"])
