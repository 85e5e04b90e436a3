"""The types as a user's own mypy sees them, in the wheel as installed.

tests/release/user.py is right and must pass under --strict; every line of misuse.txt is wrong and
must be reported, as the kind of error that it is.
"""

import ast
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import simplicert as sc

HERE = Path(__file__).parent
USER = (HERE / "user.py").read_text()
MISUSE = [
    line.split(maxsplit=1)
    for line in (HERE / "misuse.txt").read_text().splitlines()
    if line and not line.startswith("#")
]
# What the user's program does not touch is not read: torch alone takes a minute.
SETTINGS = """\
[mypy]
strict = true
[mypy-torch.*,matplotlib.*,pandas.*,pyarrow.*,scipy.*,rich.*,typer.*,jinja2.*]
follow_imports = skip
ignore_missing_imports = true
"""


@pytest.fixture(scope="module")
def reported(installed, tmp_path_factory):
    """Errors of the user's file and of the misuses below it: (line, kind), and what was printed."""
    folder = tmp_path_factory.mktemp("user")
    (folder / "mypy.ini").write_text(SETTINGS)
    wrong = [f"    {line}" for _, line in MISUSE]
    (folder / "program.py").write_text(USER + "\n".join(["", *wrong, ""]))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", "program.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    found = re.findall(r"^(\S+?):(\d+): error: .*\[([\w-]+)\]$", done.stdout, re.MULTILINE)
    assert {name for name, _, _ in found} == {"program.py"}, done.stdout
    return [(int(line), kind) for _, line, kind in found], done.stdout


FIRST = len(USER.splitlines()) + 2  # line of the first misuse


@pytest.mark.slow
def test_right_use_passes(reported):
    errors, printed = reported
    assert [line for line, _ in errors if line < FIRST - 1] == [], printed


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(MISUSE)), ids=[line for _, line in MISUSE])
def test_wrong_use_is_reported(reported, number):
    errors, printed = reported
    assert (FIRST + number, MISUSE[number][0]) in errors, printed


def test_the_types_are_those_of_the_wheel(installed):
    """Without the mark of PEP 561 every name would be Any, and nothing would be reported."""
    assert (installed / "simplicert" / "py.typed").is_file()


@pytest.mark.parametrize("kind", [sc.Tally, sc.Expectations])
def test_the_typed_constructor_is_the_one_that_runs(kind):
    """It is written down for mypy alone; names, order and defaults are those of the fields."""
    (cls,) = (
        node
        for node in ast.parse(Path(inspect.getfile(kind)).read_text()).body
        if isinstance(node, ast.ClassDef)
    )
    (typed,) = (
        node
        for node in ast.walk(cls)
        if isinstance(node, ast.FunctionDef) and node.name == "__init__"
    )
    real = list(inspect.signature(kind).parameters.values())
    assert [argument.arg for argument in typed.args.args[1:]] == [one.name for one in real]
    defaults = [one.default for one in real if one.default is not inspect.Parameter.empty]
    names = vars(inspect.getmodule(kind))
    written = [
        names[one.id] if isinstance(one, ast.Name) else ast.literal_eval(one)
        for one in typed.args.defaults
    ]
    assert written == defaults
