"""Kill -9 `compact` before each of its file operations, and at random among others at work.

    python benchmarks/merging.py [--rounds 40] [--seed 0] [--json FILE]

First one compactor alone, killed before its first, second, ... operation that changes a folder,
until one lives to its end. Then rounds by chance: two compactors and a process that writes parts
work at once, each killed before an operation that the seed chooses. After every death the run is
opened: its tally and its seconds must be those of the undisturbed run, and so they must be after
one more `compact`. Processes are forked and kill themselves, so that every death is a real one.
"""

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from scale import make_run

import simplicert as sc
from simplicert.files import write_atomically
from simplicert.store.compaction import compact_run

INPUTS, PARTS, REWRITTEN = 60, 12, 3

CHANGES = ("open", "fsync", "replace", "utime", "unlink", "close")  # functions of os

MOST = 60  # operations of a process in a round by chance


def die_before(number: int) -> None:
    """From now on count the operations of this process, and kill it before this one."""
    count = 0

    def wrapped(function: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **options: object) -> object:
            nonlocal count
            count += 1
            if count == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments, **options)

        return call

    for name in CHANGES:
        setattr(os, name, wrapped(getattr(os, name)))


def start(job: Callable[[], object], number: int) -> int:
    """Fork a process that does this and dies before the operation of that number."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        die_before(number)
        try:
            job()
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    return child


def wait_for(child: int) -> int:
    """Return its exit code, -9 if it was killed."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


class Truth:
    """What the undisturbed run holds."""

    def __init__(self, folder: Path) -> None:
        """Make the run and read it."""
        make_run(folder, INPUTS, PARTS)
        run = sc.open_run(folder)
        self.folder, self.tally, self.seconds = folder, run.tally(), run.seconds
        self.contents = {path.name: path.read_bytes() for path in run.paths()}

    def copy(self, place: Path) -> Path:
        """Copy the run."""
        shutil.rmtree(place, ignore_errors=True)
        return Path(shutil.copytree(self.folder, place))

    def holds(self, place: Path) -> bool:
        """Whether a copy still holds the same, now and after one more compaction."""
        for last in (False, True):
            run = sc.open_run(place)
            if run.tally() != self.tally or run.seconds != self.seconds:
                return False
            if not last:
                compact_run(place)
        return True


def kill_everywhere(truth: Truth, place: Path) -> dict[str, int]:
    """One compactor, killed before each of its operations."""
    number, wrong = 0, 0
    while True:
        copy = truth.copy(place)
        code = wait_for(start(lambda copy=copy: compact_run(copy), number + 1))
        wrong += code not in (0, -signal.SIGKILL) or not truth.holds(copy)
        if code != -signal.SIGKILL:
            return {"kills": number, "wrong": wrong}
        number += 1


def kill_by_chance(truth: Truth, place: Path, rounds: int, seed: int) -> dict[str, int]:
    """Two compactors and a writer at once, each killed where the seed says."""
    luck = random.Random(seed)
    kills = wrong = 0
    for _ in range(rounds):
        copy = truth.copy(place)
        again = luck.sample(sorted(truth.contents), REWRITTEN)

        def write(names: list[str] = again, copy: Path = copy) -> None:
            for name in names:
                write_atomically(copy / "parts" / name, truth.contents[name])

        jobs = [lambda copy=copy: compact_run(copy)] * 2 + [write]
        children = [start(job, luck.randint(1, MOST)) for job in jobs]
        codes = [wait_for(child) for child in children]
        kills += codes.count(-signal.SIGKILL)
        wrong += not set(codes) <= {0, -signal.SIGKILL} or not truth.holds(copy)
    return {"rounds": rounds, "processes": 3 * rounds, "kills": kills, "wrong": wrong}


def main() -> None:
    """Print what was found; exit code 1 if a run was not what it must be."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        truth = Truth(Path(folder) / "whole")
        place = Path(folder) / "copy"
        result = {
            "parts": PARTS,
            "seed": asked.seed,
            "everywhere": kill_everywhere(truth, place),
            "by_chance": kill_by_chance(truth, place, asked.rounds, asked.seed),
        }
    print(json.dumps(result))
    if asked.json:
        asked.json.write_text(json.dumps(result, indent=1) + "\n")
    sys.exit(1 if result["everywhere"]["wrong"] or result["by_chance"]["wrong"] else 0)


if __name__ == "__main__":
    main()
