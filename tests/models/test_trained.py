"""Folders written by train, and the zoo of those that ship with the package."""

import shutil

import pytest
import torch

from simplicert.errors import InvalidInput
from simplicert.models import load_model
from simplicert.models.trained import FOLDER, list_zoo_names, read_trained_folder
from simplicert.training import train


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A network trained for one epoch."""
    out = tmp_path_factory.mktemp("nets") / "tiny"
    train("digits", out, arch="small_cnn", sigma=0.25, epochs=1, batch_size=100)
    return out


@pytest.mark.slow
def test_loads_in_eval_mode_with_its_normalisation(folder):
    model = load_model(str(folder))
    assert not model.classifier.training and model.name == "tiny"
    assert float(model.classifier.mean[0]) == pytest.approx(0.305, abs=0.01)  # of digits
    assert load_model(str(folder)).fingerprint == model.fingerprint
    with pytest.raises(InvalidInput, match="brings its own normalisation"):
        load_model(str(folder), mean=[0.5], std=[1.0])


@pytest.mark.slow
def test_other_weights_are_refused(folder, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    other = tmp_path / "other"
    train("digits", other, arch="small_cnn", sigma=0.25, epochs=1, batch_size=100, seed=5)
    shutil.copy(other / "weights.safetensors", copy)
    with pytest.raises(InvalidInput, match=r"holds other weights than model\.toml speaks of"):
        load_model(str(copy))


def test_damaged_folders(folder, tmp_path):
    with pytest.raises(InvalidInput, match=r"must be a folder written by train, with model\.toml"):
        load_model(str(tmp_path))
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    (copy / "weights.safetensors").unlink()
    with pytest.raises(InvalidInput, match=r"must hold weights\.safetensors beside model\.toml"):
        load_model(str(copy))
    (copy / "model.toml").write_text("format = 9\n")
    with pytest.raises(InvalidInput, match=r"no model\.toml that train wrote: .*format must be 1"):
        load_model(str(copy))


def test_classes_without_end(folder, tmp_path):
    """Found by the fuzzer: infinity is no number of classes."""
    text = (folder / "model.toml").read_text().replace("num_classes = 10", "num_classes = inf")
    (tmp_path / "model.toml").write_text(text)
    with pytest.raises(InvalidInput, match=r"no model\.toml that train wrote"):
        load_model(str(tmp_path))


@pytest.mark.slow
def test_the_zoo():
    """Every folder loads, says what it is, and is small enough to ship."""
    names = list_zoo_names()
    assert {f"cifar10-small-{sigma}" for sigma in ("0.12", "0.25", "0.5", "1")} <= set(names)
    for name in names:
        facts = read_trained_folder(FOLDER / name).facts
        of = f"denoised:zoo:{name}@zoo:cifar10-small-1" if facts.denoiser else f"zoo:{name}"
        model = load_model(of)
        assert name in model.name
        assert facts.arch == ("small_dncnn" if facts.denoiser else "small_cnn")
        assert name.endswith(f"-{facts.content['training']['sigma']:g}")
        assert sum(path.stat().st_size for path in (FOLDER / name).iterdir()) < 1e6
        with torch.no_grad():
            assert model.classifier(torch.rand(2, *facts.input_shape)).shape == (2, 10)


def test_an_unknown_name():
    with pytest.raises(InvalidInput, match=r"model zoo:NAME must be one of .* got 'nothing'"):
        load_model("zoo:nothing")
