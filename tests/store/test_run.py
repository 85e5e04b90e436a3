"""A run folder gives back what was written; damage is named and never used."""

import shutil
import tomllib
from io import BytesIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import simplicert as sc
from simplicert.files import content_checksum
from simplicert.sampling.outputs import keep_leading_sums
from simplicert.store import Manifest, Run, create_run, open_run
from simplicert.store import run as folder
from simplicert.types import FIXED_POINT

FIELDS = (
    "counts", "labels", "index", "invalid", "softmax_sums", "softmax_squares", "votes",
    "votes_invalid", "pilot",
)  # fmt: skip


def full_tally(rows=5, classes=4):
    """A tally that holds everything a tally can hold."""
    random = np.random.default_rng(0)
    counts = random.multinomial(90, np.full(classes, 1 / classes), size=rows)
    votes = random.multinomial(95, np.full(classes, 1 / classes), size=rows)
    index = np.arange(rows)[::-1] * 7
    return sc.Tally(
        counts,
        0.25,
        labels=np.arange(rows) % classes,
        index=index,
        invalid=np.full(rows, 10),
        softmax_sums=counts * (1 << FIXED_POINT) // 2,
        softmax_squares=counts * (1 << FIXED_POINT) // 3,
        votes=votes,
        votes_invalid=np.full(rows, 5),
        pilot=random.multinomial(10, np.full(classes, 1 / classes), size=rows),
        plan=sc.Plan((50, 100), (0.5, 0.5), "decided"),
        segments=[[i, 3, 0, 60] for i in index] + [[i, 4, 10, 50] for i in index[:2]],
    )


def manifest_of(tally, **more):
    return Manifest(tally.sigma, len(tally), tally.classes, plan=tally.plan, **more)


def test_everything_survives(tmp_path):
    tally = full_tally()
    manifest = manifest_of(tally, source={"format": "test"})
    create_run(tmp_path / "run", manifest, tally)
    run = open_run(tmp_path / "run")
    assert run.tally() == tally
    assert run.manifest == manifest
    assert run.missing == 0


