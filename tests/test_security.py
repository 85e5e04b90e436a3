"""What the source may not do, and hostile files that must not get their way."""

import ast
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import simplicert as sc
from simplicert.data import load_data
from simplicert.store import Manifest

SOURCE = Path(sc.__file__).parent
TREES = {path: ast.parse(path.read_text()) for path in SOURCE.rglob("*.py")}

# Modules that run what they read; pickle itself is imported only for the name of its error.
UNSAFE = {"marshal", "shelve", "dill", "cloudpickle", "joblib", "yaml", "xml", "pty", "commands"}
EVALUATE = {"eval", "exec", "compile", "__import__"}
SHELLS = {"system", "popen", "spawnl", "spawnv", "execl", "execv"}


def calls():
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                yield path, node, getattr(node.func, "attr", getattr(node.func, "id", ""))


def keywords(node):
    return {item.arg: getattr(item.value, "value", None) for item in node.keywords}


@pytest.mark.slow
def test_nothing_unsafe_is_imported():
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            assert not {name.split(".")[0] for name in names} & UNSAFE, path


@pytest.mark.slow
def test_no_pickle_is_opened():
    """torch.load by weights only, arrays without objects, and no use of pickle but its error."""
    loads = 0
    for path, node, name in calls():
        owner = getattr(getattr(node.func, "value", None), "id", "")
        if name == "load" and owner == "torch":
            assert keywords(node).get("weights_only") is True, path
            loads += 1
        if name == "load" and owner == "np":
            assert keywords(node).get("allow_pickle") is False, path
            loads += 1
        assert owner not in ("pickle", "cPickle"), path
    assert loads >= 3


@pytest.mark.slow
def test_nothing_is_evaluated_and_no_shell_is_asked():
    for path, node, name in calls():
        builtin = isinstance(node.func, ast.Name)
        owner = getattr(getattr(node.func, "value", None), "id", "")
        assert not (builtin and name in EVALUATE), (path, node.lineno)
        assert not (owner == "os" and name in SHELLS), (path, node.lineno)
        assert keywords(node).get("shell") in (None, False), path


@pytest.fixture
def run(tmp_path):
    tally = sc.Tally([[990, 10], [10, 990]], 0.5, labels=[0, 1], plan=sc.Plan((1000,)))
    return sc.create_run(tmp_path / "run", Manifest(0.5, 2, 2, plan=tally.plan), tally)


def test_a_part_that_is_a_link(run, tmp_path):
    (part,) = run.paths()
    outside = tmp_path / part.name
    part.rename(outside)
    part.symlink_to(outside)
    with pytest.raises(sc.DamagedRun, match="must be a plain file"):
        sc.open_run(run.folder).tally()


def test_a_part_that_is_a_pipe(run):
    """Reading it would wait without end."""
    os.mkfifo(run.folder / "parts" / "00000009-aa.parquet")
    with pytest.raises(sc.DamagedRun, match="must be a plain file"):
        sc.open_run(run.folder).tally()


def test_a_manifest_that_is_a_device(tmp_path):
    (tmp_path / "run.toml").symlink_to("/dev/zero")
    with pytest.raises(sc.DamagedRun, match=r"holds no run\.toml"):
        sc.open_run(tmp_path)


@pytest.mark.slow
def test_an_image_bomb(tmp_path):
    """20,000 x 20,000 pixels in half a megabyte: refused by its name, unread."""
    (tmp_path / "a").mkdir()
    Image.new("1", (20_000, 20_000)).save(tmp_path / "a" / "bomb.png")
    with pytest.raises(sc.InvalidInput, match=r"bomb\.png"):
        load_data(f"folder:{tmp_path}").inputs[np.arange(1)]


@pytest.mark.parametrize("load", [load_data, sc.models.load_model])
@pytest.mark.parametrize("spec", ["folder:\0x", "a.npz\0", "mlp@w\0.safetensors", "\0"])
def test_a_name_with_a_null_byte(load, spec):
    """Found by the fuzzer: no file can have such a name."""
    with pytest.raises(sc.InvalidInput, match="must be"):
        load(spec)


def test_parts_in_another_folder(run, tmp_path):
    """A folder of parts that is a link leads out of the run."""
    (run.folder / "parts").rename(tmp_path / "elsewhere")
    (run.folder / "parts").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(sc.DamagedRun, match="parts must be a folder, got a link"):
        sc.open_run(run.folder).tally()


def test_a_link_that_stays_in_the_folder_is_followed(tmp_path):
    """Links out of a folder are refused; inside it people may arrange their pictures."""
    for name in ("a", "b"):
        (tmp_path / "data" / name).mkdir(parents=True)
    Image.new("RGB", (4, 4), "red").save(tmp_path / "data" / "a" / "1.png")
    (tmp_path / "data" / "b" / "2.png").symlink_to(tmp_path / "data" / "a" / "1.png")
    (tmp_path / "link").symlink_to(tmp_path / "data")  # and the folder itself may be one
    for where in ("data", "link"):
        inputs = load_data(f"folder:{tmp_path / where}").inputs
        assert (inputs[0] == inputs[1]).all()
    (tmp_path / "data" / "b" / "2.png").unlink()
    (tmp_path / "data" / "a" / "1.png").rename(tmp_path / "private.png")
    (tmp_path / "data" / "a" / "1.png").symlink_to(tmp_path / "private.png")
    (tmp_path / "data" / "b" / "2.png").symlink_to(tmp_path / "private.png")
    with pytest.raises(sc.InvalidInput, match="a link that leads elsewhere: copy the file"):
        load_data(f"folder:{tmp_path / 'data'}")


def test_snapshots_of_the_hub_are_links_into_its_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    (tmp_path / "hub" / "blobs").mkdir(parents=True)
    (tmp_path / "hub" / "snapshot").mkdir()
    Image.new("RGB", (4, 4)).save(tmp_path / "hub" / "blobs" / "x.png")
    (tmp_path / "hub" / "snapshot" / "1.png").symlink_to(tmp_path / "hub" / "blobs" / "x.png")
    assert len(load_data(f"folder:{tmp_path / 'hub' / 'snapshot'}").inputs) == 1


def test_a_tree_in_a_program_that_nests_without_end():
    """A RecursionError was raised here."""
    from simplicert.models.programs import _is_plain_tree

    assert not _is_plain_tree("[" * 50_000)
    assert not _is_plain_tree('{"type": "builtins.list", "context": "' + "[" * 50_000 + '"}')
