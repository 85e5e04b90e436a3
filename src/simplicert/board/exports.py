"""All numbers of a board as CSV and JSON, each rounded to the side that claims less."""

import csv
import math
from io import StringIO
from typing import Any

from simplicert.board.entry import RADII
from simplicert.board.job import Board
from simplicert.board.pairs import RULE
from simplicert.board.particulars import DIGITS
from simplicert.board.records import WARNING
from simplicert.records import write_json
from simplicert.tables.formats import FORMULA

SLACK = 1e-9  # what binary digits of a share k / n may explain


def shorten(name: str, value: Any) -> Any:
    """Return a number with the digits that a table shows, a share rounded to the safe side."""
    if not isinstance(value, float):
        return value
    slack = SLACK if name.startswith(("acc_", "abstention")) else 0.0  # these are k / n
    if name.startswith(("high_", "abstention")):
        return math.ceil(value * DIGITS - slack) / DIGITS
    if name.startswith(("acc_", "low_", "acr_", "largest")):
        return math.floor(value * DIGITS + slack) / DIGITS
    return float(f"{value:.6g}")  # settings: an alpha of 1e-05 stays one


def format_csv(records: list[dict[str, Any]]) -> str:
    """Format the records as CSV; a cell that a spreadsheet would run is quoted by a blank."""
    if not records:
        return "log\n"
    text = StringIO()
    writer = csv.DictWriter(text, fieldnames=list(records[0]), lineterminator="\n")
    writer.writeheader()
    for record in records:
        writer.writerow({name: _tame(shorten(name, value)) for name, value in record.items()})
    return text.getvalue()


def _tame(value: Any) -> Any:
    """Return a cell as a spreadsheet may read it."""
    if isinstance(value, float):
        return f"{value:.12g}"  # its own digits, and no more zeros
    if isinstance(value, str) and value.startswith(FORMULA):
        return f" {value}"
    return value


def format_json(board: Board, records: list[dict[str, Any]], pairs: list[dict[str, Any]]) -> str:
    """Format everything as JSON, one line for each log: numbers, findings, and what was refused."""
    logs = []
    for record, entry in zip(records, board.entries, strict=True):
        shares = {
            part: [shorten(f"{part}_", record[f"{part}_{at:g}"]) for at in RADII]
            for part in ("low", "high")
        }
        rest = {name: shorten(name, value) for name, value in record.items()
                if not name.startswith(("acc_", "low_", "high_"))}  # fmt: skip
        findings = [
            {"code": one.code, "sentence": one.sentence, "rows": len(one.rows)}
            for one in entry.findings
        ]
        told = {"settings_from": dict(entry.settings.origin), "findings": findings}
        logs.append(rest | told | {"hits": entry.hits_at(RADII).tolist()} | shares)
    head = {"alpha": board.alpha, "radii": RADII.tolist(), "other_files": board.others}
    words = {"average_certified_radius": WARNING, "comparisons_counted_beforehand": RULE}
    refused = [{"log": one.source.name, "reason": one.reason} for one in board.refusals]
    lists = {"logs": logs, "refused": refused, "pairs": pairs}
    lines = [f"{write_json(name)}: {write_json(value)}" for name, value in (head | words).items()]
    for name, rows in lists.items():
        inner = ",\n".join(write_json(row) for row in rows)
        lines.append(f"{write_json(name)}: [\n{inner}\n]")
    return "{\n" + ",\n".join(lines) + "\n}\n"
