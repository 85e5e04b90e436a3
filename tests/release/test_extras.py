"""Without an optional library, a command says in one sentence which extra brings it."""

from importlib import import_module

import numpy as np
import pytest

from simplicert import importing

OPTIONAL = {"torch", "sklearn", "onnx", "onnxruntime", "ray", "transformers", "datasets", "timm"}
DRAWS = ("--sigma", "0.25", "--draws", "100", "--out", "run")


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """A folder with data and an ONNX file, in an environment without any extra."""

    def absent(name):
        if name.partition(".")[0] in OPTIONAL:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return import_module(name)

    monkeypatch.setattr(importing, "import_module", absent)
    monkeypatch.chdir(tmp_path)
    pixels = np.random.default_rng(0).integers(0, 256, (4, 8, 8, 1)).astype(np.uint8)
    np.savez("images.npz", images=pixels, labels=[0, 1, 2, 0])
    (tmp_path / "linear.onnx").touch()


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("train", "--data", "images.npz", "--sigma", "0.25", "--out", "network"), "torch"),
        (("demo", "--out", "demo"), "demo"),
        (("sample", "--model", "hf:vit", "--data", "images.npz", *DRAWS), "hf"),
        (("sample", "--model", "timm:resnet18", "--data", "images.npz", *DRAWS), "timm"),
        (("sample", "--model", "linear.onnx", "--data", "images.npz", *DRAWS), "onnx"),
        (("sample", "--model", "zoo:cifar10-small-1", "--data", "images.npz", *DRAWS), "torch"),
        (("sample", "--model", "zoo:cifar10-small-1", "--data", "digits", *DRAWS), "demo"),
        (("sample", "--model", "zoo:cifar10-small-1", "--data", "hf:mine", *DRAWS), "hf"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value[:3]),
)
def test_the_extra_is_named(bare, command, words, extra):
    code, _, said = command(*words)
    assert code == 2
    assert len([line for line in said.splitlines() if not line.startswith("loading ")]) == 1
    assert said.endswith(f"which is not installed: pip install 'simplicert[{extra}]'\n")
