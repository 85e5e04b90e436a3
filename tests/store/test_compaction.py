"""Small parts become few large ones, and whoever is killed or reads meanwhile, counts stay true."""

import importlib.util
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from crashes import Crash, Turns, crashing
from hypothesis import given, settings
from hypothesis import strategies as st

import simplicert as sc
from simplicert.errors import DamagedRun
from simplicert.files import write_atomically
from simplicert.store import Manifest, compaction, listing
from simplicert.store.compaction import compact_if_complete, compact_run
from simplicert.store.listing import list_parts
from simplicert.store.manifest import NAME, write_manifest
from simplicert.store.parts import encode_part, read_origins, read_part, write_part
from simplicert.store.run import PARTS, Run, read_records
from simplicert.verification import verify_run

LOOKS, CLASSES, SEED = (100, 300), 4, 7

PLAN = sc.Plan(LOOKS, (0.5, 0.5))


def some_draws(items, first, stop, luck=0):
    """The tally of these draws of these inputs: the same draws are always the same."""
    counts = [
        np.random.default_rng([luck, item, first, stop]).multinomial(
            stop - first, np.full(CLASSES, 1 / CLASSES)
        )
        for item in items
    ]
    spans = [(item, SEED, first, stop) for item in items]
    labels = np.array(items) % CLASSES
    return sc.Tally(counts, 0.5, labels=labels, index=items, plan=PLAN, segments=spans)


def made_run(folder, inputs=6, *, random=False, looks=LOOKS):
    """A run of two looks: a part for each two inputs and look, with seconds of its own."""
    source = {"format": "sample", "seed": SEED} | ({"random": True} if random else {})
    manifest = Manifest(
        0.5, inputs, CLASSES, plan=PLAN, index=[0, 1, inputs], source=source, id="0123"
    )
    (folder / PARTS).mkdir(parents=True)
    write_manifest(folder, manifest)
    for first, stop in zip((0, *looks), looks, strict=False):
        for item in range(0, inputs, 2):
            tally = some_draws([item, item + 1], first, stop)
            write_part(folder / PARTS, tally, manifest, 1 + item / 7)
    return Run(folder, manifest)


def opened(run):
    return sc.open_run(run.folder)


