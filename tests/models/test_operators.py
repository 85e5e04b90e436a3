"""The list of operations: long enough for the networks people have, and none that does more."""

import warnings

import pytest
import torch
from torch import nn
from torch.nn import functional

from simplicert.models import denoised, diffusion_denoiser, load_model
from simplicert.models.architectures import ARCHITECTURES, build_network
from simplicert.models.modules import Normalised
from simplicert.models.programs import ATEN, is_listed, is_operator

IMAGES = torch.linspace(0, 1, 2 * 3 * 32 * 32).reshape(2, 3, 32, 32)
TOKENS = torch.linspace(-1, 1, 2 * 5 * 16).reshape(2, 5, 16)


def loads(network, batch, path):
    """Whether the exported network is accepted and answers as the network does."""
    network = network.eval()
    torch.export.save(torch.export.export(network, (batch,)), path)
    with torch.no_grad():
        torch.testing.assert_close(load_model(str(path)).classifier(batch), network(batch))


@pytest.mark.slow
@pytest.mark.parametrize("arch", [a for a in ARCHITECTURES if a not in ("resnet56", "resnet110")])
def test_our_networks(arch, tmp_path):
    """resnet56 and resnet110 are resnet20 with more of the same."""
    batch = torch.rand(2, 64) if arch == "mlp" else IMAGES
    network = build_network(arch, 10, tuple(batch.shape[1:]))
    loads(Normalised(network, [0.5], [0.25]), batch, tmp_path / "net.pt2")


class Residual(nn.Module):
    """The idioms of published image networks: in place, squeezed, excited, shuffled, dropped."""

    def __init__(self):
        """Every normalisation, pooling, padding and activation in one."""
        super().__init__()
        names = ("ReLU6", "SiLU", "Hardswish", "Hardsigmoid", "LeakyReLU", "ELU", "Mish", "SELU")
        self.acts = nn.ModuleList([getattr(nn, name)(inplace=True) for name in names])
        self.more = nn.ModuleList([nn.GELU(), nn.PReLU(), nn.Softplus(), nn.Tanh(), nn.Sigmoid()])
        self.stem = nn.Sequential(
            nn.ReflectionPad2d(1), nn.Conv2d(3, 16, 3, 2), nn.BatchNorm2d(16), nn.ReLU(inplace=True)
        )
        self.norms = nn.ModuleList([nn.GroupNorm(4, 16), nn.InstanceNorm2d(16, affine=True)])
        self.excite = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(16, 16, 1), nn.Sigmoid())
        self.depth = nn.Conv2d(16, 16, 3, padding=1, groups=16)
        self.drop, self.head = nn.Dropout2d(0.2), nn.Linear(16, 10)

    def forward(self, x):
        """Logits."""
        x = self.stem(x)
        x = x * self.excite(x)
        for act in (*self.acts, *self.more, *self.norms):
            x = act(self.depth(x.clone()) + x)
        first, second = x.chunk(2, dim=1)
        x = torch.cat([second, functional.max_pool2d(first, 3, 1, 1)], dim=1)
        x = functional.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)
        x = self.drop(functional.avg_pool2d(x, 2)).mean(dim=(-2, -1))
        x = functional.normalize(x.flatten(1), dim=1).clamp(-6, 6)
        return functional.log_softmax(self.head(x), dim=1)


@pytest.mark.slow
def test_idioms_of_image_networks(tmp_path):
    loads(Residual(), IMAGES, tmp_path / "net.pt2")


class Transformer(nn.Module):
    """Patches or tokens with attention: embedding, mask, layer norm, gelu."""

    def __init__(self):
        """One block by hand, one of torch's."""
        super().__init__()
        self.places, self.norm = nn.Embedding(5, 16), nn.LayerNorm(16)
        self.token = nn.Parameter(torch.zeros(1, 1, 16))
        self.mixed = nn.Linear(16, 48)
        self.layer = nn.TransformerEncoderLayer(16, 2, 32, activation="gelu", batch_first=True)
        self.attention = nn.MultiheadAttention(16, 2, batch_first=True)
        self.head = nn.Linear(16, 4)

    def forward(self, x):
        """Logits of the class token."""
        x = x + self.places(torch.arange(x.shape[1], device=x.device))
        x = torch.cat([self.token.expand(len(x), -1, -1), x], dim=1)
        q, k, v = self.mixed(self.norm(x)).split(16, dim=-1)
        x = x + functional.scaled_dot_product_attention(q, k, v)
        mask = torch.ones(6, 6, dtype=torch.bool).tril().logical_not()
        scores = (q @ k.transpose(-2, -1) / 4).masked_fill(mask, float("-inf")).softmax(-1)
        x = self.layer(x + torch.einsum("bij,bjk->bik", scores, v))
        return self.head(x + self.attention(x, x, x, need_weights=False)[0])[:, 0]


