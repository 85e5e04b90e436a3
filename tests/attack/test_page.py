"""docs/attack.md quotes the committed attacks."""

import csv
from pathlib import Path
from statistics import mean, median

import pytest

from simplicert.metrics.numbers import format_down

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "attack.md").read_text()


@pytest.mark.parametrize("name", ["control-0.25", "control-1"])
def test_rows(name):
    path = ROOT / "experiments" / "cifar10" / "runs" / name / "attack.csv"
    rows = list(csv.DictReader(path.read_text().splitlines()))
    broken = sum(row["broken"] != "false" for row in rows)
    ratios = [float(row["ratio"]) for row in rows if row["found"]]
    cells = [len(rows), broken, format_down(min(ratios), 3), f"{median(ratios):.3f}"]
    cells += [len(rows) - len(ratios), f"{mean(int(row['draws']) for row in rows):,.0f}"]
    wanted = " | ".join(str(cell) for cell in cells)
    assert f"runs/{name}`, `--inputs 20` | {wanted} |" in PAGE and broken == 0