def independent_counts(folder):
    """What verify.py, which knows nothing of this package, counts in the folder."""
    place = Path(__file__).parents[2] / "verify.py"
    spec = importlib.util.spec_from_file_location("verify_alone", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    held, wrong = module.seen(folder / PARTS, module.read_run(folder / NAME))
    assert wrong == []
    return {item: dict(+mine["counts"]) for item, mine in held.items()}


def assert_same(run, tally, seconds):
    """The run holds this tally and took so long."""
    again = opened(run)
    assert again.tally() == tally
    assert again.seconds == seconds


def test_a_run_is_the_same_and_its_parts_are_few(tmp_path):
    run = made_run(tmp_path / "run")
    before, seconds, names = run.tally(), run.seconds, {path.stem for path in run.paths()}
    counted = independent_counts(run.folder)
    lines = [check.says for check in verify_run(run.folder)]
    done = compact_run(run.folder)
    assert (done.before, done.after, done.removed, done.written) == (6, 2, 6, 2)
    assert_same(run, before, seconds)
    assert independent_counts(run.folder) == counted
    kept = [read_origins(path) for path in opened(run).paths()]
    assert set().union(*kept) == names  # every old checksum is kept
    after = [check.says for check in verify_run(run.folder)]
    assert "2, 2 of them merged from 6 drawn parts" in after[1]
    assert after[2:] == lines[2:]
    assert compact_run(run.folder).written == 0  # nothing is left to do


def test_the_time_of_the_last_part_is_kept(tmp_path):
    run = made_run(tmp_path / "run")
    for number, path in enumerate(run.paths()):
        os.utime(path, (10**9 + number, 10**9 + number))
    compact_run(run.folder)
    assert max(path.stat().st_mtime for path in opened(run).paths()) == 10**9 + 5


def test_an_extended_run_is_merged_again(tmp_path):
    run = made_run(tmp_path / "run", looks=LOOKS[:1])
    compact_run(run.folder)
    more = [some_draws([item, item + 1], 100, 300) for item in (0, 2, 4)]
    for tally in more:
        write_part(run.folder / PARTS, tally, run.manifest, 2.0)
    whole = opened(run).tally()
    assert compact_run(run.folder).after == 2
    assert opened(run).tally() == whole


def test_more_inputs_join_what_was_merged(tmp_path):
    run = made_run(tmp_path / "run", 8, looks=LOOKS[:1])
    later = run.paths()[2:]
    aside = [path.rename(tmp_path / path.name) for path in later]
    compact_run(run.folder)
    for path in aside:
        path.rename(run.folder / PARTS / path.name)
    whole, seconds = opened(run).tally(), opened(run).seconds
    assert compact_run(run.folder).after == 1
    assert_same(run, whole, seconds)
    assert len(read_origins(opened(run).paths()[0])) == 4  # drawn parts, and no merged one


def test_large_parts_are_left_and_limits_are_kept(tmp_path, monkeypatch):
    run = made_run(tmp_path / "run", 8, looks=LOOKS[:1])
    size = max(path.stat().st_size for path in run.paths())
    monkeypatch.setattr(compaction, "MOST_BYTES", 2 * size + 10)
    whole = run.tally()
    assert compact_run(run.folder).after == 2
    assert opened(run).tally() == whole
    monkeypatch.setattr(compaction, "MOST_BYTES", size)
    assert compact_run(run.folder).written == 0


def test_parts_that_do_not_say_their_draws_are_left_alone(tmp_path):
    """Two of them are added up by a reader, so that a copy would count twice."""
    manifest = Manifest(0.5, 2, CLASSES)
    tally = sc.Tally([[5, 3, 2, 0]], 0.5)
    run = sc.create_run(tmp_path / "run", manifest, tally)
    write_part(run.folder / PARTS, tally, run.manifest, 3.0)
    before = opened(run).tally()
    assert compact_run(run.folder).written == 0
    assert opened(run).tally() == before


@pytest.mark.parametrize("random", [False, True])
def test_parts_that_count_the_same_draws_otherwise_are_left_alone(tmp_path, random):
    """Which of them counts depends on their names, and these must not change."""
    run = made_run(tmp_path / "run", looks=LOOKS[:1], random=random)
    span = (0, 100) if random else (50, 150)
    drawn = run.paths()[0].name
    for luck in range(1, 9):
        path = write_part(run.folder / PARTS, some_draws([0, 1], *span, luck), run.manifest)
        if path.name < drawn and not random:  # it would count, and contradict the others
            path.unlink()
    run = opened(run)
    assert len(run.paths()) > 4
    whole, contested = run.tally(), {path.name for path in run.paths()[:1]}
    compact_run(run.folder)
    assert contested <= {path.name for path in opened(run).paths()}
    assert opened(run).tally() == whole


def test_copies_drawn_by_two_processes_are_merged(tmp_path):
    run = made_run(tmp_path / "run", looks=LOOKS[:1])
    for item in (0, 2, 4):
        write_part(run.folder / PARTS, some_draws([item, item + 1], 0, 100), run.manifest, 9.0)
    whole, seconds = opened(run).tally(), opened(run).seconds
    assert compact_run(run.folder).after == 2
    assert_same(run, whole, seconds)


def test_a_damaged_part_is_named_and_nothing_is_touched(tmp_path):
    run = made_run(tmp_path / "run")
    path = run.paths()[3]
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    names = list_parts(run.folder / PARTS)
    with pytest.raises(DamagedRun, match=path.name):
        compact_run(run.folder)
    assert list_parts(run.folder / PARTS) == names


@pytest.mark.parametrize(("column", "value"), [("counts_class", [0, 1, 99]), ("segments", [7, 0])])
def test_a_part_that_holds_no_tally_is_named_and_spoils_no_other(tmp_path, column, value):
    """Its checksum fits its name: merged with others, it would take their draws along."""
    run = made_run(tmp_path / "run", looks=LOOKS[:1])
    path = run.paths()[1]
    table = read_records(run)[path].table
    values = pa.array([value] * len(table), table.schema.field(column).type)
    bad = table.set_column(table.column_names.index(column), column, values)
    name, content = compaction.encode_merged_part(bad, run.manifest, {path.stem: 1.0})
    path.unlink()
    (run.folder / PARTS / name).write_bytes(content)
    names = list_parts(run.folder / PARTS)
    with pytest.raises(DamagedRun, match=f"{name} does not hold a tally"):
        compact_run(run.folder)
    assert list_parts(run.folder / PARTS) == names
    assert [one.name for one in opened(run).set_aside_damage()] == [name]
    assert opened(run).tally().inputs.tolist() == [0, 1, 4, 5]


def test_what_a_part_claims_to_hold_is_not_believed(tmp_path):
    """A part that says it was merged from others, and does not hold their rows, replaces none."""
    run = made_run(tmp_path / "run", looks=LOOKS[:1])
    paths = run.paths()
    origins = {path.stem: 1.0 for path in paths}
    table = read_records(run)[paths[0]].table
    name, content = compaction.encode_merged_part(table, run.manifest, origins)
    (run.folder / PARTS / name).write_bytes(content)
    whole = opened(run).tally()
    compact_run(run.folder)
    assert opened(run).tally() == whole


def test_other_rows_of_the_same_draws_replace_none(tmp_path):
    """Of a random model nothing contradicts them; what the merged part claims is not enough."""
    run = made_run(tmp_path / "run", looks=LOOKS[:1], random=True)
    paths = run.paths()
    other = made_run(tmp_path / "other", looks=(), random=True)
    write_part(other.folder / PARTS, some_draws(range(6), 0, 100, luck=5), run.manifest)
    (record,) = read_records(other).values()
    claimed = {path.stem: 1.0 for path in paths}
    name, content = compaction.encode_merged_part(record.table, run.manifest, claimed)
    (run.folder / PARTS / name).write_bytes(content)
    compact_run(run.folder)
    assert set(paths) <= set(opened(run).paths())


def test_of_two_parts_one_is_removed_because_of_the_other_and_never_both():
    """Two processes may decide at once: then what the one keeps the other must keep too."""
    made_of = [{"a"}, {"b"}, {"a", "b"}, {"a", "b"}, {"a", "b", "c"}, {"b", "c"}]
    records = {
        Path(f"{name}.parquet"): SimpleNamespace(origins=dict.fromkeys(held))
        for name, held in zip("512340", made_of, strict=True)
    }
    goes = {
        (path.stem, other.stem)
        for path in records
        for other in records
        if compaction._precedes(path, other, records)
    }
    assert not goes & {(other, path) for path, other in goes}
    smaller = {("2", "5"), ("2", "1"), ("3", "5"), ("3", "1"), ("0", "1")}
    smaller |= {("4", other) for other in "51230"}
    assert goes == smaller | {("2", "3")}  # of equal ones the first name stays


def test_links_and_logs_are_refused(tmp_path):
    run = made_run(tmp_path / "run")
    (run.folder / PARTS).rename(tmp_path / "elsewhere")
    (run.folder / PARTS).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DamagedRun, match="must be a folder, got a link"):
        compact_run(run.folder)
    with pytest.raises(DamagedRun, match="is not a run folder"):
        compact_run(tmp_path)


