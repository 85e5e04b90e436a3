"""The networks: their sizes by hand, and what they accept."""

import pytest
import torch

from simplicert.errors import InvalidInput
from simplicert.models.architectures import ARCHITECTURES, DENOISERS, build_network
from simplicert.models.architectures.resnet import build_resnet

each = pytest.mark.parametrize("name", sorted(ARCHITECTURES))


def size(module):
    return sum(parameter.numel() for parameter in module.parameters())


def resnet_size(depth, classes, channels):
    """Convolutions without bias, two numbers a channel for each batch norm; by hand."""
    blocks = (depth - 2) // 6

    def convolution(narrow, wide, side=3):
        return narrow * wide * side * side + 2 * wide

    total = convolution(channels, 16)
    for narrow, wide in ((16, 16), (16, 32), (32, 64)):
        total += convolution(narrow, wide) + (2 * blocks - 1) * convolution(wide, wide)
        total += convolution(narrow, wide, 1) if narrow != wide else 0
    return total + 64 * classes + classes


@pytest.mark.parametrize("depth", [20, 56, 110])
def test_resnets_have_the_size_of_the_paper(depth):
    """He et al. (2016), table 6: 0.27, 0.85 and 1.7 million."""
    million = {20: 0.27, 56: 0.85, 110: 1.7}[depth]
    built = size(ARCHITECTURES[f"resnet{depth}"](10, (3, 32, 32)))
    assert built == resnet_size(depth, 10, 3)
    assert abs(built / 1e6 - million) < 0.04


def test_the_small_network_is_small():
    assert 140_000 < size(ARCHITECTURES["small_cnn"](10, (3, 32, 32))) < 160_000


@each
@pytest.mark.parametrize("shape", [(1, 8, 8), (3, 32, 32)])
def test_logits_of_any_image(name, shape):
    module = ARCHITECTURES[name](7, shape).eval()
    with torch.inference_mode():
        logits = module(torch.rand(2, *shape))
    assert logits.shape == (2, 7) and bool(torch.isfinite(logits).all())


@pytest.mark.parametrize("shape", [(1, 8, 8), (3, 7, 5), (3, 1, 1)])
def test_denoisers_keep_the_shape_and_begin_as_they_are_given(shape):
    """Odd sides too; at first nothing is taken out, and afterwards every pixel can be changed."""
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(0)
        x = torch.rand(2, *shape)
        for build in DENOISERS.values():
            module = build(10, shape).eval()
            assert torch.equal(module(x), x)
            module.last.bias.fill_(1.0)
            assert torch.equal(module(x), x - 1)


def test_the_small_denoiser_is_small():
    assert size(DENOISERS["small_dncnn"](10, (3, 32, 32))) == 2 * 12 * 48 * 9 + 48 + 12 + 4 * (
        48 * 48 * 9 + 2 * 48
    )


@pytest.mark.slow
@each
def test_a_row_does_not_depend_on_its_batch(name):
    with torch.random.fork_rng(), torch.inference_mode():
        torch.manual_seed(0)
        module = ARCHITECTURES[name](3, (1, 8, 8)).eval()
        batch = torch.rand(4, 1, 8, 8)
        torch.testing.assert_close(module(batch)[:1], module(batch[:1]), rtol=1e-3, atol=1e-3)


@each
def test_first_and_last_layers_have_their_names(name):
    state = ARCHITECTURES[name](3, (1, 8, 8)).state_dict()
    assert len(state["fc.weight"]) == 3
    assert ("conv1.weight" in state) != ("fc1.weight" in state)


@each
def test_wrong_arguments(name):
    with pytest.raises(InvalidInput, match="num_classes must be at least 2, got 1"):
        ARCHITECTURES[name](1, (1, 8, 8))
    wrong = () if name.endswith("mlp") else (64,)
    with pytest.raises(InvalidInput, match=f"{name} takes .* got input_shape"):
        ARCHITECTURES[name](3, wrong)


