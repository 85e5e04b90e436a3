"""Mutation testing: small faults put into the code, one at a time; do the tests notice?

    python benchmarks/mutants.py [--each 20] [--seed 0] [--only NAME...] [--again] --json FILE

Of each file a random sample of mutants: comparisons, arithmetic, constants, logic, least and
largest, returned values. For each file of `bounds` and `mechanisms` its tests run (TESTS), for any
other the tests that run the mutated line (line_tests.py), until one fails. FILE is written after
every mutant, and what it holds is not run again; with --again its survivors are.

A fault in `drawing/engines/guard.py` or `cluster.py`, which end the processes and remove the
folders of a dead leader, would reach those of other people: those files are tried only where no
process is seen but the tool's own, and `/tmp` is empty (alone.py).
"""

import argparse
import json
import random
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from alone import go_on_alone, is_alone
from line_tests import ROOMS, LineMap
from mutant_run import ROOT, SOURCE, Copy, Ending
from mutations import mutants_of

BOUNDS, MECHANISMS = "tests/bounds", "tests/mechanisms"
WAIT_SECONDS = (
    40  # of the clock, beside four times what its tests take: more is a mutant that hangs
)
NEEDS_SOLITUDE = ("drawing/engines/guard.py", "drawing/engines/cluster.py")
# file -> its tests, the quick ones first
TESTS = {
    "bounds/binomial.py": [f"{BOUNDS}/test_binomial.py", f"{BOUNDS}/test_gated.py"],
    "bounds/means.py": [f"{BOUNDS}/test_means.py"],
    "bounds/box.py": [
        f"{BOUNDS}/test_box.py",
        f"{BOUNDS}/test_looks.py",
        f"{BOUNDS}/test_bound.py",
        f"{BOUNDS}/test_gated.py",
    ],
    "bounds/__init__.py": [f"{BOUNDS}/test_bound.py", f"{BOUNDS}/test_looks.py"],
    "bounds/gated.py": [
        f"{BOUNDS}/test_shares.py",
        f"{BOUNDS}/test_gated.py",
        f"{BOUNDS}/test_softmax.py",
    ],
    "bounds/paper.py": [
        f"{BOUNDS}/test_shares.py",
        f"{BOUNDS}/test_paper.py",
        f"{BOUNDS}/test_softmax.py",
    ],
    "bounds/split.py": [
        f"{BOUNDS}/test_shares.py",
        f"{BOUNDS}/test_split.py",
        f"{BOUNDS}/test_softmax.py",
    ],
    "bounds/joint/__init__.py": [f"{BOUNDS}/test_shares.py", f"{BOUNDS}/test_joint.py"],
    "bounds/softmax.py": [f"{BOUNDS}/test_softmax.py"],
    "bounds/sides.py": [f"{BOUNDS}/test_sides.py", f"{BOUNDS}/test_softmax.py"],
    "bounds/bands.py": [f"{BOUNDS}/test_bands.py"],
    "bounds/betting.py": [f"{BOUNDS}/test_betting.py"],
    "bounds/bets.py": [f"{BOUNDS}/test_bets.py"],
    "bounds/joint/tail.py": [
        f"{BOUNDS}/test_staircase.py",
        f"{BOUNDS}/test_tail.py",
        f"{BOUNDS}/test_buehler.py",
    ],
    "bounds/joint/buehler.py": [f"{BOUNDS}/test_buehler.py", f"{BOUNDS}/test_joint.py"],
    "bounds/joint/scores.py": [f"{BOUNDS}/test_joint_sums.py", f"{BOUNDS}/test_joint_search.py"],
    "bounds/joint/sums.py": [f"{BOUNDS}/test_joint_sums.py", f"{BOUNDS}/test_joint_search.py"],
    "bounds/joint/segments.py": [f"{BOUNDS}/test_segments.py", f"{BOUNDS}/test_joint_search.py"],
    "bounds/joint/search.py": [f"{BOUNDS}/test_joint_search.py", f"{BOUNDS}/test_joint.py"],
    "mechanisms/quantile.py": [f"{MECHANISMS}/test_quantile.py"],
    "mechanisms/cohen.py": [f"{MECHANISMS}/test_mechanisms.py", f"{BOUNDS}/test_bound.py"],
    "mechanisms/two_sided.py": [f"{MECHANISMS}/test_mechanisms.py"],
    "mechanisms/lecuyer.py": [f"{MECHANISMS}/test_mechanisms.py"],
    "mechanisms/li.py": [f"{MECHANISMS}/test_li.py", f"{MECHANISMS}/test_mechanisms.py"],
    "mechanisms/improved_dp.py": [
        f"{MECHANISMS}/test_improved_dp.py",
        f"{MECHANISMS}/test_mechanisms.py",
    ],
    "mechanisms/cdf.py": [f"{MECHANISMS}/test_cdf.py"],
    "mechanisms/own.py": [f"{MECHANISMS}/test_own.py"],
    "mechanisms/ablation.py": [f"{MECHANISMS}/test_threats.py"],
    "mechanisms/deletion.py": [f"{MECHANISMS}/test_threats.py"],
    "mechanisms/uniform.py": [f"{MECHANISMS}/test_threats.py"],
    "mechanisms/laplace/__init__.py": [f"{MECHANISMS}/test_threats.py"],
    "mechanisms/laplace/improved_dp.py": [f"{MECHANISMS}/test_threats.py"],
    "mechanisms/laplace/li.py": [f"{MECHANISMS}/test_threats.py"],
}


