"""Kill -9 a thousand times, in every command that writes and by every engine: identical results.

    python benchmarks/kills.py [--kills 1000] [--seed 0] --json benchmarks/results/kills.json

A trial starts a job (`kill_jobs.py`) and kills it at a random moment: the leader, one of its other
processes, or all of them at once. After each kill what is left must end within a minute, and a
reader must find a run that opens. The same command is given again, killed again or not, until it
is done, and its result is compared with that of an undisturbed run, bit for bit. The JSON file is
written after every trial; given the same file, the command goes on where it stopped. Trial k does
the same whenever it is done: its choices depend on the seed and on k. With --jobs it chooses among
these only, so its results go into a file of their own.
"""

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from kill_jobs import (
    BASE,
    FEW,
    JOBS,
    SMALL_PARTS,
    begin_folder,
    draw_words,
    make_place,
)
from ray_faults import name_process, own_folders
from zygote import Zygote, list_processes, still_alive

import simplicert as sc
from simplicert.drawing.engines.guard import CUT_SHORT
from simplicert.files import content_checksum

VICTIMS = ("leader", "worker", "group")
OUT = "out"  # the folder of every job, whose name some of them write down
ON_RAY = "on Ray"
MOST_KILLS = 4  # of one trial
MOST_ATTEMPTS = 3  # at one trial, should the warm process end meanwhile
REFUSED = "Connection refused"  # by the warm process that starts workers, while it ends
SHORTER, LONGER = 0.8, 1.02  # a job that was done before its kill is killed earlier, and so on
HANG = 300.0  # seconds without an end
OLD_SECONDS = 120.0  # a minute after its writer's end a temporary file is removed
LEFT_SECONDS = 60.0  # in which what a killed leader leaves must end
STOPS = (0, -signal.SIGKILL)  # how a command may end: done, or killed by us


