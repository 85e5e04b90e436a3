"""A process that draws a share reads and checks the parts that may hold its inputs."""

import os
import subprocess

import numpy as np
import pytest
from places import asked, drawn, words

import simplicert as sc
from simplicert.drawing.resume import take_share
from simplicert.store import parts
from simplicert.store.parts import write_part
from simplicert.store.run import PARTS
from simplicert.types.tally import select_inputs

INDEX = np.arange(40)


@pytest.fixture
def run(place):
    """A complete run of 40 inputs."""
    return drawn(asked(place, "run"))[1]


def parted(run, groups):
    """Write the run again with a part for each group of inputs; return their paths."""
    tally = run.tally()
    for path in run.paths():
        path.unlink()
    rows = [select_inputs(tally, np.isin(tally.inputs, group)) for group in groups]
    return [write_part(run.folder / PARTS, part, run.manifest) for part in rows]


def share(run, number, shares):
    """Return the run as the process sees it that draws this share."""
    return take_share(run, INDEX, INDEX[number - 1 :: shares])


def spoil(path):
    """Change a byte after the index: the file still says which inputs it holds."""
    content = bytearray(path.read_bytes())
    content[200] ^= 1
    path.write_bytes(bytes(content))


def test_only_parts_of_its_own_inputs_are_read(run):
    paths = parted(run, INDEX[:, None])
    assert share(run, 2, 4).paths() == paths[1::4]
    np.testing.assert_array_equal(share(run, 2, 4).done(), INDEX[1::4])
    assert share(run, 1, 1).paths() == paths


def test_parts_of_several_inputs_are_read_by_every_share_of_them(run):
    whole = run.tally()
    paths = parted(run, [[0, 1, 2], [4, 8], [3], np.arange(9, 40), [5, 6, 7]])
    held = share(run, 4, 4)  # 3, 7, 11, ...
    assert held.paths() == sorted([paths[2], paths[3], paths[4]])
    assert set(INDEX[3::4]) <= set(held.done())
    assert held.tally() == select_inputs(whole, np.isin(INDEX, [3, 5, 6, 7, *range(9, 40)]))


def test_a_run_drawn_whole_is_complete_for_every_share(place, run):
    """Its parts are named after inputs of other shares."""
    before = run.paths()
    for number in range(1, 8):
        assert drawn(asked(place, "run", shard=f"{number}/7"))[0]
    assert sc.open_run(run.folder).paths() == before


@pytest.mark.slow
@pytest.mark.parametrize("until", [None, "decided"])
def test_shares_cut_anew_at_every_stop_and_extension(place, until):
    """Several parts an input, written by one sharding and resumed by another."""
    settings = {"until": until, "reserve": "50%"}
    for out, shards in (("whole", ("1/1",)), ("cut", ("2/3", "1/2", "3/5", "1/1"))):
        for draws in (150, 300):
            more = {**settings, "draws": draws, "extend": draws > 150}
            for shard in shards:
                calls = iter(range(100))
                drawn(asked(place, out, shard=shard, **more), stop=lambda c=calls: next(c) >= 4)
            for shard in ("1/4", "2/4", "3/4", "4/4"):
                assert drawn(asked(place, out, shard=shard, **more))[0]
    assert sc.open_run("cut").missing == 0
    assert sc.open_run("cut").tally() == sc.open_run("whole").tally()


@pytest.mark.slow
def test_damage_is_set_aside_by_the_share_whose_input_it_names(run):
    paths = parted(run, INDEX[:, None])
    spoil(paths[5])
    assert share(run, 1, 4).set_aside_damage() == []
    with pytest.raises(sc.DamagedRun, match=f"{paths[5].name} was altered"):
        sc.open_run(run.folder).certify()
    assert share(run, 2, 4).set_aside_damage() == [paths[5]]
    assert (run.folder / "damaged" / paths[5].name).exists()
    np.testing.assert_array_equal(share(run, 2, 4).done(), np.delete(INDEX[1::4], 1))


def test_damage_to_a_part_of_several_inputs_is_set_aside_by_their_shares(run):
    paths = parted(run, [[0, 1], np.arange(2, 40)])
    spoil(paths[0])
    assert share(run, 3, 4).set_aside_damage() == []
    assert share(run, 2, 4).set_aside_damage() == [paths[0]]


@pytest.mark.parametrize(
    "strange",
    [
        lambda path: path.write_bytes(path.read_bytes()[:-7]),
        lambda path: path.write_bytes(b""),
        lambda path: path.rename(path.with_name(f"copy-{path.name}")),
        lambda path: path.rename(path.with_name(f"00000040-{path.name.partition('-')[2]}")),
        lambda path: path.rename(path.with_name(f"\N{SUPERSCRIPT TWO}-{path.name}")),
        lambda path: (path.unlink(), path.symlink_to("elsewhere")),
        lambda path: (path.unlink(), os.mkfifo(path)),
    ],
    ids=["torn", "empty", "copy", "beyond", "superscript", "link", "pipe"],
)
def test_a_part_without_an_owner_is_checked_by_every_share(run, strange):
    paths = parted(run, INDEX[:, None])
    strange(paths[4])
    assert len(share(run, 3, 4).set_aside_damage()) == 1
    assert len(share(run, 3, 4).tally()) == 10


def test_a_share_without_inputs_has_nothing_to_read(run):
    parted(run, INDEX[:, None])
    assert share(run, 41, 41).paths() == []
    assert len(share(run, 41, 41).done()) == 0


def test_the_command_opens_the_parts_of_its_share_once(place, run, command, monkeypatch):
    paths, seen, checked = parted(run, INDEX[:, None]), [], parts.read_part_record

    def noted(path, *more):
        seen.append(path)
        return checked(path, *more)

    monkeypatch.setattr("simplicert.store.run.read_part_record", noted)
    code, _, err = command(*words(place, "run", "--shard", "2/4", "--quiet")[3:])
    assert code == 0, err
    assert [path.name for path in seen] == [path.name for path in paths[1::4]]


@pytest.mark.slow
def test_the_command_draws_a_damaged_input_of_its_share_again(place, run):
    whole, paths = run.tally(), parted(run, INDEX[:, None])
    spoil(paths[5])
    words_of_share = words(place, "run", "--shard", "2/4")
    done = subprocess.run(words_of_share, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and f"{paths[5].name} was damaged" in done.stderr
    assert sc.open_run("run").tally() == whole
