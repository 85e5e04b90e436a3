"""How much memory is left: the least that the machine, a container or the user allows."""

import subprocess
import sys

import pytest

from simplicert import InvalidInput, machine
from simplicert.machine import format_bytes, free_memory, refuse_huge_unpacking, require_memory


def test_some_memory_is_free():
    free = free_memory()
    assert free is not None and 2**20 < free < 2**50


def test_what_fits_and_what_does_not(monkeypatch):
    require_memory("it", 1)
    monkeypatch.setattr(machine, "free_memory", lambda: 10 * 2**30)
    require_memory("it", 10 * 2**30)
    with pytest.raises(InvalidInput, match=r"it needs 400 GiB of memory, and 10\.0 GiB are free"):
        require_memory("it", 400 * 2**30)
    monkeypatch.setattr(machine, "free_memory", lambda: None)
    require_memory("it", 2**60)


def test_what_may_grow(monkeypatch):
    """Two GiB always; beyond, a hundred times the file; never past the memory."""
    monkeypatch.setattr(machine, "free_memory", lambda: 2**40)
    refuse_huge_unpacking("it", 1, 2**31)
    refuse_huge_unpacking("it", 2**30, 100 * 2**30)
    with pytest.raises(InvalidInput, match="it is refused: it would grow from 1 to 2,147,483,649"):
        refuse_huge_unpacking("it", 1, 2**31 + 1)
    with pytest.raises(InvalidInput, match="would grow"):
        refuse_huge_unpacking("it", 2**30, 100 * 2**30 + 1)
    with pytest.raises(InvalidInput, match=r"it needs 2\.0 TiB of memory, and 1\.0 TiB are free"):
        refuse_huge_unpacking("it", 2**40, 2**41)


@pytest.mark.parametrize(
    ("count", "says"),
    [(0, "0 bytes"), (2**20 - 1, "1,048,575 bytes"), (2**26, "64.0 MiB"), (2**50, "1,024 TiB")],
)
def test_sizes_in_words(count, says):
    assert format_bytes(count) == says


def test_a_limit_of_the_users():
    """What `ulimit -v` says counts, less what this process has taken already."""
    code = """
import resource, simplicert.machine as memory
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, resource.RLIM_INFINITY))
print(memory.free_memory())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 0 < int(done.stdout) < 3 << 30


def group(folder, limit, used, cached=0):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "memory.max").write_text(f"{limit}\n")
    (folder / "memory.current").write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"anon 7\ninactive_file {cached}\nslab 9\n")


def test_a_limit_of_the_container(tmp_path):
    """The least that any group around a job leaves; pages of files are given back."""
    group(tmp_path, "max", 900)
    group(tmp_path / "slurm", 1000, 700, 100)
    group(tmp_path / "slurm" / "job", 500, 50)
    names = ("memory.max", "memory.current")
    assert list(machine.cgroup_memory_left(tmp_path, "/slurm/job", *names)) == [450, 400]
    assert list(machine.cgroup_memory_left(tmp_path, "/", *names)) == []
    assert list(machine.cgroup_memory_left(tmp_path, "/elsewhere/deep", *names)) == []


def test_no_memory_is_never_less_than_none(monkeypatch):
    monkeypatch.setattr(machine, "memory_limits", lambda: iter([5, -3]))
    assert free_memory() == 0
    monkeypatch.setattr(machine, "memory_limits", lambda: iter([]))
    assert free_memory() is None
