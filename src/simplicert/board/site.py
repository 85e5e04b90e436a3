"""Write a board as a folder of static pages that need no server and no network.

index.html is the table, refused.html what is not in it, claimed.html what papers print without a
log that was read here, log.html?log=ID the page of any log, compare.html the paired comparison of
any two; board.csv and board.json hold everything in numbers. Data that the pages load are scripts
in data/, because a page opened as a file may not read other files: many logs share one, so that a
board of thousands stays small.
"""

from itertools import accumulate
from pathlib import Path
from typing import Any

from simplicert.board.entry import RADII
from simplicert.board.exports import format_csv, format_json, shorten
from simplicert.board.job import Board
from simplicert.board.pairs import RULE, count_pairs
from simplicert.board.particulars import DIGITS, SIGNS, describe_log, tabulate_limits
from simplicert.board.records import WARNING, make_record
from simplicert.board.words import AUDIT_WORDS
from simplicert.files import make_folder, write_atomically
from simplicert.report.offline import embed_json, read_template, template_environment
from simplicert.store.manifest import package_version
from simplicert.tables.published import published_names, published_table, read_published

TABLE = ("board.css", "board.js")
PAGES = ("parts.js", "pictures.js", "log.js", "compare.js")
PART = 200_000  # letters of a script that several logs share
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
        "rule": RULE if any(entry.settings.totals_only for entry in board.entries) else "",
        "policy": "default-src 'none'; script-src 'self' file:; style-src 'self' file:; "
        "img-src data:; "
        "base-uri 'none'; form-action 'none'",
    }
    refused = [(one.source.name, one.reason) for one in board.refusals]
    claimed = [published_table(read_published(name)) for name in published_names()]
    values = shared | {"rows": refused, "tables": claimed}
    for name in ("index", "refused", "claimed", *(("log", "compare") if pages else ())):
        _render(templates, f"{name}.html", out / f"{name}.html", values)
    for name in (*TABLE, *(PAGES if pages else ())):
        _write(out / name, read_template(templates, name))
    _write(out / "board.csv", format_csv(records))
    parts = _write_parts(board, out / "data") if pages else [0] * len(records)
    table = _table(records, parts, pages)
    _write(out / "rows.js", f"window.BOARD = {embed_json(table)};\n")
    if pages:
        pairs = count_pairs(board.entries)
        _write(out / "data" / "pairs.js", f"window.PAIRS = {_list_lines(pairs)};\n")
        limits = embed_json(tabulate_limits(board.entries))
        _write(out / "data" / "limits.js", f"window.LIMITS = {limits};\n")
        _write(out / "board.json", format_json(board, records, pairs))


def _write_parts(board: Board, folder: Path) -> list[int]:
    """Write the particulars of all logs, many to a script, and return where each is."""
    texts = [
        f"{embed_json(entry.source.id)}:{embed_json(describe_log(entry))}"
        for entry in board.entries
    ]
    before = accumulate(map(len, texts), initial=0)
    places = [total // PART for total, _ in zip(before, texts, strict=False)]
    for number in set(places):
        held = [text for text, place in zip(texts, places, strict=True) if place == number]
        script = f"(window.PARTS ??= {{}})[{number}] = {{\n" + ",\n".join(held) + "\n};\n"
        _write(folder / f"{number}.js", script)
    return places


def _list_lines(rows: list[dict[str, Any]]) -> str:
    """Write a list as JSON, one line for each row."""
    return "[\n" + ",\n".join(embed_json(row) for row in rows) + "\n]" if rows else "[]"


def _table(records: list[dict[str, Any]], parts: list[int], pages: bool) -> dict[str, Any]:
    """Return what the scripts read: the columns of the table, and where particulars are."""
    names = ["id", "log", "method", "data", "noise", "norm", "sigma", "draws", "alpha_stated",
             "alpha_inferred", "recertified", "inputs", "abstention_rate", "verdict", "audit",
             "acr_warned", "numbering"]  # fmt: skip
    names += [f"{part}_{at:g}" for at in SHOWN for part in ("acc", "low", "high")]
    rows = [
        [*(shorten(name, record[name]) for name in names), part]
        for record, part in zip(records, parts, strict=True)
    ]
    held = {"names": [*names, "part"], "rows": rows, "radii": list(SHOWN), "pages": pages}
    return held | {"every": RADII.tolist(), "signs": SIGNS, "digits": DIGITS}


def _render(templates: Any, name: str, path: Path, values: dict[str, Any]) -> None:
    _write(path, templates.get_template(name).render(**values))


def _write(path: Path, text: str) -> None:
    """Write a file of the site; a name with bytes that are no text is written with marks."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.parent.name == "data":  # many files: not flushed one by one
        path.write_text(text, encoding="utf-8", newline="\n")
    else:
        write_atomically(path, text.encode())