@pytest.mark.slow
def test_many_classes_with_scores_stay_small(tmp_path):
    """A thousand classes with softmax sums take about 550 bytes per input, not 16,000."""
    random = np.random.default_rng(0)
    rows, classes, draws = 2000, 1000, 1000
    soft = random.dirichlet(np.r_[9.0, 4.0, np.full(classes - 2, 0.01)], size=rows)
    sums = np.floor(soft * draws * (1 << FIXED_POINT)).astype(np.int64)
    counts = random.multinomial(draws, soft)
    kept = keep_leading_sums(sums, sums // 2)._asdict()
    tally = sc.Tally(counts, 1.0, votes=counts, **kept)
    run = create_run(tmp_path / "run", manifest_of(tally), tally)
    assert open_run(tmp_path / "run").tally() == tally
    assert sum(path.stat().st_size for path in run.paths()) < 650 * rows


def test_parts_of_one_run_drawn_in_two_folders_are_merged_by_copying(tmp_path):
    """Two nodes without a shared disk: the same run.toml, other inputs; then cp parts/*."""
    tally = full_tally()
    manifest = manifest_of(tally)
    create_run(tmp_path / "run", manifest, tally)
    for name, rows in (("one", slice(0, 2)), ("two", slice(2, 5))):
        names = [field for field in FIELDS if getattr(tally, field) is not None]
        share = {field: getattr(tally, field)[rows] for field in names}
        mine = tally.segments[np.isin(tally.segments[:, 0], tally.inputs[rows])]
        part = sc.Tally(**share, sigma=tally.sigma, plan=tally.plan, segments=mine)
        create_run(tmp_path / name, manifest, part)
    assert open_run(tmp_path / "one").missing == 3
    for path in (tmp_path / "two" / "parts").iterdir():
        shutil.copy(path, tmp_path / "one" / "parts")
    joined = open_run(tmp_path / "one").tally()
    order = np.argsort(tally.inputs)
    np.testing.assert_array_equal(joined.inputs, tally.inputs[order])
    np.testing.assert_array_equal(joined.softmax_sums, tally.softmax_sums[order])
    np.testing.assert_array_equal(joined.segments, tally.segments)


def test_the_least_survives_too(tmp_path):
    tally = sc.Tally([[5, 0], [0, 0]], 0.5, invalid=[0, 5])
    create_run(tmp_path, manifest_of(tally), tally)
    assert open_run(str(tmp_path)).tally() == tally


def test_settings_are_readable_text(tmp_path):
    tally = full_tally()
    create_run(tmp_path / "run", manifest_of(tally), tally)
    content = tomllib.loads((tmp_path / "run" / "run.toml").read_text())
    assert content["format"] == 2
    assert content["sigma"] == 0.25
    assert content["plan"]["looks"] == [50, 100]
    assert content["plan"]["weights"] == [0.5, 0.5]
    assert content["plan"]["rule"] == "decided"
    assert (content["alpha"], content["kind"], content["scheme"]) == (0.001, "multinomial", "gated")


def test_one_atomic_part_and_nothing_left_over(tmp_path):
    tally = full_tally()
    create_run(tmp_path / "run", manifest_of(tally), tally)
    names = sorted(path.name for path in (tmp_path / "run").rglob("*"))
    assert len(names) == 3
    assert names[1:] == ["parts", "run.toml"]
    assert not [name for name in names if "tmp" in name]


def test_a_copy_under_another_name_counts_once_or_not_at_all(tmp_path):
    """An imported tally does not say which draws it holds: only its name tells a copy apart."""
    tally = sc.Tally([[90, 5, 5]], 0.5)
    run = create_run(tmp_path / "run", manifest_of(tally), tally)
    part = run.paths()[0]
    (part.parent / f"copy-{part.name.partition('-')[2]}").write_bytes(part.read_bytes())
    with pytest.raises(sc.DamagedRun, match="a copy under another name"):
        open_run(run.folder).tally()


def test_a_part_of_another_sigma_does_not_slip_in(tmp_path):
    one, other = sc.Tally([[90, 5, 5]], 0.5), sc.Tally([[900, 50, 50]], 0.1)
    run = create_run(tmp_path / "run", manifest_of(one), one)
    part = create_run(tmp_path / "other", manifest_of(other), other).paths()[0]
    (run.folder / "parts" / part.name).write_bytes(part.read_bytes())
    with pytest.raises(sc.DamagedRun, match="belongs to another run"):
        open_run(run.folder).tally()


def test_an_edited_sigma_is_found(tmp_path):
    tally = sc.Tally([[90, 5, 5]], 0.5)
    run = create_run(tmp_path / "run", manifest_of(tally), tally)
    toml = run.folder / "run.toml"
    toml.write_text(toml.read_text().replace("sigma = 0.5", "sigma = 5.0"))
    with pytest.raises(sc.DamagedRun, match="its sigma is not this run's"):
        open_run(run.folder).certify()


@pytest.mark.parametrize(
    "change", [{"sigma": 5.0}, {"classes": 4}, {"plan": None}, {"inputs": 1}], ids=str
)
def test_a_manifest_that_contradicts_the_tally(tmp_path, change):
    tally = sc.Tally([[90, 5, 5], [50, 25, 25]], 0.5, plan=sc.Plan((100,)))
    settings = {"sigma": 0.5, "inputs": 2, "classes": 3, "plan": tally.plan, **change}
    with pytest.raises(sc.InvalidInput, match="manifest must"):
        create_run(tmp_path / "run", Manifest(**settings), tally)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sigma": 0.0}, "sigma must be a positive finite number"),
        ({"sigma": 10**400}, "sigma must be a positive finite number"),
        ({"inputs": 0}, "inputs must be a whole number"),
        ({"inputs": "2"}, "inputs must be a whole number"),
        ({"classes": 10**14}, "classes must be a whole number"),
        ({"alpha": 7.0}, "alpha must lie strictly between 0 and 1"),
        ({"kind": ["x"]}, "kind must be one of"),
        ({"scheme": "x"}, "scheme must be one of"),
        ({"method": "x"}, "method must be one of"),
        ({"plan": "x"}, "plan must be a Plan"),
        ({"source": "x"}, "source must be a dict"),
        ({"answers": [1.0, "x"]}, "answers must be a list of numbers"),
        ({"answers": [True]}, "answers must be a list of numbers"),
        ({"answers": (1.0,)}, "answers must be a list of numbers"),
    ],
)
def test_what_no_run_can_be(change, message):
    with pytest.raises(sc.InvalidInput, match=message):
        Manifest(**{"sigma": 1.0, "inputs": 2, "classes": 3, **change})


