"""What the open ledger read, refused and found (docs/ledger.md)."""

from typing import Any

from measured import format_table, round_up
from simplicert.board.words import AUDIT_WORDS

Result = dict[str, Any]


def describe_counts(ledger: Result) -> str:
    """How many logs were read and refused."""
    words = ledger["verdicts"]
    told = ", ".join(f"{words.get(name, 0):,} {name}" for name in VERDICTS)
    return (
        f"{ledger['read']:,} logs were read, {ledger['refused']:,} files refused with a reason, "
        f"and {ledger['others']:,} other files are code, texts, pictures or parts of a folder of "
        f"arrays. Verdicts of the audit: {told}."
    )


def tabulate_repositories(ledger: Result) -> str:
    """What became of each repository's files."""
    rows = [
        [
            f"[{row['repository'].removeprefix('github.com/')}](https://{row['repository']})",
            f"`{row['commit'][:7]}`",
            row["licence"] or "none",
            f"{row['read']:,}",
            f"{row['refused']:,}",
            *(f"{row['verdicts'].get(name, 0):,}" for name in ("disproved", "doubtful")),
        ]
        for row in ledger["repositories"]
    ]
    head = ["repository", "commit", "licence", "read", "refused", "disproved", "doubtful"]
    return format_table(head, rows)


def tabulate_audit(ledger: Result) -> str:
    """In how many logs each finding occurs."""
    rows = [
        [f"`{code}`", f"{count:,}", AUDIT_WORDS.get(code, code)]
        for code, count in ledger["audit"].items()
    ]
    return format_table(["finding", "logs", "meaning"], rows)


def tabulate_reasons(ledger: Result) -> str:
    """Why files were refused, the most frequent reasons first."""
    reasons = list(ledger["reasons"].items())
    rows = [[_plain(reason), f"{count:,}"] for reason, count in reasons[:SHOWN]]
    rest = sum(count for _, count in reasons[SHOWN:])
    rows += [["other reasons, each in the list", f"{rest:,}"]] if rest else []
    return format_table(["reason", "files"], rows)


def tabulate_caps(ledger: Result) -> str:
    """The settings that the largest radii fit."""
    rows = [[cap, f"{count:,}"] for cap, count in ledger["caps"].items()]
    return format_table(["the largest radius, shared by several rows, is the cap of", "logs"], rows)


def describe_agreement(ledger: Result) -> str:
    """How far radii computed from counts and bounds agree with the published ones."""
    held = ledger["agreement"]
    topk, dsrs, exact, uniform = (held[name] for name in ("topk", "dsrs", "splitting", "uniform"))
    return "\n".join(
        (
            f"- Certify_Topk: {topk['agree']} of {topk['inputs']} radii of result.txt (top 3, "
            "limits at alpha / 10) are those of its counts, to the three digits printed.",
            f"- DSRS: {dsrs['agree']:,} of {dsrs['inputs']:,} Gaussian radii in {dsrs['files']} "
            "files are those of the bounds in their other files, to a thousandth (we take bounds "
            "down to single precision).",
            f"- Splitting noise, derandomised: in {exact['agree']} of {exact['logs']} folders "
            f"every class and radius is that of the exact counts ({exact['inputs']:,} inputs).",
            f"- Uniform noise: in {uniform['agree']} of {uniform['logs']} folders every radius is "
            f"that of its bound ({uniform['inputs']:,} inputs).",
        )
    )


def describe_speed(board: Result) -> str:
    """How long a board takes."""
    return (
        f"`python benchmarks/board.py`: {board['logs']} made-up logs with {board['rows']:,} rows "
        f"in all, in one process: {round_up(board['processor_seconds'])} s of a processor, "
        f"{round_up(board['wall_seconds'])} s by the clock at a load of {board['load']}; the site "
        f"has {round_up(board['megabytes'])} MB."
    )


def _plain(text: str) -> str:
    """Return a text that a cell of a Markdown table can hold."""
    return text.replace("|", "/").replace("$", "").replace("<", "")


SHOWN = 12  # reasons in the table
VERDICTS = ("disproved", "doubtful", "remarks", "clean")
