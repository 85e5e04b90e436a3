"""`file.ts`: what torch.jit.save wrote, deprecated but common."""

import copy
import shutil
import warnings
import zipfile

import numpy as np
import pytest
import torch

import simplicert as sc
from simplicert.errors import InvalidInput
from simplicert.importing import USER, Trust
from simplicert.models import load_model, load_raw_model


@pytest.fixture
def path(network, images, tmp_path):
    return script(network, images, tmp_path / "network.ts")


def script(network, images, path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        torch.jit.save(torch.jit.trace(network, images[:2]), path)
    return path


def test_same_logits_in_eval_mode(network, images, path):
    model = load_model(str(path), trust=True)
    assert model.name == "network.ts" and not model.classifier.training
    torch.testing.assert_close(model.classifier(images), network(images))
    torch.testing.assert_close(copy.deepcopy(model.classifier)(images), network(images))


def test_it_is_drawn_from_as_the_network_is(network, images, path):
    script = load_model(str(path), trust=True).classifier
    ours, theirs = (
        sc.sample(classifier, images[:3], sigma=0.25, draws=100, compile=False)
        for classifier in (script, network)
    )
    np.testing.assert_array_equal(ours.counts, theirs.counts)
    assert sc.Smoothed(script, 0.25).predict(images[:3], seed=0).classes.shape == (3,)


@pytest.mark.parametrize("wrap", [lambda script: script, torch.nn.Sequential])
def test_it_is_never_compiled(wrap, images, path, monkeypatch):
    """torch.compile refuses it, so a long run must not try."""
    monkeypatch.setattr("simplicert.sampling.sampler.WORTH", 0.0)
    script = wrap(load_model(str(path), trust=True).classifier)
    assert sc.sample(script, images[:2], sigma=0.25, draws=64, batch_size=64).counts.sum() == 128
    with pytest.raises(InvalidInput, match="compile must not be asked for TorchScript"):
        sc.sample(script, images[:2], sigma=0.25, draws=64, compile=True)


def test_fingerprint_is_of_the_content(network, images, path, tmp_path):
    fingerprint = load_model(str(path), trust=True).fingerprint
    again = shutil.copy(path, tmp_path / "elsewhere.ts")
    assert load_model(str(again), trust=True).fingerprint == fingerprint
    with torch.no_grad():
        network[4].bias[0] += 1e-3
    changed = script(network, images, tmp_path / "changed.ts")
    assert load_model(str(changed), trust=True).fingerprint != fingerprint


def test_the_outer_folder_of_the_archive_does_not_count(path, tmp_path):
    """TorchScript names it after the file."""
    other = tmp_path / "renamed.ts"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(other, "w") as new:
        for member in old.namelist():
            new.writestr(member.replace("network/", "renamed/", 1), old.read(member))
    assert (
        load_model(str(other), trust=True).fingerprint
        == load_model(str(path), trust=True).fingerprint
    )


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
        load_model(str(other), trust=True)


@pytest.mark.parametrize("trust", [USER, Trust("run.toml"), Trust("run.toml", vouched=True)])
def test_only_a_user_who_vouches_for_it_opens_it(path, trust):
    with pytest.raises(InvalidInput, match=r"network\.ts is refused: TorchScript can run.*--tru"):
        load_raw_model(str(path), trust)
    if trust.named_by:
        with pytest.raises(InvalidInput, match=r"pass --model network\.ts --trust"):
            load_raw_model(str(path), trust)


class Writes(torch.nn.Module):
    """Overwrites a file when it is opened: TorchScript runs __setstate__ then."""

    def __init__(self, name: str):
        """The file."""
        super().__init__()
        self.name, self.total = name, 0.0

    @torch.jit.export
    def __getstate__(self):
        """What is saved."""
        return (self.name, self.training)

    @torch.jit.export
    def __setstate__(self, state: tuple[str, bool]):
        """What is run when it is opened."""
        self.name, self.training = state
        self.total = float(torch.from_file(self.name, True, 4).fill_(65.0).sum())

    def forward(self, x):
        """Nothing."""
        return x


def test_a_file_that_overwrites_another_is_never_opened(tmp_path):
    """The attack is real: torch itself lets it through, and so does a user who vouches for it."""
    victim = tmp_path / "victim"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        torch.jit.save(torch.jit.script(Writes(str(victim))), tmp_path / "evil.ts")
    victim.write_bytes(b"mine" * 4)
    with pytest.raises(InvalidInput, match=r"evil\.ts is refused"):
        load_model(str(tmp_path / "evil.ts"))
    assert victim.read_bytes() == b"mine" * 4
    load_model(str(tmp_path / "evil.ts"), trust=True)
    assert victim.read_bytes() != b"mine" * 4


def test_something_else_is_said_to_be(tmp_path):
    path = tmp_path / "text.ts"
    path.write_text("not a model")
    with pytest.raises(InvalidInput, match=r"text\.ts must be TorchScript saved by torch\.jit"):
        load_model(str(path), trust=True)