class Killer:
    """A folder, a warm process, and the results of undisturbed jobs."""

    def __init__(self, folder, jobs):
        """Write data and models, and start the warm process."""
        self.place, self.jobs = Path(folder), jobs
        make_place(self.place)
        here = str(Path(__file__).parent)
        paths = [str(self.place), here, os.environ.get("PYTHONPATH", "")]
        self.environment = {"PYTHONPATH": os.pathsep.join(paths), "RAY_DEDUP_LOGS": "0"}
        self.zygote, self.leader = Zygote(**self.environment), None
        self.whole, self.files, self.seconds, self.learned = {}, {}, {}, []

    def do_undisturbed(self):
        """Do each job once, and remember its result and how long it took."""
        self.finish(draw_words(*FEW)(BASE), SMALL_PARTS)
        for job in self.jobs.values():  # what each of them imports is imported once
            begin_folder(self.place, job, OUT)
            self.finish(job.words(OUT), {**dict(job.environment), "LEARN": "modules.txt"})
            self.learned.append(self.place / f"modules-{len(self.learned)}.txt")
            (self.place / "modules.txt").rename(self.learned[-1])
            self.zygote.learn(self.learned[-1])
        for name, job in self.jobs.items():
            begin_folder(self.place, job, OUT)
            begun = time.monotonic()
            self.finish(job.words(OUT), job.environment)
            self.seconds[name] = time.monotonic() - begun
            self.files[name] = list_checksums(self.place / OUT)
            self.whole[name] = job.result(self.place / OUT)
            print(f"{name}: {self.seconds[name]:.1f} s undisturbed", flush=True)

    def start(self, words, environment=()):
        """Start a command."""
        said = self.place / "said.txt"
        said.unlink(missing_ok=True)
        words = ["simplicert", *words]
        self.leader = self.zygote.start(self.place, words, said, **dict(environment))
        return self.leader

    def finish(self, words, environment=()):
        """Run a command to its end, which must be a good one."""
        code = self.zygote.wait(self.start(words, environment), HANG)
        if code != 0:
            raise RuntimeError(f"{words} ended with {code}: {self.said()}")

    def said(self):
        """What the last command said, if it was not killed before it could."""
        said = self.place / "said.txt"
        return said.read_text()[-2000:] if said.exists() else ""

    def attempt(self, number, seed):
        """Do a trial; if a warm process ends meanwhile, start it anew and do the same trial."""
        for _ in range(MOST_ATTEMPTS):
            try:
                row = self.trial(number, seed)
            except (EOFError, BrokenPipeError):  # nobody answers
                row = None
            ended = row is None or any(REFUSED in one for one in row["wrong"])
            if not ended and self.zygote.is_alive():
                return row
            print(f"trial {number}: a warm process ended", flush=True)
            self.warm_up()
        raise RuntimeError(f"trial {number} was tried {MOST_ATTEMPTS} times")

    def warm_up(self):
        """End what the warm process has left, and start it anew."""
        for pid, _ in list_processes(self.leader or 0):
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        self.zygote.close()
        self.zygote, self.leader = Zygote(**self.environment), None
        for path in self.learned:
            self.zygote.learn(path)

    def trial(self, number, seed):
        """Kill one job a few times, and let it end: counts for the table."""
        luck = random.Random(f"{seed}:{number}")
        name, shares = "", [job.share for job in JOBS.values()]
        while name not in self.jobs:  # one that is left out changes no other trial
            (name,) = luck.choices(list(JOBS), shares)
        job = self.jobs[name]
        begin_folder(self.place, job, OUT)
        row = {"job": name, "kills": [], "missed": 0, "left": 0, "rest": [], "wrong": []}
        row |= {"others": [], "cut short": 0, "late": 0}
        words = job.words(OUT)
        for _ in range(luck.randint(1, MOST_KILLS)):
            victim, moment = luck.choice(VICTIMS), luck.random() * self.seconds[name]
            leader = self.start(words, job.environment)
            code = self.zygote.wait(leader, moment)
            if code is not None:  # it was done before
                row["missed"] += 1
                self.seconds[name] *= SHORTER
                if self.is_late(code):
                    row["late"] += 1
                    continue
                self.note(row, code == 0, f"ended with {code}: {self.said()}")
                break
            self.kill(leader, victim, luck, row)
            self.seconds[name] *= LONGER
            self.look(job, row)
        self.age_temporary_files()
        for _ in range(MOST_ATTEMPTS):
            code = self.zygote.wait(self.start(words, job.environment), HANG)
            if not self.is_late(code):
                break
            row["late"] += 1
        self.note(row, code == 0, f"the last ended with {code}: {self.said()}")
        if code == 0:
            differing = list_checksums(self.place / OUT).items() ^ self.files[name].items()
            same = job.result(self.place / OUT) == self.whole[name]
            self.note(row, same, f"another result, of {sorted({one for one, _ in differing})}")
        return row

    def age_temporary_files(self):
        """Make half-written files of killed writers so old that the last command removes them."""
        then = time.time() - OLD_SECONDS
        for path in (self.place / OUT).rglob(".*.tmp"):
            os.utime(path, (then, then))

    def is_late(self, code):
        """Tell whether a Ray of our own did not start in time: the machine has other work."""
        return code == 2 and "timed out during startup" in self.said()

    def kill(self, leader, victim, luck, row):
        """Kill, and wait for the end of everything there was; a leader may survive a worker."""
        family = list_processes(leader)
        others = sorted(pid for pid, _ in family if pid != leader)
        if victim == "worker" and not others:
            victim = "leader"
        targets = {"leader": [leader], "worker": [luck.choice(others or [leader])]}
        killed = {pid: name_process(read_words(pid)) for pid in targets.get(victim, others)}
        for pid in targets.get(victim, [leader, *others]):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        row["kills"].append(victim)
        code = self.zygote.wait(leader, HANG)
        until = time.monotonic() + LEFT_SECONDS
        # The guard removes the folder of a Ray; where it was killed too, the next run does.
        guarded = "guard" not in killed.values()
        while alive := still_alive(family) | (list_folders(leader) if guarded else set()):
            if time.monotonic() > until:
                break
            time.sleep(0.01)
        row["left"] += len(alive)
        row["rest"] += [name_rest(one) for one, _ in alive]
        for pid, _ in still_alive(family):
            os.kill(pid, signal.SIGKILL)
        said = self.said()
        if victim == "worker":  # it goes on without, or ends in a sentence
            row["others"] += killed.values()
            good = code in (0, 2) and (code == 0 or "simplicert: " in said)
            if code == 1 and CUT_SHORT in said:
                good, row["cut short"] = True, row["cut short"] + 1
            good = good and "Traceback" not in said
            self.note(row, good, f"without {row['others'][-1]}: {code}, {said}")
        else:
            self.note(row, code in STOPS, f"killed, it ended with {code}")

    def look(self, job, row):
        """Read the run as another process would at this moment."""
        run = self.place / OUT
        if not (run / "run.toml").exists():
            return
        try:
            opened = sc.open_run(run)
            if opened.paths():
                opened.tally()
        except sc.SimplicertError as error:
            self.note(row, False, f"a reader saw: {error}")

    @staticmethod
    def note(row, good, sentence):
        """Keep what was wrong."""
        if not good:
            row["wrong"].append(sentence)


