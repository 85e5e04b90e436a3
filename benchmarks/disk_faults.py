"""Faults of the clock, the disk and the network file system, done to `simplicert sample`.

    python benchmarks/disk_faults.py [--json FILE]

`ShimPlace` starts each command with `fault_shim.c` between it and the C library. The functions do
one fault each; `FAULTS` says how each must end. They need gcc.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from fault_place import SLOW, WAIT, Place, Said
from faults import SAME, outcome
from zygote import Zygote

import simplicert as sc

MANY = 64  # processes that begin one run at once
DAYS = str(3 * 86400)
HERE = Path(__file__).parent


class ShimPlace(Place):
    """A place whose commands are forked from a warm process with the shim loaded."""

    def __init__(self, folder):
        """Compile the shim and start the process; what `sample` imports is imported once."""
        super().__init__(folder)
        self.compiled = tempfile.TemporaryDirectory()
        shim = Path(self.compiled.name) / "fault_shim.so"
        words = ["gcc", "-shared", "-fPIC", "-O1", "-o", shim, HERE / "fault_shim.c", "-ldl"]
        subprocess.run(words, check=True)
        self.zygote = Zygote(LD_PRELOAD=str(shim))
        learnt = self.folder / "modules.txt"
        self.draw("learning", LEARN=str(learnt))
        self.zygote.learn(learnt)

    def start(self, out, *more, before=None, **environment):
        """The command that draws, in a process of its own."""
        return self.type(self.words(out, *more), **environment)

    def type(self, words, **environment):
        """Any command, in a process of its own."""
        self.number += 1
        return ShimCommand(self.zygote, self.folder, self.number, words, environment)

    def close(self):
        """End the warm process."""
        self.zygote.close()
        self.compiled.cleanup()


class ShimCommand:
    """A command that was started."""

    def __init__(self, zygote, folder, number, words, environment):
        """Start it."""
        self.zygote, self.said, self.code = zygote, folder / f"shim-{number}.txt", None
        environment = {name: str(value) for name, value in environment.items()}
        self.pid = zygote.start(folder, list(words), self.said, **environment)

    def running(self):
        """Whether it has not ended."""
        if self.code is None:
            self.code = self.zygote.wait(self.pid, 0)
        return self.code is None

    def ended(self):
        """Wait for it."""
        self.code = self.code if self.code is not None else self.zygote.wait(self.pid, WAIT)
        text = self.said.read_text()
        lines = text.strip().splitlines() or [""]
        ours = [line for line in lines if line.startswith("simplicert: ") and self.code != 0]
        return Said(self.code, text if "Traceback" in text else (ours or lines)[-1])


def resumed(place, out, *more):
    """Give the command again, without a fault: the tally it ends with."""
    said = place.draw(out, *more)
    if said.code != 0:
        return f"exit {said.code}: {said.text}"
    left = [path.name for path in (place.folder / out).rglob("*.tmp")]
    if left:
        return f"{left} left over"
    return SAME if place.tally(out) == place.tally("whole") else "another tally"


def clock_jumps(place):
    """The wall clock jumps three days forwards and backwards, again and again."""
    said = place.draw("jumping", FAULT="clock", FAULT_SECONDS=DAYS)
    return said, resumed(place, "jumping")


def clock_ahead(place):
    """A second process, whose clock is three days ahead, draws into the same folder."""
    first = place.start("ahead", PAUSE=SLOW)
    place.until_parts(first, "ahead")
    second = place.draw("ahead", FAULT="ahead", FAULT_SECONDS=DAYS)
    said = first.ended()
    return max(said, second, key=lambda one: one.code), resumed(place, "ahead")


def disk_fills(place):
    """The disk fills in the middle of the second part."""
    fault = {"FAULT": "full", "FAULT_PATH": "/parts/", "FAULT_AFTER": 1}
    return place.draw("filled", **fault), resumed(place, "filled")


def disk_fills_at_first(place):
    """The disk fills in the middle of run.toml."""
    said = place.draw("unbegun", FAULT="full", FAULT_PATH="run.toml")
    return said, resumed(place, "unbegun")


def flush_fails(place):
    """Flushing the second part fails (EIO)."""
    fault = {"FAULT": "flush", "FAULT_PATH": "/parts/", "FAULT_AFTER": 1}
    return place.draw("unflushed", **fault), resumed(place, "unflushed")


def flush_of_folder_fails(place):
    """Flushing the folder of the parts fails (EIO)."""
    fault = {"FAULT": "flush-folder", "FAULT_PATH": "/parts"}
    return place.draw("folder", **fault), resumed(place, "folder")


def flush_fails_once(place):
    """Flushing a part fails once (EIO), and then no more."""
    fault = {"FAULT": "flush", "FAULT_PATH": "/parts/", "FAULT_AFTER": 1, "FAULT_TIMES": 1}
    return place.draw("once", **fault), resumed(place, "once")


def parts_unreadable(place):
    """Parts cannot be read when the run is resumed (EIO)."""
    shutil.copytree(place.folder / "whole", place.folder / "unread")
    said = place.draw("unread", FAULT="read", FAULT_PATH="/parts/")
    aside = (place.folder / "unread" / "damaged").exists()
    return said, "parts were set aside" if aside else resumed(place, "unread")


def settings_unreadable(place):
    """run.toml cannot be read when the run is resumed (EIO)."""
    shutil.copytree(place.folder / "whole", place.folder / "unknown")
    said = place.draw("unknown", FAULT="read", FAULT_PATH="run.toml")
    return said, resumed(place, "unknown")


def certify_unreadable(place):
    """`certify` cannot read a part (EIO)."""
    shutil.copytree(place.folder / "whole", place.folder / "read")
    words = ["simplicert", "certify", "read", "--out", "read.csv"]
    said = place.type(words, FAULT="read", FAULT_PATH="/parts/").ended()
    return said, resumed(place, "read")


def verify_unreadable(place):
    """`verify` cannot read a part (EIO)."""
    shutil.copytree(place.folder / "whole", place.folder / "proof")
    words = ["simplicert", "verify", "proof"]
    said = place.type(words, FAULT="read", FAULT_PATH="/parts/").ended()
    return said, resumed(place, "proof")


def rename_lies(place):
    """Every rename and link happens and reports a failure (EIO)."""
    said = place.draw("lied", FAULT="renamed", FAULT_PATH="lied")
    return said, resumed(place, "lied")


def link_lies(place):
    """The link that gives run.toml its name happens and reports that the name was taken."""
    said = place.draw("taken", FAULT="linked", FAULT_PATH="taken")
    return said, resumed(place, "taken")


def late_names(place):
    """New files are neither listed nor found for two seconds, while two processes draw."""
    fault = {"FAULT": "late", "FAULT_PATH": "late", "FAULT_SECONDS": 2, "PAUSE": SLOW}
    both = [place.start("late", **fault) for _ in range(2)]
    said = [process.ended() for process in both]
    return max(said, key=lambda one: one.code), resumed(place, "late")


def replaced(place):
    """The run's folder is renamed while parts are written, and another run put in its place."""
    place.draw("other", "--seed", "1")
    before = place.tally("other")
    process = place.start("changed", PAUSE=SLOW)
    place.until_parts(process, "changed")
    (place.folder / "changed").rename(place.folder / "away")
    (place.folder / "other").rename(place.folder / "changed")
    said = process.ended()
    if place.tally("changed") != before:
        return said, "the other run was changed"
    (place.folder / "changed").rename(place.folder / "other")
    (place.folder / "away").rename(place.folder / "changed")
    return said, resumed(place, "changed")