def test_depths():
    with pytest.raises(InvalidInput, match=r"depth must be 6 n \+ 2, got 21"):
        build_resnet(21, 10, (3, 32, 32))


def test_checkpoints_of_the_field_fit_by_name():
    """Layer names of the CIFAR networks that certification papers share."""
    state = ARCHITECTURES["resnet110"](10, (3, 32, 32)).state_dict()
    expected = {"conv1.weight", "bn1.running_mean", "layer1.17.conv2.weight", "fc.bias"}
    expected |= {"layer2.0.downsample.0.weight", "layer3.0.downsample.1.bias"}
    assert expected <= set(state) and "layer1.0.downsample.0.weight" not in state


def bottleneck_size(incoming, width, shortcut):
    """1 x 1, 3 x 3 and 1 x 1 without bias, two numbers a channel for each batch norm; by hand."""
    wide = 4 * width
    total = incoming * width + 9 * width * width + width * wide + 2 * (2 * width + wide)
    return total + (incoming * wide + 2 * wide if shortcut else 0)


def test_resnet50_has_the_published_size():
    """25,557,032 parameters, the number everyone states; here counted block by block."""
    total, incoming = 3 * 64 * 49 + 128, 64
    for width, blocks in ((64, 3), (128, 4), (256, 6), (512, 3)):
        total += bottleneck_size(incoming, width, shortcut=True)
        total += (blocks - 1) * bottleneck_size(4 * width, width, shortcut=False)
        incoming = 4 * width
    total += incoming * 1000 + 1000
    assert size(ARCHITECTURES["resnet50"](1000, (3, 224, 224))) == total == 25_557_032


def test_resnet50_has_torchvisions_names():
    state = ARCHITECTURES["resnet50"](1000, (3, 64, 64)).state_dict()
    assert len(state) == 320  # 161 parameters and 53 batch norms with three numbers each
    shapes = {
        "conv1.weight": (64, 3, 7, 7),
        "bn1.running_var": (64,),
        "layer1.0.downsample.0.weight": (256, 64, 1, 1),
        "layer1.0.downsample.1.bias": (256,),
        "layer3.5.conv2.weight": (256, 256, 3, 3),
        "layer4.2.bn3.weight": (2048,),
        "fc.weight": (1000, 2048),
    }
    assert {name: tuple(state[name].shape) for name in shapes} == shapes
    assert "layer1.1.downsample.0.weight" not in state


def test_own_builders(tmp_path, monkeypatch):
    (tmp_path / "own_arch.py").write_text(
        "from torch import nn\n"
        "def line(classes, shape):\n    return nn.Linear(shape[0], classes)\n"
        "def broken(classes, shape):\n    return 1 / 0\n"
        "def number(classes, shape):\n    return 3\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert build_network("own_arch:line", 3, (5,)).weight.shape == (3, 5)
    for name, words in (
        ("broken", "failed when it was called with 3 classes .* ZeroDivisionError"),
        ("number", "must return a torch module, got 3"),
        ("none", "must name a function of its module, got None"),
    ):
        with pytest.raises(InvalidInput, match=words):
            build_network(f"own_arch:{name}", 3, (5,))
    with pytest.raises(InvalidInput, match=r"arch must be one of resnet20, .* got 'vgg'"):
        build_network("vgg", 3, (5,))


@pytest.mark.slow
@each
def test_the_last_layer_keeps_single_precision(name):
    """Under autocast logits are single and not numbers of half precision, or classes would tie."""
    with torch.random.fork_rng(), torch.inference_mode():
        torch.manual_seed(0)
        module = ARCHITECTURES[name](7, (3, 32, 32)).eval()
        batch = torch.rand(4, 3, 32, 32)
        whole = module(batch)
        with torch.autocast("cpu"):
            logits = module(batch)
    assert logits.dtype == torch.float32
    assert bool((logits.bfloat16().float() != logits).any())
    torch.testing.assert_close(logits, whole, rtol=0.1, atol=0.1)
