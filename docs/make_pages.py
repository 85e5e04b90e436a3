"""Fill the measured blocks of the pages: tables and sentences made from results.

    python docs/make_pages.py            rewrite every block whose content has changed
    python docs/make_pages.py --check    exit with 1, naming the blocks that differ

A block stands between `<!-- measured: FILE.FUNCTION -->` and `<!-- end -->`, on lines of its own or
inside a line, and is filled by that function of docs/measured/. Everything outside blocks is
written by hand and left alone. To add one: write the function, put the markers into the page, run
this.
"""

import argparse
import inspect
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from measured import FILES, ROOT, load_source

BLOCK = re.compile(r"(<!-- measured: ([\w.]+) -->)(.*?)(<!-- end -->)", re.DOTALL)
BEGINNING, END = "<!-- measured: ", "<!-- end -->"


def list_pages() -> list[Path]:
    """Every page that may hold a block."""
    return sorted(
        [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("experiments/*/README.md")]
    )


def list_generators() -> list[str]:
    """The functions that fill blocks, as markers name them."""
    return [
        f"{file}.{name}"
        for file in FILES
        for name, value in vars(import_module(f"measured.{file}")).items()
        if inspect.isfunction(value)
        and value.__module__ == f"measured.{file}"
        and not name.startswith("_")
    ]


@cache
def _load_once(name: str) -> Any:
    return load_source(name)


@cache
def write_block(name: str) -> str:
    """The content of a block, from the results that its function names as parameters."""
    if name not in list_generators():
        raise SystemExit(f"no function of docs/measured/ fills the block {name}")
    file, _, function = name.partition(".")
    generator = getattr(import_module(f"measured.{file}"), function)
    text = generator(*map(_load_once, inspect.signature(generator).parameters))
    if not isinstance(text, str) or not text or BEGINNING in text or END in text:
        raise SystemExit(f"the function {name} wrote no text, or a marker")
    return text


def find_blocks(text: str) -> Iterator[tuple[str, str]]:
    """(name, content) of each block."""
    for match in BLOCK.finditer(text):
        yield match[2], match[3].strip()


def fill_blocks(text: str) -> str:
    """The page with every block as its function writes it."""
    return BLOCK.sub(_fill_block, text)


def _fill_block(match: re.Match[str]) -> str:
    begin, name, before, end = match.groups()
    content = write_block(name)
    if before.startswith("\n"):
        return f"{begin}\n\n{content}\n\n{end}"
    if "\n" in content:
        raise SystemExit(f"the block {name} has several lines: give its markers lines of their own")
    return f"{begin}{content}{end}"


def list_differences(path: Path) -> list[str]:
    """Names of the blocks of a page that are not what their functions write."""
    text = path.read_text()
    if text.count(BEGINNING) != len(list(find_blocks(text))):
        return ["a marker without its other half"]
    return [name for name, content in find_blocks(text) if content != write_block(name)]


def main() -> None:
    """Rewrite the pages, or say which blocks differ."""
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--check", action="store_true", help="change nothing")
    check = arguments.parse_args().check
    differing = 0
    for path in list_pages():
        names = list_differences(path)
        differing += len(names)
        if names and not check:
            path.write_text(fill_blocks(path.read_text()))
        for name in names:
            said = "differs" if check else "rewritten"
            print(f"{path.relative_to(ROOT)}: {name} {said}")
    sys.exit(1 if check and differing else 0)


if __name__ == "__main__":
    main()
