"""Verification finds nothing wrong in an honest run of any kind, and every kind of damage."""

import re
import shutil
from dataclasses import replace

import numpy as np
import pytest
from verified import certified, checks, flipped, forged, fresh, moved, wrong

import simplicert as sc
from simplicert.errors import DamagedRun
from simplicert.noises.stage import may_divide
from simplicert.store.manifest import read_manifest, write_manifest
from simplicert.store.parts import read_part, write_part
from simplicert.verification import Replay, verify_run
from simplicert.verification.checks import _describe_range, scale_check, settings_check

MANY = """
import numpy as np
WEIGHTS = np.random.default_rng(0).normal(size=(12, 40)).astype(np.float32)
def make():
    return lambda batch: batch.reshape(len(batch), -1) @ WEIGHTS
def labels():
    return lambda batch: (batch.reshape(len(batch), -1) @ WEIGHTS).argmax(axis=1)
"""


def many_classes(place):
    """A model with more classes than have their own sums."""
    folder, name = place
    (folder / f"{name}_many.py").write_text(MANY)
    return f"{name}_many:make"


def on_grid(place):
    inputs = np.random.default_rng(2).integers(0, 255, (40, 3, 4)) / 255
    np.savez("data.npz", inputs=inputs.astype(np.float32))
    return fresh(place, grid="1/255", sigma=0.5)


def with_shares(place):
    np.save("shares.npy", np.random.default_rng(3).random((3, 4)))
    return fresh(place, noise_scale=place[0] / "shares.npy")


def extended(place):
    fresh(place, stop=12)
    fresh(place, stop=12, draws=400, extend=True)
    return fresh(place, stop=12, draws=900, extend=True)


def sharded(place):
    fresh(place, shard="2/3")
    fresh(place, shard="1/3")
    return fresh(place, shard="3/3")


def chosen(place):
    (place[0] / "chosen.txt").write_text("7 3 30 21 0 9 12 38 14 15")
    return fresh(place, index_file=place[0] / "chosen.txt")


