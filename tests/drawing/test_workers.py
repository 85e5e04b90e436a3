"""What a worker replies to its leader, and how its process is set up."""

import os
import sys
from types import SimpleNamespace

from places import asked

from simplicert.drawing.preparation import Preparation
from simplicert.drawing.workers import Worker, set_up_process


def test_a_worker_replies_with_what_it_prepared(place):
    worker = Worker(asked(place, "run", draws=20))
    reply, prepared = worker.run_command("prepare", None, lambda rows, complete: False)
    assert reply == "prepared" and isinstance(prepared, Preparation)
    assert prepared.manifest.inputs == 40


def test_threads_are_limited_for_torch_if_it_is_there_already(tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    limits = []
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(set_num_threads=limits.append))
    set_up_process(str(tmp_path / "folder"), 3)
    assert limits == [3] and os.environ["OMP_NUM_THREADS"] == "3"
    assert os.getcwd() == str(tmp_path / "folder")  # noqa: PTH109
    monkeypatch.delitem(sys.modules, "torch")
    set_up_process(str(tmp_path / "gone"), 2)
    assert limits == [3] and os.environ["OMP_NUM_THREADS"] == "2"
    assert os.getcwd() == str(tmp_path / "folder")  # noqa: PTH109
