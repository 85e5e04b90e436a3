"""Install the wheel into empty environments and try it there.

    python release/check.py dist/simplicert-0.1.0-py3-none-any.whl 3.11:base 3.11:torch 3.12:all

Each PYTHON:EXTRA gets an environment of its own, the extra installed on top of a copy of the base,
which is deleted afterwards; without any, those of `PAIRS` are tried. Versions are held by
constraints.txt. Results go into release/results.json, a row a pair; rows of pairs that were not
tried again stay. The sdist must lie beside the wheel: what is tried beyond the package (README,
examples, tests) comes from it.
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
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from place import Failed, Place, Skipped, tail
from smoke import SMOKES, prepare

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).with_name("results.json")
LATER = ("base", "onnx", "ray", "dev", "all")  # tried with later interpreters too
PAIRS = [f"3.11:{extra}" for extra in SMOKES]
PAIRS += [f"{version}:{extra}" for version in ("3.12", "3.13") for extra in LATER]
# Bytecode of what every command needs is made once and shared by all copies.
WARM = "import simplicert.cli, pandas, pyarrow.parquet, scipy.stats, matplotlib.figure, jinja2"
MEGABYTE = 1_000_000


def main() -> None:
    """Try each pair, keep every row as soon as it is known, and show them all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("pairs", nargs="*", default=PAIRS, metavar="PYTHON:EXTRA")
    asked = parser.parse_args()
    wheel = asked.wheel.resolve()
    (sdist,) = wheel.parent.glob(f"{'-'.join(wheel.name.split('-')[:2])}.tar.gz")
    rows = kept()
    for version, pairs in groupby(asked.pairs, lambda pair: pair.partition(":")[0]):
        with TemporaryDirectory(prefix="simplicert-release-") as scratch:
            bench = Bench(version, wheel, sdist, Path(scratch))
            for pair in pairs:
                rows[pair] = row = bench.tried(pair.partition(":")[2])
                write(rows, wheel, sdist)
                print(f"{pair}: {row['outcome']}", file=sys.stderr, flush=True)
    for pair, row in rows.items():
        print(f"{pair}: {row['megabytes']} MB, {row['seconds']} s, {row['outcome']}")
    sys.exit(any(str(rows[pair]["outcome"]).startswith("failed") for pair in asked.pairs))


@dataclass
class Bench:
    """One interpreter: a base environment, made once, and a copy of it for each extra."""

    version: str
    wheel: Path
    sdist: Path
    scratch: Path
    seconds: float = 0.0  # that the base took

    def tried(self, extra: str) -> dict[str, object]:
        """One extra, from the base to nothing."""
        row: dict[str, object] = {"python": self.version, "extra": extra}
        row |= {"megabytes": None, "seconds": None, "wheel": digest(self.wheel)}
        try:
            base = self.base()
            with TemporaryDirectory(dir=self.scratch) as folder:
                place = Place(Path(folder, "environment"), Path(folder, "empty"), self.source())
                place.folder.mkdir()
                copy_environment(base, place.environment)
                row["seconds"] = round(
                    self.seconds + install(place, f"{self.wheel}{wanted(extra)}")
                )
                row["megabytes"] = round(size(place.environment) / MEGABYTE)
                said = place.python("-c", "import platform; print(platform.python_version())")
                row["python"] = said.strip()
                prepare(place)
                for smoke in SMOKES[extra]:
                    smoke(place)
        except Skipped as reason:
            return {**row, "outcome": f"skipped: {reason}"}
        except Failed as reason:
            return {**row, "outcome": f"failed: {reason}"}
        return {**row, "outcome": "works"}

    def base(self) -> Path:
        """The environment without extras, of which all others are copies."""
        environment = self.scratch / "base"
        if not environment.exists():
            began = time.monotonic()
            python = interpreter(self.version)
            subprocess.run([python, "-m", "venv", str(environment)], check=True)
            place = Place(environment, self.scratch, self.scratch)
            install(place, str(self.wheel))
            self.seconds = time.monotonic() - began
            place.python("-c", WARM)
        return environment

    def source(self) -> Path:
        """The folder that the sdist unpacks to."""
        folder = self.scratch / self.sdist.name.removesuffix(".tar.gz")
        if not folder.exists():
            with tarfile.open(self.sdist) as archive:
                archive.extractall(self.scratch, filter="data")
        return folder


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


def copy_environment(base: Path, copy: Path) -> None:
    """An environment like `base`, its files shared until one side replaces them."""
    shutil.copytree(base, copy, copy_function=os.link, symlinks=True)
    for path in (copy / "pyvenv.cfg", *(copy / "bin").iterdir()):
        if not path.is_symlink() and str(base).encode() in path.read_bytes():
            text, mode = path.read_text().replace(str(base), str(copy)), path.stat().st_mode
            path.unlink()
            path.write_text(text)
            path.chmod(mode)


def install(place: Place, what: str) -> float:
    """By pip, without bytecode, which each import makes for itself; returns the seconds."""
    began = time.monotonic()
    pip = [str(place.environment / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    done = place.run([*pip, "--no-compile", "--constraint", str(ROOT / "constraints.txt"), what])
    if done.returncode:
        raise Failed(f"pip install: {tail(done)}")
    return time.monotonic() - began


def size(folder: Path) -> int:
    """Bytes of all files but bytecode, links not followed."""
    files = (path for path in folder.rglob("*") if not path.is_dir() and path.suffix != ".pyc")
    return sum(path.lstat().st_size for path in files)


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


if __name__ == "__main__":
    main()
