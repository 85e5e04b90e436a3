"""Write a board as a folder of static pages that need no server and no network.

index.html is the table, refused.html what is not in it, claimed.html what papers print without a
log that was read here, compare.html the paired comparison,
logs/ID.html a page for each log; board.csv and board.json hold everything in numbers. Data that the
pages load are scripts, because a page opened as a file may not read other files.
"""

import csv
import math
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from simplicert.board.entry import RADII, Entry
from simplicert.board.job import Board
from simplicert.board.pictures import draw_curve, draw_expectations, draw_simplex
from simplicert.board.records import WARNING, make_record
from simplicert.board.words import AUDIT_WORDS
from simplicert.files import make_folder, write_atomically
from simplicert.metrics.numbers import format_down, format_share_down, format_up
from simplicert.records import write_json
from simplicert.report.offline import embed_json, read_template, template_environment
from simplicert.store.manifest import package_version
from simplicert.tables.formats import FORMULA
from simplicert.tables.published import published_names, published_table, read_published

FILES = ("board.css", "board.js", "compare.js")
DIGITS, SLACK = 10**4, 1e-9  # of a share in the table, and what binary digits may explain
SHOWN = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)  # radii that are columns of the table


def write_site(board: Board, out: Path, *, pages: bool = True) -> None:
    """Write all pages, scripts and tables."""
    make_folder(out)
    records = [make_record(entry) for entry in board.entries]
    templates = template_environment("simplicert.board")
    shared = {
        "version": package_version(),
        "warning": WARNING,
        "alpha": board.alpha,
        "pages": pages,
        "audit": [
            (code, count, AUDIT_WORDS.get(code, code))
            for code, count in board.count_findings().most_common()
        ],
        "total": len(board.entries),
        "refused": len(board.refusals),
        "others": board.others,
        "policy": "default-src 'none'; script-src 'self' file:; style-src 'self' file:; "
        "img-src data:; "
        "base-uri 'none'; form-action 'none'",
    }
    for name in FILES:
        _write(out / name, read_template(templates, name))
    _write(out / "rows.js", f"window.BOARD = {embed_json(_table(records, pages))};\n")
    _render(templates, "index.html", out / "index.html", shared | {"up": ""})
    refused = [(one.source.name, one.reason) for one in board.refusals]
    _render(templates, "refused.html", out / "refused.html", shared | {"up": "", "rows": refused})
    claimed = [published_table(read_published(name)) for name in published_names()]
    _render(templates, "claimed.html", out / "claimed.html", shared | {"up": "", "tables": claimed})
    _write(out / "board.csv", _format_csv(records))
    if not pages:
        return
    _write(out / "board.json", _format_json(board, records))
    _render(templates, "compare.html", out / "compare.html", shared | {"up": ""})
    for entry, record in zip(board.entries, records, strict=True):
        page = shared | {"up": "../", "record": record, "entry": entry} | _page_parts(entry)
        _render(templates, "log.html", out / "logs" / f"{record['id']}.html", page)
        _write(out / "data" / f"{record['id']}.js", _data_script(entry, record["id"]))


def _table(records: list[dict[str, Any]], pages: bool) -> dict[str, Any]:
    """Return what the script of the table reads."""
    names = ["id", "log", "method", "data", "noise", "norm", "sigma", "draws", "alpha_stated",
             "alpha_inferred", "recertified", "inputs", "abstention_rate", "verdict", "audit",
             "acr_warned", "numbering"]  # fmt: skip
    names += [f"{part}_{at:g}" for at in SHOWN for part in ("acc", "low", "high")]
    rows = [[_shorten(name, record[name]) for name in names] for record in records]
    return {"names": names, "rows": rows, "radii": list(SHOWN), "pages": pages}


def _shorten(name: str, value: Any) -> Any:
    """Return a number with the digits that a table shows, a share rounded to the safe side."""
    if not isinstance(value, float):
        return value
    if name.startswith(("high_", "abstention")):
        return math.ceil(value * DIGITS - SLACK) / DIGITS
    if name.startswith(("acc_", "low_", "acr_")):
        return math.floor(value * DIGITS + SLACK) / DIGITS
    return float(f"{value:.6g}")  # settings: an alpha of 1e-05 stays one


def _page_parts(entry: Entry) -> dict[str, Any]:
    """Return pictures and tables of one log's page."""
    curve = entry.accuracy_at(RADII)
    return {
        "curve": draw_curve(entry),
        "expectations": draw_expectations(entry),
        "simplex": draw_simplex(entry),
        "average": format_down(float(np.where(entry.correct, entry.radius, 0.0).mean())),
        "accuracies": [
            (
                f"{at:g}",
                format_share_down(int(hits), curve.total, 4),
                format_down(low, 4),
                format_up(high, 4),
            )
            for at, hits, low, high in zip(RADII, curve.hits, curve.low, curve.high, strict=True)
        ],
    }


def _data_script(entry: Entry, name: str) -> str:
    """Return the script that hands a log's inputs to the comparison."""
    gaps = {int(gap) for gap in entry.index[1:] - entry.index[:-1]}
    regular = len(gaps) == 1
    index = (
        {"start": int(entry.index[0]), "step": gaps.pop(), "count": len(entry)}
        if regular
        else {"list": entry.index.tolist()}
    )
    held = {"index": index, "codes": entry.codes, "radii": RADII.tolist()}
    return f"(window.LOGS = window.LOGS || {{}})[{embed_json(name)}] = {embed_json(held)};\n"


def _format_csv(records: list[dict[str, Any]]) -> str:
    """Format the records as CSV; a cell that a spreadsheet would run is quoted by a blank."""
    if not records:
        return "log\n"
    text = StringIO()
    writer = csv.DictWriter(text, fieldnames=list(records[0]), lineterminator="\n")
    writer.writeheader()
    for record in records:
        writer.writerow({name: _tame(value) for name, value in record.items()})
    return text.getvalue()


def _tame(value: Any) -> Any:
    """Return a cell as a spreadsheet may read it."""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, str) and value.startswith(FORMULA):
        return f" {value}"
    return value


def _format_json(board: Board, records: list[dict[str, Any]]) -> str:
    """Format everything: settings, numbers, every finding, and what was refused."""
    logs = [
        record
        | {
            "settings_from": dict(entry.settings.origin),
            "findings": [
                {"code": one.code, "sentence": one.sentence, "rows": len(one.rows)}
                for one in entry.findings
            ],
        }
        for record, entry in zip(records, board.entries, strict=True)
    ]
    refused = [{"log": one.source.name, "reason": one.reason} for one in board.refusals]
    held = {
        "alpha": board.alpha,
        "average_certified_radius": WARNING,
        "logs": logs,
        "refused": refused,
        "other_files": board.others,
    }
    return write_json(held, indent=1) + "\n"


def _render(templates: Any, name: str, path: Path, values: dict[str, Any]) -> None:
    _write(path, templates.get_template(name).render(**values))


def _write(path: Path, text: str) -> None:
    """Write a file of the site; a name with bytes that are no text is written with marks."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.parent.name in ("logs", "data"):  # many small files: not flushed one by one
        path.write_text(text, encoding="utf-8", newline="\n")
    else:
        write_atomically(path, text.encode())
