"""`ARCH@weights.safetensors`, and the writer of such files."""

import shutil

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import nn

from simplicert.errors import InvalidInput
from simplicert.models import load_model, save_weights
from simplicert.models.architectures import ARCHITECTURES
from simplicert.models.modules import Normalised

SHAPE = (1, 8, 8)


@pytest.fixture
def small():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return ARCHITECTURES["small_cnn"](4, SHAPE).eval()


@pytest.fixture
def path(small, tmp_path):
    save_weights(small, tmp_path / "small.safetensors", {"num_classes": 4, "input_shape": SHAPE})
    return tmp_path / "small.safetensors"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["resnet20", "small_cnn", "mlp"])
@pytest.mark.parametrize("metadata", [{}, {"num_classes": 4, "input_shape": SHAPE, "by": "us"}])
def test_round_trip(name, metadata, images, tmp_path):
    module = ARCHITECTURES[name](4, SHAPE).eval()
    save_weights(module, tmp_path / "w.safetensors", metadata)
    model = load_model(f"{name}@{tmp_path / 'w.safetensors'}")
    assert model.name == f"{name}@w.safetensors" and not model.classifier.training
    torch.testing.assert_close(model.classifier(images), module(images))
    assert [p.name for p in tmp_path.iterdir()] == ["w.safetensors"]


def test_the_same_network_gives_the_same_bytes(small, tmp_path):
    """Also where the metadata is given in another order; it reads back, whatever its length."""
    notes = {f"note {n}": '\u00fc\n"' * n for n in range(8)}
    for number, given in enumerate((notes, notes, dict(reversed(notes.items())))):
        save_weights(small, tmp_path / f"{number}.safetensors", given)
    first, *others = (path.read_bytes() for path in tmp_path.iterdir())
    assert all(one == first for one in others)
    with safe_open(tmp_path / "0.safetensors", framework="pt") as file:
        assert file.metadata() == notes and file.offset_keys()
        held = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    assert held.keys() == small.state_dict().keys()
    assert all(torch.equal(held[name], one) for name, one in small.state_dict().items())


def test_normalisation_goes_along(small, images, tmp_path):
    whole = Normalised(small, [0.5], [0.25]).eval()
    save_weights(whole, tmp_path / "w.safetensors", {})
    model = load_model(f"small_cnn@{tmp_path / 'w.safetensors'}")
    torch.testing.assert_close(model.classifier(images), small((images - 0.5) / 0.25))
    with pytest.raises(InvalidInput, match="brings its own normalisation"):
        load_model(f"small_cnn@{tmp_path / 'w.safetensors'}", mean=[0], std=[1])


def test_fingerprint_is_of_the_weights(small, path, tmp_path):
    fingerprint = load_model(f"small_cnn@{path}").fingerprint
    again = shutil.copy(path, tmp_path / "elsewhere.safetensors")
    assert load_model(f"small_cnn@{again}").fingerprint == fingerprint
    save_weights(small, tmp_path / "noted.safetensors", {"num_classes": 4, "note": "another"})
    assert load_model(f"small_cnn@{tmp_path / 'noted.safetensors'}").fingerprint == fingerprint
    with torch.no_grad():
        small.fc.bias[0] += 1e-3
    save_weights(small, tmp_path / "changed.safetensors", {})
    assert load_model(f"small_cnn@{tmp_path / 'changed.safetensors'}").fingerprint != fingerprint


def test_what_does_not_fit_is_named(small, tmp_path):
    state = dict(small.state_dict())
    cases = {
        r"it lacks bn2\.weight": {k: v for k, v in state.items() if k != "bn2.weight"},
        r"it has extra, which small_cnn lacks": state | {"extra": torch.zeros(1)},
        r"conv4\.weight must have shape \(64, 64, 3, 3\), got \(5,\)": state
        | {"conv4.weight": torch.zeros(5)},
        r"must hold fc\.weight or say num_classes": {"conv1.weight": state["conv1.weight"]},
        r"must hold conv1\.weight or fc1\.weight or say input_shape": {
            "fc.weight": state["fc.weight"]
        },
    }
    for message, wrong in cases.items():
        save_file(wrong, tmp_path / "wrong.safetensors")
        with pytest.raises(InvalidInput, match=message):
            load_model(f"small_cnn@{tmp_path / 'wrong.safetensors'}")


def test_metadata_must_be_numbers_and_must_fit(small, tmp_path):
    save_weights(small, tmp_path / "w.safetensors", {"num_classes": "many"})
    with pytest.raises(
        InvalidInput, match=r"num_classes of w\.safetensors must be numbers below [0-9,]+, got .m"
    ):
        load_model(f"small_cnn@{tmp_path / 'w.safetensors'}")
    save_weights(small, tmp_path / "w.safetensors", {"num_classes": 7})
    with pytest.raises(InvalidInput, match=r"fc\.weight must have shape \(7, 96\), got \(4, 96\)"):
        load_model(f"small_cnn@{tmp_path / 'w.safetensors'}")
    save_weights(small, tmp_path / "w.safetensors", {"mean": [0.5]})
    with pytest.raises(InvalidInput, match=r"metadata std of w\.safetensors must be numbers"):
        load_model(f"small_cnn@{tmp_path / 'w.safetensors'}")


def test_the_spec_must_be_whole(path, tmp_path):
    with pytest.raises(InvalidInput, match=r"must be one of resnet20, .*, got 'vgg'"):
        load_model(f"vgg@{path}")
    with pytest.raises(InvalidInput, match=r"need the name of their network: ARCH@small\.safet"):
        load_model(str(path))
    with pytest.raises(InvalidInput, match="must name a file that exists"):
        load_model(f"mlp@{tmp_path / 'absent.safetensors'}")
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(InvalidInput, match="must be a safetensors file"):
        load_model(f"small_cnn@{path}")


def test_shared_tensors_can_be_saved(tmp_path):
    """Safetensors refuses two names for one memory; each gets its own."""
    layer = nn.Linear(2, 2)
    save_weights(nn.Sequential(layer, layer), tmp_path / "w.safetensors", {})
    assert (tmp_path / "w.safetensors").stat().st_size > 0
