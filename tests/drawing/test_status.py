"""The status of a run is read from its folder alone."""

import os
import re

import pytest
from places import asked, drawn

import simplicert as sc
from simplicert.drawing.status import read_status, recent_workers
from simplicert.store.parts import read_seconds
from simplicert.store.run import record_failure
from simplicert.tables.summary import status_lines


@pytest.mark.slow
def test_workers_side_by_side_are_seen_in_the_times_of_the_parts(place):
    """Parts that were drawn in the same seconds count as that many workers."""
    _, run = drawn(asked(place, "run", shard="1/2"))
    _, run = drawn(asked(place, "run", shard="2/2"))
    paths = run.paths()
    assert len(paths) >= 2
    for path in paths:  # all at once
        os.utime(path, (1e9, 1e9))
    longest = max(map(read_seconds, paths))
    # A file's time is a float of seconds since 1970: to a few tenths of a microsecond.
    assert recent_workers(run) == pytest.approx(sum(map(read_seconds, paths)) / longest, rel=1e-4)
    end = 1e9
    for path in paths:  # one after another
        end += read_seconds(path)
        os.utime(path, (end, end))
    assert recent_workers(run) == pytest.approx(1, abs=1e-3)
    assert read_status(run)["written"].startswith("2001-09-")


def test_an_unfinished_run_says_what_is_left_and_what_failed(place):
    _, run = drawn(asked(place, "run", shard="1/2"))
    record_failure(run.folder, 1, "too hot")
    record_failure(run.folder, 0, "drawn since")
    state = read_status(run)
    assert (state["done"], state["missing"]) == (20, 20)
    assert (state["draws"], state["draws_left"]) == (20 * 150, 20 * 150)
    assert state["failed"] == {1: "too hot"}
    lines = status_lines("run", state)
    assert any(
        re.fullmatch(r"about .* left with (1 worker|[\d.]+ workers)", line) for line in lines
    )
    assert any(line.startswith("input 1 failed: too hot") for line in lines)
    assert any(line.startswith("the last part was written ") for line in lines)
    assert "complete" not in lines
    assert state["seconds_left"] == pytest.approx(3000 / state["draws_per_second"])
    assert state["until"] == "fixed"
    assert state["at_once"] > 0


def test_a_run_without_a_plan_has_nothing_left_to_draw(tmp_path):
    tally = sc.Tally([[90, 10]] * 3, 0.5)
    run = sc.create_run(tmp_path / "run", sc.Manifest(0.5, 3, 2), tally)
    state = read_status(run)
    assert (state["until"], state["draws_left"], state["draws"]) == ("fixed", 0, 300)
