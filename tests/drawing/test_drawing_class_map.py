"""Data with some of the model's classes: a map is used, or every accuracy has a warning."""

import json

import numpy as np
import pytest
from PIL import Image

import simplicert as sc
from simplicert.store.label_warning import recorded_label_warning
from simplicert.store.manifest import read_manifest

DOUBT = "the classes of model and data differ, they are 3 and 2"
MODULE = """
import numpy as np

def classify(batch):
    \"\"\"Dark is class 0, middling 1, light 2.\"\"\"
    mean = np.asarray(batch).reshape(len(batch), -1).mean(axis=1, keepdims=True)
    return -np.abs(mean - np.array([[0.1, 0.5, 0.9]]))

def three():
    return classify
"""
SAMPLE = ("--sigma", 0.05, "--draws", 200, "--quiet", "--no-compile", "--device", "cpu")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Write images of two of the model's three classes; here grey is class 0 and white 1."""
    for name, grey in (("grey", 128), ("white", 230)):
        for place in range(3):
            path = tmp_path / "pictures" / name / f"{place}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            value = 25 if (name, place) == ("white", 2) else grey  # one the model gets wrong
            Image.fromarray(np.full((4, 4), value, np.uint8)).save(path)
    (tmp_path / "grey_levels.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return f"folder:{tmp_path / 'pictures'}"


def sampled(command, folder, name, *words):
    found = command(
        "sample", "--model", "grey_levels:three", "--data", folder, *SAMPLE, "--out", name, *words
    )
    assert found[0] == 0, found[2]
    return found[2]


@pytest.mark.slow
def test_without_a_map_no_accuracy_comes_without_the_doubt(command, folder, tmp_path):
    assert DOUBT in sampled(command, folder, "run")
    assert read_manifest(tmp_path / "run").made["label_doubt"].startswith(DOUBT)
    code, out, _ = command("certify", "run", "--out", "c.csv")
    assert not sc.open_run(tmp_path / "run").certify().correct.any()  # true: 5 of 6
    assert code == 0 and "acc>0" in out and DOUBT in out
    for words in (
        ["table", "run"],
        ["table", "run", "--style", "paper1"],
        ["gate", "run", "--require", "accuracy@0>=0"],
    ):
        code, out, _ = command(*words)
        assert code == 0 and DOUBT in out.replace("The classes", "the classes")
    assert DOUBT in command("figure", "accuracy", "run", "--out", "f.png")[2]
    assert (
        DOUBT
        in json.loads(command("gate", "run", "--require", "accuracy@0>=0", "--json")[1])["remarks"][
            0
        ]
    )
    command("report", "run", "--out", "r.html", "--no-images")
    assert DOUBT in (tmp_path / "r.html").read_text()


def test_a_map_gives_the_true_accuracy(command, folder, tmp_path):
    (tmp_path / "map.toml").write_text("grey = 1\nwhite = 2\n")
    err = sampled(command, folder, "run", "--class-map", "map.toml")
    assert "differ" not in err
    manifest = read_manifest(tmp_path / "run")
    assert manifest.source["class_map"] == [1, 2] and "label_doubt" not in manifest.made
    assert manifest.made["class_names"] == ["0", "grey", "white"]
    certificates = sc.open_run(tmp_path / "run").certify()
    assert certificates.correct.tolist() == [True] * 5 + [False]
    code, out, _ = command("certify", "run", "--out", "c.csv")
    assert code == 0 and "0.833" in out and "differ" not in out
    words = ["--replay", 3, "--model", "grey_levels:three", "--data", folder]
    code, out, _ = command("verify", "run", *words)
    assert code == 0 and "bit for bit" in out


def test_a_run_resumes_under_its_own_map_alone(command, folder, tmp_path):
    (tmp_path / "map.toml").write_text("grey = 1\nwhite = 2\n")
    sampled(command, folder, "run", "--class-map", "map.toml")
    sampled(command, folder, "run", "--class-map", "map.toml")
    words = ["--model", "grey_levels:three", "--data", folder, *SAMPLE, "--out", "run"]
    code, _, err = command("sample", *words)
    assert code == 2 and "class_map" in err


def test_labels_beyond_the_model_name_the_way_out(command, folder, tmp_path):
    pictures = tmp_path / "pictures"
    for name in ("x", "y"):
        (pictures / name).mkdir()
        (pictures / name / "0.png").write_bytes((pictures / "grey" / "0.png").read_bytes())
    words = ["--model", "grey_levels:three", "--data", folder, *SAMPLE, "--out", "run"]
    code, _, err = command("sample", *words)
    assert code == 2 and "--class-map says which class" in err


def test_runs_drawn_before_doubts_were_recorded(command, folder, tmp_path):
    sampled(command, folder, "run")
    manifest = read_manifest(tmp_path / "run")
    manifest.made.pop("label_doubt")
    assert recorded_label_warning(manifest).startswith(DOUBT)
    manifest.made["class_names"] = ["a", "b", "c"]
    assert recorded_label_warning(manifest) == ""
    manifest.made.pop("class_names")
    assert recorded_label_warning(manifest) == ""
