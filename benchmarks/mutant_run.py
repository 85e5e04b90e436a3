"""One mutant and its tests in a process of their own, forked where the libraries are loaded."""

import importlib
import importlib.abc
import importlib.util
import os
import resource
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOADED = (
    *("numpy", "scipy.special", "scipy.stats", "scipy.optimize", "scipy.integrate", "pandas"),
    *("pyarrow", "pyarrow.parquet", "hypothesis", "mpmath", "pytest", "_pytest.assertion.rewrite"),
)
MOST_SECONDS = 120  # of the processor: a mutant that never ends is noticed too


class Served(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Serves one module from given source, with the place of the real one."""

    def __init__(self, module, text):
        """Nothing is imported yet."""
        self.module, self.text = module, text

    def find_spec(self, name, path=None, target=None):
        """The module itself, and no other."""
        if name != self.module:
            return None
        sys.meta_path.remove(self)
        real = importlib.util.find_spec(name)
        sys.meta_path.insert(0, self)
        packaged = real.submodule_search_locations
        self.origin = real.origin
        spec = importlib.util.spec_from_loader(name, self, origin=real.origin)
        spec.submodule_search_locations = packaged
        return spec

    def exec_module(self, module):
        """Run the given source."""
        module.__file__ = self.origin
        exec(compile(self.text, self.origin, "exec"), vars(module))


def outcome(module, text, tests):
    """("killed", "killed by time" or "survived", processor seconds); no module: no mutant."""
    for name in LOADED:
        importlib.import_module(name)
    child = os.fork()
    if child == 0:
        os._exit(run(module, text, tests))
    _, status, used = os.wait4(child, 0)
    seconds = round(used.ru_utime + used.ru_stime, 1)
    if os.WIFSIGNALED(status):
        return "killed by time", seconds
    return ("survived" if os.WEXITSTATUS(status) == 0 else "killed"), seconds


def run(module, text, tests):
    """In the new process: 0 if every test passes."""
    import pytest
    from hypothesis import Phase, settings

    # A failure is all that is asked for, not its smallest example.
    settings.register_profile("mutants", phases=(Phase.explicit, Phase.generate), database=None)
    settings.load_profile("mutants")
    silence = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(silence, stream)
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS + 5))
    os.chdir(ROOT)
    if module is not None:
        sys.meta_path.insert(0, Served(module, text))
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-header"]
    options += ["-o", "python_files=test_*.py"]  # else pytest itself imports our sign_test.py
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # hypothesis is loaded already
    try:
        for marked in ("not slow and not long", "slow"):  # the slow ones where no other noticed
            found = int(pytest.main([*options, "-m", marked, *tests]))
            if found not in (0, pytest.ExitCode.NO_TESTS_COLLECTED):
                return found
        return 0
    except BaseException:  # a mutant that breaks the import is noticed
        return 1
