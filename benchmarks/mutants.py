"""Mutation testing: small faults put into the mathematics, one at a time; do the tests notice?

    python benchmarks/mutants.py [--each 20] [--seed 0] [--only NAME] --json FILE

Of each file of `bounds` and `mechanisms` a random sample of mutants: comparisons, arithmetic,
constants, logic, least and largest, returned values. For each the tests of that file run (TESTS)
until one fails. FILE is written after every mutant, and what it holds is not run again.
"""

import argparse
import ast
import json
import random
import sys
from pathlib import Path

from mutant_run import outcome
from mutations import mutants_of

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "simplicert"

BOUNDS, MECHANISMS = "tests/bounds", "tests/mechanisms"
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


def save(path, result):
    """The result so far."""
    path.write_text(json.dumps(result, indent=1) + "\n")


def measured(names, each, seed, path):
    """Each file's mutants that the result does not hold yet."""
    result = json.loads(path.read_text()) if path.exists() else {}
    for name in names:
        mine = result.setdefault(name, {"mutants": []})
        done = {(row["line"], row["change"]) for row in mine["mutants"]}
        if "seconds" not in mine:
            ended, mine["seconds"] = outcome(None, None, TESTS[name])
            if ended != "survived":
                sys.exit(f"the tests of {name} fail without a mutant: {TESTS[name]}")
        for mutant in chosen(name, each, seed):
            if (mutant.line, mutant.change) in done:
                continue
            ended, _ = outcome(module_of(name), ast.unparse(mutant.tree), TESTS[name])
            row = {"line": mutant.line, "change": mutant.change, "outcome": ended}
            mine["mutants"].append(row)
            print(f"{name}:{mutant.line} {mutant.change}: {ended}", flush=True)
            save(path, result)
    return result


def module_of(name):
    """The module that a file is."""
    return "simplicert." + name.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def main():
    """Run, print the survivors and the share that was killed."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--each", type=int, default=20)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--only", help="files whose name holds this")
    arguments.add_argument("--json", type=Path, required=True)
    asked = arguments.parse_args()
    names = [name for name in TESTS if asked.only is None or asked.only in name]
    result = measured(names, asked.each, asked.seed, asked.json)
    rows = [(name, row) for name in result for row in result[name]["mutants"]]
    for name, row in rows:
        if row["outcome"] == "survived":
            print(f"survived: {name}:{row['line']} {row['change']}")
    killed = sum(row["outcome"] != "survived" for _, row in rows)
    print(f"{killed} of {len(rows)} killed")


if __name__ == "__main__":
    main()
