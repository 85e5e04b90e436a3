"""Noise behind a layer: the rest of the network, with any features in the layer's place."""

import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch import nn

import simplicert as sc

pytestmark = pytest.mark.usefixtures("one_thread")


class Text(torch.nn.Module):
    """Embeddings, a mean over the words that a mask lets in, a linear layer."""

    def __init__(self):
        """Twenty words, three classes."""
        super().__init__()
        torch.manual_seed(0)
        self.words = torch.nn.Embedding(20, 6)
        self.head = torch.nn.Linear(6, 3)

    def forward(self, ids, mask=None):
        """Logits."""
        seen = self.words(ids)
        weight = torch.ones(ids.shape) if mask is None else mask.float()
        return self.head((seen * weight[..., None]).sum(1) / weight.sum(1, keepdim=True))


IDS = torch.tensor([[1, 2, 3, 4], [5, 6, 7, 8]])


def test_features_put_back_give_the_same_logits():
    net = Text().eval()
    rest = sc.models.at_layer(net, "words", IDS[:1])
    features = rest.features(IDS)
    assert features.shape == (2, 4, 6) and not features.requires_grad
    torch.testing.assert_close(rest(features), net(IDS))


def test_what_follows_may_work_in_place():
    """SiLU twice is another function, and its slope would be missing in the sensitivity."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 6), nn.SiLU(inplace=True), nn.Linear(6, 3)).eval()
    inputs = torch.randn(5, 4)
    rest = sc.models.at_layer(net, "0", inputs[:1])
    features = rest.features(inputs)
    assert torch.equal(features, net[0](inputs))
    before = features.clone()
    torch.testing.assert_close(rest(features), net(inputs))
    assert torch.equal(features, before)


def test_threads_do_not_meet_each_others_features():
    """The layer waits for all threads to come, so that their hooks are there at once."""
    waits = threading.Barrier(4)

    class Meeting(nn.Linear):
        def forward(self, inputs):
            with contextlib.suppress(threading.BrokenBarrierError):
                waits.wait(0.2)
            return super().forward(inputs)

    torch.manual_seed(0)
    net = nn.Sequential(Meeting(4, 6), nn.Tanh(), nn.Linear(6, 3)).eval()
    rest = sc.models.at_layer(net, "0", torch.zeros(1, 4))
    features = [torch.randn(2, 6) for _ in range(4)]
    with torch.inference_mode(), ThreadPoolExecutor(4) as pool:
        found = list(pool.map(rest, features))
        for outputs, own in zip(found, features, strict=True):
            assert torch.equal(outputs, rest(own))


def test_keywords_and_a_mask():
    net, mask = Text().eval(), torch.tensor([[1, 1, 0, 0]])
    rest = sc.models.at_layer(net, "words", {"ids": IDS[:1], "mask": mask})
    features = rest.features({"ids": IDS, "mask": mask.expand(2, 4)})
    torch.testing.assert_close(rest(features), net(IDS, mask.expand(2, 4)))


def test_it_is_certified_as_any_classifier():
    """Noise of this size hardly moves the logits, so every draw gives the class without noise."""
    net = Text().eval()
    with torch.no_grad():
        net.head.weight.mul_(5)
    rest = sc.models.at_layer(net, "words", IDS[:1])
    features = rest.features(IDS)
    tally = sc.sample(rest, features, sigma=0.01, draws=100)
    assert tally.counts.argmax(1).tolist() == net(IDS).argmax(1).tolist()
    assert (sc.certify(sc.bound(tally)).radius > 0.01).all()


@pytest.mark.slow
def test_a_transformer():
    """A small BERT with random weights, made here: masks, positions and all the rest."""
    transformers = pytest.importorskip("transformers", reason="needs the extra hf")
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=50,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        num_labels=3,
    )
    net = transformers.BertForSequenceClassification(config).eval()
    raw = {"input_ids": IDS, "attention_mask": torch.tensor([[1, 1, 1, 0]] * 2)}
    example = {name: value[:1] for name, value in raw.items()}
    rest = sc.models.at_layer(net, "bert.embeddings.word_embeddings", example)
    torch.testing.assert_close(rest(rest.features(raw)), net(**raw).logits)


def test_gradients_reach_the_features():
    rest = sc.models.at_layer(Text(), "words", IDS[:1])
    features = rest.features(IDS).requires_grad_(True)
    rest(features)[:, 0].sum().backward()
    assert features.grad.abs().sum() > 0


def test_refused():
    net = Text()
    with pytest.raises(sc.InvalidInput, match="layer must be one of the network's, such as words"):
        sc.models.at_layer(net, "nothing", IDS[:1])
    with pytest.raises(sc.InvalidInput, match="example must be tensors of one row"):
        sc.models.at_layer(net, "words", IDS)(torch.zeros(2, 4, 6))
    with pytest.raises(sc.InvalidInput, match=r"features must have the shape \(4, 6\)"):
        sc.models.at_layer(net, "words", IDS[:1])(torch.zeros(2, 5, 6))
    twice = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.ReLU())
    twice[1] = twice[0]
    with pytest.raises(sc.InvalidInput, match="must put out one tensor once a pass, got 2"):
        sc.models.at_layer(twice, "0", torch.zeros(1, 2)).features(torch.zeros(3, 2))


def test_the_callers_network_is_left_as_it_was():
    network = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2)).train()
    before = {name: value.clone() for name, value in network.state_dict().items()}
    rest = sc.models.at_layer(network, "1", torch.zeros(1, 3))
    rest(rest.features(torch.ones(5, 3)))
    assert all(layer.training for layer in network.modules())
    assert all(torch.equal(value, before[name]) for name, value in network.state_dict().items())


def test_a_layer_that_runs_twice_is_refused():
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer, self.head = nn.Linear(3, 3), nn.Linear(3, 2)

        def forward(self, x):
            return self.head(self.layer(self.layer(x)))

    rest = sc.models.at_layer(Twice(), "layer", torch.zeros(1, 3))
    with pytest.raises(sc.InvalidInput, match="layer must run once a pass"):
        rest(torch.zeros(2, 3))
