"""No pickle is executed, whatever its suffix says."""

import os
import pickle

import pytest
import torch

from simplicert.errors import InvalidInput
from simplicert.models import load_model
from simplicert.models.archives import FORBID, FORCE, weights_only


def test_the_trap_works(trap):
    """Without this the other tests would pass for nothing."""
    pickle.loads(pickle.dumps(trap))
    assert trap.mark.exists()
    trap.mark.unlink()


@pytest.mark.parametrize("suffix", ["pt", "pth", "pkl", "pickle", "bin", "ckpt", "joblib"])
def test_pickles_are_refused_by_suffix(trap, tmp_path, suffix):
    path = tmp_path / f"model.{suffix}"
    torch.save(trap, path)
    with pytest.raises(InvalidInput, match=f"model.{suffix} is a pickle.*never.* module:function"):
        load_model(str(path))


@pytest.mark.parametrize("suffix", ["pt2", "ts", "onnx"])
@pytest.mark.parametrize("write", [torch.save, lambda it, path: path.write_bytes(pickle.dumps(it))])
def test_pickles_are_refused_under_another_suffix(trap, tmp_path, suffix, write):
    path = tmp_path / f"model.{suffix}"
    write(trap, path)
    with pytest.raises(InvalidInput, match=f"model.{suffix}"):
        load_model(str(path))


@pytest.mark.parametrize("suffix", ["pt", "safetensors"])
def test_pickled_weights_are_refused(trap, tmp_path, suffix):
    path = tmp_path / f"weights.{suffix}"
    torch.save(trap, path)
    with pytest.raises(InvalidInput, match="never opened"):
        load_model(f"mlp@{path}")


def test_a_scripted_file_may_not_hide_behind_pt(tmp_path):
    with pytest.raises(InvalidInput, match=r"TorchScript files need the suffix \.ts"):
        load_model(str(tmp_path / "model.pt"))


def test_inside_weights_only_every_load_reads_tensors_alone(trap, tmp_path, monkeypatch):
    monkeypatch.setenv(FORBID, "1")
    torch.save(trap, tmp_path / "it")
    with weights_only(), pytest.raises(pickle.UnpicklingError):
        torch.load(tmp_path / "it", weights_only=False)
    assert os.environ[FORBID] == "1" and FORCE not in os.environ
