"""What is done to a run while it is drawn, and what it does: kills, full disks, flipped bytes.

    python benchmarks/faults.py [--json FILE]

Each fault is done to `simplicert sample` in a process of its own. Then the same command is given
again; nothing may be lost, nothing wrong, and what is said is one sentence.
"""

import argparse
import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from fault_place import SLOW, Place, Said, powerless, small_files, small_memory
from flips import flipped

import simplicert as sc

KILLS = 8
SCALED = ("--noise-scale", "scale.npy")  # so that there is a third file to damage
SAME = "the same tally, bit for bit"


def resumed(place, out, *more, whole="whole"):
    """Give the command again: the tally it ends with."""
    said = place.draw(out, *more)
    if said.code != 0:
        return f"exit {said.code}: {said.text}"
    return SAME if place.tally(out) == place.tally(whole) else "another tally"


def killed(place):
    """Kill -9 at a random moment, eight times over."""
    return kills(place, "killed", (), "whole")


def killed_while_extending(place):
    """The same while `--extend` draws more."""
    more = ("--draws", "400", "--extend")
    for out in ("extended", "longer"):
        place.draw(out)
    place.draw("longer", *more)
    return kills(place, "extended", more, "longer")


def kills(place, out, more, whole):
    """Start, wait a little, kill; again."""
    luck = random.Random(0)
    for _ in range(KILLS):
        process = place.start(out, *more, PAUSE=SLOW)
        begun = time.monotonic()
        while not (place.folder / out / "run.toml").exists() and time.monotonic() - begun < 60:
            time.sleep(0.01)
        time.sleep(luck.uniform(0.0, 1.5))
        process.kill()
        code = process.ended().code
    return Said(code, ""), resumed(place, out, *more, whole=whole)


def terminated(place):
    """SIGTERM once a part is written."""
    process = place.start("terminated", PAUSE=SLOW)
    place.until_parts(process, "terminated")
    process.send_signal(signal.SIGTERM)
    return process.ended(), resumed(place, "terminated")


def interrupted_twice(place):
    """Two SIGINT, the second before the batch is done."""
    process = place.start("interrupted", PAUSE="0.5")
    place.until_parts(process, "interrupted")
    time.sleep(0.2)  # the next batch is under way
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
    return process.ended(), resumed(place, "interrupted")


def interrupted_six_times(place):
    """Six SIGINT, as fast as they can be sent."""
    process = place.start("hasty", PAUSE="0.5")
    place.until_parts(process, "hasty")
    time.sleep(0.2)  # the next batch is under way
    for _ in range(6):
        process.send_signal(signal.SIGINT)
    return process.ended(), resumed(place, "hasty")


def hung_up(place):
    """SIGHUP, as from a terminal that is closed."""
    process = place.start("hung", PAUSE=SLOW)
    place.until_parts(process, "hung")
    process.send_signal(signal.SIGHUP)
    return process.ended(), resumed(place, "hung")


def remote_model(place):
    """The model raises ConnectionResetError in sixteen batches in a row."""
    return place.draw("remote", DOWN="16"), resumed(place, "remote")


def file_too_large(place):
    """No file may grow past 6 kB (RLIMIT_FSIZE)."""
    return place.draw("small", before=small_files), resumed(place, "small")


@contextmanager
def small_disk(folder):
    """A disk of 24 kB, where this process may mount one; else None."""
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=24k", "tmpfs", str(folder)]
    mounted = subprocess.run(words, check=False, capture_output=True).returncode == 0
    try:
        yield folder if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)


def full_disk(place):
    """A disk of 24 kB (tmpfs)."""
    with small_disk(place.folder / "disk") as disk:
        if disk is None:
            return None
        said = place.draw("disk/run")
        left = [path.name for path in disk.rglob("*.tmp")]
        shutil.copytree(disk / "run", place.folder / "saved")
    return said, f"{left} left over" if left else resumed(place, "saved")


def read_only(place):
    """A folder in which nothing may be made."""
    (place.folder / "locked").mkdir(mode=0o555)
    said = place.draw("locked/run", before=powerless)
    (place.folder / "locked").chmod(0o755)
    return said, resumed(place, "locked/run")