@pytest.mark.parametrize("place", [4, 200, -20])
def test_a_flipped_byte_is_found(tmp_path, place):
    tally = full_tally()
    create_run(tmp_path / "run", manifest_of(tally), tally)
    part = next((tmp_path / "run" / "parts").iterdir())
    content = bytearray(part.read_bytes())
    content[place] ^= 1
    part.write_bytes(bytes(content))
    with pytest.raises(sc.DamagedRun, match=f"{part.name} was altered or truncated"):
        open_run(tmp_path / "run").tally()


def test_a_truncated_part_is_found(tmp_path):
    tally = full_tally()
    create_run(tmp_path / "run", manifest_of(tally), tally)
    part = next((tmp_path / "run" / "parts").iterdir())
    part.write_bytes(part.read_bytes()[:-10])
    with pytest.raises(sc.DamagedRun, match="altered or truncated"):
        open_run(tmp_path / "run").tally()


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda c: c["counts_class"].__setitem__(0, [-1]), "does not fit 4 classes"),
        (lambda c: c["counts_class"].__setitem__(0, [7]), "does not fit 4 classes"),
        (lambda c: c["counts_class"].__setitem__(0, [0, 0]), "does not fit 4 classes"),
        (lambda c: c.pop("counts_class"), "does not hold a tally"),
        (lambda c: c.update(index=["a"] * 5), "column index must hold integers"),
        (lambda c: c.update(segments=[[1, 2]] * 5), "does not hold a tally"),
        (lambda c: c.update(counts_value=[1] * 5), "does not hold a tally"),
    ],
)
def test_a_crafted_part_is_refused(tmp_path, edit, message):
    """This holds even if its checksum is right."""
    tally = full_tally()
    run = create_run(tmp_path / "run", manifest_of(tally), tally)
    part = run.paths()[0]
    table = pq.read_table(part)
    columns = table.to_pydict()
    edit(columns)
    sink = BytesIO()
    pq.write_table(pa.table(columns).replace_schema_metadata(table.schema.metadata), sink)
    part.unlink()
    name = f"{part.name.partition('-')[0]}-{content_checksum(sink.getvalue())}.parquet"
    (part.parent / name).write_bytes(sink.getvalue())
    with pytest.raises(sc.DamagedRun, match=message):
        open_run(run.folder).tally()


def test_damage_that_another_process_sets_aside_first(tmp_path, monkeypatch):
    """Two tasks meet the same damaged parts; the later one goes on without them."""
    run = create_run(tmp_path / "run", manifest_of(full_tally()), full_tally())
    part = run.paths()[0]
    for place in ("00000001", "00000002"):  # gone before it is moved, gone before it is read
        part.with_name(f"{place}-{'0' * 32}.parquet").write_bytes(b"torn")
    read = folder.read_part

    def overtaken(path, manifest):
        if path != part:
            path.unlink()
        if path.name.startswith("00000002"):
            raise FileNotFoundError(path)
        return read(path, manifest)

    monkeypatch.setattr(folder, "read_part", overtaken)
    assert run.set_aside_damage() == []
    assert run.paths() == [part]
    assert run.tally() == full_tally()


def test_a_part_that_vanishes_while_all_are_read(tmp_path, monkeypatch):
    run = create_run(tmp_path / "run", manifest_of(full_tally()), full_tally())
    whole = run.paths()
    torn = whole[0].with_name(f"00000001-{'0' * 32}.parquet")
    monkeypatch.setattr(Run, "paths", lambda run: [*whole, torn])
    monkeypatch.setattr("simplicert.store.listing.LONGEST_PAUSE", 0.0)
    with pytest.raises(sc.DamagedRun, match="is not there any more"):
        run.tally()
    assert run.set_aside_damage() == []


