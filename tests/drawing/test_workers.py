"""What a worker replies to its leader, and how its process is set up."""

import os
import shutil
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
from places import HOT, asked, heat

from simplicert.drawing import preparation, workers
from simplicert.drawing.preparation import Preparation
from simplicert.drawing.queue import Unit
from simplicert.drawing.resume import begin_run
from simplicert.drawing.workers import Worker, set_up_process
from simplicert.store.manifest import read_manifest


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


def test_a_part_that_cannot_be_written_is_left_to_the_leader(place):
    """Who says so once is not asked again: the folder is not this worker's."""
    settings = asked(place, "run", draws=20)
    worker = Worker(settings)
    prepared = worker.prepare(None)
    begin_run(settings.out, prepared.manifest)
    worker.join(read_manifest(settings.out))
    assert worker.shared and worker._write("00000000-x.parquet", b"x")
    assert (settings.out / "parts" / "00000000-x.parquet").read_bytes() == b"x"
    shutil.rmtree(settings.out)
    assert not worker._write("00000001-y.parquet", b"y") and not worker.shared


def test_a_worker_loads_model_and_data_once(place, monkeypatch):
    loaded, real = [], workers.load_model_and_data
    monkeypatch.setattr(
        workers, "load_model_and_data", lambda *given: loaded.append(1) or real(*given)
    )
    settings = asked(place, "run", draws=20)
    first, second = Worker(settings), Worker(settings)
    begin_run(settings.out, first.prepare(None).manifest)
    for worker, count in ((first, 1), (second, 2)):  # the second joins without preparing
        worker.join(read_manifest(settings.out))
        assert len(loaded) == count


def test_inputs_that_were_done_when_it_was_stopped_are_kept(place):
    settings = asked(place, "run", draws=200, batch_size=64)
    worker = Worker(settings)
    begin_run(settings.out, worker.prepare(None).manifest)
    worker.join(read_manifest(settings.out))
    unit = Unit(0, np.arange(4), (0, 200), None)
    result = worker.draw(unit, lambda rows, complete: complete >= 2)
    assert not result.error and result.fatal is None
    assert result.tally.inputs.tolist() == [0, 1] and (result.tally.draws == 200).all()
    assert worker.draw(unit, lambda rows, complete: True).name == ""  # none was done


def test_the_batch_is_chosen_for_the_shape_of_one_input(place, monkeypatch):
    shapes, real = [], preparation.default_batch_size
    monkeypatch.setattr(
        preparation,
        "default_batch_size",
        lambda shape, *more: shapes.append(shape) or real(shape, *more),
    )
    Worker(asked(place, "run", draws=20, batch_size=None)).prepare(None)
    assert shapes == [(3, 4)]


def test_inputs_that_were_done_when_the_model_failed_are_kept(place):
    heat()
    settings = asked(
        place, "run", model=f"{place[1]}:poisoned", draws=200, batch_size=64, histograms=False
    )
    worker = Worker(settings)
    begin_run(settings.out, worker.prepare(None).manifest)
    worker.join(read_manifest(settings.out))
    unit = Unit(0, np.arange(HOT + 1), (0, 200), None)
    result = worker.draw(unit, lambda rows, complete: False)
    assert not result.error and result.tally.inputs.tolist() == [*range(HOT)]
    alone = worker.draw(replace(unit, items=np.array([HOT])), lambda rows, complete: False)
    assert alone.error == "too hot" and alone.tally is None
