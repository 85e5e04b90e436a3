"""Kill what a Ray of our own consists of, and list what is left: processes, folders, ports, modes.

    python benchmarks/ray_faults.py [--json FILE]

Every process of a run carries a mark in its environment, so that only those are counted.
"""

import argparse
import json
import os
import secrets
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fault_place import Place

import simplicert as sc

LEFT_SECONDS = 60.0  # in which everything must have ended
HANG = 600.0
NAMES = ("leader", "raylet", "gcs_server", "worker")
LISTENS = "0A"  # the state of a socket in /proc/net/tcp
LOOPBACK = ("127.0.0.1", "::1", "::ffff:127.0.0.1")
SAME = "the same tally, bit for bit"


def marked(mark):
    """Return the living processes with this mark in their environment: number and name."""
    found = {}
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark.encode() in (entry / "environ").read_bytes():
                words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
                found[int(entry.name)] = name_process(words)
        except OSError:
            continue
    return found


def name_process(words):
    """Name a process of Ray in one word."""
    text = " ".join(words)
    if text.startswith("ray::") and "Agent" in text:
        return "runtime_env" if "RuntimeEnv" in text else "dashboard"
    if "engines/guard.py" in text:
        return "guard"
    for name in ("gcs_server", "raylet", "log_monitor", "runtime_env", "dashboard", "monitor.py"):
        if name in words[0] or f"/{name}" in text:
            return name
    if text.startswith("ray::") or "default_worker" in text:
        return "worker"
    return "leader" if "simplicert" in text and "sample" in text else words[0].rpartition("/")[2]


def listening(pids):
    """Return the addresses at which these processes listen."""
    inodes = set()
    for pid in pids:
        try:
            for handle in Path(f"/proc/{pid}/fd").iterdir():
                target = str(handle.readlink())
                if target.startswith("socket:["):
                    inodes.add(target[8:-1])
        except OSError:
            continue
    hosts = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == LISTENS and fields[9] in inodes:
                hosts.add(read_address(fields[1].partition(":")[0]))
    return sorted(hosts)


def read_address(digits):
    """Read an address as /proc/net writes it: words of four bytes, the last one first."""
    raw = bytes.fromhex(digits)
    packed = b"".join(raw[at : at + 4][::-1] for at in range(0, len(raw), 4))
    return socket.inet_ntop(socket.AF_INET if len(packed) == 4 else socket.AF_INET6, packed)


def open_to_others(folder):
    """Return how many files below the folder have a mode that lets others in."""
    held = [path.lstat().st_mode for path in Path(folder).rglob("*")]
    return sum(bool(stat.S_IMODE(mode) & 0o077) for mode in held if stat.S_ISREG(mode))


def own_folders(pid):
    """Return the private folders that a leader made."""
    return sorted(Path("/tmp").glob(f"simplicert-{pid}-*"))


def until(true, seconds):
    """Wait; return the seconds that it took, or None."""
    begun = time.monotonic()
    while not true():
        if time.monotonic() - begun > seconds:
            return None
        time.sleep(0.05)
    return time.monotonic() - begun


def list_ray_folders():
    """The names of folders where Ray puts its sessions unless it is told another place."""
    return {path.name for path in Path(tempfile.gettempdir()).glob("ray*") if path.is_dir()}


def kill_one(place, name):
    """Start a run on Ray, kill the process of this name, and list what is left."""
    mark, out = secrets.token_hex(8), f"killed-{name}"
    before = list_ray_folders()
    words = place.words(out, "--engine", "ray", "--workers", "2", "--draws", "1500")
    said = place.folder / f"{out}.txt"
    environment = {**os.environ, "SCENE": mark, "PAUSE": "0.05"}
    with said.open("wb") as file:
        command = [sys.executable, "-m", *words]
        leader = subprocess.Popen(
            command, cwd=place.folder, env=environment, stdout=file, stderr=file
        )
    until(lambda: place.parts(out) or leader.poll() is not None, HANG)
    family = marked(mark)
    if leader.poll() is not None:
        raise RuntimeError(f"it ended with {leader.returncode}: {said.read_text()[-2000:]}")
    (folder,) = own_folders(leader.pid)
    row = {
        "killed": name,
        "processes": sorted(family.values()),
        "listening": listening(family),
        "folder": oct(stat.S_IMODE(folder.stat().st_mode)),
        "files others may read": open_to_others(folder),
        "other folders": sorted(list_ray_folders() - before),
    }
    victim = leader.pid if name == "leader" else next(p for p in family if family[p] == name)
    os.kill(victim, signal.SIGKILL)
    begun = time.monotonic()
    leader.wait(HANG)
    row["exit"], row["ended"] = leader.returncode, round(time.monotonic() - begun, 1)
    row["processes end"] = until(lambda: not marked(mark), LEFT_SECONDS)
    row["left"] = sorted(marked(mark).values())
    row["folders end"] = until(lambda: not own_folders(leader.pid), LEFT_SECONDS)
    lines = said.read_text().strip().splitlines() or [""]
    row["said"] = lines[-1].replace(str(place.folder) + "/", "")
    row["lines"] = len(lines)
    row["traceback"] = "Traceback" in said.read_text() or "fatal" in said.read_text().lower()
    again = place.draw(out, "--draws", "1500")
    same = again.code == 0 and place.tally(out) == place.tally("long")
    row["afterwards"] = SAME if same else f"exit {again.code}: {again.text}"
    row["good"] = bool(
        same
        and not row["left"]
        and row["folders end"] is not None
        and set(row["listening"]) <= set(LOOPBACK)
        and not row["traceback"]
        and not row["files others may read"]
    )
    return row