def chosen(name, each, seed):
    """A random sample of the file's mutants, in the order of their lines."""
    found = mutants_of((SOURCE / name).read_text())
    random.Random(f"{seed} {name}").shuffle(found)  # fewer are the beginning of more
    return sorted(found[:each], key=lambda mutant: mutant.line)


def try_whole_files(copy, name, mutant):
    """The tests of a file of the mathematics: whole files of tests, the slow ones last."""
    return copy.try_tests(TESTS[name], name, mutant.source())


class LineTests:
    """The tests of any other file: those that run the mutated line, the narrowest first."""

    def __init__(self, path, seconds):
        """Measure which tests run which line, if `path` does not hold it."""
        self.known, self.seconds = LineMap.read(path), seconds
        self.passed, self.failed = set(), set()

    def try_mutant(self, copy, name, mutant):
        """How its tests end; a line that none runs is a survivor."""
        original, text = (SOURCE / name).read_text(), mutant.source()
        while True:
            tests = self.known.tests_of(name, original, mutant.line, self.seconds)
            tests = [test for test in tests if test not in self.failed]
            if not tests:
                return Ending("survived", "no test runs it", 0.0)
            most = WAIT_SECONDS + 4 * sum(self.known.seconds[test] for test in tests)
            ending = copy.try_tests(tests, name, text, tiers=("",), most_seconds=most)
            if ending.outcome != "killed" or self.pass_without(copy, ending.test, tests):
                return ending

    def pass_without(self, copy, test, tests):
        """Whether the test that failed passes without the mutant; else it is not asked again.

        Where none is named, as when a file of tests cannot be imported, all must pass.
        """
        if test not in tests:
            alone = copy.try_tests(tests, tiers=("",))
            if alone.outcome != "survived":
                sys.exit(f"tests fail without a mutant: {alone.test or tests}")
            return True
        if test not in self.passed:
            alone = copy.try_tests([test], tiers=("",))
            (self.passed if alone.outcome == "survived" else self.failed).add(test)
        return test in self.passed


def save(path, result):
    """The result so far."""
    path.write_text(json.dumps(result, indent=1) + "\n")


def measure(asked, result):
    """Each file's mutants that the result does not hold yet; with `again`, its survivors."""
    with TemporaryDirectory() as folder:
        copy, by_line = Copy(folder), None
        for name in files_tried(asked.only):
            if name in NEEDS_SOLITUDE and not is_alone():
                print(f"{name} is left out: no process space of its own is to be had", flush=True)
                continue
            if not (sample := chosen(name, asked.each, asked.seed)):
                continue
            mine = result.setdefault(name, {"mutants": []})
            rows: dict[tuple, list] = {}  # a line may have the same fault at two places
            for row in mine["mutants"]:
                rows.setdefault((row["line"], row["change"]), []).append(row)
            if name in TESTS and "seconds" not in mine:
                mine["seconds"] = require_passing(copy, name)
            elif name not in TESTS:
                by_line = by_line or LineTests(asked.lines, asked.seconds)
            try_mutant = try_whole_files if name in TESTS else by_line.try_mutant
            for mutant in sample:
                same = rows.get((mutant.line, mutant.change))
                row = same.pop(0) if same else None
                if is_wanted(row, asked.again):
                    ending = try_mutant(copy, name, mutant)
                    keep(mine["mutants"], row, mutant, ending)
                    print(f"{name}:{mutant.line} {mutant.change}: {ending}", flush=True)
                    save(asked.json, result)


def require_passing(copy, name):
    """The seconds of the tests of a file, which must pass without a mutant."""
    ending = copy.try_tests(TESTS[name])
    if ending.outcome != "survived":
        sys.exit(f"the tests of {name} fail without a mutant: {ending.test}")
    return ending.seconds


def is_wanted(row, again):
    """Whether to run a mutant: a new one or, once more, one that survived."""
    return row["outcome"] == "survived" if again and row else row is None and not again


def keep(rows, row, mutant, ending):
    """Keep how it ended; one that a later test noticed says that it survived at first."""
    if row is None:
        rows.append({"line": mutant.line, "change": mutant.change, "outcome": ending.outcome})
    elif ending.outcome != "survived":
        row |= {"outcome": ending.outcome, "first": "survived"}


def files_tried(only=None):
    """The files of the mathematics, then those of the other rooms; `only` some, if it is given."""
    paths = [path for room in ROOMS for path in sorted((SOURCE / room).rglob("*.py"))]
    names = [*TESTS, *(path.relative_to(SOURCE).as_posix() for path in paths)]
    return [name for name in names if not only or any(word in name for word in only)]


def main():
    """Run, print the survivors and the share that was killed."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--each", type=int, default=20)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--only", nargs="+", help="files whose name holds one of these")
    arguments.add_argument("--again", action="store_true", help="run the survivors once more")
    arguments.add_argument("--lines", type=Path, default=ROOT / "build" / "line_tests.json")
    arguments.add_argument("--seconds", type=float, default=12.0, help="of tests by line, at most")
    arguments.add_argument("--json", type=Path, required=True)
    asked = arguments.parse_args()
    if set(NEEDS_SOLITUDE) & set(files_tried(asked.only)):
        go_on_alone([asked.json, asked.lines])
    result = json.loads(asked.json.read_text()) if asked.json.exists() else {}
    measure(asked, result)
    rows = [(name, row) for name in result for row in result[name]["mutants"]]
    for name, row in rows:
        if row["outcome"] == "survived":
            print(f"survived: {name}:{row['line']} {row['change']}")
    killed = sum(row["outcome"] != "survived" for _, row in rows)
    print(f"{killed} of {len(rows)} killed")


if __name__ == "__main__":
    main()
