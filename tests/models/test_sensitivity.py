"""Sensitivity of first stages: against the matrix that the stage is, column by column."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

import simplicert as sc
from simplicert.models.modules import Normalised

pytestmark = pytest.mark.usefixtures("one_thread")

ROUNDING = 1e-9


def matrix_of(stage, shape):
    """A linear stage as a matrix: what it makes of each unit vector, less what it makes of 0."""
    stage = stage.double().eval()
    units = torch.eye(int(np.prod(shape)), dtype=torch.double).reshape(-1, *shape)
    with torch.no_grad():
        return (stage(units) - stage(torch.zeros_like(units))).flatten(1).numpy().T


def true_norm(stage, shape):
    return np.linalg.norm(matrix_of(stage, shape), 2)


def seeded(make, seed=0):
    torch.manual_seed(seed)
    return make().double().eval()


@pytest.mark.parametrize("kind", [np.array, torch.tensor, list])
def test_a_matrix(kind):
    values = [[3.0, 0.0], [4.0, 0.0]]
    assert 5 <= sc.models.sensitivity_of(kind(values)) < 5 + 1e-10


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_average_pooling_without_overlap_is_one_over_k(k):
    for kind, axes in ((nn.AvgPool1d, 1), (nn.AvgPool2d, 2), (nn.AvgPool3d, 3)):
        found = sc.models.sensitivity_of(kind(k), (3, *[4 * k] * axes))
        assert k ** (-axes / 2) <= found <= k ** (-axes / 2) * (1 + ROUNDING)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_average_pooling_of_any_sort_is_exact(data):
    """Overlaps, padding that counts or not, a last window that sticks out, another divisor."""
    axes = data.draw(st.integers(1, 2))

    def each(low, high):
        return data.draw(st.lists(st.integers(low, high), min_size=axes, max_size=axes))

    kernel, stride = each(1, 4), each(1, 4)
    pads = [data.draw(st.integers(0, k // 2)) for k in kernel]
    more = {"ceil_mode": data.draw(st.booleans()), "count_include_pad": data.draw(st.booleans())}
    if axes == 2 and data.draw(st.booleans()):
        more["divisor_override"] = data.draw(st.integers(1, 5))
    kind = nn.AvgPool1d if axes == 1 else nn.AvgPool2d
    stage = kind(*(tuple(value) for value in (kernel, stride, pads)), **more)
    shape = (2, *(k + data.draw(st.integers(0, 5)) for k in kernel))
    true = true_norm(stage, shape)
    assert true * (1 - 1e-13) <= sc.models.sensitivity_of(stage, shape) <= true * (1 + ROUNDING)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 7), st.integers(1, 7), st.integers(1, 9))
def test_adaptive_pooling_is_exact(height, width, size):
    stage = nn.AdaptiveAvgPool2d((height, None if width == 7 else width))
    true = true_norm(stage, (1, size, size))
    found = sc.models.sensitivity_of(stage, (1, size, size))
    assert true * (1 - 1e-13) <= found <= true * (1 + ROUNDING)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Using padding='same'")
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_convolutions_are_never_below(data):
    """Groups, strides, dilation, and each way of padding."""

    def one(low, high):
        return data.draw(st.integers(low, high))

    groups, kernel, dilation = one(1, 2), one(1, 3), one(1, 2)
    mode = data.draw(st.sampled_from(["zeros", "circular", "reflect", "replicate"]))
    reach = dilation * (kernel - 1)
    padding = data.draw(st.sampled_from(["same", "valid", 1, 2, reach // 2]))
    stride = 1 if padding == "same" else one(1, 3)
    torch.manual_seed(one(0, 100))
    stage = nn.Conv2d(2 * groups, 2 * groups, kernel, stride, padding, dilation, groups,
                      padding_mode=mode)  # fmt: skip
    shape = (2 * groups, reach + one(3, 5), reach + one(3, 5))
    true = true_norm(stage, shape)
    assert sc.models.sensitivity_of(stage, shape) >= true * (1 - 1e-13)


@pytest.mark.slow
def test_a_convolution_that_goes_round_is_close():
    stage = seeded(lambda: nn.Conv2d(2, 3, 3, padding=1, padding_mode="circular"))
    true = true_norm(stage, (2, 24, 24))
    assert true <= sc.models.sensitivity_of(stage, (2, 24, 24)) <= 1.03 * true


def test_patches_are_exact():
    stage = seeded(lambda: nn.Conv2d(3, 5, 4, stride=4))
    true = true_norm(stage, (3, 8, 8))
    assert true <= sc.models.sensitivity_of(stage) <= true * (1 + ROUNDING)


def test_normalisation_divides_by_the_smallest():
    stage = Normalised(nn.Identity(), [0.5, 0.4, 0.3], [0.25, 0.5, 2.0])
    assert sc.models.sensitivity_of(stage) == pytest.approx(4, rel=ROUNDING)
    assert sc.models.sensitivity_of(stage) >= 4

    class Normalize(nn.Module):
        std = (0.5, 0.2)

    Normalize.__module__ = "torchvision.transforms.transforms"
    assert sc.models.sensitivity_of(Normalize()) == pytest.approx(5, rel=1e-7)
    Normalize.std = (0.5, 0.0)
    with pytest.raises(sc.InvalidInput, match="must divide by positive numbers"):
        sc.models.sensitivity_of(Normalize())


def test_batch_norm_as_it_serves():
    stage = seeded(lambda: nn.BatchNorm2d(3))
    stage.running_var.copy_(torch.tensor([0.1, 4.0, 1.0]))
    stage.weight.data.copy_(torch.tensor([0.5, -7.0, 1.0]))
    true = true_norm(stage, (3, 2, 2))
    assert true * (1 - 1e-13) <= sc.models.sensitivity_of(stage) <= true * (1 + ROUNDING)
    with pytest.raises(sc.InvalidInput, match="must be in eval mode"):
        sc.models.sensitivity_of(stage.train())
    with pytest.raises(sc.InvalidInput, match="must divide by fixed numbers"):
        sc.models.sensitivity_of(nn.BatchNorm2d(3, track_running_stats=False).eval())
    stage.eval().running_var[1] = -1e-5  # with eps it is nearly 0: float32 may divide by 0
    with pytest.raises(sc.InvalidInput, match=r"variances of 0 or more, and .* has -1e-05"):
        sc.models.sensitivity_of(stage)


def deep():
    return nn.Sequential(
        Normalised(nn.Identity(), [0.5], [0.25]),
        nn.Sequential(nn.Conv2d(2, 3, 3, padding=1), nn.ReLU(), nn.AvgPool2d(2, 1)),
        nn.Flatten(),
        nn.Linear(3 * 5 * 5, 4),
        nn.Tanh(),
    )


def test_a_row_of_layers_is_a_product_and_holds():
    """Differences of outputs over differences of inputs, 2,000 pairs: none above the bound."""
    stage = seeded(deep)
    found = sc.models.sensitivity_of(stage, (2, 6, 6))
    parts = [(stage[0], (2, 6, 6)), (stage[1][0], (2, 6, 6)), (stage[1][2], (3, 6, 6)),
             (stage[3], (75,))]  # fmt: skip
    product = np.prod([sc.models.sensitivity_of(part, shape) for part, shape in parts])
    assert found == pytest.approx(product, rel=1e-12)
    x = torch.randn(2000, 2, 6, 6, dtype=torch.double)
    y = x + 1e-3 * torch.randn_like(x)
    with torch.no_grad():
        moved = (stage(x) - stage(y)).flatten(1).norm(dim=1)
    assert (moved <= found * (x - y).flatten(1).norm(dim=1)).all()


def test_one_layer_twice_counts_twice():
    layer = nn.Linear(2, 2, bias=False)
    layer.weight.data = 3 * torch.eye(2)
    assert sc.models.sensitivity_of(nn.Sequential(layer, layer)) >= 9


def test_steep_activations():
    assert sc.models.sensitivity_of(nn.LeakyReLU(-3.0)) == pytest.approx(3, rel=1e-12)
    assert sc.models.sensitivity_of(nn.Sigmoid()) == 0.25


def test_noise_behind_a_layer():
    network = nn.Sequential(seeded(deep), nn.Linear(4, 3)).eval()
    shape = (2, 6, 6)
    rest = sc.models.at_layer(network, "0.1", torch.zeros(1, *shape))
    wanted = sc.models.sensitivity_of(nn.Sequential(*network[0][:2]), shape)
    assert rest.sensitivity() == pytest.approx(wanted, rel=1e-12)
    inner = sc.models.at_layer(network, "0.1.0", torch.zeros(1, *shape)).sensitivity()
    assert inner == pytest.approx(sc.models.sensitivity_of(
        nn.Sequential(network[0][0], network[0][1][0]), shape), rel=1e-12)  # fmt: skip
    behind = Normalised(network, [0.0], [0.5]).eval()
    twice = sc.models.at_layer(behind, "classifier.0.1", torch.zeros(1, *shape))
    assert twice.sensitivity() == pytest.approx(2 * wanted, rel=1e-9)


class Own(nn.Module):
    """Not known to run its layers in a row."""

    def __init__(self):
        """Two layers."""
        super().__init__()
        self.first, self.second = nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, x):
        """Some of x by two ways."""
        return self.second(self.first(x)) + 100 * self.first(x)


class Doubled(nn.Sequential):
    """A row that does more than its parts."""

    def forward(self, x):
        """Twice."""
        return 2 * super().forward(x)


def hooked():
    layer = nn.Linear(2, 2)
    layer.register_forward_hook(lambda module, inputs, output: 10 * output)
    return layer


def replaced():
    layer = nn.Linear(2, 2)
    layer.forward = lambda x: 10 * x
    return layer


@pytest.mark.parametrize(
    ("stage", "words"),
    [
        (Own(), "Own is none of Linear, AvgPool1d"),
        (Doubled(nn.Linear(2, 2)), "Doubled is none of"),
        (nn.Sequential(nn.Linear(2, 2), nn.LayerNorm(2)), r"1 \(LayerNorm\) is none of"),
        (nn.Embedding(3, 2), "Embedding is none of"),
        (nn.utils.parametrizations.spectral_norm(nn.Linear(2, 2)), "ParametrizedLinear is none"),
        (hooked(), "Linear has hooks or a function of its own"),
        (replaced(), "Linear has hooks or a function of its own"),
        (nn.Dropout(0.5).train(), "must be in eval mode"),
        (nn.AvgPool2d(2), "input_shape must be given: the sensitivity of AvgPool2d depends on it"),
        (nn.Conv1d(1, 1, 3, padding=1, padding_mode="reflect"), "input_shape must be given"),
        (np.zeros((2, 2)), "must not be constant"),
        (np.zeros(3), r"must be a torch module or a matrix, got an array of shape \(3,\)"),
        (np.ones((2, 2)) * 1j, "matrix of real numbers"),
        (np.ones((2, 2), np.longdouble), "double precision or less"),
        (torch.ones(2, 2, dtype=torch.complex64), "must have real weights"),
        ([[1.0, np.nan]], "must be finite"),
        ([[1.0], [1.0, 2.0]], "matrix of real numbers"),
        ("avg", "matrix of real numbers"),
    ],
)  # fmt: skip
def test_refusals(stage, words):
    with pytest.raises(sc.InvalidInput, match=words):
        sc.models.sensitivity_of(stage)


def test_a_shape_that_does_not_fit():
    with pytest.raises(sc.InvalidInput, match="input_shape must fit the stage, and 0"):
        sc.models.sensitivity_of(nn.Sequential(nn.Linear(3, 2), nn.ReLU()), (4,))


def test_negative_deviations_stretch_as_much():
    twice = [Normalised(nn.Identity(), [0.0, 0.0], [-1.0, 0.1]).eval() for _ in range(2)]
    assert sc.models.sensitivity_of(nn.Sequential(*twice)) >= 100 * (1 - 1e-6)
    with pytest.raises(sc.InvalidInput, match="must not divide by 0"):
        sc.models.sensitivity_of(Normalised(nn.Identity(), [0.0], [0.0]))


@pytest.mark.parametrize("name", ["__call__", "__iter__"])
def test_a_row_that_is_run_in_another_way(name):
    """What a subclass does around its layers is not in their product."""

    def other(self, *arguments):
        return getattr(nn.Sequential, name)(self, *arguments)

    kind = type("Row", (nn.Sequential,), {name: other})
    with pytest.raises(sc.InvalidInput, match="whose sensitivity is known"):
        sc.models.sensitivity_of(kind(nn.Linear(2, 2)))


def test_a_slope_that_is_no_number():
    with pytest.raises(sc.InvalidInput):
        sc.models.sensitivity_of(nn.LeakyReLU(float("nan")))


def test_a_window_larger_than_the_input():
    with pytest.raises(sc.InvalidInput, match="has no window in"):
        sc.models.sensitivity_of(nn.AvgPool2d(4), (1, 3, 3))


def test_a_network_whose_order_is_not_known():
    rest = sc.models.at_layer(Own(), "first", torch.zeros(1, 2))
    with pytest.raises(sc.InvalidInput, match="network must run its layers in a row up to first"):
        rest.sensitivity()
