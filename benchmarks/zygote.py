"""A warm process from which commands are forked: only imports take seconds, and are not tested.

    python benchmarks/zygote.py         reads requests on stdin, one JSON line each

`Zygote` starts it and `Zygote.start` forks a command, in a process group of its own. Worker
processes of the local engine, which are spawned otherwise, are forked by a second warm process,
with the same pipes and no other open file, and join the group of their leader.
"""

import atexit
import functools
import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from multiprocessing import forkserver, get_context
from pathlib import Path

PRELOADED = ("simplicert.cli", "simplicert.drawing", "simplicert.training", "torch")


class Zygote:
    """The side of the one who asks."""

    def __init__(self, **environment):
        """Start the process and wait until it has loaded the libraries."""
        self.process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
        )
        spawner = self._reply()  # the second warm process
        self.spawner = (spawner, read_start(spawner))

    def is_alive(self):
        """Tell whether both warm processes live: commands are forked from one, workers from two."""
        return self.process.poll() is None and bool(still_alive({self.spawner}))

    def _reply(self):
        line = self.process.stdout.readline()
        if not line:
            raise EOFError("the warm process has ended")
        return json.loads(line)

    def _ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return self._reply()

    def start(self, folder, words, said, **environment):
        """Fork a command, whose output goes to the file `said`: the number of its process."""
        return self._ask(folder=str(folder), words=words, said=str(said), environment=environment)

    def wait(self, pid, seconds):
        """Return the exit code, negative for a signal; None if it still runs after that long."""
        return self._ask(wait=pid, seconds=seconds)

    def learn(self, path):
        """Import the modules that a command listed where its environment asked it to LEARN."""
        return self._ask(learn=str(path))

    def close(self):
        """End it."""
        with suppress(OSError):
            self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def serve():
    """Fork what is asked for, until the asking ends."""
    for name in PRELOADED:
        __import__(name)
    context = get_context("forkserver")
    context.set_forkserver_preload([*PRELOADED, "zygote"])
    forkserver.ensure_running()
    answer(forkserver._forkserver._forkserver_pid)
    for line in sys.stdin:
        request = json.loads(line)
        if "wait" in request:
            answer(wait_for(request["wait"], request["seconds"]))
            continue
        if "learn" in request:
            answer(import_modules(Path(request["learn"]).read_text().split()))
            continue
        pid = os.fork()
        if pid == 0:
            become_command(**request)
        answer(pid)


def answer(value):
    """One line of JSON."""
    print(json.dumps(value), flush=True)


def import_modules(names):
    """Import what a command needed; forked ones then begin with it."""
    before = len(sys.modules)
    for name in names:
        with suppress(Exception):  # modules that their packages make as they go
            __import__(name)
    return len(sys.modules) - before


def wait_for(pid, seconds):
    """Wait for a child."""
    until = time.monotonic() + seconds
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > until:
            return None
        time.sleep(0.002)


def become_command(folder, words, said, environment):
    """In the child: run the command line."""
    from simplicert.cli import run_program
    from simplicert.drawing import queue
    from simplicert.drawing.engines import processes

    os.setpgid(0, 0)
    os.chdir(folder)
    sys.path.insert(0, folder)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number in (1, 2):
        os.dup2(os.open(said, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o644), number)
    os.environ.update(environment)
    if "LEARN" in environment:
        atexit.register(lambda: Path(environment["LEARN"]).write_text("\n".join([*sys.modules])))
    queue.PART_SECONDS = float(environment.get("PART_SECONDS", queue.PART_SECONDS))
    forkserver._forkserver.ensure_running = lambda: None  # it is the zygote's child, not ours
    processes.SPAWN = get_context("forkserver")
    processes._serve_leader = functools.partial(serve_in_group, os.getpgrp(), folder, environment)
    sys.argv = words
    run_program()


def serve_in_group(group, folder, environment, *arguments):
    """In a worker process: join the leader's group, unless it has ended."""
    from simplicert.drawing.engines import processes

    with suppress(OSError):
        os.setpgid(0, group)
    os.environ.update(environment)
    sys.path.insert(0, folder)
    processes._serve_leader(*arguments)


def list_processes(leader):
    """Return (pid, start) of the living processes of a leader's group and of its descendants."""
    found, children = {}, {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        state, parent, group, start = fields[0], int(fields[1]), int(fields[2]), int(fields[19])
        children.setdefault(parent, []).append(int(entry.name))
        if state not in "ZX":
            found[int(entry.name)] = (group, start)
    family, waiting = set(), [pid for pid, (group, _) in found.items() if group == leader]
    while waiting:
        pid = waiting.pop()
        if pid in found and pid not in family:
            family.add(pid)
            waiting += children.get(pid, [])
    return {(pid, found[pid][1]) for pid in family}


def read_start(pid):
    """Return when a process began, in ticks of the machine's clock."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])


def still_alive(processes):
    """Return those of these processes that live."""
    alive = set()
    for pid, start in processes:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] not in "ZX" and int(fields[19]) == start:
            alive.add((pid, start))
    return alive


if __name__ == "__main__":
    sys.modules["zygote"] = sys.modules["__main__"]  # so that workers find its functions
    sys.path.insert(0, str(Path(__file__).parent))
    serve()
