"""Table and sizes of docs/release.md, from release/results.json: `python release/page.py`."""

import json
import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[1] / "docs" / "release.md"
RESULTS = Path(__file__).with_name("results.json")
HEAD = ("| Python | extra | MB | installed in s | outcome |", "|---|---|---|---|---|")
SIZES = re.compile(r"the wheel has \S+ MB and the sdist \S+ MB")


def refreshed(page: str, content: dict[str, Any]) -> str:
    """The page with these results in place of its own."""
    before, head, after = page.partition(HEAD[0])
    _, gap, rest = after.partition("\n\n")
    if not head or not SIZES.search(before):
        raise ValueError("docs/release.md has no table or no sizes to put results into")
    wheel, sdist = (f"{content[f'{name}_bytes'] / 1e6:.1f}" for name in ("wheel", "sdist"))
    before = SIZES.sub(f"the wheel has {wheel} MB and the sdist {sdist} MB", before)
    return before + table(list(content["rows"].values())) + gap + rest


def table(rows: list[dict[str, Any]]) -> str:
    """The rows in Markdown."""
    lines = list(HEAD)
    for row in rows:
        numbers = ["" if row[key] is None else f"{row[key]:,}" for key in ("megabytes", "seconds")]
        cells = [row["python"], f"`{row['extra']}`", *numbers, row["outcome"]]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(refreshed(PAGE.read_text(), json.loads(RESULTS.read_text())))
