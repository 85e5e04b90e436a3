"""The cores of the job, not those of the node."""

import os

from simplicert.machine import available_cores


def test_those_that_the_process_may_use(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 128)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5, 64}, raising=False)
    assert available_cores() == 3


def test_all_where_the_system_cannot_say(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    for count, wanted in ((6, 6), (None, 1)):
        monkeypatch.setattr(os, "cpu_count", lambda n=count: n)
        assert available_cores() == wanted
