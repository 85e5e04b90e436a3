"""The folder of our own Ray is closed to other users, and removed in the end."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from simplicert.drawing.engines import cluster
from simplicert.drawing.engines.cluster import LOCK, private_folder, remove_abandoned_folders


def test_closed_and_removed_even_after_a_failure():
    with pytest.raises(RuntimeError), private_folder() as folder:
        outer = folder.parent
        assert outer.stat().st_mode & 0o777 == 0o700
        (folder / "socket").touch()
        raise RuntimeError
    assert not outer.exists()


def test_it_is_removed_while_others_still_write(monkeypatch):
    """A helper that ends late makes the first removal fail."""
    real, calls = cluster.shutil.rmtree, []

    def late(path, **more):
        calls.append(path)
        if len(calls) > 2:
            real(path, **more)

    monkeypatch.setattr(cluster, "REMOVAL_PAUSE", 0.0)
    with private_folder() as folder:
        monkeypatch.setattr(cluster.shutil, "rmtree", late)
    assert not folder.parent.exists()
    assert len(calls) == 3


LEAD = """
import sys
from simplicert.drawing.engines.cluster import private_folder
with private_folder() as folder:
    print(folder.parent, flush=True)
    sys.stdin.read()
"""


@pytest.mark.slow
def test_only_what_a_dead_leader_left_is_removed(tmp_path):
    """A living leader holds its lock; a killed one does not; what is no folder of ours stays."""
    words = [sys.executable, "-c", LEAD]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(words, **pipes) as leader:
        folder = Path(leader.stdout.readline().strip())
        remove_abandoned_folders(folder.parent)
        assert folder.exists()
        leader.kill()
    assert folder.exists()
    remove_abandoned_folders(folder.parent)
    assert not folder.exists()

    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / LOCK).touch()
    (tmp_path / "simplicert-1-link").symlink_to(outside)
    (tmp_path / "simplicert-1-older").mkdir()
    remove_abandoned_folders(tmp_path)
    assert (outside / LOCK).exists()
    assert (tmp_path / "simplicert-1-older").exists()


def test_a_folder_of_another_user_stays(tmp_path, monkeypatch):
    theirs = tmp_path / "simplicert-1-theirs"
    theirs.mkdir()
    (theirs / LOCK).touch()
    monkeypatch.setattr(os, "getuid", lambda: theirs.stat().st_uid + 1)
    remove_abandoned_folders(tmp_path)
    assert theirs.exists()


def test_names_of_sockets_stay_short_enough():
    """A socket's name may have 107 letters; Ray's longest is plasma_store."""
    session = f"/r/session_2026-11-16_17-32-01_249696_{2**22}/sockets/plasma_store"
    with private_folder() as folder:
        own = len(str(folder.parent)) + len(str(2**22)) - len(str(os.getpid()))
    assert own + len(session) <= 107 or tempfile.gettempdir() != "/tmp"