def many_begin(place):
    """Sixty-four processes begin one run at once."""
    crowd = [place.start("crowd") for _ in range(MANY)]
    said = [process.ended() for process in crowd]
    return max(said, key=lambda one: one.code), resumed(place, "crowd")


# fault -> (exit code it must have, whether a sentence is due)
FAULTS = {
    clock_jumps: (0, False),
    clock_ahead: (0, False),
    disk_fills: (2, True),
    disk_fills_at_first: (2, True),
    flush_fails: (2, True),
    flush_of_folder_fails: (2, True),
    flush_fails_once: (0, False),
    parts_unreadable: (2, True),
    settings_unreadable: (2, True),
    certify_unreadable: (2, True),
    verify_unreadable: (2, True),
    rename_lies: (0, False),
    link_lies: (0, False),
    late_names: (0, False),
    replaced: (2, True),
    many_begin: (0, False),
}


def can_compile():
    """Whether there is a C compiler, on a system that preloads."""
    return shutil.which("gcc") is not None and Path("/proc/self/fd").exists()


def main():
    """Do all of them, print, write JSON where asked; exit code 1 if one was not as it must be."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--json", type=Path)
    arguments.add_argument("--only", help="these, with commas")
    chosen = arguments.parse_args()
    known = [fault.__name__ for fault in FAULTS]
    names = [name.strip().replace(" ", "_") for name in (chosen.only or ",".join(known)).split(",")]
    if unknown := set(names) - set(known):
        sys.exit(f"--only must name some of {', '.join(known)}, got {', '.join(sorted(unknown))}")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        place = ShimPlace(folder)
        try:
            place.draw("whole")
            for fault in FAULTS:
                if fault.__name__ in names:
                    rows.append(outcome(place, fault, FAULTS))
                    print(rows[-1], flush=True)
        finally:
            place.close()
    if chosen.json:
        content = {"version": sc.__version__, "faults": rows}
        chosen.json.write_text(json.dumps(content, indent=1) + "\n")
    sys.exit(0 if all(row["good"] for row in rows) else 1)


if __name__ == "__main__":
    main()
