"""Mutation testing: what is a fault, which tests it meets, and that one is noticed."""

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

CODE = '''
MOST = 3

def shorten(name: str | None, least: int = 2) -> str | None:
    """At most so many letters."""
    if name in (None, ""):
        raise ValueError(f"a name of {least + 1} letters or more, got {name!r}")
    known = (
        name
        + "x"
    )
    return known[:MOST]

@cache
def keep(name):
    return True

MADE.append(1)
'''


def test_types_and_messages_are_not_changed(benchmark):
    changes = {mutant.change for mutant in benchmark("mutations").mutants_of(CODE)}
    assert changes == {
        "`1` to `2`",
        "`3` to `4`",
        "`2` to `3`",
        "`name in (None, '')` to `name not in (None, '')`",
        "`name + 'x'` to `name - 'x'`",
        "`return known[:MOST]` to `return None`",
        "`return True` to `return None`",
        "`True` to `False`",
    }


@pytest.mark.parametrize(
    ("line", "known", "expected"),
    [
        (6, {6: ["a"], 8: ["b"]}, [6]),
        (10, {8: ["a"], 9: [], 10: [], 12: ["b"]}, [8, 9, 10]),  # not measured: its statement
        (2, {2: [], 6: ["a"], 12: ["b"], 16: ["c"]}, [12]),  # a constant: where it is used
        (4, {4: [], 6: ["a"], 15: ["c"]}, [6]),  # a default: its function
        (14, {6: ["a"], 16: ["c"], 18: []}, [16]),  # a decorator
        (18, {6: ["a"], 16: ["c"], 18: []}, [6, 16]),  # anything else: all functions of the file
        (16, {2: [], 6: ["a"]}, []),
    ],
)
def test_lines_that_show_a_fault(benchmark, line, known, expected):
    assert benchmark("line_tests").lines_that_matter(CODE, line, known) == expected


def test_the_narrowest_tests_that_fit_and_at_least_one(benchmark):
    seconds = {"whole": 20.0, "unit": 2.0, "part": 0.1, "other": 0.1}
    mine = {6: ["whole", "unit", "part"], 8: ["whole", "part"], 12: ["whole"], 16: ["other"]}
    known = benchmark("line_tests").LineMap(seconds, {"store/run.py": mine})
    for line, most, expected in (
        (6, 10, ["unit", "part"]),
        (6, 30, ["unit", "part", "whole"]),
        (8, 10, ["part"]),
        (12, 10, ["whole"]),
        (2, 1, ["whole"]),
    ):
        assert known.tests_of("store/run.py", CODE, line, most) == expected
    assert known.tests_of("store/parts.py", CODE, 6, 10) == []


def test_a_survivor_that_a_new_test_notices_says_so(benchmark):
    mutants, ending = benchmark("mutants"), benchmark("mutant_run").Ending
    mutant = benchmark("mutations").mutants_of(CODE)[0]
    rows = []
    mutants.keep(rows, None, mutant, ending("survived", None, 1.0))
    (row,) = rows
    assert mutants.is_wanted(row, again=True) and not mutants.is_wanted(row, again=False)
    mutants.keep(rows, row, mutant, ending("survived", None, 1.0))
    assert row["outcome"] == "survived" and "first" not in row
    mutants.keep(rows, row, mutant, ending("killed", "tests/a.py::b", 1.0))
    assert rows == [row] and (row["outcome"], row["first"]) == ("killed", "survived")
    assert not mutants.is_wanted(row, again=True)
    assert mutants.is_wanted(None, again=False) and not mutants.is_wanted(None, again=True)


def test_every_file_of_the_rooms_is_tried(benchmark):
    mutants = benchmark("mutants")
    tried = mutants.files_tried()
    source = ROOT / "src" / "simplicert"
    files = {
        path.relative_to(source).as_posix()
        for room in ("store", "drawing", "verification", "smoothed")
        for path in (source / room).rglob("*.py")
    }
    assert set(tried) - set(mutants.TESTS) == files
    assert set(mutants.NEEDS_SOLITUDE) < files
    assert all((source / name).exists() for name in tried)
    assert all((ROOT / test).exists() for tests in mutants.TESTS.values() for test in tests)
    assert mutants.files_tried(["engines/guard"]) == ["drawing/engines/guard.py"]


def test_what_could_end_other_processes_runs_where_it_sees_none(benchmark, tmp_path):
    """Of another process neither the number nor the folder in /tmp is there; results stay."""
    alone = benchmark("alone")
    if not alone.can_be_alone():
        pytest.skip("no space of process ids of its own is to be had here")
    look = "import os, sys; print(os.getpid(), sorted(os.listdir('/tmp')), sys.argv[1:])"
    code = f"import alone; alone.go_on_alone(sys.argv[1:]); {look}"
    words = [sys.executable, "-c", f"import sys; {code}"]
    environment = {"PYTHONPATH": str(ROOT / "benchmarks"), "PATH": "/usr/bin:/bin:/usr/sbin:/sbin"}
    run = partial(subprocess.run, capture_output=True, text=True, env=environment, check=False)
    done = run([*words, str(ROOT / "x.json")])
    assert (done.returncode, done.stdout) == (0, f"1 [] ['{ROOT / 'x.json'}']\n"), done.stderr
    inside = alone.KEPT_OUT / "x.json"
    refused = run([*words, str(inside)])
    assert (refused.returncode, refused.stdout) == (1, "")
    says = f"results must not be written under {alone.KEPT_OUT}, got {inside}"
    assert refused.stderr == f"{says}\n"


@pytest.mark.slow
def test_lines_are_measured_and_a_mutant_is_noticed_where_they_run(tmp_path):
    """In the process of the tests and in those that they start."""
    lines, out = tmp_path / "lines.json", tmp_path / "out.json"
    tests = "tests/store/test_neighbours.py"
    words = [sys.executable, "-W", "ignore", "benchmarks/line_tests.py", lines, tests]
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True)
    assert set(json.loads(lines.read_text())["lines"]["store/neighbours.py"]) > {"1"}
    words = [sys.executable, "-W", "ignore", "benchmarks/mutants.py", "--each", "4", "--json", out]
    words += ["--only", "store/neighbours", "--lines", lines]
    done = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True)
    rows = json.loads(out.read_text())["store/neighbours.py"]["mutants"]
    killed = [row["outcome"] for row in rows].count("killed")
    assert len(rows) == 4 and killed >= 2  # which faults a sample holds changes with the file
    assert f"{killed} of 4 killed" in done.stdout
