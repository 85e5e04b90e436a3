"""`timm:NAME`, with a stand-in for the library: the real one needs torchvision and a download."""

import os
import sys
from types import SimpleNamespace

import pytest
import torch

from simplicert.errors import InvalidInput
from simplicert.models import load_model
from simplicert.models.archives import FORCE


def stand_in(network):
    def create_model(name, pretrained):
        assert pretrained and os.environ[FORCE] == "1"
        if name != "tiny":
            raise RuntimeError(f"Unknown model ({name})")
        network.pretrained_cfg = {"mean": (0.5,), "std": (0.25,)}
        return network.train()

    return SimpleNamespace(create_model=create_model)


def test_the_model_comes_with_its_normalisation(network, images, monkeypatch):
    monkeypatch.setitem(sys.modules, "timm", stand_in(network))
    model = load_model("timm:tiny")
    assert model.name == "timm:tiny" and not model.classifier.training
    torch.testing.assert_close(model.classifier(images), network((images - 0.5) / 0.25))
    with pytest.raises(InvalidInput, match=r"timm:other cannot be loaded: Unknown model \(other\)"):
        load_model("timm:other")


def test_where_it_is_missing_or_broken(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "timm", None)
    with pytest.raises(InvalidInput, match=r"not installed: pip install 'simplicert\[timm\]'"):
        load_model("timm:tiny")
    monkeypatch.delitem(sys.modules, "timm")
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "timm.py").write_text("raise RuntimeError('operator nms does not exist\\nmore')")
    with pytest.raises(InvalidInput, match=r"timm, which does not import: operator nms does not e"):
        load_model("timm:tiny")
    (tmp_path / "timm.py").write_text("import no_such_library_as_this")
    with pytest.raises(InvalidInput, match="needs timm, which needs no_such_library_as_this"):
        load_model("timm:tiny")
