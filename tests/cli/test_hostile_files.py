"""Every command that reads a file gets files that were made against it.

All commands run one after another in one process of their own, so that the most memory that any of
them took can be read at the end. Nothing is timed: the alarm only ends a wait without end.
"""

import json
import re
import subprocess
import sys

import pytest
from hostile import CASES

pytestmark = pytest.mark.slow  # one process goes through all files, which takes half a minute

WAIT = 300  # seconds, after which a command is said to wait for ever
MOST = 3 * 2**20  # kB: what may always be unpacked, and the libraries

CHILD = """
import contextlib, io, json, os, signal, sys, warnings
import torch, simplicert.cli
warnings.simplefilter("ignore")
wait = int(sys.argv[1])


class Waits(BaseException):
    "Nothing in the program catches it."


def expire(*_):
    raise Waits


signal.signal(signal.SIGALRM, expire)
for line in sys.stdin:
    sys.argv = ["simplicert", *json.loads(line)]
    said, code = io.StringIO(), "returned"
    signal.alarm(wait)
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            simplicert.cli.main()
    except SystemExit as stop:
        code = stop.code
    except BaseException as error:
        code = repr(error)[:300]
    signal.alarm(0)
    # Not getrusage: its peak is inherited from the process that started this one.
    with open("/proc/self/status") as status:
        most = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    print("ANSWER", json.dumps([code, said.getvalue(), most]), flush=True)
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Exit code, what was said, and the most memory taken so far, of each case; and what to say."""
    lines, wanted = [], {}
    for number, (name, make) in enumerate(CASES.items()):
        words, wanted[name] = make(tmp_path_factory.mktemp(f"case{number}"))
        lines.append(json.dumps([str(word) for word in words]))
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(WAIT)],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=False,
    )
    found = [line for line in done.stdout.splitlines() if line.startswith("ANSWER ")]
    assert len(found) == len(CASES), done.stderr[-2000:]
    said = [json.loads(line.removeprefix("ANSWER ")) for line in found]
    return {name: (*one, wanted[name]) for name, one in zip(CASES, said, strict=True)}


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
