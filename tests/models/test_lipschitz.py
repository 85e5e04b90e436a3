"""Lipschitz constants of softmax scores: never below what Jacobians and differences show."""

import operator

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

import simplicert as sc
from simplicert.models import lipschitz_constant
from simplicert.models.architectures import ARCHITECTURES, build_network, resnet, small_cnn
from simplicert.models.lipschitz import ROOM, SOFTMAX, prove_constant
from simplicert.models.modules import Normalised
from simplicert.models.unit_layers import MaxMin, RescaledLinear, Scale

pytestmark = pytest.mark.usefixtures("one_thread")


def score_slopes(network, shape, seed=0, points=6):
    """Lengths of the scores' gradients and of differences over distances, at random places."""
    network = network.double().eval()
    random = torch.Generator().manual_seed(seed)
    found = []
    for _ in range(points):
        x = torch.randn(1, *shape, dtype=torch.double, generator=random)
        jacobian = torch.autograd.functional.jacobian(lambda v: network(v).softmax(1)[0], x)
        found.append(jacobian.flatten(1).norm(dim=1).max().item())
        step = torch.randn(32, *shape, dtype=torch.double, generator=random) * 1e-2
        with torch.no_grad():
            change = (network(x + step).softmax(1) - network(x).softmax(1)).abs()
        found.append((change.max(dim=1).values / step.flatten(1).norm(dim=1)).max().item())
    return found


def logit_norm(network, shape, seed=0, points=4):
    """The largest singular value of the logits' Jacobian at random places."""
    network = network.double().eval()
    random = torch.Generator().manual_seed(seed)
    at = (torch.randn(1, *shape, dtype=torch.double, generator=random) for _ in range(points))
    found = (torch.autograd.functional.jacobian(lambda v: network(v)[0], x) for x in at)
    return max(torch.linalg.matrix_norm(j.flatten(1), 2).item() for j in found)


