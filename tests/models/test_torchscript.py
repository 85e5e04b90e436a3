"""`file.ts`: what torch.jit.save wrote, deprecated but common."""

import copy
import shutil
import warnings
import zipfile

import pytest
import torch

from simplicert.errors import InvalidInput
from simplicert.models import load_model


@pytest.fixture
def path(network, images, tmp_path):
    return script(network, images, tmp_path / "network.ts")


def script(network, images, path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        torch.jit.save(torch.jit.trace(network, images[:2]), path)
    return path


def test_same_logits_in_eval_mode(network, images, path):
    model = load_model(str(path))
    assert model.name == "network.ts" and not model.classifier.training
    torch.testing.assert_close(model.classifier(images), network(images))
    torch.testing.assert_close(copy.deepcopy(model.classifier)(images), network(images))


def test_fingerprint_is_of_the_content(network, images, path, tmp_path):
    fingerprint = load_model(str(path)).fingerprint
    again = shutil.copy(path, tmp_path / "elsewhere.ts")
    assert load_model(str(again)).fingerprint == fingerprint
    with torch.no_grad():
        network[4].bias[0] += 1e-3
    changed = script(network, images, tmp_path / "changed.ts")
    assert load_model(str(changed)).fingerprint != fingerprint


def test_the_outer_folder_of_the_archive_does_not_count(path, tmp_path):
    """TorchScript names it after the file."""
    other = tmp_path / "renamed.ts"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(other, "w") as new:
        for member in old.namelist():
            new.writestr(member.replace("network/", "renamed/", 1), old.read(member))
    assert load_model(str(other)).fingerprint == load_model(str(path)).fingerprint


def test_a_pickle_inside_the_archive_is_not_executed(trap, path, tmp_path):
    """The reader of TorchScript knows no Python objects."""
    torch.save(trap, tmp_path / "trap")
    with zipfile.ZipFile(tmp_path / "trap") as archive:
        evil = archive.read("trap/data.pkl")
    other = tmp_path / "evil.ts"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(other, "w") as new:
        for member in old.namelist():
            new.writestr(member, evil if member.endswith("/data.pkl") else old.read(member))
    with pytest.raises(InvalidInput, match=r"evil\.ts cannot be read as TorchScript"):
        load_model(str(other))


def test_something_else_is_said_to_be(tmp_path):
    path = tmp_path / "text.ts"
    path.write_text("not a model")
    with pytest.raises(InvalidInput, match=r"text\.ts must be TorchScript saved by torch\.jit"):
        load_model(str(path))
