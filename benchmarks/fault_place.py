"""A folder to do damage in: data, a model, the command that draws, and what it would have drawn.

Each command is a process of its own, forked from one that has loaded the libraries: only that takes
seconds, and none of it is what is tested.
"""

import ctypes
import multiprocessing
import os
import resource
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import simplicert as sc

MODEL = """
import os
import time
import numpy as np
WEIGHTS = np.random.default_rng(0).normal(size=(12, 4)).astype(np.float32)
calls = []
def make():
    def classify(batch):
        time.sleep(float(os.environ.get("PAUSE", 0)))
        calls.append(1)
        if 40 < len(calls) <= 40 + int(os.environ.get("DOWN", 0)):
            raise ConnectionResetError("HTTP 503")
        if len(calls) > int(os.environ.get("CALLS", 10**9)):
            greedy()
        return batch.reshape(len(batch), -1) @ WEIGHTS
    return classify
def greedy():
    if "LIMIT" in os.environ:
        np.ones(2**36)  # more than the process may have
    raise MemoryError
"""
SLOW = "0.02"
CAPABILITIES, WRITE_ANYWHERE = 0x20080522, 1  # the interface of capset; CAP_DAC_OVERRIDE
WAIT = 600  # seconds before a process counts as hanging


@dataclass(frozen=True)
class Said:
    """How a command ended."""

    code: int
    text: str  # its last line on stderr

    @property
    def clear(self):
        """One sentence of ours and no traceback."""
        return self.text.startswith("simplicert: ") and "Traceback" not in self.text


class Place:
    """Forty inputs, a linear model; runs are named folders here."""

    def __init__(self, folder):
        """Write data and model."""
        self.folder, self.number = Path(folder), 0
        random = np.random.default_rng(1)
        inputs = random.random((40, 3, 4)).astype(np.float32)
        np.savez(self.folder / "data.npz", inputs=inputs, labels=random.integers(0, 4, 40))
        np.save(self.folder / "scale.npy", np.ones((3, 4)))
        (self.folder / "fault_model.py").write_text(MODEL)

    def words(self, out, *more):
        """The command."""
        return [
            *("simplicert", "sample", "--model", "fault_model:make", "--data", "data.npz"),
            *("--sigma", "0.4", "--draws", "150", "--batch-size", "64", "--device", "cpu"),
            *("--out", str(out), *more),
        ]

    def start(self, out, *more, before=None, **environment):
        """The command in a process of its own."""
        self.number += 1
        return Command(self.folder, self.number, self.words(out, *more), before, environment)

    def draw(self, out, *more, before=None, **environment):
        """Run it to its end."""
        return self.start(out, *more, before=before, **environment).ended()

    def parts(self, out):
        """The parts there are."""
        return sorted((self.folder / out / "parts").glob("*.parquet"))

    def until_parts(self, process, out, count=1):
        """Wait until this many parts are written."""
        begun = time.monotonic()
        while len(self.parts(out)) < count and process.running():
            if time.monotonic() - begun > WAIT:
                raise TimeoutError(f"{out} has no part after {WAIT} s")
            time.sleep(0.005)

    def tally(self, out):
        """What a run holds."""
        return sc.open_run(self.folder / out).tally()

    def frame(self, out):
        """Its certificates."""
        return sc.open_run(self.folder / out).certify().to_frame()


class Command:
    """A command that was started."""

    def __init__(self, folder, number, words, before, environment):
        """Start it; what it says on stderr goes to a file of its own."""
        self.said = folder / f"said-{number}.txt"
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["simplicert.cli", "simplicert.drawing", "torch"])
        given = (str(folder), str(self.said), words, before, environment)
        self.process = context.Process(target=typed, args=given)
        self.process.start()

    def running(self):
        """Whether it has not ended."""
        return self.process.is_alive()

    def send_signal(self, number):
        """Send it a signal; one that has just ended needs none."""
        with suppress(ProcessLookupError):
            os.kill(self.process.pid, number)

    def kill(self):
        """Kill -9."""
        self.process.kill()

    def ended(self):
        """Wait for it; a process that hangs is an error."""
        self.process.join(WAIT)
        if self.process.is_alive():
            self.process.kill()
            raise TimeoutError(f"no end after {WAIT} s")
        text = self.said.read_text() if self.said.exists() else ""
        lines = [line for line in text.strip().splitlines() if line]
        whole = text if "Traceback" in text else (lines[-1] if lines else "")
        return Said(self.process.exitcode, whole)


def typed(folder, said, words, before, environment):
    """In the new process: become the command."""
    from simplicert.cli import run_program

    os.chdir(folder)
    os.dup2(os.open(said, os.O_CREAT | os.O_WRONLY, 0o644), sys.stderr.fileno())
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    os.environ.update(environment)
    if before is not None:
        before()
    sys.argv = words
    run_program()


def powerless():
    """Root may write anywhere: give that right up."""
    libc = ctypes.CDLL(None, use_errno=True)
    head = (ctypes.c_uint32 * 2)(CAPABILITIES, 0)
    sets = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable; twice 32 of them
    for call in (libc.capget, libc.capset):
        if call(head, sets) != 0:
            raise OSError(ctypes.get_errno(), "capabilities cannot be changed")
        sets[0] &= ~(1 << WRITE_ANYWHERE)
        sets[1] &= ~(1 << WRITE_ANYWHERE)


def small_files():
    """No file may grow past 6 kB: run.toml fits, a part does not."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))


def small_memory():
    """Eight gigabytes of addresses."""
    resource.setrlimit(resource.RLIMIT_AS, (2**33, 2**33))
