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
FILES = (
    "board",
    "bounds",
    "commands",
    "coverage",
    "geometry",
    "house",
    "l1",
    "lipschitz",
    "plan",
    "population",
    "reading",
    "readme",
    "report",
    "robustness",
    "router",
    "rules",
    "speed",
    "stopping",
    "strangers",
    "text",
    "threats",
    "training",
)
SOURCES = {
    "batches": "benchmarks/results/batches.json",
    "analysis": "benchmarks/results/analysis.json",
    "board": "benchmarks/results/board.json",
    "attacks": "experiments/cifar10/runs/*/attack.csv",
    "coverage": "benchmarks/results/coverage.json",
    "denoised": "benchmarks/results/denoised.json",
    "disk_faults": "benchmarks/results/disk_faults.json",
    "draws": "benchmarks/results/draws.json",
    "engines": "benchmarks/results/engines.json",
    "faults": "benchmarks/results/faults.json",
    "findings": "experiments/cifar10/findings.json",
    "fuzz": "benchmarks/results/fuzz.json",
    "geometry": "benchmarks/results/geometry.json",
    "house": "benchmarks/results/house.json",
    "joint": "benchmarks/results/joint.json",
    "kills": "benchmarks/results/kills.json",
    "l1": "benchmarks/results/l1.json",
    "ledger": "experiments/board/ledger.json",
    "lipschitz": "benchmarks/results/lipschitz.json",
    "macer": "benchmarks/results/macer.json",
    "merging": "benchmarks/results/merging.json",
    "mutants": "benchmarks/results/mutants.json",
    "noises": "benchmarks/results/noises.json",
    "population": "benchmarks/results/population.json",
    "radii": "benchmarks/results/radii.json",
    "ray_faults": "benchmarks/results/ray_faults.json",
    "release": "release/results.json",
    "report": "benchmarks/results/report.json",
    "resuming": "benchmarks/results/resuming.json",
    "router": "benchmarks/results/router.json",
    "rules": "benchmarks/results/rules.json",
    "sampling": "benchmarks/results/sampling.json",
    "scale": "benchmarks/results/scale.json",
    "smoothadv": "benchmarks/results/smoothadv.json",
    "softmax": "benchmarks/results/softmax.json",
    "text": "benchmarks/results/text.json",
    "threats": "benchmarks/results/threats.json",
    "training": "benchmarks/results/training.json",
    "zoo": "src/simplicert/**/zoo/*/model.toml",
}
READERS = {
    ".json": json.loads,
    ".toml": tomllib.loads,
    ".csv": lambda text: list(csv.DictReader(text.splitlines())),
}


def load_source(name: str) -> Any:
    """One result; of a pattern all files, each by the name of its folder."""
    if "*" not in SOURCES[name]:
        return _read_file(ROOT / SOURCES[name])
    paths = sorted(ROOT.glob(SOURCES[name]))
    if not paths:
        raise FileNotFoundError(f"no file matches {SOURCES[name]}")
    return {path.parent.name: _read_file(path) for path in paths}


def _read_file(path: Path) -> Any:
    return READERS[path.suffix](path.read_text())


def format_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for row in rows:
        if len(row) != len(head):
            raise ValueError(f"{len(row)} cells under {len(head)} headings: {row}")
        lines.append(f"| {' | '.join(map(str, row))} |")
    return "\n".join(lines)


def round_down(value: float | None, digits: int = 0) -> str:
    """For what is claimed: a radius, an accuracy, a gain, a speed."""
    return _round(value, digits, ROUND_FLOOR)


def round_up(value: float | None, digits: int = 0) -> str:
    """For what is paid: draws, times, sizes, errors."""
    return _round(value, digits, ROUND_CEILING)


def percent_down(share: float, digits: int = 1) -> str:
    """A share that is claimed."""
    return f"{round_down(100 * share, digits)} %"


def percent_up(share: float, digits: int = 1) -> str:
    """A share that is paid."""
    return f"{round_up(100 * share, digits)} %"


def _round(value: float | None, digits: int, direction: str) -> str:
    """Of twelve digits of the value: beyond them is only the rounding of a division."""
    if value is None:
        return "-"
    step = Decimal(1).scaleb(-digits)
    return f"{Decimal(f'{value:.12g}').quantize(step, direction):,}"


def format_rate(found: dict[str, float], alpha: float) -> str:
    """A rate of wrong certificates with its interval, as multiples of alpha."""
    low = round_down(found["low"] / alpha, 2)
    high = round_up(found["high"] / alpha, 2)
    return f"{round_up(found['rate'] / alpha, 2)} ({low} to {high})"
