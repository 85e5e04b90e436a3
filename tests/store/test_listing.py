"""Parts that vanish are listed again, after pauses that grow, and not without end."""

from pathlib import Path

import pytest

from simplicert.store import listing
from simplicert.store.listing import read_settled
from simplicert.store.parts import VanishedPart


def test_pauses_double_up_to_a_fifth_of_a_second_and_the_twelfth_reading_is_the_last(monkeypatch):
    pauses, readings = [], []
    monkeypatch.setattr(listing.time, "sleep", pauses.append)

    def read(path):
        readings.append(path)
        raise VanishedPart("gone")

    with pytest.raises(VanishedPart):
        read_settled(lambda: [Path("a")], read)
    assert len(readings) == 12
    assert pauses == [0.01, 0.02, 0.04, 0.08, 0.16, *[0.2] * 6]


def test_a_part_that_was_read_is_not_read_again(monkeypatch):
    monkeypatch.setattr(listing.time, "sleep", lambda seconds: None)
    readings, lists = [], iter([["a", "b"], ["a", "merged"]])

    def read(path):
        readings.append(path.name)
        if path.name == "b":
            raise VanishedPart("gone")
        return path.name

    found = read_settled(lambda: [Path(name) for name in next(lists)], read)
    assert found == {Path("a"): "a", Path("merged"): "merged"}
    assert readings == ["a", "b", "merged"]
