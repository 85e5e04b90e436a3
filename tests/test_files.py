"""Files of others: which are opened, how much of them is read, and what a text may say."""

import os
import socket

import pytest

from simplicert import DamagedRun, InvalidInput, files
from simplicert.files import (
    open_file,
    parse_json,
    parse_toml,
    read_file,
    read_run_file,
    read_text,
    read_toml,
)


@pytest.fixture
def plain(tmp_path):
    (tmp_path / "plain.txt").write_bytes(b"one\r\ntwo\rthree\n")
    return tmp_path / "plain.txt"


def test_a_plain_file_is_read(plain):
    assert read_file(plain) == b"one\r\ntwo\rthree\n"
    assert read_text(plain) == "one\ntwo\nthree\n"
    assert read_run_file(plain, 15).startswith(b"one")


def test_at_most_so_much(plain):
    assert len(read_file(plain, 15)) == 15
    with pytest.raises(InvalidInput, match=r"plain\.txt must have at most 14 bytes, got 15 bytes"):
        read_file(plain, 14)
    with pytest.raises(DamagedRun, match="must have at most 14 bytes"):
        read_run_file(plain, 14)


def test_a_file_that_does_not_say_its_size():
    """Those of /proc say 0 and hold more."""
    with pytest.raises(InvalidInput, match="must have at most 5 bytes, got 6 bytes"):
        read_file(files.Path("/proc/self/status"), 5)


def test_a_file_that_grows_while_it_is_read(plain, monkeypatch):
    class Small:
        st_mode, st_size = 0o100644, 3

    monkeypatch.setattr(files.os, "fstat", lambda _: Small)
    with pytest.raises(InvalidInput, match="must have at most 10 bytes, got 11 bytes"):
        read_file(plain, 10)


def test_links_are_followed_only_where_that_is_asked(plain, tmp_path):
    (tmp_path / "link").symlink_to(plain)
    assert read_file(tmp_path / "link") == plain.read_bytes()
    with pytest.raises(InvalidInput, match="link must be a plain file, got a link"):
        read_file(tmp_path / "link", follow=False)
    with pytest.raises(DamagedRun, match="got a link"):
        read_run_file(tmp_path / "link")


def test_what_is_no_file(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as held:
        monkeypatch.chdir(tmp_path)  # an address of a socket must be short
        held.bind("socket")
        for name, kind in (
            ("pipe", "pipe"),
            ("zero", "device"),
            ("socket", "socket"),
            (".", "folder"),
        ):
            with pytest.raises(InvalidInput, match=f"must be a plain file, got a {kind}"):
                read_file(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        read_file(tmp_path / "nothing")


def test_a_file_that_is_replaced_before_it_is_opened(plain, monkeypatch):
    """The pipe that comes in its place is not waited for."""
    before = plain.stat()
    plain.unlink()
    os.mkfifo(plain)
    monkeypatch.setattr(files.Path, "stat", lambda *_, **__: before)
    with pytest.raises(InvalidInput, match="must be a plain file, got a pipe"):
        open_file(plain)


def test_text_that_is_none(plain):
    plain.write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInput, match=r"plain\.txt must be UTF-8 text"):
        read_text(plain)
    with pytest.raises(InvalidInput, match=r"plain\.txt must be UTF-8 text"):
        read_toml(plain)
    with pytest.raises(InvalidInput, match="it cannot be read as JSON"):
        parse_json("it", b"\xff\xfe")


def test_text_larger_than_the_memory(plain, monkeypatch):
    monkeypatch.setattr("simplicert.machine.free_memory", lambda: 59)
    with pytest.raises(InvalidInput, match="needs 60 bytes of memory, and 59 bytes are free"):
        read_text(plain)


def levels(count):
    return "[" * count + "]" * count


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"a = {'9' * 1001}", "numbers of at most 1000 digits"),
        (f"a = 0.{'3' * 1001}", "numbers of at most 1000 digits"),
        (f"a = {'9' * 500}", "integers of 64 bits"),
        (f"a = {2**63}", "integers of 64 bits"),
        (f"[a]\nb = [{{c = {-(2**63) - 1}}}]", "integers of 64 bits"),
        (f"a = {levels(100)}", "must nest at most 100 levels"),
        (f"a = {'[' * 10**5}", "cannot be read as TOML"),
        ("a = ", "cannot be read as TOML"),
        ("a = 1\na = 2", "cannot be read as TOML"),
    ],
)
def test_toml_beyond_the_limits(text, says):
    with pytest.raises(InvalidInput, match=f"x.toml {says}|x.toml must hold {says}"):
        parse_toml("x.toml", text.encode())


def test_toml_within_the_limits():
    text = f"a = {2**63 - 1}\nb = {-(2**63)}\nc = {levels(99)}\nd = '{'x' * 10**5}'\ne = 1e400\n"
    held = parse_toml("x.toml", text.encode())
    assert (held["a"], held["b"], held["e"]) == (2**63 - 1, -(2**63), float("inf"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("9" * 5000, "numbers of at most 1000 digits"),
        (levels(101), "must nest at most 100 levels"),
        ("[" * 10**5, "cannot be read as JSON"),
        ('{"a":' * 10**5, "cannot be read as JSON"),
        ("{", "cannot be read as JSON"),
    ],
)
def test_json_beyond_the_limits(text, says):
    with pytest.raises(InvalidInput, match=f"it {says}|it must hold {says}"):
        parse_json("it", text)


def test_json_within_the_limits():
    assert parse_json("it", b'{"a": [1, 2.5, null, "x"]}') == {"a": [1, 2.5, None, "x"]}
    assert parse_json("it", levels(100)) is not None
