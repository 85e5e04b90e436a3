"""Files that appear whole: on file systems that lack something, and after writers that died."""

import errno
import io
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from places import asked, drawn, half_written

import simplicert as sc
from simplicert import files
from simplicert.drawing import status
from simplicert.files import make_folder, write_atomically
from simplicert.store import Manifest
from simplicert.store.keeping import keep_part
from simplicert.store.run import record_failure
from simplicert.temporary import remove_stale_files, temporary_mark

UNABLE = [errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS]


@pytest.fixture(autouse=True)
def nothing_said_yet():
    files.warn_once.cache_clear()
    yield
    files.warn_once.cache_clear()


def failing(number):
    def fail(*arguments, **more):
        raise OSError(number, os.strerror(number))

    return fail


@pytest.mark.parametrize("number", UNABLE)
def test_without_hard_links_the_first_one_wins_all_the_same(tmp_path, monkeypatch, caplog, number):
    monkeypatch.setattr(os, "link", failing(number))
    path = tmp_path / "run.toml"
    for content in (b"first", b"second"):
        write_atomically(path, content, only_if_new=True)
    assert path.read_bytes() == b"first"
    assert [file.name for file in tmp_path.iterdir()] == ["run.toml"]
    assert caplog.text.count("has no hard links") == 1


def test_without_hard_links_many_begin_at_once(tmp_path, monkeypatch):
    """No one ever reads half a file, and all read the same."""
    monkeypatch.setattr(os, "link", failing(errno.EPERM))
    path, seen = tmp_path / "run.toml", []

    def begin(number):
        write_atomically(path, str(number).encode() * 10_000, only_if_new=True)
        seen.append(path.read_bytes())

    threads = [threading.Thread(target=begin, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 8
    assert len(set(seen)) == 1
    assert len(seen[0]) == 10_000


def test_a_turn_that_was_never_ended_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "link", failing(errno.EPERM))
    monkeypatch.setattr(files, "PATIENCE", 0.1)
    (tmp_path / ".run.toml.lock").mkdir()
    with pytest.raises(sc.InvalidInput, match=r"\.run\.toml\.lock must not be there for long"):
        write_atomically(tmp_path / "run.toml", b"x", only_if_new=True)
    assert [file.name for file in tmp_path.iterdir()] == [".run.toml.lock"]


@pytest.mark.slow
def test_a_run_where_neither_links_nor_flushed_folders_are(place, monkeypatch, caplog):
    """The run is drawn as anywhere else, and both warnings are logged."""
    real = os.fsync

    def fsync(handle):
        if Path(f"/proc/self/fd/{handle}").is_dir():
            raise OSError(errno.EINVAL, "Invalid argument")
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "link", failing(errno.EPERM))
    complete, run = drawn(asked(place, "run"))
    assert complete
    for sentence in ("has no hard links", "cannot flush folders: after a power cut the last"):
        assert sentence in caplog.text
    monkeypatch.undo()
    monkeypatch.chdir(place[0])
    monkeypatch.syspath_prepend(str(place[0]))
    assert run.tally() == drawn(asked(place, "other"))[1].tally()


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC])
def test_a_disk_that_fails_is_no_lack(tmp_path, monkeypatch, number):
    monkeypatch.setattr(os, "link", failing(number))
    with pytest.raises(OSError, match=os.strerror(number)):
        write_atomically(tmp_path / "a", b"x", only_if_new=True)
    monkeypatch.setattr(os, "fsync", failing(number))
    with pytest.raises(OSError, match=os.strerror(number)):
        write_atomically(tmp_path / "a", b"x")
    assert not list(tmp_path.iterdir())


