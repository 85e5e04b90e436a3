"""Tests that every engine must pass; the tests of each engine call them with its settings."""

import os
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from places import HOT, alive, asked, drawn, heat, marked, soon, words, workers_seen

import simplicert as sc
from simplicert.drawing import draw_missing, driver, open_workers, queue
from simplicert.drawing.resume import prepare_run

ADAPTIVE = {"draws": 1600, "until": "radius=0.3"}


def same_bits(place, counts, **engine):
    """Any of these numbers of workers makes the tallies that one process makes alone."""
    for name, more in (("fixed", {}), ("adaptive", ADAPTIVE)):
        alone = drawn(asked(place, f"alone-{name}", **more))[1]
        for workers in counts:
            out = f"{name}-{workers}"
            complete, run = drawn(asked(place, out, workers=workers, **more, **engine))
            assert complete
            assert run.tally() == alone.tally()
            np.testing.assert_array_equal(run.stopped, alone.stopped)


def killed_worker(place, **engine):
    """After kill -9 in the middle of a unit another worker takes over, and nothing changes."""
    folder, name = place
    victims = []

    def kill_one(progress):
        pids = [pid for pid in workers_seen(folder) if pid != os.getpid() and alive(pid)]
        if not victims and progress.done >= 2 and len(pids) == 2:
            victims.append(pids[0])
            os.kill(pids[0], signal.SIGKILL)
            (folder / "enough").touch()

    settings = {"model": f"{name}:slow", "workers": 2, "draws": 300, **engine}
    complete, run = drawn(asked(place, "run", **settings), report=kill_one)
    assert complete
    assert len(victims) == 1
    # On a busy machine the replacement starts late, and may find nothing left to do.
    assert run.tally() == drawn(asked(place, "alone", draws=300))[1].tally()
    soon(lambda: not any(alive(pid) for pid in workers_seen(folder)))


def killed_leader(place, *options):
    """After kill -9 of the leader its workers end, and the same command completes the run.

    Two helpers of Ray live on for a minute or so by themselves; here they are ended.
    """
    folder, name = place
    mark = f"SCENE={folder}"
    command = [*words(place, "run"), "--model", f"{name}:slow", "--workers", "2", *options]
    settings = {"env": {**os.environ, "SCENE": str(folder)}, "stderr": subprocess.PIPE}
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, start_new_session=True, **settings
    ) as leader:
        try:
            soon(lambda: len(list((folder / "run" / "parts").glob("*.parquet"))) >= 2)
            assert len([pid for pid in workers_seen(folder) if alive(pid)]) > 0
        finally:
            leader.kill()
    try:
        soon(lambda: not any(alive(pid) for pid in workers_seen(folder)))
    finally:
        for pid in marked(mark):
            os.kill(pid, signal.SIGKILL)
    assert sc.open_run("run").missing > 0
    (folder / "enough").touch()
    done = subprocess.run(command, check=False, timeout=300, **settings)
    assert done.returncode == 0, done.stderr.decode()
    assert sc.open_run("run").tally() == drawn(asked(place, "alone"))[1].tally()
    soon(lambda: not marked(mark))
    assert not list(Path("/tmp").glob(f"simplicert-{leader.pid}-*"))  # the second one removed it


def poisoned_input(place, **engine):
    """All inputs but the poisoned one are drawn; its index and its error are recorded."""
    folder, name = place
    heat()
    request = asked(place, "run", model=f"{name}:poisoned", **engine)
    complete, run = drawn(request)
    assert not complete
    assert run.failed == {HOT: "too hot"}
    assert run.missing == 1
    alone = drawn(asked(place, "alone"))[1].tally()
    rows = np.setdiff1d(np.arange(40), [HOT])
    np.testing.assert_array_equal(run.tally().inputs, rows)
    np.testing.assert_array_equal(run.tally().softmax_sums, alone.softmax_sums[rows])
    assert (folder / "run" / "failed" / f"{HOT:08d}.txt").read_text() == "too hot\n"


def failing_model(place, patch, **engine):
    """The model fails during the probe and the draws, until there was a pause."""
    folder, name = place
    patch.setattr(driver, "FIRST_PAUSE", 0.01)
    patch.setattr(driver, "SHORTEST_ANNOUNCED", 0.0)
    patch.setattr(queue, "PART_SECONDS", 1e-9)  # one input per unit
    down, sentences, failures = folder / "down", [], ["TimeoutError", "OSError"]
    down.write_text("ConnectionResetError")

    def say(sentence):
        sentences.append(sentence)
        down.unlink(missing_ok=True)

    def report(progress):
        if failures and progress.done >= 3 and not down.exists():
            down.write_text(failures.pop())

    request = asked(place, "run", model=f"{name}:remote", patience=300, **engine)
    complete, run = drawn(request, say, report=report)
    assert complete
    assert run.failed == {}
    assert set(sentences) == {"the model failed (HTTP 503?[2J); trying again in 0 s"}
    assert len(sentences) >= 3  # once by the probe, twice by the draws
    assert run.tally() == drawn(asked(place, "alone"))[1].tally()


def no_shared_folder(place, **engine):
    """Workers that do not see the run's folder hand their parts to the leader."""
    request = asked(place, "run", workers=2, **engine)
    elsewhere = replace(request, out=Path("/nowhere/run"))
    with open_workers(elsewhere) as workers:
        prepared = prepare_run(request, workers)
        assert draw_missing(prepared, workers).complete
    assert sc.open_run("run").tally() == drawn(asked(place, "alone"))[1].tally()


def stopped_and_resumed(place, **engine):
    """What was complete is kept; the rest is drawn later, by an engine of any kind."""
    folder, name = place
    settings = {"model": f"{name}:slow", "workers": 2, **engine}
    requests = []

    def stop():
        return bool(requests)

    def report(progress):
        requests.extend([1] * (progress.done > 3))

    complete, run = drawn(asked(place, "run", **settings), stop=stop, report=report)
    assert not complete
    assert 0 < run.missing < 40
    (folder / "enough").touch()
    assert drawn(asked(place, "run", model=f"{name}:slow"))[0]
    assert sc.open_run("run").tally() == drawn(asked(place, "alone"))[1].tally()


def other_model(place, **engine):
    """Start a worker that loads another model than the first one, which prepared the run."""
    folder, _ = place
    (folder / "shifty.py").write_text(
        "import time\nimport numpy as np\n"
        "def make():\n"
        "    try:\n        open('first', 'x').close()\n        seed = 1\n"
        "    except FileExistsError:\n        seed = 2\n"
        "    weights = np.random.default_rng(seed).normal(size=(12, 4))\n"
        "    def classify(batch):\n"
        "        time.sleep(0.05)\n"
        "        return batch.reshape(len(batch), -1) @ weights\n"
        "    return classify\n"
    )
    request = asked(place, "run", model="shifty:make", workers=2, **engine)
    with open_workers(request) as workers:
        prepared = prepare_run(request, workers)
        (folder / "first").touch()
        return draw_missing(prepared, workers)


def bad_options(place, cases):
    """Each bad option is refused in a sentence, and nothing is written."""
    for change, message in cases:
        with pytest.raises(sc.InvalidInput, match=message):
            drawn(asked(place, "run", **change))
        assert not (place[0] / "run").exists()
