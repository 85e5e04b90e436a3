"""Clock, disk and network file system, with a library between real processes and the system.

What each of them found is a quick test too (tests/test_atomic.py); here is the whole way.
"""

import importlib
import json
import os
import shutil
import signal
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results"
NAMES = (
    *("clock_jumps", "clock_ahead", "disk_fills", "disk_fills_at_first", "flush_fails"),
    *("flush_of_folder_fails", "flush_fails_once", "parts_unreadable", "settings_unreadable"),
    *("certify_unreadable", "verify_unreadable", "rename_lies", "link_lies", "late_names"),
    *("replaced", "many_begin"),
)


def read_result(name):
    return json.loads((RESULTS / f"{name}.json").read_text())


@pytest.fixture(scope="module")
def harness():
    """The benchmarks as modules."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        yield importlib.import_module


@pytest.fixture(scope="module")
def place(harness, tmp_path_factory):
    """A folder with data, a model, an undisturbed run, and a warm process with the library."""
    if shutil.which("gcc") is None:
        pytest.skip("there is no C compiler")
    made = harness("disk_faults").ShimPlace(tmp_path_factory.mktemp("disk"))
    assert made.draw("whole").code == 0
    yield made
    made.close()


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_lost_and_a_sentence_is_said(harness, place, monkeypatch, name):
    disk = harness("disk_faults")
    monkeypatch.setattr(disk, "MANY", 8)
    row = harness("faults").outcome(place, getattr(disk, name), disk.FAULTS)
    assert row["good"], row


@pytest.mark.long
def test_killed_jobs_end_with_the_same_bits(harness, tmp_path):
    kills, jobs = harness("kills"), harness("kill_jobs")
    chosen = {name: jobs.JOBS[name] for name in ("sample by 2 workers", "certify")}
    killer = kills.Killer(tmp_path, chosen)
    result = {"kills": 0, "trials": 0, "jobs": {}, "wrong": []}
    try:
        killer.do_undisturbed()
        for number in range(4):
            kills.add_trial(result, killer.trial(number, seed=1))
    finally:
        killer.zygote.close()
    assert not result["wrong"]
    assert not any(counts["left"] for counts in result["jobs"].values())


@pytest.mark.slow
def test_a_warm_process_that_ended_is_started_anew(harness, tmp_path):
    """Commands are forked from one, their workers from another; either may end in a long run."""
    kills, jobs = harness("kills"), harness("kill_jobs")
    killer = kills.Killer(tmp_path, {"sample by 2 workers": jobs.JOBS["sample by 2 workers"]})
    try:
        killer.do_undisturbed()
        for second in (True, False):
            zygote = killer.zygote
            os.kill(zygote.spawner[0] if second else zygote.process.pid, signal.SIGKILL)
            row = killer.attempt(0, seed=1)
            assert not row["wrong"] and not row["left"]
            assert killer.zygote.is_alive()
    finally:
        killer.zygote.close()


def test_every_row_of_the_committed_results_is_good():
    disk, ray = read_result("disk_faults")["faults"], read_result("ray_faults")["kills"]
    assert {row["fault"].replace(" ", "_") for row in disk} == set(NAMES)
    assert {row["killed"] for row in ray} == {"leader", "raylet", "gcs_server", "worker"}
    for row in disk + ray:
        assert row["good"], row


def test_no_kill_changed_a_result_or_left_a_process(harness):
    """In every job that can be killed, on Ray too."""
    result = read_result("kills")
    assert result["kills"] >= 1000
    assert result["jobs"].keys() == harness("kill_jobs").JOBS.keys()
    assert not result["wrong"]
    kills = dict.fromkeys(("leader", "worker", "group"), 0)
    for counts in result["jobs"].values():
        assert counts["identical"] == counts["trials"] > 0
        assert not counts["left"]
        kills = {name: kills[name] + counts[name] for name in kills}
    assert result["kills"] == sum(kills.values())
    assert all(kills.values())