class Residual(nn.Module):
    """Convolution, batch normalisation, two shortcuts, both kinds of pooling, one linear layer."""

    def __init__(self):
        """Few channels."""
        super().__init__()
        self.conv1 = nn.Conv2d(2, 4, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(4)
        self.conv2 = nn.Conv2d(4, 4, 3, padding=1, groups=2)
        self.down = nn.Sequential(nn.Conv2d(4, 6, 1, stride=2), nn.ReLU())
        self.conv3 = nn.Conv2d(4, 6, 3, stride=2, padding=1)
        self.register_buffer("shift", torch.ones(6, 1, 1))
        self.fc = nn.Linear(12, 3)

    def forward(self, x):
        """Return the logits."""
        x = torch.relu(self.bn1(self.conv1(x)))
        x = x + functional.relu(self.conv2(x))
        x = self.down(x) - self.conv3(x) / 2.0 + self.shift
        x = torch.cat([functional.max_pool2d(x, 2), functional.avg_pool2d(x, 2)], 1)
        return self.fc(x.mean((2, 3)))


def seeded(make, seed=0):
    """A network whose batch normalisations are not at their start."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = make().eval()
        for part in network.modules():
            if isinstance(part, nn.BatchNorm2d):
                nn.init.uniform_(part.running_var, 0.2, 2)
                nn.init.normal_(part.weight)
                nn.init.normal_(part.running_mean)
    return network


def small_network(arch, shape, monkeypatch):
    """One of ours, with few channels: bounds of wide convolutions take seconds."""
    monkeypatch.setattr(small_cnn, "WIDTHS", (4, 4, 4, 4, 6))
    monkeypatch.setattr(resnet, "WIDTHS", (4, 6, 8))
    build = ARCHITECTURES[arch] if arch != "resnet8" else lambda k, s: resnet.build_resnet(8, k, s)
    return seeded(lambda: build(4, shape))


def test_the_slope_of_a_softmax_score():
    """At most sqrt(2)/4, and reached by two classes that are even."""
    random = np.random.default_rng(0)
    logits = torch.tensor(random.normal(size=(2000, 5)) * 3, requires_grad=True)
    logits.softmax(1)[:, 0].sum().backward()
    assert logits.grad.norm(dim=1).max() <= SOFTMAX
    even = torch.tensor([[0.0, 0.0, -800.0]], dtype=torch.double, requires_grad=True)
    even.softmax(1)[0, 0].backward()
    assert SOFTMAX * (1 - 1e-15) <= even.grad.norm() <= SOFTMAX


@pytest.mark.parametrize("seed", range(8))
def test_convolutions_are_never_below_the_dense_operator(seed):
    """Strides, padding, groups and dilation: the norm of the matrix that the layer is."""
    random = np.random.default_rng(seed)
    groups, step, pad = (int(random.integers(1, n)) for n in (3, 4, 3))
    kernel, spread = int(random.integers(1, 4)), int(random.integers(1, 3))
    torch.manual_seed(seed)
    layer = nn.Conv2d(2 * groups, 3 * groups, kernel, step, pad, spread, groups).double().eval()
    shape = (2 * groups, 6, 7)
    units = torch.eye(int(np.prod(shape)), dtype=torch.double).reshape(-1, *shape)
    with torch.no_grad():
        dense = (layer(units) - layer(torch.zeros_like(units))).flatten(1).numpy()
    network = nn.Sequential(layer, nn.Flatten())
    assert prove_constant(network, shape) >= SOFTMAX * np.linalg.norm(dense, 2)


@pytest.mark.parametrize(("kernel", "step", "most"), [(2, 2, 1), (3, 2, 2), (3, 1, 3), (2, 3, 1)])
def test_max_pooling_is_tight(kernel, step, most):
    """One place in as many windows as possible moves as many outputs."""
    layer, shape = nn.MaxPool2d(kernel, step), (1, 9, 9)
    found = prove_constant(nn.Sequential(layer, nn.Flatten()), shape) / SOFTMAX
    assert most <= found <= most * (1 + 1e-9)
    units = torch.eye(81, dtype=torch.double).reshape(81, 1, 9, 9)
    assert layer(units).flatten(1).norm(dim=1).max() == pytest.approx(most)
    wide = nn.MaxPool1d(3, 2, dilation=2)
    assert prove_constant(nn.Sequential(wide, nn.Flatten()), (1, 9)) >= SOFTMAX * np.sqrt(3)


@pytest.mark.parametrize("arch", ["residual", "mlp", "small_cnn", "resnet8", "lipschitz_mlp"])
def test_whole_networks_are_never_below_their_slopes(arch, monkeypatch):
    """Also behind a normalisation, which divides by its smallest spread."""
    shape = (2, 8, 8)
    network = seeded(Residual) if arch == "residual" else small_network(arch, shape, monkeypatch)
    constant = prove_constant(network, shape)
    normalised = Normalised(network, (0.5, 0.1), (0.25, 0.5)).eval()
    assert prove_constant(normalised, shape) == pytest.approx(4 * constant, rel=1e-12)
    assert constant >= SOFTMAX * logit_norm(network, shape)
    assert constant >= max(score_slopes(network, shape))
    assert 4 * constant >= max(score_slopes(normalised, shape))


def test_a_network_of_unit_layers_has_the_scale_of_its_logits():
    network = build_network("lipschitz_mlp", 10, (1, 8, 8)).eval()
    scale = next(part.factor for part in network if isinstance(part, Scale))
    with torch.no_grad():
        for part in network:
            if isinstance(part, RescaledLinear):
                nn.init.normal_(part.weight)
    assert 0 < prove_constant(network) <= SOFTMAX * scale * (1 + 1e-9)
    assert prove_constant(network) >= SOFTMAX * logit_norm(network, (1, 8, 8))


def test_rescaled_weights_never_stretch_and_orthogonal_ones_stay():
    torch.manual_seed(0)
    layer = RescaledLinear(5, 7).double()
    torch.testing.assert_close(layer.rescaled_weight(), layer.weight)
    for size in (1e-7, 1.0, 1e3):
        nn.init.normal_(layer.weight, std=size)
        layer.weight.data[:, 0] = 0
        assert torch.linalg.matrix_norm(layer.rescaled_weight(), 2) <= 1 + 1e-12
    x = torch.tensor([[3.0, 5.0, 2.0, -1.0]])
    assert MaxMin()(x).tolist() == [[5.0, 3.0, 2.0, -1.0]]
    with pytest.raises(sc.InvalidInput, match="even number of features"):
        MaxMin()(torch.zeros(1, 3))


def test_what_is_recorded_leaves_room_for_another_machine():
    network = nn.Linear(3, 3).eval()
    proved = prove_constant(network)
    assert proved * (1 + ROOM) <= lipschitz_constant(network) <= proved * (1 + 2e-8)


def forward_as(function):
    """A network of one linear layer after this function."""

    class Made(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 3)

        def forward(self, x):
            return self.fc(function(x))

    return Made().eval()


def changed_in_place(x):
    kept = x * 1.0
    y = kept
    y += 3 * kept
    return kept + y


def half_of_it(x):
    return x / 2 if x.sum() > 0 else x


class Steep(nn.Module):
    """A gentle linear layer, and what `more` adds to it by another, a thousand times as steep."""

    def __init__(self, more):
        """`more` gets the network and the batch."""
        super().__init__()
        self.gentle, self.steep, self.more = nn.Linear(4, 3), nn.Linear(4, 3), more
        self.steep.weight.data *= 1000

    def forward(self, x):
        """Return the logits."""
        return self.gentle(x) + self.more(self, x)


def seen_where_negative(network, x):
    """Code that asks what it is given: the graph lacks a branch that is 0 in the unit box."""
    return network.steep(torch.relu(-x)) if isinstance(x, torch.Tensor) else 0


def changed_where_large(x):
    """`y` is `kept` under another name, and what is added to it is 0 at all random inputs."""
    kept = x * 1.0
    y = kept.view(-1, 4)
    y += torch.relu(1000 * (kept - 50))
    return kept + y


def hooked():
    network = nn.Linear(4, 3).eval()
    network.register_forward_hook(lambda module, args, out: 100 * out)
    return network


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4)).eval(),
            r"1 \(LayerNorm\) is none",
        ),
        (lambda: nn.Sequential(nn.BatchNorm1d(4), nn.Linear(4, 3)), "must be in eval mode"),
        (lambda: nn.Linear(4, 3).half().eval(), "single or double precision, and weight"),
        (lambda: forward_as(changed_in_place), "change no tensor in place that is used again"),
        (lambda: forward_as(half_of_it), "its steps must not depend on its numbers"),
        (lambda: forward_as(lambda x: x * x), "must not both depend on the input"),
        (lambda: forward_as(lambda x: x / x), "divisors must be fixed"),
        (lambda: forward_as(lambda x: x + x.mean(1, keepdim=True)), "must repeat no number"),
        (lambda: forward_as(torch.exp), "exp is none of"),
        (lambda: forward_as(lambda x: x + x.mean(0)), "must keep the rows of a batch apart"),
        (lambda: forward_as(lambda x: x.view(torch.int32)), "must keep their precision"),
        (lambda: forward_as(lambda x: torch.add(x, x, alpha=5)), "add has a factor"),
        (lambda: forward_as(lambda x: x.repeat(1, 1)), "repeat is none of"),
        (lambda: forward_as(lambda x: x / 0.0), "must not be 0"),
        (lambda: forward_as(lambda x: 0 * x), "positive and finite, got"),
        (
            lambda: Steep(lambda net, x: torch.cat(tensors=[net.steep(x)], dim=1)).eval(),
            r"cat has \['tensors'\]",
        ),
        (lambda: forward_as(lambda x: x * x.size(0)), "must not count the rows of a batch"),
        (lambda: Steep(seen_where_negative).eval(), "those traced of Steep are not"),
        (lambda: forward_as(changed_where_large), "change no tensor in place that is used again"),
        (lambda: forward_as(lambda x: operator.iadd(x, 1.0)), "change no tensor in place"),
        (
            lambda: Steep(lambda net, x: 0 * x if net.training else net.steep(x)),
            "must be those of eval mode",
        ),
        (hooked, "has hooks"),
        (lambda: len, "must be a torch module that starts at the input"),
        (
            lambda: sc.models.at_layer(nn.Sequential(nn.Linear(4, 3)), "0", torch.zeros(1, 4)),
            "starts at the input for a Lipschitz constant, got AtLayer",
        ),
    ],
)
def test_what_is_not_proved_is_refused_in_a_sentence(make, words):
    with pytest.raises(sc.InvalidInput, match=words):
        lipschitz_constant(make(), (4,))


def test_a_traced_network_needs_the_shape():
    with pytest.raises(sc.InvalidInput, match="input_shape must be given"):
        lipschitz_constant(forward_as(torch.relu))


def test_a_sum_in_place_is_a_sum_where_the_old_tensor_is_used_no_more():
    def shortcut(x):
        y = torch.cat([x], 1)
        y += x
        y *= 3
        return y

    network = forward_as(shortcut)
    alone = prove_constant(network.fc, (4,))
    assert prove_constant(network, (4,)) == pytest.approx(6 * alone, rel=1e-6)


def test_sums_and_lists_of_traced_networks():
    """Nested ones, and steps that only move numbers."""
    inner = forward_as(lambda x: torch.relu(x.view(x.size(0), -1)) + x.reshape(x.shape[0], 4))
    network = nn.Sequential(inner, nn.ReLU(inplace=True)).eval()
    found = prove_constant(network, (4,)) / SOFTMAX
    alone = np.linalg.norm(inner.fc.weight.detach().numpy(), 2)
    assert 2 * alone <= found <= 2 * alone * (1 + 1e-6)


def test_padding_is_what_the_convolution_was_built_with():
    """`forward` pads by what it was given then, whatever `padding` says now."""
    layer = nn.Conv1d(1, 1, 1, padding=3, padding_mode="replicate", bias=False)
    layer.weight.data.fill_(1.0)
    built = prove_constant(layer, (1, 4))
    layer.padding = (0,)
    assert layer(torch.zeros(1, 1, 4)).shape == (1, 1, 10)
    assert prove_constant(layer, (1, 4)) == built > 1.9 * SOFTMAX
