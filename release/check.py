"""Install the wheel into empty environments and try it there.

    python release/check.py dist/simplicert-0.1.0-py3-none-any.whl 3.11:base 3.11:torch 3.12:all

Each PYTHON:EXTRA gets an environment of its own, which is deleted afterwards; without any, those of
`PAIRS` are tried. Versions are held by constraints.txt. Results go into release/results.json, a row
a pair; rows of pairs that were not tried again stay. The sdist must lie beside the wheel: what is
tried beyond the package (README, examples, tests) comes from it.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from place import Failed, Place, Skipped, tail
from smoke import SMOKES, prepare

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).with_name("results.json")
LATER = ("base", "onnx", "ray", "dev", "all")  # tried with later interpreters too
PAIRS = [f"3.11:{extra}" for extra in SMOKES]
PAIRS += [f"{version}:{extra}" for version in ("3.12", "3.13") for extra in LATER]
MEGABYTE = 1_000_000


def main() -> None:
    """Try each pair, keep every row as soon as it is known, and show the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("pairs", nargs="*", default=PAIRS, metavar="PYTHON:EXTRA")
    asked = parser.parse_args()
    wheel = asked.wheel.resolve()
    (sdist,) = wheel.parent.glob(f"{'-'.join(wheel.name.split('-')[:2])}.tar.gz")
    rows = kept()
    for pair in asked.pairs:
        version, _, extra = pair.partition(":")
        row = tried(version, extra, wheel, sdist)
        rows[pair] = row
        write(rows, wheel, sdist)
        print(f"{pair}: {row['outcome']}", file=sys.stderr, flush=True)
    print(table(list(rows.values())))
    sys.exit(any(str(rows[pair]["outcome"]).startswith("failed") for pair in asked.pairs))


def tried(version: str, extra: str, wheel: Path, sdist: Path) -> dict[str, object]:
    """One environment, from nothing to nothing."""
    row: dict[str, object] = {"python": version, "extra": extra, "megabytes": None, "seconds": None}
    row["wheel"] = digest(wheel)
    with TemporaryDirectory(prefix="simplicert-release-") as scratch:
        environment, folder = Path(scratch, "environment"), Path(scratch, "empty")
        folder.mkdir()
        place = Place(environment, folder, unpacked(sdist, Path(scratch)))
        try:
            began = time.monotonic()
            row["python"] = install(interpreter(version), place, f"{wheel}{wanted(extra)}")
            row["seconds"] = round(time.monotonic() - began)
            row["megabytes"] = round(size(environment) / MEGABYTE)
            prepare(place)
            for smoke in SMOKES[extra]:
                smoke(place)
        except Skipped as reason:
            return {**row, "outcome": f"skipped: {reason}"}
        except Failed as reason:
            return {**row, "outcome": f"failed: {reason}"}
    return {**row, "outcome": "works"}


def wanted(extra: str) -> str:
    """The extra as pip writes it."""
    return "" if extra == "base" else f"[{extra}]"


def interpreter(version: str) -> str:
    """A Python of that version, from the path or from pyenv."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    installed = (str(path) for path in sorted(pyenv.glob(f"{version}.*/bin/python")))
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    for program in (shutil.which(f"python{version}"), *installed):
        if program is not None:
            done = subprocess.run(
                [program, "-c", code], capture_output=True, text=True, check=False
            )
            if done.stdout.strip() == version:
                return program
    raise Skipped(f"there is no Python {version} here")


def install(python: str, place: Place, what: str) -> str:
    """Make the environment and install into it; returns the interpreter's full version."""
    subprocess.run([python, "-m", "venv", str(place.environment)], check=True)
    pip = [
        str(place.environment / "bin" / "python"),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-compile",
    ]
    done = place.run([*pip, "--constraint", str(ROOT / "constraints.txt"), what])
    if done.returncode:
        raise Failed(f"pip install: {tail(done)}")
    return place.python("-c", "import platform; print(platform.python_version())").strip()


def unpacked(sdist: Path, into: Path) -> Path:
    """The folder that the sdist unpacks to."""
    with tarfile.open(sdist) as archive:
        archive.extractall(into, filter="data")
    return into / sdist.name.removesuffix(".tar.gz")


def size(folder: Path) -> int:
    """Bytes of all files, links not followed."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())


def digest(path: Path) -> str:
    """The first digits of a file's checksum."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def kept() -> dict[str, dict[str, object]]:
    """Rows of earlier calls by pair."""
    return json.loads(RESULTS.read_text())["rows"] if RESULTS.exists() else {}


def write(rows: dict[str, dict[str, object]], wheel: Path, sdist: Path) -> None:
    """All rows, in the order of `PAIRS`, with what was built."""
    order = [*PAIRS, *rows]
    content = {
        "wheel_bytes": wheel.stat().st_size,
        "sdist_bytes": sdist.stat().st_size,
        "rows": {pair: rows[pair] for pair in sorted(rows, key=order.index)},
    }
    RESULTS.write_text(json.dumps(content, indent=1) + "\n")


def table(rows: list[dict[str, object]]) -> str:
    """The rows in Markdown, as docs/release.md shows them."""
    lines = ["| Python | extra | MB | installed in s | outcome |", "|---|---|---|---|---|"]
    for row in rows:
        numbers = ["" if row[key] is None else f"{row[key]:,}" for key in ("megabytes", "seconds")]
        cells = [row["python"], f"`{row['extra']}`", *numbers, row["outcome"]]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
