"""Which tests run which line, so that a mutant meets the tests that can notice it.

    python benchmarks/line_tests.py FILE [TESTS...]    measure, and add to what FILE holds

The tests of FOLDERS run once under `coverage`, each as a context of its own; the commands and
workers that a test starts count as that test. `LineMap.tests_of` picks the tests of one mutant.
"""

import ast
import json
import os
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "simplicert"
ROOMS = ("store", "drawing", "verification", "smoothed")
FOLDERS = (*(f"tests/{room}" for room in ROOMS), "tests/test_atomic.py")
FOLDERS += ("--ignore=tests/drawing/test_ray.py",)
SETTINGS = """
[run]
source = {source}
data_file = {folder}/data
parallel = true
context = ${{PYTEST_CURRENT_TEST-}}
"""


def pytest_configure(config):
    """As a plugin of pytest: each test is a context, and its seconds are kept."""
    if "LINES_SECONDS" in os.environ:
        config.pluginmanager.register(Contexts())


class Contexts:
    """Tells `coverage` which test runs, and writes down how long those took that passed."""

    def __init__(self):
        """No test has run yet."""
        self.seconds, self.failed = defaultdict(float), set()

    def pytest_runtest_logstart(self, nodeid):
        """From here on lines are this test's."""
        import coverage

        coverage.Coverage.current().switch_context(nodeid)

    def pytest_runtest_logreport(self, report):
        """One of the three phases of a test."""
        self.seconds[report.nodeid] += report.duration
        if not report.passed:
            self.failed.add(report.nodeid)

    def pytest_sessionfinish(self):
        """Tests that were skipped or failed notice nothing."""
        passed = {name: s for name, s in self.seconds.items() if name not in self.failed}
        Path(os.environ["LINES_SECONDS"]).write_text(json.dumps(passed))


def measure(folders=FOLDERS, marks=("not slow and not long", "slow and not long")):
    """{"seconds": test -> seconds, "lines": file -> line -> tests}."""
    seconds, lines = {}, defaultdict(lambda: defaultdict(set))
    for marked in marks:
        with TemporaryDirectory() as folder:
            took, files = measure_once(Path(folder), [*folders, "-m", marked])
            seconds |= took
            for path, held in files.items():
                name = str(Path(path).relative_to(SOURCE))
                for line, contexts in held["contexts"].items():
                    lines[name][int(line)] |= {test_of(context) for context in contexts}
    found = {
        name: {line: sorted(tests & seconds.keys()) for line, tests in sorted(held.items())}
        for name, held in sorted(lines.items())
    }
    return {"seconds": seconds, "lines": found}


def measure_once(folder, words):
    """The seconds of the tests and the report of `coverage` on the files."""
    shutil.copy(__file__, folder)  # a plugin from there: here another file is called coverage
    settings = folder / "settings"
    source = ",".join(str(SOURCE / room) for room in ROOMS)
    settings.write_text(SETTINGS.format(source=source, folder=folder))
    told = {
        "COVERAGE_PROCESS_START": str(settings),
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(folder)]),
        "LINES_SECONDS": f"{folder}/seconds",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider"]
    environment = {**os.environ, **told}
    environment.pop("PYTEST_CURRENT_TEST", None)  # of a test that measures, it is none of these
    command += ["-p", Path(__file__).stem, *words]
    subprocess.run(command, cwd=ROOT, env=environment, check=False)
    for step in (["combine", "-q"], ["json", "-q", "--show-contexts", "-o", "report"]):
        command = [sys.executable, "-m", "coverage", *step, f"--rcfile={settings}"]
        subprocess.run(command, cwd=folder, check=True)
    report = json.loads((folder / "report").read_text())
    return json.loads((folder / "seconds").read_text()), report["files"]


def test_of(context):
    """The test that a context names: `PYTEST_CURRENT_TEST` adds its phase in brackets."""
    for phase in (" (setup)", " (call)", " (teardown)"):
        context = context.removesuffix(phase)
    return context


@dataclass(frozen=True)
class LineMap:
    """How long each test takes, and which tests run which line of which file."""

    seconds: dict[str, float]
    lines: dict[str, dict[int, list[str]]]

    @cached_property
    def breadth(self):
        """How many lines each test runs."""
        return Counter(
            test for mine in self.lines.values() for tests in mine.values() for test in tests
        )

    @classmethod
    def read(cls, path):
        """What a file holds; it is measured and written if there is none."""
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            add(path, FOLDERS)
        held = json.loads(path.read_text())
        lines = {
            name: {int(line): tests for line, tests in mine.items()}
            for name, mine in held["lines"].items()
        }
        return cls(held["seconds"], lines)

    def tests_of(self, name, text, line, most_seconds):
        """The tests that run a line, as many as fit, those first that run the fewest lines.

        A test of one function runs fewer lines than one of a whole command, and asks more of them.
        """
        mine = self.lines.get(name, {})
        found = {test for at in lines_that_matter(text, line, mine) for test in mine[at]}
        chosen, total = [], 0.0
        for test in sorted(found, key=lambda test: (self.breadth[test], test)):
            total += self.seconds[test]
            if chosen and total > most_seconds:
                break
            chosen.append(test)
        return chosen


def lines_that_matter(text, line, known):
    """The measured lines that show a fault of a line.

    In a function that is the line itself, or the statement around it. Of defaults and decorators,
    which run at the import, it is the function; of a constant where its name is used in a function
    of the file; of anything else all functions of the file.
    """
    tree = ast.parse(text)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    inside = {at for node in functions for at in body_lines(node)}
    statement = max(
        (
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.stmt) and first_line(node) <= line <= node.end_lineno
        ),
        key=first_line,
    )
    if line in inside:
        if known.get(line):
            return [line]
        return [at for at in known if first_line(statement) <= at <= statement.end_lineno]
    if isinstance(statement, ast.FunctionDef):
        return [at for at in known if at in body_lines(statement)]
    names = {
        node.id
        for target in getattr(statement, "targets", [])
        for node in ast.walk(target)
        if isinstance(node, ast.Name)
    }
    users = {
        node.lineno for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in names
    }
    return [at for at in known if at in inside & users] or [at for at in known if at in inside]


def first_line(node):
    """Where a statement begins, with its decorators."""
    return min(one.lineno for one in (node, *getattr(node, "decorator_list", [])))


def body_lines(node):
    """The lines of a function, but for its name and arguments."""
    return range(node.body[0].lineno, node.end_lineno + 1)


def add(path, words):
    """Measure some tests and add what they run to a file that may hold others already."""
    held = json.loads(path.read_text()) if path.exists() else {"seconds": {}, "lines": {}}
    found = measure(words)
    held["seconds"] |= found["seconds"]
    for name, lines in found["lines"].items():
        mine = held["lines"].setdefault(name, {})
        for line, tests in lines.items():
            mine[str(line)] = sorted({*mine.get(str(line), []), *tests})
    path.write_text(json.dumps(held))


if __name__ == "__main__":
    add(Path(sys.argv[1]), sys.argv[2:] or FOLDERS)