def test_more_inputs_than_the_manifest_says(tmp_path):
    tally = sc.Tally([[9, 1], [8, 2]], 0.5)
    run = create_run(tmp_path / "run", Manifest(0.5, 2, 2), tally)
    toml = run.folder / "run.toml"
    toml.write_text(toml.read_text().replace("inputs = 2", "inputs = 1"))
    with pytest.raises(sc.DamagedRun, match=r"holds 2 inputs, and run.toml says 1"):
        _ = open_run(run.folder).missing


def test_lost_parts_are_said(tmp_path):
    tally = full_tally()
    create_run(tmp_path / "run", manifest_of(tally), tally)
    next((tmp_path / "run" / "parts").iterdir()).unlink()
    with pytest.raises(sc.DamagedRun, match="holds no parts"):
        open_run(tmp_path / "run").tally()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("format = 4\nsigma = 1.0\n", "run format 4; this simplicert reads formats 1 and 2 and 3"),
        ("format = true\nsigma = 1.0\n", "has run format True"),
        ("sigma = 1.0\n", "has run format None"),
        ("format = 1\nsigma = 1.0\n", "lacks the settings"),
        ("format = 1\nsigma = 1.0\ninputs = 1\nclasses = 1\nid = 'a'\n", "incomplete or altered"),
        (
            "format = 1\nsigma = 1.0\ninputs = 1\nclasses = 2\nid = 'a'\nplan = {looks = ['a']}\n",
            "incomplete or altered",
        ),
        (
            "format = 1\nsigma = 1.0\ninputs = 1\nclasses = 2\nmood = 'x'\n",
            "does not know: .'mood'.",
        ),
        ("format = \n", "cannot be read as TOML"),
    ],
)
def test_other_manifests_are_refused(tmp_path, text, message):
    (tmp_path / "run.toml").write_text(text)
    with pytest.raises(sc.DamagedRun, match=message):
        open_run(tmp_path)


def test_not_a_run(tmp_path):
    with pytest.raises(sc.DamagedRun, match="not a run folder"):
        open_run(tmp_path)
    with pytest.raises(sc.InvalidInput, match="must be a folder that exists"):
        open_run(tmp_path / "nowhere")
    (tmp_path / "file").write_text("x")
    with pytest.raises(sc.InvalidInput, match="got the file"):
        open_run(tmp_path / "file")


def test_an_existing_folder_is_never_touched(tmp_path):
    (tmp_path / "precious.txt").write_text("tallies")
    tally = full_tally()
    with pytest.raises(sc.InvalidInput, match="out must be a new or empty folder"):
        create_run(tmp_path, manifest_of(tally), tally)
    assert [path.name for path in tmp_path.iterdir()] == ["precious.txt"]


