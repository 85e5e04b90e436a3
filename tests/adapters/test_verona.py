"""A verifier and a search for VERONA; against the real package where it imports."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from simplicert.adapters import SmoothingEstimator, SmoothingModule
from simplicert.adapters.verona import SmoothingResult, _in_norm, is_robust
from simplicert.errors import InvalidInput


class Signs(torch.nn.Module):
    """The sign of the first of four features."""

    def __init__(self):
        """One layer."""
        super().__init__()
        self.layer = torch.nn.Linear(4, 2, bias=False)
        with torch.no_grad():
            self.layer.weight.copy_(torch.tensor([[1.0, 0, 0, 0], [-1.0, 0, 0, 0]]))

    def forward(self, rows):
        """Scores."""
        return self.layer(rows.flatten(1))


class OneRow(Signs):
    """A network stored for one row, which makes one of every batch."""

    def forward(self, rows):
        """Scores of a single row."""
        return self.layer(rows.reshape(1, 4))


class Wrapped(torch.nn.Module):
    """What VERONA's wrapper does: every batch gets the stored shape."""

    def __init__(self, inner, shape):
        """Keep both."""
        super().__init__()
        self.torch_model, self.input_shape = inner, shape

    def forward(self, rows):
        """Reshape, then classify."""
        return self.torch_model(rows.reshape(*self.input_shape))


def context(first=0.8, label=0, shape=(-1, 4), inner=None, number="7"):
    network = SimpleNamespace(
        name="signs",
        get_input_shape=lambda: shape,
        load_pytorch_model=lambda: Wrapped(inner or Signs(), shape),
    )
    data = torch.tensor([first, 0.1, 0.2, 0.3])
    return SimpleNamespace(
        network=network, data_point=SimpleNamespace(id=number, label=label, data=data)
    )


def test_the_radius_is_in_linf_unless_l2_is_meant():
    """The border is .8 away in l2; the largest box inside that ball has a half side of .4."""
    for norm, low, high in (("l2", 0.5, 0.8), ("linf", 0.25, 0.4)):
        found = SmoothingModule(0.5, n=1000, norm=norm, seed=0).certify(context())
        assert found.predicted_class == 0 and low < found.certified_radius < high
        assert (found.norm, found.confidence) == (norm, 0.999)
    for radius, size in ((0.7, 3072), (1e-300, 784), (3.0, 7)):
        assert _in_norm(radius, size, "linf") ** 2 * size <= radius**2
    assert _in_norm(0.0, 4, "linf") == 0


@pytest.mark.parametrize("inner", [Signs, OneRow])
def test_networks_stored_for_one_row(inner):
    found = SmoothingModule(0.5, n=200, n0=20, seed=0).certify(context(shape=(1, 4), inner=inner()))
    assert found.predicted_class == 0 and found.certified_radius > 0.1 and found.n0 == 20


def test_alpha_is_shared_among_the_questions():
    once = SmoothingModule(0.5, n=500)
    once.certify(context())
    with pytest.raises(InvalidInput, match="questions must be at least 2 to ask about input 7"):
        once.certify(context())
    once.certify(context(number="8"))
    twice = SmoothingModule(0.5, n=500, questions=2)
    found = [twice.certify(context()) for _ in range(2)]
    assert {one.confidence for one in found} == {1 - 0.0005}
    assert found[0].certified_radius != found[1].certified_radius  # fresh noise


def test_what_counts_as_robust():
    found = SmoothingResult(0, 0.5, 0.999, 0, 100, 0.5, "linf", 1.0)
    assert is_robust(found, 0, 0.49) and not is_robust(found, 0, 0.5)
    assert not is_robust(found, 1, 0.1) and not is_robust(found, 0, float("nan"))
    assert SmoothingResult.from_dict(found.to_dict()) == found


def test_settings_are_checked():
    for given in ({"n": 0}, {"norm": "l3"}, {"alpha": 1}, {"questions": 0}, {"n0": -1}):
        with pytest.raises(InvalidInput, match=next(iter(given))):
            SmoothingModule(0.5, **given)
    with pytest.raises(InvalidInput, match="verifier must be a SmoothingModule, got str"):
        SmoothingEstimator([0.1], "nnenum")
    with pytest.raises(InvalidInput, match="epsilon_value_list must hold a number"):
        SmoothingEstimator([], SmoothingModule(0.5))