RUNS = {
    "fixed": fresh,
    "adaptive": lambda place: fresh(place, until="rtol=0.1", draws=1200),
    "adaptive, joint": lambda place: fresh(
        place, until="atol=0.05", draws=1200, scheme="joint", stop=12
    ),
    "adaptive softmax": lambda place: fresh(place, until="decided", draws=1200, kind="softmax"),
    "adaptive, many classes": lambda place: fresh(
        place, until="rtol=0.1", draws=1200, model=many_classes(place), stop=9
    ),
    "extended": extended,
    "reserved": lambda place: fresh(place, reserve="0.5"),
    "sharded": sharded,
    "grid": on_grid,
    "noise scale": with_shares,
    "pilot": lambda place: fresh(place, pilot=40, scheme="split"),
    "labels": lambda place: fresh(
        place,
        model=many_classes(place).replace("make", "labels"),
        outputs="labels",
        num_classes=40,
        scheme="joint",
    ),
    "index file": chosen,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", RUNS)
def test_an_honest_run_holds_and_is_drawn_again_bit_for_bit(place, kind):
    run = RUNS[kind](place)
    found = checks(run, [certified(run), certified(run, "c.parquet")], count=5, seed=1)
    notes = [check.says for check in found if not check.holds]
    divisible = may_divide(run.manifest.noise_model.name, run.manifest.function["norm"])
    stages = [says for says in notes if "sensitivity" in says]
    assert len(stages) == 2 * divisible and all("the run's word" in says for says in stages)
    notes = [says for says in notes if says not in stages]
    assert len(notes) == 1 and notes[0].startswith("--seed 1 chooses"), found
    assert sum("come again bit for bit" in check.says for check in found) == 5
    assert sum("follow from the tallies bit for bit" in check.says for check in found) == 2


def test_a_replay_draws_no_more_inputs_than_there_are(place):
    found = checks(fresh(place, stop=3), count=10)
    again = [check.says for check in found if check.about == "replay"]
    assert [says.split(":")[0] for says in again[1:]] == ["input 0", "input 1", "input 2"]


@pytest.mark.slow
def test_draws_that_two_processes_made_count_once(place):
    one, other = fresh(place), fresh(place, out="other", stop=2)
    manifest = read_manifest(one.folder)
    assert not wrong(one)
    tally = sc.Tally(**{**vars(other.tally()), "plan": manifest.plan, "looks": None})
    write_part(one.folder / "parts", tally, manifest)
    assert "300 draws are held by two parts" in str(checks(one))
    assert not wrong(one, count=2)


@pytest.mark.slow
def test_every_flipped_byte_of_run_toml_is_seen(place):
    folder = fresh(place).folder
    path = folder / "run.toml"
    for at in range(path.stat().st_size):
        before = flipped(path, at)
        try:
            read_manifest(folder)
            assert settings_check(folder).holds is False, (at, before[at])
            assert "run.toml" in settings_check(folder).says
        except DamagedRun as error:
            assert "run.toml" in str(error)
        path.write_bytes(before)
    assert settings_check(folder).holds


def test_every_flipped_byte_of_the_shares_is_seen(place):
    run = with_shares(place)
    path = run.folder / "noise_scale.npy"
    for at in range(path.stat().st_size):
        before = flipped(path, at)
        check = scale_check(run)
        assert check.holds is False and "noise_scale.npy" in check.says, (at, before[at])
        path.write_bytes(before)
    assert scale_check(run).holds


@pytest.mark.slow
def test_flipped_bytes_of_any_part_are_seen_and_the_part_named(place):
    run = sharded(place)
    random = np.random.default_rng(0)
    for path in run.paths():
        for at in [0, -1, *random.integers(0, path.stat().st_size, 10)]:
            before = flipped(path, int(at))
            said = wrong(run)
            assert f"{path.name} was altered or truncated" in said
            assert "inputs are missing" in said
            path.write_bytes(before)
    assert not wrong(run)


@pytest.mark.parametrize("name", ["run.toml", "noise_scale.npy", "parts"])
def test_whole_verification_names_the_file(place, name):
    run = with_shares(place)
    path = run.paths()[0] if name == "parts" else run.folder / name
    flipped(path, path.stat().st_size - 40)
    assert path.name in wrong(run)


def test_a_run_toml_that_is_no_toml_is_one_finding(place):
    run = fresh(place)
    (run.folder / "run.toml").write_text("sigma = [")
    assert [check.holds for check in checks(run)] == [False]
    (run.folder / "run.toml").unlink()
    assert "holds no run.toml" in wrong(run)


def test_a_folder_that_is_no_run_is_refused(tmp_path):
    with pytest.raises(sc.InvalidInput, match="is not a run folder"):
        list(verify_run(tmp_path))


def test_a_run_toml_written_before_there_were_checksums_is_not_accused(place):
    run = fresh(place)
    path = run.folder / "run.toml"
    path.write_bytes(path.read_bytes().rpartition(b"#")[0])
    assert not wrong(run)
    assert [c.says for c in checks(run) if c.holds is None and "no checksum" in c.says]


def test_a_lost_part_leaves_its_inputs_missing(place):
    run = sharded(place)
    lost = max(run.paths(), key=lambda path: len(read_part(path, run.manifest)))
    items = read_part(lost, run.manifest).inputs.tolist()
    assert len(items) > 5
    lost.unlink()
    named = ", ".join(map(str, items[:5]))
    said = f"{len(items)} of 40 inputs are missing: {named} and {len(items) - 5} more"
    assert said in wrong(run)
    for path in run.paths():
        path.unlink()
    assert wrong(run) == "draws: no part is left"


def test_a_part_of_another_run_and_a_copy_are_named(place):
    run, other = fresh(place, stop=9), fresh(place, "other", seed=1)
    copy = run.folder / "parts" / f"00000099-{run.paths()[0].stem.rpartition('-')[2]}.parquet"
    shutil.copy(run.paths()[0], copy)
    shutil.copy(other.paths()[0], run.folder / "parts")
    said = wrong(run)
    assert f"{copy.name} is a copy under another name" in said
    assert f"{other.paths()[0].name} belongs to another run" in said


def test_parts_that_contradict_each_other(place):
    run = fresh(place)
    again = fresh(place, "again")
    forged(again, moved)
    manifest = read_manifest(run.folder)
    tally = sc.Tally(**{**vars(sc.open_run(again.folder).tally()), "looks": None})
    write_part(run.folder / "parts", tally, manifest)
    assert "two parts hold the same draws of input 0 and disagree" in wrong(run)


def shifted(tally):
    """The same number of draws, but not the first ones."""
    return {"segments": tally.segments + np.array([0, 0, 1, 1])}


def other_seed(tally):
    return {"segments": tally.segments + np.array([0, 5, 0, 0])}


def gap(tally):
    first = tally.segments.copy()
    first[:, 3] = 20
    second = tally.segments + np.array([0, 0, 30, 10])
    second[:, 3] = tally.segments[:, 3] + 10
    return {"segments": np.concatenate([first, second])}


def shorter(tally):
    """Counts that do not say which draws they are."""
    return {"segments": tally.segments - np.array([0, 0, 0, 1])}


@pytest.mark.parametrize("change", [shifted, other_seed, gap, shorter])
def test_draws_other_than_the_first_without_gap(place, change):
    run = forged(fresh(place, until="rtol=0.1", draws=150), change)
    assert "not the draws 0, 1, 2, ... of seed 0, without gap: input 0, 1, 2" in wrong(run)


def test_draws_between_looks_and_not_yet_at_the_last(place):
    run = fresh(place)
    manifest = read_manifest(run.folder)
    write_manifest(run.folder, replace(manifest, plan=sc.Plan((100, 200), (0.5, 0.5))))
    assert "between the plan's looks at 100, 200 draws" in wrong(run)
    write_manifest(run.folder, replace(manifest, plan=manifest.plan.extended(300)))
    assert "not yet drawn to where the plan ends" in wrong(run)


def test_inputs_that_the_run_was_not_to_hold(place):
    run = fresh(place)
    manifest = read_manifest(run.folder)
    write_manifest(run.folder, replace(manifest, index=[0, 1, 38], inputs=38))
    assert "was not to hold: 38, 39" in wrong(run)
    write_manifest(run.folder, replace(manifest, inputs=39))
    assert "got 0, 1, 40 for 39 inputs" in wrong(run)
    write_manifest(run.folder, replace(manifest, inputs=39, index=[-1, *range(40)]))
    assert "counts 39 inputs and lists 40" in wrong(run)


@pytest.mark.parametrize("index", [[0, 1], [0, 1, 2**50], [0.5, 1, 40], ["a"], [0, 1, 40, 7]])
def test_an_index_that_makes_no_sense(place, index):
    run = fresh(place)
    inputs = 2**50 if 2**50 in index else 40
    write_manifest(run.folder, replace(read_manifest(run.folder), index=index, inputs=inputs))
    assert "index must" in wrong(run, count=1)


@pytest.mark.slow
def test_no_altered_run_toml_makes_verification_fall_over(place):
    """Replace a word of run.toml forty times: the file is named every time."""
    run = fresh(place, until="rtol=0.1", stop=4, kind="softmax")
    path = run.folder / "run.toml"
    text, random = path.read_text(), np.random.default_rng(0)
    words = ["0", "-1", "1e400", "nan", '"x"', "[]", "true", "10000000000000000", "0.5", "{}"]
    values = list(re.finditer(r"= (?!\[)(.+)|^    (.+),$", text, re.MULTILINE))
    assert len(values) > 40
    for _ in range(40):
        value = values[random.integers(len(values))]
        start, stop = value.span(1 if value[1] else 2)
        word = str(random.choice([word for word in words if word != text[start:stop]]))
        path.write_text(text[:start] + word + text[stop:])
        found = list(
            verify_run(run.folder, replay=Replay(1, model=f"{place[1]}:make", data="data.npz"))
        )
        named = any(check.holds is False and "run.toml" in check.says for check in found)
        assert named, (text[start:stop], word, found)


def test_a_run_on_a_grid_says_so_in_its_tally_and_certificates(place):
    run = on_grid(place)
    assert run.tally().grid == 1 / 255
    assert set(run.certify().to_frame()["grid"]) == {1 / 255}


@pytest.mark.parametrize(("draws", "said"), [([5, 5], "5"), ([5, 9, 7], "5 to 9")])
def test_a_range_of_draws_is_one_number_or_two(draws, said):
    assert _describe_range(np.array(draws)) == said
