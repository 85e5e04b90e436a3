"""Type many commands into one process, and see what each said, took, imported and reached for."""

import json
import subprocess
import sys
from typing import NamedTuple

CHILD = """
import contextlib, io, json, os, signal, sys, warnings
import torch, simplicert.cli
warnings.simplefilter("ignore")
wait = int(sys.argv[1])
reached = []


class Waits(BaseException):
    "Nothing in the program catches it."


def expire(*_):
    raise Waits


def watch(event, args):
    "Python tells every import, address and connection before it is made."
    if event == "import" and str(args[0]).partition(".")[0] == "payload":
        reached.append(f"import {args[0]}")
    elif event == "socket.getaddrinfo" or event.startswith(("urllib", "http.client")):
        reached.append(f"{event} {args[0]}")
    elif event == "socket.connect" and not isinstance(args[1], (str, bytes)):
        reached.append(f"connect {args[1]}")
    elif event in ("os.system", "os.exec", "pickle.find_class") and "payload" in str(args):
        reached.append(f"{event} {args}")


signal.signal(signal.SIGALRM, expire)
sys.addaudithook(watch)
for line in sys.stdin:
    folder, words = json.loads(line)
    os.chdir(folder)
    sys.argv = ["simplicert", *words]
    said, code = io.StringIO(), "returned"
    reached.clear()
    signal.alarm(wait)
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            simplicert.cli.main()
    except SystemExit as stop:
        code = stop.code or 0
    except BaseException as error:
        code = repr(error)[:300]
    signal.alarm(0)
    # Not getrusage: its peak is inherited from the process that started this one.
    with open("/proc/self/status") as status:
        most = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    print("ANSWER", json.dumps([code, said.getvalue(), most, reached]), flush=True)
"""
WAIT = 300  # seconds, after which a command is said to wait for ever


class Answer(NamedTuple):
    """What one command did."""

    code: object  # its exit code, or the error that it ended in
    said: str
    memory: int  # kB, the most that this and all commands before it took
    reached: list[str]  # imports of `payload`, addresses asked for, connections


def type_commands(lines, environment=None, before=()):
    """Answers of commands, each (current folder, words), one after another in one process.

    `before` are words that start the process, such as `unshare --net`.
    """
    done = subprocess.run(
        [*before, sys.executable, "-c", CHILD, str(WAIT)],
        input="\n".join(json.dumps([str(f), [str(w) for w in words]]) for f, words in lines),
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    found = [line for line in done.stdout.splitlines() if line.startswith("ANSWER ")]
    assert len(found) == len(lines), done.stderr[-2000:]
    return [Answer(*json.loads(line.removeprefix("ANSWER "))) for line in found]
