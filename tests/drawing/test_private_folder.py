"""The folder of our own Ray is closed to other users, and removed in the end."""

import os
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path

import pytest
from places import soon

from simplicert.drawing.engines import cluster, guard
from simplicert.drawing.engines.cluster import LOCK, private_folder, remove_abandoned_folders


def test_closed_and_removed_even_after_a_failure():
    with pytest.raises(RuntimeError), private_folder() as folder:
        outer = folder.parent
        assert outer.stat().st_mode & 0o777 == 0o700
        assert (outer / LOCK).stat().st_mode & 0o777 == 0o600
        (folder / "socket").touch()
        raise RuntimeError
    assert not outer.exists()


def test_it_is_removed_while_others_still_write(monkeypatch):
    """A helper that ends late makes the first removal fail."""
    real, calls = guard.shutil.rmtree, []

    def late(path, **more):
        calls.append(path)
        if len(calls) > 2:
            real(path, **more)

    monkeypatch.setattr(cluster, "REMOVAL_PAUSE", 0.0)
    monkeypatch.setattr(cluster, "guard_folder", lambda folder: nullcontext())
    with private_folder() as folder:
        monkeypatch.setattr(guard.shutil, "rmtree", late)
    assert not folder.parent.exists()
    assert len(calls) == 4  # twice in vain, then what is inside, then the folder


LEAD = """
import contextlib, sys
from simplicert.drawing.engines import cluster
if "alone" in sys.argv:
    cluster.guard_folder = lambda folder: contextlib.nullcontext()
with cluster.private_folder() as folder:
    print(folder.parent, flush=True)
    sys.stdin.read()
"""


@pytest.mark.slow
def test_only_what_a_dead_leader_left_is_removed(tmp_path):
    """A living leader holds its lock; a killed one does not; what is no folder of ours stays."""
    words = [sys.executable, "-c", LEAD, "alone"]  # its guard was killed with it
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(words, **pipes) as leader:
        folder = Path(leader.stdout.readline().strip())
        remove_abandoned_folders(folder.parent)
        assert folder.exists()
        leader.kill()
    assert folder.exists()
    remove_abandoned_folders(folder.parent)
    assert not folder.exists()


OWN = "simplicert-1-abc_0123"  # the name of a private folder; the last part is random


def make_private(folder):
    """Make what a leader makes, and leave it as a killed one does."""
    folder.mkdir(0o700)
    (folder / LOCK).touch()
    (folder / guard.INSIDE).mkdir()
    (folder / guard.STARTING).touch()
    return folder


@pytest.mark.parametrize(
    "name",
    [
        "simplicert-2026-notes",
        "simplicert-1-abc-0123",
        "simplicert-1-abc_01234",
        "simplicert-1a-abc_0123",
    ],
)
def test_a_folder_of_nearly_the_same_name_stays(tmp_path, name):
    """A user may call a folder of notes so; it would be removed whole."""
    make_private(tmp_path / name)
    left = make_private(tmp_path / OWN)
    remove_abandoned_folders(tmp_path)
    assert list(tmp_path.iterdir()) == [tmp_path / name] and not left.exists()


def test_a_folder_with_anything_else_in_it_stays(tmp_path):
    folder = make_private(tmp_path / OWN)
    (folder / "thesis.txt").touch()
    remove_abandoned_folders(tmp_path)
    assert len(list(folder.iterdir())) == 4
    (folder / "thesis.txt").unlink()
    remove_abandoned_folders(tmp_path)
    assert not folder.exists()


def test_an_open_folder_a_link_and_a_folder_without_lock_stay(tmp_path):
    folder = make_private(tmp_path / OWN)
    folder.chmod(0o750)
    outside = tmp_path / "outside"
    make_private(outside)
    (tmp_path / "simplicert-2-abc_0123").symlink_to(outside)
    (tmp_path / "simplicert-3-abc_0123").mkdir(0o700)
    remove_abandoned_folders(tmp_path)
    assert (outside / LOCK).exists() and (folder / LOCK).exists()
    assert (tmp_path / "simplicert-3-abc_0123").exists()


def test_a_folder_of_another_user_stays(tmp_path, monkeypatch):
    theirs = make_private(tmp_path / OWN)
    monkeypatch.setattr(os, "getuid", lambda: theirs.stat().st_uid + 1)
    remove_abandoned_folders(tmp_path)
    assert theirs.exists()


def test_names_of_sockets_stay_short_enough():
    """A socket's name may have 107 letters; Ray's longest is plasma_store."""
    session = f"/r/session_2026-11-16_17-32-01_249696_{2**22}/sockets/plasma_store"
    with private_folder() as folder:
        own = len(str(folder.parent)) + len(str(2**22)) - len(str(os.getpid()))
    assert own + len(session) <= 107 or tempfile.gettempdir() != "/tmp"


