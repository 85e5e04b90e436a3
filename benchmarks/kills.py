"""Kill -9 a thousand times, in every command that writes and by every engine: identical results.

    python benchmarks/kills.py [--kills 1000] [--seed 0] --json benchmarks/results/kills.json

A trial starts a job (`kill_jobs.py`) and kills it at a random moment: the leader, one of its other
processes, or all of them at once. After each kill what is left must end within a minute, and a
reader must find a run that opens. The same command is given again, killed again or not, until it
is done, and its result is compared with that of an undisturbed run, bit for bit. The JSON file is
written after every trial; given the same file, the command goes on where it stopped. Trial k does
the same whenever it is done: its choices depend on the seed and on k.
"""

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from kill_jobs import (
    BASE,
    FEW,
    JOBS,
    SMALL_PARTS,
    begin_folder,
    draw_words,
    existing_jobs,
    make_place,
)
from zygote import Zygote, list_processes, still_alive

import simplicert as sc

VICTIMS = ("leader", "worker", "group")
OUT = "out"  # the folder of every job, whose name some of them write down
MOST_KILLS = 4  # of one trial
SHORTER, LONGER = 0.8, 1.02  # a job that was done before its kill is killed earlier, and so on
HANG = 300.0  # seconds without an end
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
        self.zygote = Zygote(PYTHONPATH=os.pathsep.join(paths), RAY_DEDUP_LOGS="0")
        self.whole, self.seconds = {}, {}

    def do_undisturbed(self):
        """Do each job once, and remember its result and how long it took."""
        self.finish(draw_words(*FEW)(BASE), SMALL_PARTS)
        for job in self.jobs.values():  # what each of them imports is imported once
            begin_folder(self.place, job, OUT)
            self.finish(job.words(OUT), {**dict(job.environment), "LEARN": "modules.txt"})
            self.zygote.learn(self.place / "modules.txt")
        for name, job in self.jobs.items():
            begin_folder(self.place, job, OUT)
            begun = time.monotonic()
            self.finish(job.words(OUT), job.environment)
            self.seconds[name] = time.monotonic() - begun
            self.whole[name] = job.result(self.place / OUT)
            print(f"{name}: {self.seconds[name]:.1f} s undisturbed", flush=True)

    def start(self, words, environment=()):
        """Start a command."""
        said = self.place / "said.txt"
        said.unlink(missing_ok=True)
        words = ["simplicert", *words]
        return self.zygote.start(self.place, words, said, **dict(environment))

    def finish(self, words, environment=()):
        """Run a command to its end, which must be a good one."""
        code = self.zygote.wait(self.start(words, environment), HANG)
        if code != 0:
            raise RuntimeError(f"{words} ended with {code}: {self.said()}")

    def said(self):
        """What the last command said."""
        return (self.place / "said.txt").read_text()[-2000:]

    def trial(self, number, seed):
        """Kill one job a few times, and let it end: counts for the table."""
        luck = random.Random(f"{seed}:{number}")
        name, shares = "", [job.share for job in JOBS.values()]
        while name not in self.jobs:  # one that is left out changes no other trial
            (name,) = luck.choices(list(JOBS), shares)
        job = self.jobs[name]
        begin_folder(self.place, job, OUT)
        row = {"job": name, "kills": [], "missed": 0, "left": 0, "wrong": []}
        words = job.words(OUT)
        for _ in range(luck.randint(1, MOST_KILLS)):
            victim, moment = luck.choice(VICTIMS), luck.random() * self.seconds[name]
            leader = self.start(words, job.environment)
            code = self.zygote.wait(leader, moment)
            if code is not None:  # it was done before
                row["missed"] += 1
                self.seconds[name] *= SHORTER
                self.note(row, code == 0, f"ended with {code}: {self.said()}")
                break
            self.kill(leader, victim, luck, row)
            self.seconds[name] *= LONGER
            self.look(job, row)
        code = self.zygote.wait(self.start(words, job.environment), HANG)
        self.note(row, code == 0, f"the last ended with {code}: {self.said()}")
        if code == 0:
            same = job.result(self.place / OUT) == self.whole[name]
            self.note(row, same, "another result")
        return row

    def kill(self, leader, victim, luck, row):
        """Kill, and wait for the end of everything there was; a leader may survive a worker."""
        family = list_processes(leader)
        others = sorted(pid for pid, _ in family if pid != leader)
        if victim == "worker" and not others:
            victim = "leader"
        targets = {"leader": [leader], "worker": [luck.choice(others or [leader])]}
        for pid in targets.get(victim, [leader, *others]):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        row["kills"].append(victim)
        code = self.zygote.wait(leader, HANG)
        if victim == "worker":  # it goes on without, or ends in a sentence
            said = self.said()
            good = code == 0 or (code == 2 and "simplicert: " in said and "Traceback" not in said)
            self.note(row, good, f"without a worker: {code}, {said}")
        else:
            self.note(row, code in STOPS, f"killed, it ended with {code}")
        until = time.monotonic() + LEFT_SECONDS
        while (alive := still_alive(family)) and time.monotonic() < until:
            time.sleep(0.01)
        row["left"] += len(alive)
        for pid, _ in alive:
            os.kill(pid, signal.SIGKILL)

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


def add_trial(result, row):
    """Add a trial to the counts."""
    none = dict.fromkeys(("trials", "identical", "missed", "left", *VICTIMS), 0)
    counts = result["jobs"].setdefault(row["job"], none)
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
    from simplicert.cli import app

    commands = [one.name or one.callback.__name__ for one in app.registered_commands]
    jobs = existing_jobs(commands)
    if chosen.jobs:
        jobs = {name: jobs[name] for name in chosen.jobs.split(",")}
    result = {"seed": chosen.seed, "kills": 0, "trials": 0, "jobs": {}, "wrong": []}
    if chosen.json and chosen.json.exists():
        result = json.loads(chosen.json.read_text())
    result["version"] = sc.__version__
    with tempfile.TemporaryDirectory() as folder:
        killer = Killer(folder, jobs)
        try:
            killer.do_undisturbed()
            while result["kills"] < chosen.kills:
                row = killer.trial(result["trials"], result["seed"])
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