def dead():
    """The number of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def test_what_dead_writers_left_is_removed_and_nothing_else(tmp_path):
    mine = temporary_mark()
    machine, gone = mine.partition("-")[0], dead()
    other = "0" * 8
    ages = {
        f".part.{machine}-{gone}-aaaaaaaa.tmp": (120, False),
        f".part.{machine}-{gone}-bbbbbbbb.tmp": (
            5,
            True,
        ),  # a moment: another container may count anew
        f".part.{mine}.tmp": (3600, True),  # we live
        f".part.{other}-{gone}-aaaaaaaa.tmp": (3600, True),  # on another machine no one can tell
        f".part.{other}-{gone}-bbbbbbbb.tmp": (2 * 86400, False),
        ".part.0a1b2c3d.tmp": (3600, True),  # as earlier versions wrote them
        ".part.0a1b2c3e.tmp": (2 * 86400, False),
        f".part.{machine}-{2**31}-aaaaaaaa.tmp": (9 * 86400, True),  # no process has such a number
        f".part.{machine}-0-aaaaaaaa.tmp": (9 * 86400, True),
        f".part.{machine}-99999999999999999999-aaaaaaaa.tmp": (9 * 86400, True),
        ".part.csv.tmp": (9 * 86400, True),  # somebody else's
        ".part.csv.notes.tmp": (9 * 86400, True),
        ".0a1b2c3d.tmp": (9 * 86400, True),
        "part.parquet": (9 * 86400, True),
        "mine.tmp": (9 * 86400, True),
    }
    for name, (age, _) in ages.items():
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    remove_stale_files(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {
        n for n, (_, stays) in ages.items() if stays
    }


def test_the_next_writer_of_a_file_removes_what_killed_ones_left(tmp_path):
    """In a folder of somebody's own, where no drawing is resumed; other names are not ours."""
    mark = f"{temporary_mark().partition('-')[0]}-{dead()}-aaaaaaaa"
    names = [
        f".certs[1].csv.{mark}.tmp",
        f".certs1.csv.{mark}.tmp",
        f".other.csv.{mark}.tmp",
        f".certs[1].csv.old.{mark}.tmp",  # of a file `certs[1].csv.old`
        ".certs[1].csv.mine.tmp",
    ]
    for name in names:
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (time.time() - 9 * 86400,) * 2)
    write_atomically(tmp_path / "certs[1].csv", b"x", sweep=False)
    assert (tmp_path / names[0]).exists()
    write_atomically(tmp_path / "certs[1].csv", b"y")
    assert {path.name for path in tmp_path.iterdir()} == {"certs[1].csv", *names[1:]}


def test_a_folder_that_cannot_be_listed_does_not_undo_a_write(tmp_path, monkeypatch):
    def refuse(folder, name):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(files, "remove_stale_files", refuse)
    write_atomically(tmp_path / "certs.csv", b"x")
    assert (tmp_path / "certs.csv").read_bytes() == b"x"


def test_behind_a_link_nothing_is_removed(place):
    """In the place of the notes about failed inputs, which need not be there."""
    folder, _ = place
    drawn(asked(place, "run", shard="1/2"))
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    (folder / "run" / "failed").symlink_to(elsewhere)
    left = half_written(elsewhere / "00000001.txt")
    with pytest.raises(sc.DamagedRun, match="failed must be a folder, got a link"):
        drawn(asked(place, "run"))
    assert left.exists()
    (folder / "run" / "failed").unlink()
    elsewhere.rename(folder / "run" / "failed")
    drawn(asked(place, "run"))
    assert not (folder / "run" / "failed" / left.name).exists()


def test_resuming_removes_them(place):
    folder, _ = place
    drawn(asked(place, "run", shard="1/2"))
    left = [folder / "run" / ".run.toml.0a1b2c3d.tmp", folder / "run/parts/.x.parquet.0a1b2c3d.tmp"]
    for path in left:
        path.touch()
        os.utime(path, (0, 0))
    assert drawn(asked(place, "run"))[0]
    assert not any(path.exists() for path in left)


@pytest.fixture
def run(tmp_path):
    tally = sc.Tally([[990, 10], [10, 990]], 0.5, labels=[0, 1], plan=sc.Plan((1000,)))
    return sc.create_run(tmp_path / "run", Manifest(0.5, 2, 2, plan=tally.plan), tally)