def start_head(folder, environment, port):
    """Start the head of a cluster, as an administrator does."""
    words = [
        *(str(Path(sys.executable).with_name("ray")), "start", "--head", f"--port={port}"),
        *("--node-ip-address=127.0.0.1", "--num-cpus=2", "--include-dashboard=false"),
        *("--disable-usage-stats", "--object-store-memory=100000000", f"--temp-dir={folder}/r"),
    ]
    subprocess.run(words, env=environment, check=True, capture_output=True)


def disturb_cluster(place, how):
    """Draw on a cluster that is there already, and disturb its head."""
    mark, out, port = secrets.token_hex(8), f"cluster-{how}", free_port()
    environment = {**os.environ, "SCENE": mark, "PAUSE": "0.02", "RAY_AUTH_MODE": "disabled"}
    start_head(place.folder, environment, port)
    more = ("--engine", "ray", "--address", f"127.0.0.1:{port}", "--workers", "1")
    said = place.folder / f"{out}.txt"
    with said.open("wb") as file:
        command = [sys.executable, "-m", *place.words(out, *more, "--draws", "1500")]
        leader = subprocess.Popen(
            command, cwd=place.folder, env=environment, stdout=file, stderr=file
        )
    until(lambda: place.parts(out) or leader.poll() is not None, HANG)
    HOW[how](place, mark, leader, environment, port)
    begun = time.monotonic()
    leader.wait(HANG)
    row = {"disturbed": how, "exit": leader.returncode, "ended": time.monotonic() - begun}
    lines = said.read_text().strip().splitlines() or [""]
    row["said"], row["traceback"] = lines[-1], "StackTrace" in said.read_text()
    for pid in marked(mark):  # the cluster is ours: nobody else would end it
        os.kill(pid, signal.SIGKILL)
    again = place.draw(out, "--draws", "1500")
    same = again.code == 0 and place.tally(out) == place.tally("long")
    row["afterwards"] = SAME if same else f"exit {again.code}: {again.text}"
    row["good"] = bool(same and not row["traceback"] and row["exit"] == EXITS[how])
    return row


def free_port():
    """Return a port that nobody listens at."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


def stop_head(place, mark, leader, environment, port):
    """The head does not answer for a quarter of a minute, as when the network is down."""
    heads = [pid for pid, name in marked(mark).items() if name == "gcs_server"]
    for number in (signal.SIGSTOP, signal.SIGCONT):
        for pid in heads:
            os.kill(pid, number)
        time.sleep(15 if number == signal.SIGSTOP else 0)


def restart_head(place, mark, leader, environment, port):
    """The whole cluster is killed, and another started at the same address."""
    for pid in marked(mark):
        if pid != leader.pid:
            os.kill(pid, signal.SIGKILL)
    start_head(place.folder, environment, port)


HOW = {"stopped": stop_head, "restarted": restart_head}
EXITS = {"stopped": 0, "restarted": 2}


def main():
    """Kill each of them once, print, write JSON where asked."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--json", type=Path)
    arguments.add_argument("--only", help="these, with commas")
    chosen = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder)
        place.draw("long", "--draws", "1500")
        content = {"version": sc.__version__, "kills": [], "clusters": []}
        if chosen.only and chosen.json and chosen.json.exists():  # the others stay as they are
            content = {"clusters": [], **json.loads(chosen.json.read_text())}
        for name in chosen.only.split(",") if chosen.only else NAMES + tuple(HOW):
            do, rows = (
                (disturb_cluster, content["clusters"])
                if name in HOW
                else (kill_one, content["kills"])
            )
            rows.append(do(place, name))
            print(json.dumps(rows[-1]), flush=True)
            if chosen.json:
                chosen.json.write_text(json.dumps(content, indent=1) + "\n")
    sys.exit(0 if all(row["good"] for row in content["kills"] + content["clusters"]) else 1)


if __name__ == "__main__":
    main()
