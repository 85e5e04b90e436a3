"""Inputs that were given up are recorded, read and forgotten."""

from simplicert.store.run import FAILED_FOLDER, forget_failures, read_failures, record_failure


def test_noted_read_and_forgotten(tmp_path):
    assert read_failures(tmp_path) == {}
    forget_failures(tmp_path, [1, 2])
    record_failure(tmp_path, 12, "out of memory")
    record_failure(tmp_path, 3, "grün")
    record_failure(tmp_path, 12, "out of luck")
    (tmp_path / FAILED_FOLDER / "notes.txt").write_text("mine")
    assert read_failures(tmp_path) == {3: "grün", 12: "out of luck"}
    forget_failures(tmp_path, [12, 99])
    assert read_failures(tmp_path) == {3: "grün"}