def test_damage_is_not_moved_through_a_link(run, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (run.folder / "damaged").symlink_to(outside)
    (part,) = run.paths()
    part.write_bytes(part.read_bytes()[:-7])
    with pytest.raises(sc.DamagedRun, match="damaged must be a folder, got a link"):
        sc.open_run(run.folder).set_aside_damage()
    assert part.exists()
    assert not list(outside.iterdir())


def test_nothing_is_written_through_links(run, place, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (run.folder / "failed").symlink_to(outside)
    with pytest.raises(sc.DamagedRun, match="failed must be a folder, got a link"):
        record_failure(run.folder, 3, "error")
    drawn(asked(place, "half", shard="1/2"))
    (place[0] / "half" / "parts").rename(outside / "parts")
    (place[0] / "half" / "parts").symlink_to(outside / "parts")
    before = sorted((outside / "parts").iterdir())
    with pytest.raises(sc.DamagedRun, match="parts must be a folder, got a link"):
        drawn(asked(place, "half"))
    assert sorted((outside / "parts").iterdir()) == before
    assert make_folder(tmp_path / "new").is_dir()
    assert np.isfinite(run.tally().counts).all()


def lying(real, error):
    """A call that happens and reports a failure, as over NFS when an answer is lost."""

    def lie(*arguments, **more):
        real(*arguments, **more)
        raise error

    return lie


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOENT, errno.ESTALE])
def test_a_renaming_that_happened_and_reports_a_failure(tmp_path, monkeypatch, number):
    error = OSError(number, os.strerror(number))
    path = tmp_path / "part"
    monkeypatch.setattr(Path, "replace", lying(Path.replace, error))
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    monkeypatch.setattr(os, "link", lying(os.link, error))
    write_atomically(tmp_path / "run.toml", b"begun", only_if_new=True)
    assert (tmp_path / "run.toml").read_bytes() == b"begun"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["part", "run.toml"]


def test_a_renaming_that_fails_is_named_and_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "part"
    path.write_bytes(b"old")
    monkeypatch.setattr(Path, "replace", failing(errno.EIO))
    with pytest.raises(OSError, match="Input/output error") as caught:
        write_atomically(path, b"new")
    assert caught.value.filename == str(path)
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["part"]


@pytest.mark.parametrize("only_if_new", [True, False])
def test_a_temporary_file_that_somebody_removed_is_written_again(
    tmp_path, monkeypatch, only_if_new
):
    """A clock that is days ahead takes it for one that was left behind."""
    real, removed = files._write_flushed, []

    def write(path, content):
        real(path, content)
        if len(removed) < 2:
            removed.append(path)
            path.unlink()

    monkeypatch.setattr(files, "_write_flushed", write)
    write_atomically(tmp_path / "part", b"whole", only_if_new=only_if_new)
    assert (tmp_path / "part").read_bytes() == b"whole"
    assert len(removed) == 2
    assert [file.name for file in tmp_path.iterdir()] == ["part"]


def test_what_vanished_with_its_folder_is_not_written_into_another(tmp_path, monkeypatch):
    """Somebody renamed the folder between writing and renaming, and put another in its place."""
    home, real = tmp_path / "parts", files._write_flushed
    home.mkdir()

    def write(path, content):
        real(path, content)
        home.rename(tmp_path / "away")
        home.mkdir()

    monkeypatch.setattr(files, "_write_flushed", write)
    with pytest.raises(FileNotFoundError):
        write_atomically(home / "part", b"x")
    assert not list(home.iterdir())


def test_a_folder_that_is_gone_is_not_waited_for(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        write_atomically(tmp_path / "gone" / "part", b"x")
    assert caught.value.filename == str(tmp_path / "gone" / "part")


def test_a_folder_that_cannot_be_flushed_names_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "sync_folder", failing(errno.EIO))
    with pytest.raises(OSError, match="Input/output error") as caught:
        write_atomically(tmp_path / "part", b"x")
    assert caught.value.filename == str(tmp_path / "part")