def name_rest(one):
    """Name what was left: a folder as it is, a process by its command."""
    return Path(one).name if isinstance(one, str) else " ".join(read_words(one))[:120]


def read_words(pid):
    """Return the words of a process's command; of one that has just ended, none."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return [""]


def list_checksums(folder):
    """The checksum of each file of a folder; parts and seals have others each time."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {
        path.relative_to(folder).as_posix(): content_checksum(path.read_bytes()) for path in files
    }


def list_folders(leader):
    """The private folders of a leader's own Ray, as pairs like those of processes."""
    return {(str(path), 0) for path in own_folders(leader)}


def add_trial(result, row):
    """Add a trial to the counts; of a Ray it is also counted which process was killed."""
    none = dict.fromkeys(("trials", "identical", "missed", "left", *VICTIMS), 0)
    if row["job"].endswith(ON_RAY):
        none |= {"others": {}, "cut short": 0, "late": 0}
    counts = result["jobs"].setdefault(row["job"], none)
    if "others" in counts:
        counts["cut short"] += row["cut short"]
        counts["late"] += row["late"]
        for name in row["others"]:
            counts["others"][name] = counts["others"].get(name, 0) + 1
    counts["trials"] += 1
    counts["identical"] += not row["wrong"]
    counts["missed"] += row["missed"]
    counts["left"] += row["left"]
    for victim in row["kills"]:
        counts[victim] += 1
    result["kills"] += len(row["kills"])
    result["trials"] += 1
    if row["wrong"]:
        result["wrong"].append({"trial": result["trials"] - 1, **row})


def main():
    """Kill until there were enough; exit code 1 if anything was not as it must."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--json", type=Path)
    arguments.add_argument("--kills", type=int, default=1000)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--jobs", help="only these, with commas", default=None)
    chosen = arguments.parse_args()
    wanted = chosen.jobs.split(",") if chosen.jobs else JOBS
    jobs = {name: job for name, job in JOBS.items() if name in wanted}
    result = {"seed": chosen.seed, "kills": 0, "trials": 0, "jobs": {}, "wrong": []}
    if chosen.jobs:
        result["only"] = list(jobs)
    if chosen.json and chosen.json.exists():
        result, begun = json.loads(chosen.json.read_text()), result
        if result.get("only") != begun.get("only"):
            arguments.error(f"{chosen.json} is of other jobs: give it another name")
    result["version"] = sc.__version__
    with tempfile.TemporaryDirectory() as folder:
        killer = Killer(folder, jobs)
        try:
            killer.do_undisturbed()
            while result["kills"] < chosen.kills:
                row = killer.attempt(result["trials"], result["seed"])
                print(result["kills"], row, flush=True)
                add_trial(result, row)
                if chosen.json:
                    chosen.json.write_text(json.dumps(result, indent=1) + "\n")
        finally:
            killer.zygote.close()
    left = sum(counts["left"] for counts in result["jobs"].values())
    print(f"{result['kills']} kills, {len(result['wrong'])} wrong, {left} processes left")
    sys.exit(1 if result["wrong"] or left else 0)


if __name__ == "__main__":
    main()
