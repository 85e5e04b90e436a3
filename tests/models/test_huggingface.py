"""`hf:DIR`: a tiny network of transformers, saved and loaded offline."""

import copy
import json
import os
import shutil
import sys

import pytest
import torch

from simplicert.errors import InvalidInput
from simplicert.models import load_model

transformers = pytest.importorskip("transformers")


@pytest.fixture
def network():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        config = transformers.ResNetConfig(
            num_channels=1,
            embedding_size=4,
            hidden_sizes=[4, 8],
            depths=[1, 1],
            layer_type="basic",
            num_labels=3,
        )
        return transformers.ResNetForImageClassification(config).eval()


@pytest.fixture
def folder(network, tmp_path):
    network.save_pretrained(tmp_path / "tiny")
    return tmp_path / "tiny"


@pytest.fixture
def batch():
    return torch.linspace(0, 1, 2 * 16 * 16).reshape(2, 1, 16, 16)


@pytest.mark.slow
def test_logits(network, folder, batch, capfd):
    capfd.readouterr()
    model = load_model(f"hf:{folder}")
    assert model.name == "hf:tiny" and not model.classifier.training
    assert capfd.readouterr() == ("", "")  # printing is the command line's business
    with torch.inference_mode():
        torch.testing.assert_close(model.classifier(batch), network(batch).logits)
        torch.testing.assert_close(copy.deepcopy(model.classifier)(batch), network(batch).logits)


@pytest.mark.slow
def test_its_own_normalisation_comes_with_it(network, folder, batch):
    plain = load_model(f"hf:{folder}").fingerprint
    notes = {"do_normalize": True, "image_mean": [0.5], "image_std": [0.25]}
    (folder / "preprocessor_config.json").write_text(json.dumps(notes))
    model = load_model(f"hf:{folder}")
    with torch.inference_mode():
        expected = network((batch - 0.5) / 0.25).logits
        torch.testing.assert_close(model.classifier(batch), expected)
    assert model.fingerprint != plain
    with pytest.raises(InvalidInput, match="brings its own normalisation"):
        load_model(f"hf:{folder}", mean=[0.5], std=[0.25])
    (folder / "preprocessor_config.json").write_text(json.dumps(notes | {"do_normalize": False}))
    assert load_model(f"hf:{folder}").fingerprint == plain


def test_fingerprint_is_of_weights_and_settings(network, folder, tmp_path):
    fingerprint = load_model(f"hf:{folder}").fingerprint
    again = shutil.copytree(folder, tmp_path / "elsewhere")
    assert load_model(f"hf:{again}").fingerprint == fingerprint
    with torch.no_grad():
        next(network.parameters())[0, 0, 0, 0] += 1e-3
    network.save_pretrained(tmp_path / "changed")
    assert load_model(f"hf:{tmp_path / 'changed'}").fingerprint != fingerprint


def test_fingerprint_sees_settings_that_change_no_weight(tmp_path):
    """One head of attention or two: the same tensors, the same printed structure."""
    sizes = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "image_size": 8}
    config = transformers.ViTConfig(**sizes, patch_size=4, num_attention_heads=1, num_labels=3)
    transformers.ViTForImageClassification(config).save_pretrained(tmp_path / "vit")
    fingerprint = load_model(f"hf:{tmp_path / 'vit'}").fingerprint
    settings = json.loads((tmp_path / "vit" / "config.json").read_text())
    changed = settings | {"num_attention_heads": 2}
    (tmp_path / "vit" / "config.json").write_text(json.dumps(changed))
    assert load_model(f"hf:{tmp_path / 'vit'}").fingerprint != fingerprint


def test_a_network_without_its_last_layer_is_refused(network, tmp_path):
    """Transformers would fill it with random numbers and say so in a log."""
    network.base_model.save_pretrained(tmp_path / "headless")
    with pytest.raises(InvalidInput, match=r"must hold all its weights, it lacks \['classifier"):
        load_model(f"hf:{tmp_path / 'headless'}")


def test_pickled_weights_are_refused(trap, folder):
    (folder / "model.safetensors").unlink()
    torch.save(trap, folder / "pytorch_model.bin")
    with pytest.raises(InvalidInput, match=r"safetensors weights \(pickles are never opened\)"):
        load_model(f"hf:{folder}")


def test_code_in_the_folder_is_not_run(trap, folder):
    settings = json.loads((folder / "config.json").read_text())
    for key in ("model_type", "architectures"):
        settings.pop(key)
    settings["auto_map"] = {
        "AutoConfig": "evil.Config",
        "AutoModelForImageClassification": "evil.Model",
    }
    (folder / "config.json").write_text(json.dumps(settings))
    (folder / "evil.py").write_text(f"import pathlib; pathlib.Path({str(trap.mark)!r}).touch()")
    with pytest.raises(InvalidInput, match="must be a folder or a cached name"):
        load_model(f"hf:{folder}")


def test_what_is_not_there(tmp_path):
    with pytest.raises(
        InvalidInput, match="model hf:nobody/nothing-here must be a folder or a cac"
    ):
        load_model("hf:nobody/nothing-here")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidInput, match="must be a folder or a cached name"):
        load_model(f"hf:{tmp_path / 'empty'}")
    with pytest.raises(InvalidInput, match="followed by a name or a folder"):
        load_model("hf:")


def test_without_the_library(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(InvalidInput, match=r"not installed: pip install 'simplicert\[hf\]'"):
        load_model(f"hf:{folder}")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"depths": [10**9, 1]}, "must hold numbers"),
        ({"depths": [500_000] * 3}, "lists that sum to numbers, up to 1,048,576, got 1500000"),
        ({"depths": [900_000, 1]}, "asks for more than 1,152 tensors, and its weights hold 38"),
        ({"hidden_sizes": [4, 500_000]}, "asks for more than 10,003,114 values"),
        ({"embedding_size": 10**400}, "must hold numbers"),
        ({"depths": 0}, "must be a folder or a cached name"),
        ({"num_channels": "x"}, "must be a folder or a cached name"),
    ],
)
def test_a_network_larger_than_its_weights_is_never_built(folder, change, says):
    held = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(held | change))
    with pytest.raises(InvalidInput, match=says):
        load_model(f"hf:{folder}")


@pytest.mark.parametrize("name", ["config.json", "preprocessor_config.json", "model.safetensors"])
def test_a_pipe_is_not_waited_for(folder, name):
    (folder / name).unlink(missing_ok=True)
    os.mkfifo(folder / name)
    with pytest.raises(InvalidInput, match=f"{name} must be a plain file, got a pipe"):
        load_model(f"hf:{folder}")


@pytest.mark.parametrize(
    "text", ["[" * 10**5, "9" * 5000, "[]", '{"do_normalize": 1, "image_mean": 7}']
)
def test_a_preprocessor_that_is_none(folder, text):
    (folder / "preprocessor_config.json").write_text(text)
    with pytest.raises(InvalidInput, match=r"preprocessor_config|image_mean"):
        load_model(f"hf:{folder}")
