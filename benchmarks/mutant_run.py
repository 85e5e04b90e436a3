"""One mutant and its tests in a process of their own, forked where the libraries are loaded.

The mutant stands in a copy of the package, first on the path: commands and workers that a test
starts import it too. Whatever a test leaves running is ended before the next mutant.
"""

import compileall
import ctypes
import gc
import importlib
import os
import resource
import shutil
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "simplicert"
LOADED = (
    *("numpy", "scipy.special", "scipy.stats", "scipy.optimize", "scipy.integrate", "pandas"),
    *("pyarrow", "pyarrow.parquet", "hypothesis", "mpmath", "pytest", "_pytest.assertion.rewrite"),
    *("pyarrow.compute", "torch", "typer", "rich.table", "tomli_w", "PIL.Image"),
)
MOST_SECONDS = 120  # of the processor: a mutant that never ends is noticed too
TIERS = ("not slow and not long", "slow")  # the slow tests where no other noticed
ADOPT_ORPHANS = 36  # of Linux: PR_SET_CHILD_SUBREAPER


@dataclass(frozen=True)
class Ending:
    """How the tests of one mutant ended: which test failed, and processor seconds."""

    outcome: str
    test: str | None
    seconds: float


class Copy:
    """A copy of the package in a folder, one of whose files may have a fault."""

    def __init__(self, folder):
        """Copy all, and adopt what outlives its parent."""
        self.folder, self.changes = Path(folder), 0
        shutil.copytree(SOURCE, self.folder / "simplicert")
        ctypes.CDLL(None).prctl(ADOPT_ORPHANS, 1, 0, 0, 0)
        # Bytecode is kept, so that only the faulty file is compiled anew.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        sys.dont_write_bytecode = False
        compileall.compile_dir(self.folder, quiet=1)
        for name in LOADED:
            importlib.import_module(name)
        gc.freeze()  # what is loaded is not collected again and again in each process

    def write(self, name, text):
        """Put a text in the place of a file; no bytecode of another text passes for its own."""
        path = self.folder / "simplicert" / name
        path.write_text(text)
        self.changes += 1
        os.utime(path, (self.changes, self.changes))

    def try_tests(self, tests, name=None, text=None, tiers=TIERS, most_seconds=None):
        """Run tests until one fails, with the mutant if there is one."""
        if name is not None:
            self.write(name, text)
        failed = self.folder / "failed"
        failed.unlink(missing_ok=True)
        child = os.fork()
        if child == 0:
            os._exit(self._run(tests, tiers, failed))
        status, used = wait_for(child, most_seconds)
        end_children()
        if name is not None:
            self.write(name, (SOURCE / name).read_text())
        seconds = round(used.ru_utime + used.ru_stime, 1)
        if os.WIFSIGNALED(status):
            return Ending("killed by time", None, seconds)
        if os.WEXITSTATUS(status) == 0:
            return Ending("survived", None, seconds)
        return Ending("killed", failed.read_text() if failed.exists() else None, seconds)

    def _run(self, tests, tiers, failed):
        """In the new process: 0 if every test passes."""
        import pytest
        from hypothesis import Phase, settings

        # A failure is all that is asked for, not its smallest example.
        settings.register_profile("mutants", phases=(Phase.explicit, Phase.generate), database=None)
        settings.load_profile("mutants")
        silence = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(silence, stream)
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS + 5))
        os.chdir(ROOT)
        sys.path.insert(0, str(self.folder))
        os.environ["PYTHONPATH"] = str(self.folder)
        options = ["-x", "-q", "--no-header"]
        for plugin in ("cacheprovider", "xdist", "xdist.looponfail", "pytest_cov", "anyio"):
            options += ["-p", f"no:{plugin}"]
        options += ["-o", "python_files=test_*.py"]  # else pytest itself imports our sign_test.py
        options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # loaded already
        try:
            for marked in tiers:
                found = int(pytest.main([*options, "-m", marked, *tests], [FirstFailure(failed)]))
                if found not in (0, pytest.ExitCode.NO_TESTS_COLLECTED):
                    return found
            return 0
        except BaseException:  # a mutant that breaks the import is noticed
            return 1


class FirstFailure:
    """A plugin of pytest that writes down the test or the file that failed."""

    def __init__(self, path):
        """Where to."""
        self.path = path

    def pytest_runtest_logreport(self, report):
        """One phase of a test."""
        if report.failed and not self.path.exists():
            self.path.write_text(report.nodeid)

    pytest_collectreport = pytest_runtest_logreport


def wait_for(child, most_seconds):
    """Its status and what it used; after so many seconds of the clock its whole group is ended."""
    deadline = time.monotonic() + (most_seconds or 10 * MOST_SECONDS)
    while True:
        process, status, used = os.wait4(child, os.WNOHANG)
        if process:
            return status, used
        if time.monotonic() > deadline:
            with suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            _, status, used = os.wait4(child, 0)
            return status, used
        time.sleep(0.02)


def end_children():
    """End the processes that tests left running; they are ours since their parent ended."""
    while children := Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
        for child in map(int, children):
            with suppress(ProcessLookupError, ChildProcessError):
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