@pytest.mark.slow
def test_transformers(tmp_path):
    loads(Transformer(), TOKENS, tmp_path / "net.pt2")


@pytest.mark.slow
@pytest.mark.parametrize("implementation", ["eager", "sdpa"])
def test_a_vision_transformer_of_the_library(implementation, tmp_path):
    library = pytest.importorskip("transformers")
    sizes = {"hidden_size": 16, "intermediate_size": 32, "image_size": 32, "patch_size": 8}
    config = library.ViTConfig(
        **sizes, num_hidden_layers=1, num_attention_heads=2, attn_implementation=implementation
    )

    class Logits(nn.Module):
        def __init__(self):
            super().__init__()
            self.network = library.ViTForImageClassification(config)

        def forward(self, x):
            return self.network(pixel_values=x).logits

    loads(Logits(), IMAGES, tmp_path / "vit.pt2")


class Steps(nn.Module):
    """A network of a diffusion model: noisy images and their step."""

    def __init__(self):
        """One level."""
        super().__init__()
        self.down, self.up = nn.Conv2d(3, 8, 3, 2, 1), nn.ConvTranspose2d(8, 3, 4, 2, 1)
        self.norm, self.step = nn.GroupNorm(4, 8), nn.Linear(8, 8)

    def forward(self, x, t):
        """The noise."""
        waves = torch.exp(-torch.arange(4, device=x.device) / 4.0)[None] * t[:, None].float()
        when = self.step(torch.cat([waves.sin(), waves.cos()], dim=-1))
        return self.up(functional.silu(self.norm(self.down(x))) + when[:, :, None, None])


@pytest.mark.slow
def test_denoisers(tmp_path):
    denoiser = diffusion_denoiser(Steps(), 0.25)
    loads(
        denoised(denoiser, build_network("small_cnn", 10, (3, 32, 32))),
        IMAGES,
        tmp_path / "net.pt2",
    )


@pytest.mark.slow
def test_recurrent_networks(tmp_path):
    class Last(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.LSTM(16, 4, batch_first=True)

        def forward(self, x):
            return self.inner(x)[0][:, -1]

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*assigned during export")
        loads(Last(), TOKENS, tmp_path / "net.pt2")


def test_parts_without_gradient_or_in_another_precision(tmp_path):
    """Blocks of their own in the exported program, whose operations are looked at, too."""

    class Blocks(nn.Module):
        def forward(self, x):
            with torch.no_grad():
                x = x * 2
            with torch.autocast("cpu", enabled=False):
                return (x + 1).flatten(1)[:, :4]

    loads(Blocks(), IMAGES, tmp_path / "net.pt2")


@pytest.mark.parametrize(
    "name",
    [
        *("torch.ops.aten.from_file.default", "torch.ops.aten.set_.source_Storage"),
        *("torch.ops.aten.add.out", "torch.ops.aten.mul.Scalar_out", "torch.ops.aten.add_extra"),
        *("torch.ops.aten.record_stream.default", "torch.ops.prim.Print", "torch.ops.aten.save"),
        *("torch.ops.higher_order.call_torchbind", "torch.ops.higher_order.cond"),
        *("torch.load", "torch.ops.load_library", "torch.hub.load", "os.system", "math.factorial"),
        *("torch.ops.aten.add.Tensor\n", " torch.ops.aten.add.Tensor", "torch.ops.aten", ""),
    ],
)
def test_not_on_the_list(name):
    assert not is_listed(name)


@pytest.mark.parametrize(
    "name", ["torch.load", "torch.ops.load_library", "os.system", "torch.ops.mine.op.default"]
)
def test_what_is_no_operator_of_torch_cannot_be_vouched_for(name):
    assert not is_operator(name)


@pytest.mark.parametrize(
    "name",
    [
        *("torch.ops.aten.__and__.Tensor", "torch.ops.aten.to.dtype_layout", "_operator.getitem"),
        *("torch.ops.aten.relu_.default", "torch.sym_max", "torch.ops.aten.add.Tensor"),
    ],
)
def test_on_the_list(name):
    assert is_listed(name) and is_operator(name)


def test_the_list_holds_operators_that_take_tensors_numbers_and_words_alone():
    """By torch's own descriptions: no file, storage, stream, generator object or function."""
    for name in sorted(ATEN):
        packet = getattr(torch.ops.aten, name)  # a name that torch does not have fails here
        for overload in packet.overloads():
            if is_listed(f"torch.ops.aten.{name}.{overload}"):
                described = str(getattr(packet, overload)._schema)
                for word in ("filename", "Storage", "Stream", "__torch__", "Future", "Any "):
                    assert word not in described, described