CUT_SHORT = """
import os
from simplicert.drawing.engines.cluster import private_folder
from simplicert.drawing.engines.guard import note_start
with private_folder() as folder, note_start(folder.parent):
    os._exit(1)
"""
HOLD = "import sys, time; file = open(sys.argv[1], 'w'); print(1, flush=True); time.sleep(600)"


def hold(path, mark=None):
    """Start a process with this file open, as one of the Ray of the folder `mark` if given."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    own = {} if mark is None else {guard.MARK: str(mark)}
    words = [sys.executable, "-S", "-c", HOLD, path]
    process = subprocess.Popen(words, **pipes, env={**os.environ, **own})
    process.stdout.readline()
    return process


@pytest.mark.slow
def test_a_guard_ends_what_a_killed_leader_left_and_nothing_else(tmp_path):
    """Ray's processes bear a mark; who merely reads a log in their folder lives on."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", LEAD], **pipes) as leader:
        folder = Path(leader.stdout.readline().strip())
        log = folder / "r" / "log"
        left, other = hold(log, mark=folder), hold(tmp_path / "log", mark=f"{folder}2")
        reader = subprocess.Popen(["tail", "-f", log], stdout=subprocess.DEVNULL)
        leader.kill()
    soon(lambda: not folder.exists())
    assert left.wait() == -9
    assert other.poll() is None
    assert reader.poll() is None
    for process in (reader, other):
        process.kill()
    for process in (left, other, reader):
        process.communicate()


@pytest.mark.slow
def test_helpers_that_outlive_a_stopped_ray_end_before_the_folder_goes():
    """They would make it again."""
    with private_folder() as folder:
        helper = hold(folder / "log", mark=folder.parent)
    assert not folder.parent.exists()
    assert helper.wait() == -9
    helper.communicate()


@pytest.mark.slow
def test_a_leader_that_ray_ends_while_the_two_connect_leaves_a_sentence():
    """Ray's C++ ends the process at once, and says nothing that a user would understand."""
    said = subprocess.run(
        [sys.executable, "-c", CUT_SHORT], capture_output=True, text=True, check=False
    )
    assert said.returncode == 1
    assert said.stderr.strip() == guard.CUT_SHORT


def test_what_a_leader_was_starting_when_it_was_killed_ends_too(tmp_path, monkeypatch):
    """Until a process has become a part of Ray it bears no mark: the guard looks again."""
    folder = tmp_path / "simplicert-1-mine"
    folder.mkdir()
    real, looks = guard.marked_processes, []

    def late(name):
        looks.append(name)
        return set() if len(looks) == 1 else real(name)

    monkeypatch.setattr(guard, "marked_processes", late)
    process = hold(folder / "log", mark=folder)
    guard.clear_folder(folder, os.getpid(), 0.3)
    assert process.wait(60) == -9
    process.communicate()
    assert not folder.exists()


class Clock:
    """A clock that moves only when the guard sleeps."""

    def __init__(self, monkeypatch, seen):
        """Let the guard see, at each moment, the processes that `seen` tells it."""
        self.now, self.killed = 0.0, []
        monkeypatch.setattr(guard, "PAUSE", 0.25)
        monkeypatch.setattr(guard, "time", self)
        monkeypatch.setattr(guard, "marked_processes", lambda name: seen(self.now, self.killed))
        monkeypatch.setattr(guard.os, "kill", lambda pid, number: self.killed.append(self.now))

    def monotonic(self):
        """Return the time."""
        return self.now

    def sleep(self, seconds):
        """Let time pass."""
        self.now += seconds


@pytest.mark.parametrize(
    ("patience", "last_seen", "end"),
    [
        (3.0, -1, 3.0),  # a leader's children may be started late
        (0.5, -1, 0.75),  # none is seen four times in a row
        (0.5, 0.25, 1.25),  # the count begins anew after the last one was seen
        (0.0, -1, 0.0),  # a leader that has stopped its Ray is believed
    ],
)
def test_when_a_guard_removes_the_folder(tmp_path, monkeypatch, patience, last_seen, end):
    folder = tmp_path / "simplicert-1-mine"
    folder.mkdir()
    clock = Clock(monkeypatch, lambda now, killed: {7, 8} if now <= last_seen else set())
    guard.clear_folder(folder, 8, patience)
    assert not folder.exists() and not clock.killed
    assert clock.now == end


def test_a_guard_kills_what_has_had_its_time_and_gives_up_in_the_end(tmp_path, monkeypatch):
    folder = tmp_path / "simplicert-1-mine"
    folder.mkdir()
    clock = Clock(monkeypatch, lambda now, killed: set() if len(killed) == 2 else {7})
    guard.clear_folder(folder, 8, 1.0)
    assert not folder.exists() and clock.killed == [1.0, 1.25]
    folder.mkdir()
    clock = Clock(monkeypatch, lambda now, killed: {7})
    guard.clear_folder(folder, 8, 1.0)
    assert folder.exists() and clock.now == guard.MOST