def test_only_a_complete_run_of_many_parts_is_merged_by_itself(tmp_path, monkeypatch):
    run = made_run(tmp_path / "run")
    assert compact_if_complete(run.folder) is None  # few parts
    monkeypatch.setattr(compaction, "MANY", 5)
    path = run.paths()[0]
    path.rename(tmp_path / path.name)
    assert compact_if_complete(run.folder) is None  # not complete
    (tmp_path / path.name).rename(path)
    assert compact_if_complete(run.folder).after == 2


def test_a_crash_before_any_operation_changes_nothing(tmp_path, monkeypatch):
    """Every state that a killed compaction can leave is read as before, and compacted later."""
    whole = made_run(tmp_path / "whole", 4)
    tally, seconds = whole.tally(), whole.seconds
    at, done, states = 0, False, set()
    while not done:
        place = tmp_path / str(at)
        shutil.copytree(whole.folder, place)
        with crashing(monkeypatch, at) as operations:
            try:
                compact_run(place)
                done = True
            except Crash:
                pass
        run = Run(place, whole.manifest)
        state = frozenset(path.name for path in (place / PARTS).iterdir() if path.suffix != ".tmp")
        if state not in states:
            assert_same(run, tally, seconds)
        states.add(state)
        at += 1
    assert at == len(operations) + 1 and at > 12
    assert len(states) > 6  # none removed, one removed, ..., of each merged part
    for number in (at // 3, at // 2, at - 3):
        compact_run(tmp_path / str(number))
        again = Run(tmp_path / str(number), whole.manifest)
        assert len(again.paths()) == 2
        assert_same(again, tally, seconds)


def test_a_part_that_is_written_again_counts_once_and_goes_away(tmp_path):
    """A leader that finds its worker's part gone writes it once more."""
    run = made_run(tmp_path / "run")
    tally, seconds = run.tally(), run.seconds
    kept = {path: path.read_bytes() for path in run.paths()[:3]}
    compact_run(run.folder)
    for path, content in kept.items():
        path.write_bytes(content)
    assert_same(run, tally, seconds)
    done = compact_run(run.folder)
    assert (done.removed, done.after) == (3, 2)
    assert_same(run, tally, seconds)


def test_overlapping_merged_parts_count_once(tmp_path):
    """Two compactors that saw different parts: neither replaces the other, and no draw is lost."""
    run = made_run(tmp_path / "run", 8, looks=LOOKS[:1])
    tally, seconds, paths = run.tally(), run.seconds, run.paths()
    places = []
    for name, mine in (("one", paths[:3]), ("two", paths[1:])):
        place = tmp_path / name
        shutil.copytree(run.folder, place)
        for path in paths:
            if path not in mine:
                (place / PARTS / path.name).unlink()
        compact_run(place)
        places += list_parts(place / PARTS)
    for path in paths:
        path.unlink()
    for path in places:
        shutil.copy(path, run.folder / PARTS)
    assert_same(run, tally, seconds)
    compact_run(run.folder)
    assert_same(run, tally, seconds)


class StaleTurns(Turns):
    """Turns of actors of whom some may see an old list of the folder, as over NFS."""

    def __init__(self, actors, folder, stale):
        """`stale` says how many changes behind the list of an actor is."""
        super().__init__(actors)
        self.folder, self.stale = folder, stale
        self.shown = [sorted(path.name for path in folder.iterdir())]

    def instead(self, number, name, arguments):
        """An old list instead of the new one."""
        if name != "listdir":
            return None
        self.numbers, kept = {}, self.numbers  # the truth, without waiting for a turn
        now = [path.name for path in self.folder.iterdir()]
        self.numbers = kept
        if sorted(now) != self.shown[-1]:
            self.shown.append(sorted(now))
        age = self.stale.get(number, 0)
        return list(self.shown[max(len(self.shown) - 1 - age, 0)])


def rows_of(tally):
    """Counts of each input, and its draws."""
    return dict(zip(tally.inputs.tolist(), map(tuple, tally.counts.tolist()), strict=True))


@pytest.mark.slow
@settings(max_examples=20)
@given(choices=st.lists(st.integers(0, 3), max_size=150), age=st.integers(0, 3))
def test_actors_take_turns_at_every_operation(tmp_path_factory, choices, age):
    """Two compactors, a writer and a reader: whatever the order, every reading is true."""
    folder = tmp_path_factory.mktemp("turns")
    run = made_run(folder / "run", 4, looks=LOOKS[:1])
    old = rows_of(run.tally())
    name, content = encode_part(some_draws([4, 5], 0, 100), run.manifest, 1.0)
    again = {path.name: path.read_bytes() for path in run.paths()[:1]}
    seen = []

    def write():
        write_atomically(run.folder / PARTS / name, content)
        for other, bytes_of in again.items():  # a leader writes its worker's part once more
            write_atomically(run.folder / PARTS / other, bytes_of)

    def read():
        for _ in range(2):
            seen.append(rows_of(Run(run.folder, run.manifest).tally()))

    actors = [lambda: compact_run(run.folder)] * 2 + [write, read]
    turns = StaleTurns(actors, run.folder / PARTS, {1: age, 3: age})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(listing, "FIRST_PAUSE", 0.0)
        turns.play(patch, choices)
    new = rows_of(read_part(run.folder / PARTS / name, run.manifest, content))
    whole = old | new
    for rows in seen:
        assert rows.items() <= whole.items()  # nothing counts twice
        assert age or rows.items() >= old.items()  # nothing is lost
    # Only who sees names that are long gone may give up, and says so.
    assert all(age and isinstance(error, DamagedRun) for error in turns.errors.values())
    assert rows_of(opened(run).tally()) == whole
    compact_run(run.folder)
    assert len(opened(run).paths()) <= 3
    assert rows_of(opened(run).tally()) == whole


def test_a_list_is_believed_when_the_next_one_agrees(tmp_path, monkeypatch):
    """A single list may lack a merged part and the parts that it holds."""
    lists = iter([["b"], ["b", "merged"], ["b", "merged"]])
    monkeypatch.setattr(listing, "_list_names", lambda folder: next(lists))
    assert [path.name for path in list_parts(tmp_path)] == ["b", "merged"]


def test_a_reader_begins_again_where_a_part_was_merged_away(tmp_path, monkeypatch):
    run = made_run(tmp_path / "run")
    whole, merged = run.tally(), []
    read = listing.list_parts

    def merge_after_listing(folder):
        paths = read(folder)
        if not merged:
            merged.append(True)
            compact_run(run.folder)
        return paths

    monkeypatch.setattr("simplicert.store.run.list_parts", merge_after_listing)
    checks = list(verify_run(run.folder))
    assert not [check for check in checks if check.holds is False]
    merged.clear()
    assert opened(run).tally() == whole
    assert opened(run).seconds == run.seconds
