"""CertifiedAccuracy: update, compute, reset; few draws, and its names say so."""

import numpy as np
import pytest
import torch

import simplicert as sc
from simplicert.adapters import CertifiedAccuracy
from simplicert.errors import InvalidInput

torch.manual_seed(0)
INPUTS = torch.randn(12, 4)
LABELS = (INPUTS[:, 0] > 0).long()
ONE = {"device": "cpu", "batch_size": 64}


def network():
    """The sign of the first feature, behind a layer that training changes."""
    layer = torch.nn.Linear(4, 2)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[-1.0, 0, 0, 0], [1.0, 0, 0, 0]]))
        layer.bias.zero_()
    return torch.nn.Sequential(torch.nn.Dropout(0.5), layer)


def test_its_numbers_are_those_of_certify():
    model = network()
    metric = CertifiedAccuracy(model, 0.5, radii=(0, 0.4), seed=3, **ONE)
    metric.update(INPUTS, LABELS)
    tally = sc.sample(model, INPUTS, 0.5, 100, seed=3, labels=LABELS.numpy(), compile=False, **ONE)
    known = sc.bound(tally, 0.001, scheme=metric._scheme)
    found = sc.certify(known)
    shown = metric.compute()
    for radius in (0, 0.4):
        rate = sc.metrics.certified_accuracy(found, radius)
        assert shown[f"exploratory/certified_accuracy@{radius:g}"] == rate.hits / rate.total
    assert shown["exploratory/abstained"] == found.known.abstained.mean()
    assert all(name.startswith("exploratory/") for name in shown)
    assert "exploratory" in repr(metric) and 0.4 < metric.reach < 1.0


def test_it_sees_the_network_as_it_is_and_leaves_it_alone():
    model = network().train()
    metric = CertifiedAccuracy(model, 0.25, radii=(0,), seed=0, **ONE)
    good = metric(INPUTS, LABELS)["exploratory/certified_accuracy@0"]
    assert model.training and model[1].weight.requires_grad
    with torch.no_grad():
        model[1].weight.neg_()
    bad = metric(INPUTS, LABELS)["exploratory/certified_accuracy@0"]
    assert good > 0.6 and bad == 0
    assert metric.compute()["exploratory/certified_accuracy@0"] == pytest.approx(good / 2)
    metric.reset()
    with pytest.raises(sc.MissingEvidence, match="at least one update"):
        metric.compute()


def test_noise_is_fresh_at_every_update():
    seen = []

    def watched(batch):
        seen.append(np.array(batch))
        return np.column_stack([batch[:, 0], -batch[:, 0]])

    rows = np.full((1, 2), 0.1, dtype=np.float32)
    for given in (None, 7):
        metric = CertifiedAccuracy(watched, 1.0, radii=(0,), seed=given, **ONE)
        drawn = []
        for _ in range(2):
            seen.clear()
            metric.update(rows, [0])
            drawn.append({row.tobytes() for batch in seen for row in batch} - {rows.tobytes()})
            metric.reset()
        # the probe before the draws and the padding may repeat rows, the draws themselves do not
        assert len(drawn[0] & drawn[1]) < 0.5 * len(drawn[0])


def test_radii_out_of_reach_are_refused():
    metric = CertifiedAccuracy(network(), 0.25, radii=(1.0,), **ONE)
    with pytest.raises(InvalidInput, match=r"radii must lie below 0.3.* that 100 draws .* got 1:"):
        metric.update(INPUTS, LABELS)
    with pytest.raises(InvalidInput, match="radii must be numbers of at least 0"):
        CertifiedAccuracy(network(), 0.25, radii=())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of libraries that torchmetrics looks for
def test_beside_torchmetrics():
    """The same loop serves both, and with almost no noise both count the same."""
    torchmetrics = pytest.importorskip("torchmetrics", reason="torchmetrics is not installed")
    model = network().eval()
    plain = torchmetrics.classification.MulticlassAccuracy(2, average="micro")
    ours = CertifiedAccuracy(model, 1e-4, radii=(0,), **ONE)
    for rows in (slice(0, 6), slice(6, 12)):
        plain.update(model(INPUTS[rows]), LABELS[rows])
        ours.update(INPUTS[rows], LABELS[rows])
    assert ours.compute()["exploratory/certified_accuracy@0"] == float(plain.compute())
    for metric in (plain, ours):
        assert metric.higher_is_better and not metric.is_differentiable
        metric.reset()