def test_a_failed_write_leaves_nothing_torn(tmp_path, monkeypatch):
    from simplicert import files

    def full_disk(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full_disk)
    target = tmp_path / "file.csv"
    target.write_text("old")
    with pytest.raises(OSError, match="No space left") as full:
        files.write_atomically(target, b"new")
    assert full.value.filename == str(target)  # and not a temporary name beside it
    assert target.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_write_error_names_the_file_that_was_asked_for(tmp_path):
    from simplicert.files import write_atomically

    nowhere = tmp_path / "nowhere" / "file.csv"
    with pytest.raises(FileNotFoundError) as lost:
        write_atomically(nowhere, b"new")
    assert lost.value.filename == str(nowhere)
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError) as lost:
        write_atomically(tmp_path / "folder", b"new")
    assert lost.value.filename == str(tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_declared_settings_and_others(tmp_path):
    counts = [[900, 60, 40], [400, 350, 250]]
    tally = sc.Tally(counts, 0.5, labels=[0, 1])
    run = create_run(tmp_path / "run", manifest_of(tally, alpha=0.01), tally)
    declared = run.certify()
    assert not declared.exploratory
    assert declared.known.alpha == 0.01
    np.testing.assert_array_equal(declared.radius, sc.certify(sc.bound(tally, 0.01)).radius)
    assert not run.certify(alpha=0.01, kind="hard", method="clopper_pearson").exploratory
    for other in ({"alpha": 0.001}, {"scheme": "paper"}, {"method": "one_sided"}):
        certificates = run.certify(**other)
        assert certificates.exploratory
        assert "exploratory" in repr(certificates)


def test_missing_inputs_are_counted(tmp_path):
    tally = sc.Tally([[9, 1]], 0.5)
    run = create_run(tmp_path / "run", Manifest(0.5, 3, 2), tally)
    assert run.missing == 2


def test_many_classes_are_stored_sparse(tmp_path):
    """2,000 inputs of 1,000 classes, five of them seen, take a few bytes per seen class."""
    random = np.random.default_rng(0)
    counts = np.zeros((2000, 1000), int)
    for _ in range(5):
        counts[np.arange(2000), random.integers(1000, size=2000)] += 20
    tally = sc.Tally(counts, 1.0)
    run = create_run(tmp_path / "run", manifest_of(tally), tally)
    size = sum(path.stat().st_size for path in run.folder.rglob("*.parquet"))
    assert size < 2000 * 5 * 10
    assert open_run(run.folder).tally() == tally


def test_a_sigma_written_as_a_whole_number(tmp_path):
    """Found by the fuzzer: TOML tells 5 from 5.0, and a hand may write either."""
    tally = sc.Tally([[90, 10]], 5.0)
    create_run(tmp_path / "run", Manifest(5.0, 1, 2), tally)
    text = (tmp_path / "run" / "run.toml").read_text()
    (tmp_path / "run" / "run.toml").write_text(text.replace("sigma = 5.0", "sigma = 5"))
    assert open_run(tmp_path / "run").certify().known.sigma == 5.0


def test_a_declared_sensitivity(tmp_path):
    """Certificates and the stopping rule use the one in run.toml unless another is given."""
    tally = sc.Tally([[950, 50], [990, 10]], 0.5, plan=sc.Plan((1000,)))
    one = create_run(tmp_path / "one", manifest_of(tally), tally)
    other = create_run(tmp_path / "other", manifest_of(tally, source={"sensitivity": 8.0}), tally)
    assert open_run(tmp_path / "other").manifest.sensitivity == 8
    np.testing.assert_array_equal(other.certify().radius, one.certify().radius / 8)
    np.testing.assert_array_equal(other.certify(sensitivity=1).radius, one.certify().radius)
    assert not other.certify(sensitivity=1).exploratory
    assert (one.until.sensitivity, other.until.sensitivity) == (1, 8)
    text = (tmp_path / "other" / "run.toml").read_text()
    for bad in ("0.0", "-2.0", "nan", '"2"'):
        lines = text.replace("sensitivity = 8.0", f"sensitivity = {bad}")
        assert lines != text
        (tmp_path / "other" / "run.toml").write_text(lines)
        with pytest.raises(sc.DamagedRun, match="sensitivity must be a positive finite number"):
            open_run(tmp_path / "other")


def test_a_run_made_of_a_tally_keeps_what_it_knows_of_the_function(tmp_path):
    """It is refused if run.toml would contradict it."""

    def line(batch):
        return np.stack([batch[:, 0], -batch[:, 0]], axis=1)

    x = np.full((1, 2), 0.5, np.float32)
    tally = sc.sample(line, x, 0.5, 50, grid=1 / 8)
    made = {"sigma": 0.5, "inputs": 1, "classes": 2, "plan": tally.plan}
    run = sc.create_run(tmp_path / "run", Manifest(**made), tally)
    assert sc.open_run(run.folder).tally() == tally
    for source, said in (({"grid": 0.25}, "grid"), ({"outputs": "labels"}, "outputs")):
        with pytest.raises(sc.InvalidInput, match=f"manifest must have the tally's {said}"):
            sc.create_run(tmp_path / "other", Manifest(**made, source=source), tally)
    scaled = sc.sample(line, x, 0.5, 50, noise_scale=[1.0, 0.5])
    with pytest.raises(sc.InvalidInput, match="in the tally's norm scaled l2, got l2"):
        sc.create_run(tmp_path / "other", Manifest(**made), scaled)
    plain = sc.sample(line, x, 0.5, 50)
    with pytest.raises(sc.InvalidInput, match=r"manifest must have the tally's grid, got 0\.125"):
        sc.create_run(tmp_path / "other", Manifest(**made, source={"grid": 0.125}), plain)