def test_a_guard_speaks_only_of_a_leader_that_ended_while_its_ray_started(tmp_path):
    """As Ray's C++ ends it; one that has stopped its Ray says so."""
    for last, starting, said in ((b".", True, ""), (b".", False, ""), (b"", True, guard.CUT_SHORT)):
        folder = tmp_path / "simplicert-1-mine"
        folder.mkdir()
        if starting:
            (folder / guard.STARTING).touch()
        words = [sys.executable, "-I", "-S", guard.__file__, str(folder)]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdin.write(last)
            process.stdin.close()
            assert process.stderr.readline().decode().strip() == said
            if last == guard.STOPPED:
                assert process.wait() == 0
            process.kill()
        guard.remove_tree(folder)


def test_a_start_ends_also_where_the_folder_is_gone(tmp_path):
    folder = tmp_path / "simplicert-1-mine"
    folder.mkdir()
    with guard.note_start(folder):
        guard.remove_tree(folder)
    assert not folder.exists()


def test_a_guard_spares_a_leader_that_lives(tmp_path, monkeypatch):
    """Its folder could not be removed; the guard waits for nobody and removes it."""
    folder = tmp_path / "simplicert-1-mine"
    folder.mkdir()
    with (folder / "lock").open("w"):
        monkeypatch.setattr(guard, "marked_processes", lambda name: {os.getpid()})
        guard.clear_folder(folder, os.getpid(), 0.0)
    assert not folder.exists()


def test_the_guard_is_told_of_a_start_and_nothing_else_is_marked(tmp_path):
    """Other threads may start programs meanwhile."""
    with guard.note_start(tmp_path):
        assert (tmp_path / guard.STARTING).stat().st_mode & 0o777 == 0o600
        process = hold(tmp_path / "log")
    assert not (tmp_path / guard.STARTING).exists()
    assert not guard.marked_processes(str(tmp_path))
    process.kill()
    process.communicate()


def test_a_process_is_known_by_its_mark(tmp_path):
    """A name that only begins alike is another folder."""
    process = hold(tmp_path / "log", mark=tmp_path)
    assert guard.marked_processes(str(tmp_path)) == {process.pid}
    assert not guard.marked_processes(str(tmp_path)[:-1])
    process.kill()
    process.communicate()


def test_without_a_mark_a_program_of_rays_with_the_folder_as_argument_is_known(tmp_path):
    """Another Ray may start its own in another way; who reads a log by any other program lives."""
    held = tmp_path / "folder"
    programs = {
        "/lib/ray/core/src/ray/raylet/raylet": True,
        "/lib/ray/_private/log_monitor.py": True,
        "/lib/ray/autoscaler/_private/monitor.py": True,
        "/lib/ray/dashboard/agent.py": True,
        "/home/me/ray/look.py": False,
        "/usr/bin/tail": False,
    }
    read = "import sys; print(flush=True); sys.stdin.read()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "executable": sys.executable}
    started = {}
    for program, of_ray in programs.items():
        for place in (held, tmp_path / "folder2"):
            words = [program, "-c", read, f"--logs-dir={place}/r/logs"]
            process = subprocess.Popen(words, **pipes)
            process.stdout.readline()
            started[process] = of_ray and place == held
    late = [sys.executable, "-c", read, "1", "/lib/ray/_private/log_monitor.py", f"{held}/r"]
    started[process := subprocess.Popen(late, **pipes)] = False
    process.stdout.readline()
    expected = {process.pid for process, known in started.items() if known}
    assert guard.marked_processes(str(held)) == expected and len(expected) == 4
    for process in started:
        process.communicate()


def test_a_title_over_the_mark_does_not_hide_a_process_of_ray(tmp_path):
    """Without the mark, a title of Ray's and an open file of the folder count, neither alone."""
    held = tmp_path / "folder"
    held.mkdir()
    read = "import sys; log = open(sys.argv[1], 'w'); print(flush=True); sys.stdin.read()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "executable": sys.executable}
    started = []
    for title, place in (("ray::Agent", held), ("ray::Agent", tmp_path), ("tail", held)):
        started.append(subprocess.Popen([title, "-c", read, str(place / "log")], **pipes))
        started[-1].stdout.readline()
    assert guard.marked_processes(str(held)) == {started[0].pid}
    for process in started:
        process.communicate()


def test_what_could_not_be_removed_is_removed_the_next_time(tmp_path, monkeypatch):
    """Ray's helpers still wrote into it: the lock, by which it is known, must stay till the end."""
    left = make_private(tmp_path / OWN)
    real = guard.shutil.rmtree
    monkeypatch.setattr(guard.shutil, "rmtree", lambda path, **more: None)
    remove_abandoned_folders(tmp_path)
    assert (left / LOCK).exists()
    monkeypatch.setattr(guard.shutil, "rmtree", real)
    remove_abandoned_folders(tmp_path)
    assert not left.exists()