@pytest.fixture(scope="module")
def verona():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of VERONA, about what else could be installed
        try:
            import ada_verona
        except (ImportError, RuntimeError) as error:
            pytest.skip(f"ada-verona does not import here: {error}")
    return ada_verona


def real_context(verona, folder, label=0):
    network = verona.PyTorchNetwork(Signs(), [1, 4], "signs")
    point = verona.DataPoint("7", label, torch.tensor([0.8, 0.1, 0.2, 0.3]))
    generator = verona.One2AnyPropertyGenerator(number_classes=2)
    return verona.VerificationContext(network, point, folder / "tmp", generator)


def test_without_verona_one_sentence_says_so(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "ada_verona", None)
    with pytest.raises(InvalidInput, match=r"need ada-verona .pip install ada-verona."):
        SmoothingModule(0.5, n=100).verify(context(), 0.1)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of VERONA's own code
def test_veronas_own_search_takes_the_module(verona, tmp_path):
    epsilons = [0.05, 0.1, 0.2, 0.3, 0.5, 0.9]
    module = SmoothingModule(0.5, n=2000, questions=len(epsilons), seed=0)
    assert isinstance(module, verona.VerificationModule)
    search = verona.BinarySearchEpsilonValueEstimator(list(epsilons), module)
    found = search.compute_epsilon_value(real_context(verona, tmp_path))
    assert found.epsilon in (0.2, 0.3) and "smoothed classifier" in found.verifier
    saved = (tmp_path / "tmp" / "epsilons_df.csv").read_text()
    assert "UNSAT" in saved and ",SAT" not in saved.replace("UNSAT", "")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of VERONA's own code
def test_our_search_asks_once(verona, tmp_path):
    module = SmoothingModule(0.5, n=2000, seed=0)
    search = SmoothingEstimator([0.9, 0.05, 0.2, 0.1], module)
    assert isinstance(search, verona.EpsilonValueEstimator)
    found = search.compute_epsilon_value(real_context(verona, tmp_path))
    assert found.epsilon == 0.2 and found.to_dict()["smallest_sat_value"] == "undefined"
    assert (tmp_path / "tmp" / "epsilons_df.csv").read_text().count("UNSAT") == 3
    assert sum(module._asked.values()) == 1
    wrong = SmoothingEstimator([0.05], SmoothingModule(0.5, n=500))
    assert wrong.compute_epsilon_value(real_context(verona, tmp_path, label=1)).epsilon == 0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of VERONA's own code
def test_a_whole_experiment(verona, tmp_path):
    """From VERONA's repository of experiments to its table of results, with an ONNX network."""
    onnx = pytest.importorskip("onnx")
    networks = tmp_path / "networks"
    networks.mkdir()
    weights = onnx.numpy_helper.from_array(
        np.array([[1.0, -1.0], [0, 0], [0, 0], [0, 0]], dtype=np.float32), "w"
    )
    node = onnx.helper.make_node("MatMul", ["x", "w"], ["y"])
    kind = onnx.TensorProto.FLOAT
    graph = onnx.helper.make_graph(
        [node],
        "signs",
        [onnx.helper.make_tensor_value_info("x", kind, [1, 4])],
        [onnx.helper.make_tensor_value_info("y", kind, [1, 2])],
        [weights],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.save(model, networks / "signs.onnx")
    repository = verona.ExperimentRepository(tmp_path / "experiments", networks)
    repository.initialize_new_experiment("smoothing")
    search = SmoothingEstimator([0.1, 0.2, 0.9], SmoothingModule(0.5, n=1000, seed=0))
    point = verona.DataPoint("3", 0, torch.tensor([0.8, 0.1, 0.2, 0.3]))
    generator = verona.One2AnyPropertyGenerator(number_classes=2)
    for network in repository.get_network_list():
        context = repository.create_verification_context(network, point, generator)
        repository.save_result(search.compute_epsilon_value(context))
    (saved,) = (tmp_path / "experiments").rglob("result_df.csv")
    assert "signs,3,0," in saved.read_text() and ",0.2,undefined," in saved.read_text()