def read_only_parts(place):
    """The parts' folder becomes read-only while parts are written."""
    process = place.start("sealed", PAUSE=SLOW, before=powerless)
    place.until_parts(process, "sealed")
    (place.folder / "sealed" / "parts").chmod(0o555)
    said = process.ended()
    (place.folder / "sealed" / "parts").chmod(0o755)
    return said, resumed(place, "sealed")


def removed(place):
    """The run's folder is removed while parts are written."""
    process = place.start("gone", PAUSE=SLOW)
    place.until_parts(process, "gone")
    # Under another name first: a part written meanwhile would make the removal fail.
    shutil.rmtree((place.folder / "gone").rename(place.folder / "leaving"))
    return process.ended(), resumed(place, "gone")


def moved(place):
    """The run's folder is renamed while parts are written, and later renamed back."""
    process = place.start("moved", PAUSE=SLOW)
    place.until_parts(process, "moved")
    (place.folder / "moved").rename(place.folder / "elsewhere")
    said = process.ended()
    (place.folder / "elsewhere").rename(place.folder / "moved")
    return said, resumed(place, "moved")


def out_of_memory(place):
    """The model raises MemoryError in its 40th batch."""
    return place.draw("hungry", "--patience", "0", CALLS="40"), resumed(place, "hungry")


def out_of_addresses(place):
    """The model asks for more than the process may have (RLIMIT_AS)."""
    said = place.draw("limited", "--patience", "0", before=small_memory, CALLS="40", LIMIT="1")
    return said, resumed(place, "limited")


def out_of_memory_at_once(place):
    """The model raises MemoryError in its first batch."""
    return place.draw("starved", CALLS="0"), resumed(place, "starved")


def two_writers(place):
    """Two processes draw everything into one folder."""
    both = [place.start("both") for _ in range(2)]
    said = [process.ended() for process in both]
    return max(said, key=lambda one: one.code), resumed(place, "both")


def two_minds(place):
    """A second process with another seed, while the first writes parts."""
    first = place.start("minds", PAUSE=SLOW)
    place.until_parts(first, "minds")
    second = place.draw("minds", "--seed", "1")
    code = first.ended().code
    return second, resumed(place, "minds") if code == 0 else f"the first ended with {code}"


# fault -> (exit code it must have, whether a sentence is due)
FAULTS = {
    killed: (-9, False),
    killed_while_extending: (-9, False),
    terminated: (130, True),
    interrupted_twice: (130, False),
    interrupted_six_times: (130, False),
    hung_up: (130, True),
    remote_model: (0, False),
    file_too_large: (2, True),
    full_disk: (2, True),
    read_only: (2, True),
    read_only_parts: (2, True),
    removed: (2, True),
    moved: (2, True),
    out_of_memory: (2, True),
    out_of_addresses: (2, True),
    out_of_memory_at_once: (2, True),
    two_writers: (0, False),
    two_minds: (2, True),
}


def outcome(place, fault, table=FAULTS):
    """A row of the table; None where this machine cannot do it."""
    code, sentence = table[fault]
    done = fault(place)
    if done is None:
        return None
    said, afterwards = done
    good = said.code == code and (said.clear or not sentence) and afterwards == SAME
    text = said.text.replace(str(place.folder) + "/", "").removeprefix("simplicert: ")
    return {
        "fault": fault.__name__.replace("_", " "),
        "done": fault.__doc__.removesuffix("."),
        "exit": said.code,
        "said": text,
        "afterwards": afterwards,
        "good": bool(good),
    }


def measured(folder):
    """All faults, then flipped bytes."""
    place = Place(folder)
    place.draw("whole")
    rows = []
    for fault in FAULTS:
        rows.append(outcome(place, fault))
        print(rows[-1], flush=True)
    return {
        "version": sc.__version__,
        "faults": [row for row in rows if row],
        "flips": flipped(place, *SCALED),
    }


def main():
    """Do everything, print, write JSON where asked; exit code 1 if anything was not as it must."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--json", type=Path)
    chosen = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = measured(folder)
    print(*result["flips"], sep="\n")
    if chosen.json:
        chosen.json.write_text(json.dumps(result, indent=1) + "\n")
    good = all(row["good"] for row in result["faults"] + result["flips"])
    print("all as it must be" if good else "NOT all as it must be")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
