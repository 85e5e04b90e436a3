"""What the pages say that was measured: each file holds functions that write it as Markdown.

`<!-- measured: FILE.FUNCTION -->` in a page names the function that fills the block up to
`<!-- end -->`; `python docs/make_pages.py` calls it. The parameters of a function name the results
that it reads, by the table below. Every public function of a file fills a block.

Numbers are rounded to the side on which they claim less, every row of a column by the same rule:
radii, accuracies, gains and speeds down; draws, times, sizes and errors up; intervals outward.
"""

import csv
import json
import tomllib
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FILES = ("bounds", "commands", "coverage", "plan", "readme", "robustness", "speed", "stopping")
FILES += ("training", "house", "router", "rules")
SOURCES = {
    "analysis": "benchmarks/results/analysis.json",
    "attacks": "experiments/cifar10/runs/*/attack.csv",
    "coverage": "benchmarks/results/coverage.json",
    "draws": "benchmarks/results/draws.json",
    "engines": "benchmarks/results/engines.json",
    "faults": "benchmarks/results/faults.json",
    "findings": "experiments/cifar10/findings.json",
    "fuzz": "benchmarks/results/fuzz.json",
    "house": "benchmarks/results/house.json",
    "joint": "benchmarks/results/joint.json",
    "macer": "benchmarks/results/macer.json",
    "mutants": "benchmarks/results/mutants.json",
    "radii": "benchmarks/results/radii.json",
    "release": "release/results.json",
    "resuming": "benchmarks/results/resuming.json",
    "rules": "benchmarks/results/rules.json",
