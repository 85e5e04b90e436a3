"""Stop a process before any of its file operations, or let several take turns at them."""

import io
import os
import threading
from contextlib import contextmanager

# What changes a folder or what another process sees of it, and what looks at it.
CHANGES = ((os, "fsync"), (os, "replace"), (os, "utime"), (os, "unlink"))
LOOKS = ((os, "listdir"), (os, "open"))


class Crash(BaseException):
    """The process is gone: nothing that it would still do happens."""


@contextmanager
def hooked(monkeypatch, before, names):
    """Call `before(name, arguments)` ahead of each of these operations and each file written."""
    with monkeypatch.context() as patch:
        for place, name in names:
            patch.setattr(place, name, _wrapped(getattr(place, name), name, before))
        opened = io.open

        def open_file(path, mode="r", *more, **options):
            if "x" in mode or "w" in mode:
                before("write", (path,))
            return opened(path, mode, *more, **options)

        patch.setattr(io, "open", open_file)
        yield


def _wrapped(function, name, before):
    def call(*arguments, **options):
        instead = before(name, arguments)
        return function(*arguments, **options) if instead is None else instead

    return call


@contextmanager
def crashing(monkeypatch, at):
    """Crash before the operation of this number, and never come back; yields what was done."""
    done = []

    def before(name, arguments):
        done.append(name)
        if len(done) > at:
            raise Crash

    with hooked(monkeypatch, before, CHANGES):
        yield done


class Turns:
    """Actors in threads of their own; each waits before each operation until it is its turn."""

    def __init__(self, actors):
        """`actors` are functions."""
        self.actors = dict(enumerate(actors))
        self.moved = threading.Condition()
        self.now, self.alive, self.numbers = None, set(self.actors), {}
        self.errors, self.results = {}, {}

    def before(self, name, arguments):
        """In an actor: hand the turn back and wait for the next."""
        number = self.numbers.get(threading.get_ident())
        if number is None:
            return None
        with self.moved:
            self.now = None
            self.moved.notify_all()
            self.moved.wait_for(lambda: self.now == number)
        return self.instead(number, name, arguments)

    def instead(self, number, name, arguments):
        """What an operation gives instead of the truth; None for the truth."""

    def act(self, number):
        """The whole life of an actor."""
        self.numbers[threading.get_ident()] = number
        with self.moved:
            self.moved.wait_for(lambda: self.now == number)
        try:
            self.results[number] = self.actors[number]()
        except Exception as error:
            self.errors[number] = error
        with self.moved:
            self.alive.discard(number)
            self.now = None
            self.moved.notify_all()

    def play(self, monkeypatch, choices):
        """Let them take turns as the numbers say, and then one after another to the end."""
        threads = [threading.Thread(target=self.act, args=(n,), daemon=True) for n in self.actors]
        with hooked(monkeypatch, self.before, (*CHANGES, *LOOKS)):
            for thread in threads:
                thread.start()
            choices = iter(choices)
            while self.alive:
                left = sorted(self.alive)
                with self.moved:
                    self.now = left[next(choices, 0) % len(left)]
                    self.moved.notify_all()
                    self.moved.wait_for(lambda: self.now is None)
            for thread in threads:
                thread.join()