def test_a_file_that_cannot_be_read_is_named(tmp_path, monkeypatch):
    path = tmp_path / "run.toml"
    path.write_bytes(b"x")

    class Unreadable:
        def __init__(self, file):
            self.file = file

        def __enter__(self):
            return self

        def __exit__(self, *error):
            self.file.close()

        def fileno(self):
            return self.file.fileno()

        def read(self, most):
            raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(files, "open_file", lambda path, follow: Unreadable(path.open("rb")))
    with pytest.raises(OSError, match="Input/output error") as caught:
        files.read_file(path)
    assert caught.value.filename == str(path)


def test_a_small_file_takes_no_more_memory_than_it_has(tmp_path, monkeypatch):
    """A limit of 2 GiB would be reserved whole, which a batch job's limit does not allow."""
    path = tmp_path / "part.parquet"
    path.write_bytes(b"x" * 1000)
    asked, real = [], files.open_file

    class Reader(io.FileIO):
        """A file that notes how much is asked of it."""

        def read(self, size=-1):
            """As a file does."""
            asked.append(size)
            return super().read(size)

    def open_file(path, *, follow):
        with real(path, follow=follow) as file:
            return Reader(os.dup(file.fileno()))

    monkeypatch.setattr(files, "open_file", open_file)
    assert len(files.read_file(path, 2**31)) == 1000
    assert asked == [1001]  # one more tells that it grew


def test_a_clock_that_is_days_ahead_removes_nothing_of_a_living_writer(tmp_path, monkeypatch):
    machine = temporary_mark().partition("-")[0]
    living, gone = f".part.{temporary_mark()}.tmp", f".part.{machine}-{dead()}-aaaaaaaa.tmp"
    for name in (living, gone):
        (tmp_path / name).touch()
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 3 * 86400)
    remove_stale_files(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [living]


def test_a_name_that_appears_late_is_waited_for(tmp_path, monkeypatch):
    looks = []

    def exists(path):
        looks.append(path)
        return len(looks) > 3

    monkeypatch.setattr(Path, "exists", exists)
    monkeypatch.setattr(files, "MOMENT", 0.0)
    files.wait_for_name(tmp_path / "run.toml")
    assert len(looks) == 4
    monkeypatch.setattr(Path, "exists", lambda path: False)
    monkeypatch.setattr(files, "PATIENCE", 0.01)
    files.wait_for_name(tmp_path / "run.toml")  # what reads it then says that it is not there


def test_a_part_is_not_written_into_another_run_in_the_same_place(place, run):
    """The folder was renamed while it was drawn, and another run put there."""
    drawn(asked(place, "mine", shard="1/2"))
    folder = place[0] / "mine"
    mine = sc.open_run(folder).manifest
    folder.rename(place[0] / "away")
    run.folder.rename(folder)
    before = sorted(path.name for path in folder.rglob("*"))
    with pytest.raises(sc.DamagedRun, match="mine is another run than when the drawing began"):
        keep_part(folder, mine, "00000000-aa.parquet", b"x")
    assert sorted(path.name for path in folder.rglob("*")) == before
    keep_part(place[0] / "away", mine, "00000000-aa.parquet", b"x")
    assert (place[0] / "away" / "parts" / "00000000-aa.parquet").exists()


def test_a_part_that_its_worker_could_not_flush_is_written_by_the_leader(place, monkeypatch):
    """It has its name already, and may be gone after a power cut all the same."""
    real, failed, flushed = files.sync_folder, [], []

    def sync(folder):
        if folder.name == "parts" and not failed:
            failed.append(folder)
            raise OSError(errno.EIO, "Input/output error")
        flushed.append(folder.name)
        real(folder)

    monkeypatch.setattr(files, "sync_folder", sync)
    complete, run = drawn(asked(place, "run"))
    assert complete and failed
    assert flushed.count("parts") >= len(run.paths())


def test_the_time_of_a_clock_that_is_thousands_of_years_off(run, monkeypatch):
    (part,) = run.paths()
    real = Path.stat

    def stat(path, **more):
        held = real(path, **more)
        if path != part:
            return held
        return os.stat_result((*held[:8], 10**12, held[9]), {"st_mtime": 1e12})

    monkeypatch.setattr(Path, "stat", stat)
    assert status._last_written(run) is None
