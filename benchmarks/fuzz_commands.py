"""Types command lines for benchmarks/fuzz.py in one process; prints (exit code, trouble) each."""

import contextlib
import io
import json
import sys
import traceback

from simplicert.cli import main


def typed(words: list[str]) -> tuple[int, str]:
    """One line; trouble is a traceback, an exit code that is none of ours, or no sentence."""
    sys.argv = ["simplicert", *words]
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
    except SystemExit as stop:
        code = stop.code or 0
    except BaseException:
        return -1, traceback.format_exc()[-300:]
    said = err.getvalue()
    if code not in (0, 1, 2):
        return -1, f"exit code {code!r}"
    if "Traceback" in said:
        return int(str(code)), "a traceback on stderr"
    if code == 2 and not said.strip():
        return 2, "exit code 2 without a sentence"
    return int(str(code)), ""


if __name__ == "__main__":
    print(json.dumps([typed(line) for line in json.load(sys.stdin)]))
