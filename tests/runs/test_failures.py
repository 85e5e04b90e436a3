"""Inputs that were given up: noted, read, forgotten."""

from simplicert.runs.failures import FAILED, forget, read_failures, record


def test_noted_read_and_forgotten(tmp_path):
    assert read_failures(tmp_path) == {}
    forget(tmp_path, [1, 2])
    record(tmp_path, 12, "out of memory")
    record(tmp_path, 3, "grün")
    record(tmp_path, 12, "out of luck")
    (tmp_path / FAILED / "notes.txt").write_text("mine")
    assert read_failures(tmp_path) == {3: "grün", 12: "out of luck"}
    forget(tmp_path, [12, 99])
    assert read_failures(tmp_path) == {3: "grün"}
