"""The house in numbers (docs/architecture.md): its files and names, and the ways through it."""

from typing import Any

from measured import format_table

ROWS = {
    "files": "files",
    "lines": "lines",
    "median_lines": "lines of a file, median",
    "longest": "lines of the longest file",
    "short_files": "files of fifty lines or fewer",
    "modules_with_one_importer": "modules with one importer",
    "functions": "functions",
    "one_word_functions": "of these, with a name of one word",
    "repeated_classes": "class names that occur twice",
}


def tabulate_house(house: dict[str, Any]) -> str:
    """All states side by side; the ways as functions called, and the files they stand in."""
    states = list(house.values())
    rows = [[words, *(f"{state[name]:,g}" for state in states)] for name, words in ROWS.items()]
    for job in states[-1]["ways"]:
        ways = [state["ways"].get(job) for state in states]
        cells = [f"{way['functions']} in {way['files']}" if way else "" for way in ways]
        rows.append([f"functions, and files, on the way of `{job}`", *cells])
    return format_table(["", *house], rows)
