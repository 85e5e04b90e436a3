"""The mutants as docs/coverage.md shows them: `python benchmarks/mutant_page.py`.

survivors.toml says of each survivor why no test can, or need, notice it.
"""

import json
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent


def survivors(result):
    """(file, line, change) of each."""
    return [
        (name, row["line"], row["change"])
        for name, held in result.items()
        for row in held["mutants"]
        if row["outcome"] == "survived"
    ]


def page(result, reasons):
    """Two tables: each file's mutants, and each survivor with its reason."""
    lines = ["| file | mutants | killed |", "|---|---|---|"]
    total = killed = 0
    for name in sorted(result):
        rows = result[name]["mutants"]
        found = sum(row["outcome"] != "survived" for row in rows)
        total, killed = total + len(rows), killed + found
        lines.append(f"| `{name}` | {len(rows)} | {found} |")
    lines.append(f"| all | {total} | {killed} ({100 * killed / total:.1f} %) |")
    lines += ["", "| survivor | change | why it survives |", "|---|---|---|"]
    for name, line, change in sorted(survivors(result)):
        escaped = change.replace("|", "\\|")
        lines.append(f"| `{name}`:{line} | {escaped} | {reasons[name][change]} |")
    return "\n".join(lines) + "\n"


def read():
    """The committed result and the reasons."""
    result = json.loads((HERE / "results" / "mutants.json").read_text())
    return result, tomllib.loads((HERE / "survivors.toml").read_text())


if __name__ == "__main__":
    print(page(*read()), end="")
