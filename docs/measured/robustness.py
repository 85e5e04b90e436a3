"""What was done to the program, and what it did.

Faults and flipped bits (docs/faults.md), bad input (docs/security.md), attacks on certificates
(docs/attack.md), and the wheel in empty environments (docs/release.md).
"""

from statistics import mean, median
from typing import Any

from measured import format_table, round_down, round_up

Result = dict[str, Any]


def tabulate_faults(faults: Result) -> str:
    """Each fault, what was said, and what the same command then gave."""
    rows = [
        [row["done"], row["exit"], row["said"] or "-", row["afterwards"]]
        for row in faults["faults"]
    ]
    return format_table(["done to it", "exit code", "it said", "the same command again"], rows)


def tabulate_disk_faults(disk_faults: Result) -> str:
    """The same for clock, disk and network file system."""
    return tabulate_faults(disk_faults)


def tabulate_ray_kills(ray_faults: Result) -> str:
    """What was killed of a Ray of our own, and how soon nothing of it was left."""
    names = {"gcs_server": "head (gcs_server)"}
    rows = []
    for row in ray_faults["kills"]:
        end = max(row["processes end"], row["folders end"]) if row["good"] else "not all ended"
        left = end if isinstance(end, str) else f"{round_up(row['ended'] + end)} s"
        if row["exit"] == 0:
            left = "it goes on to its end"
        said = row["said"].removeprefix("simplicert: ") if row["exit"] == 2 else "-"
        rows.append([names.get(row["killed"], row["killed"]), row["exit"], said, left])
        rows[-1].append(row["afterwards"])
    head = ["killed", "exit code", "it said", "nothing left after", "the same command again"]
    return format_table(head, rows)


def tabulate_ray_clusters(ray_faults: Result) -> str:
    """What was done to the head of a cluster that a run used."""
    done = {
        "stopped": "the head does not answer for 15 s",
        "restarted": "the whole cluster is killed, and another started at the same address",
    }
    rows = [
        [
            done[row["disturbed"]],
            row["exit"],
            row["said"].removeprefix("simplicert: "),
            row["afterwards"],
        ]
        for row in ray_faults["clusters"]
    ]
    return format_table(["done to it", "exit code", "it said", "the same command again"], rows)


def summarise_kills(kills: Result) -> str:
    """How many kills, and what came of them."""
    jobs = kills["jobs"].values()
    left = sum(counts["left"] for counts in jobs)
    late, cut = (sum(counts.get(name, 0) for counts in jobs) for name in ("late", "cut short"))
    said = [
        f"{kills['kills']:,} kills in {kills['trials']:,} trials, seed {kills['seed']}: "
        f"{len(kills['wrong'])} trials with another result, {left} processes or folders left "
        "behind."
    ]
    if cut:
        said.append(f"Ray's C++ ended the leader {_say_times(cut)}, as told below.")
    if late:
        said.append(
            "The machine was so busy that Ray did not start within its half minute "
            f"{_say_times(late)}; the same command was then given again."
        )
    return " ".join(said)


def _say_times(count: int) -> str:
    """Say how often."""
    return "once" if count == 1 else f"{count} times"


def tabulate_kills(kills: Result) -> str:
    """Kills by job and by what was killed."""
    head = ["job", "trials", "leader", "another process", "all at once", "identical results"]
    names = ("trials", "leader", "worker", "group", "identical")
    rows = [[job, *(kills["jobs"][job][name] for name in names)] for job in sorted(kills["jobs"])]
    return format_table(head, rows)


def tabulate_kills_on_ray(kills: Result) -> str:
    """Which other processes of a run on Ray were killed."""
    names = {
        "raylet": "raylet",
        "gcs_server": "head (gcs_server)",
        "worker": "worker",
        "runtime_env": "agent of environments",
        "dashboard": "agent of the dashboard",
        "log_monitor": "log monitor",
        "monitor.py": "autoscaler",
        "guard": "our guard",
    }
    jobs = {job: counts["others"] for job, counts in kills["jobs"].items() if "others" in counts}
    found = set().union(*jobs.values())
    shown = [name for name in names if name in found] + sorted(found - names.keys())
    rows = [[job, *(jobs[job].get(name, 0) for name in shown)] for job in sorted(jobs)]
    return format_table(["job", *(names.get(name, name) for name in shown)], rows)


def tabulate_flips(faults: Result) -> str:
    """One bit flipped at a time, by file."""
    names = ("files", "flips", "refused", "unchanged", "changed")
    rows = [[f"`{row['file']}`", *(row[name] for name in names)] for row in faults["flips"]]
    head = ["file", "files", "flips", "refused", "nothing changed", "certificates changed"]
    return format_table(head, rows)


def describe_merging(merging: Result) -> str:
    """How often a compaction was killed, and what was found afterwards."""
    alone, chance = merging["everywhere"], merging["by_chance"]
    wrong = alone["wrong"] + chance["wrong"]
    found = f"{wrong} times they were not" if wrong else "each time they were"
    return (
        f"A run of {merging['parts']} parts was merged with kill -9 before each of "
        f"{alone['kills']} file operations in turn. Then two compactors and a writer worked at "
        f"once in {chance['rounds']} rounds (seed {merging['seed']}), and {chance['kills']} of the "
        f"{chance['processes']} processes were killed. After each, tally and seconds had to be "
        f"the same, and again after one more `compact`: {found}."
    )


def summarise_fuzzing(fuzz: Result) -> str:
    """How many inputs, and what was found."""
    found = sum(entry["findings"] for entry in fuzz["entries"].values())
    return f"{fuzz['total']:,} inputs, {f'{found} findings' if found else 'no finding'}."


def tabulate_fuzzing(fuzz: Result) -> str:
    """Inputs tried and refused, by entry point."""
    rows = [
        [name, f"{entry['tried']:,}", f"{entry['refused']:,}"]
        for name, entry in fuzz["entries"].items()
    ]
    return format_table(["entry point", "tried", "refused"], rows)


def tabulate_attacks(attacks: Result) -> str:
    """Attacks whose tables are kept in the run folders."""
    head = ["run", "inputs", "broken", "smallest ratio", "median ratio", "nothing found"]
    rows = []
    for name, held in attacks.items():
        broken = sum(row["broken"] != "false" for row in held)
        ratios = [float(row["ratio"]) for row in held if row["found"]]
        middle = [round_down(min(ratios), 3), f"{median(ratios):.3f}", len(held) - len(ratios)]
        draws = round_up(mean(int(row["draws"]) for row in held))
        rows.append([f"`experiments/cifar10/runs/{name}`", len(held), broken, *middle, draws])
    return format_table([*head, "draws per input"], rows)


def tabulate_environments(release: Result) -> str:
    """The wheel with each extra, by version of Python."""
    rows = []
    for row in release["rows"].values():
        sizes = ["" if row[key] is None else f"{row[key]:,}" for key in ("megabytes", "seconds")]
        rows.append([row["python"], f"`{row['extra']}`", *sizes, row["outcome"]])
    return format_table(["Python", "extra", "MB", "installed in s", "outcome"], rows)


def state_sizes(release: Result) -> str:
    """Of what is released."""
    wheel, sdist = (round_up(release[f"{name}_bytes"] / 1e6, 1) for name in ("wheel", "sdist"))
    return f"the wheel has {wheel} MB and the sdist {sdist} MB"
